"""Sensitivity: which alterations of the golden set the judge sees, by how much, and what they look like."""

from typing import Any, Final

import pandas as pd

from reports.fidelity.contents import Contents, say
from reports.fidelity.plots.golden import MEASURES, sensitivity, unreliable
from reports.shared.charts import Chart
from reports.shared.numbers import interval, is_number, number, plain_number, whole
from reports.shared.pictures import Picture, picture
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined, same
from resources.tables.fidelity.golden import IN_PART, KINDS, NO_UNIT, NOT_SEEN, UNKNOWN

UNITS: Final = {"opacity": "opacity", "degrees": "degrees", "factor": "factor", "px at 512": "px", "share": "share"}


def kind_in_words(kind: str) -> Text:
    """What was altered; a kind of the user's own by its own name."""
    return say(f"kind.{kind}") if kind in KINDS else same(kind)


def alteration_in_words(row: dict[Any, Any]) -> Text:
    """What was altered and by how much."""
    kind = kind_in_words(str(row["kind"]))
    if not is_number(row["magnitude"]):
        return kind
    unit, size = UNITS.get(str(row["magnitude_unit"])), float(row["magnitude"])
    between = ", " if unit == "opacity" else " "
    if unit is None:
        own = [] if row["magnitude_unit"] == NO_UNIT else [str(row["magnitude_unit"])]
        return joined([kind, plain_number(size), *own], " ")
    return joined([kind, say(f"unit.{unit}", n=plain_number(100 * size if unit == "share" else size))], between)


def said_of_golden_set(contents: Contents) -> list[Text]:
    """On how many items and at which setting, and plainly what the judge does not see."""
    frame = contents.tables["sensitivity"]
    if frame.empty:
        return [_why_nothing(contents)]
    images = contents.tables["golden_images"]
    altered = frame[frame["expected"] != "same"]
    missed, partly, unknown = (
        [alteration_in_words(row) for row in altered[altered["seen"] == word].to_dict("records")]
        for word in (NOT_SEEN, IN_PART, UNKNOWN)
    )
    better = frame[frame["expected"] == "better"]
    lowers = "not_seen" if (better["seen"] != NOT_SEEN).all() else "not_moved"
    said = [
        say(
            "sensitivity.basis" if contents.plan.texts is None else "sensitivity.basis_texts",
            n=whole(frame["n_items"].max()),
            setting=str(frame["setting"].iloc[0]),
            images=whole(int(images["skipped"].isna().sum())),
        )
    ]
    if missed:
        said.append(say(f"sensitivity.{lowers}", n=whole(len(missed)), names=joined(missed, "; ")))
    if partly:
        said.append(say("sensitivity.in_part", n=whole(len(partly)), names=joined(partly, "; ")))
    if unknown:
        said.append(say("sensitivity.unknown", n=whole(len(unknown)), names=joined(unknown, "; ")))
    if not missed and not partly and not unknown and len(altered):
        said.append(say("sensitivity.all_seen", n=whole(len(altered))))
    if len(better):
        names = [alteration_in_words(row) for row in better.to_dict("records")]
        said.append(say("sensitivity.better", names=joined(names, "; ")))
    said += _sentinels(frame)
    n_skipped = int(images["skipped"].notna().sum())
    if n_skipped:
        said.append(say("sensitivity.skipped", n=whole(n_skipped)))
    if frame["n_chose_setting"].sum():
        said.append(say("sensitivity.not_held_out", n=whole(frame["n_chose_setting"].max())))
    return said


def _seen(word: Any) -> Text:
    return say(f"seen.{str(word).replace(' ', '_')}")


def _sentinels(frame: pd.DataFrame) -> list[Text]:
    same_rows = frame[(frame["expected"] == "same") & frame["false_alarm_rate"].notna()].to_dict("records")
    if not same_rows:
        return []
    parts = [
        joined([alteration_in_words(row), " ", number(row["false_alarm_rate"]), " (", whole(row["n_misses"]), "/",
                whole(row["n_items"]), ")"], "")
        for row in same_rows
    ]  # fmt: skip
    return [say("sensitivity.false_alarms", rates=joined(parts, "; "))]


def _why_nothing(contents: Contents) -> Text:
    images = contents.tables["golden_images"]
    if images.empty:
        return say("sensitivity.none")
    if images["skipped"].notna().all():
        return say("sensitivity.all_skipped", n=whole(len(images)))
    return say("sensitivity.not_scored", n=whole(len(images)))


def sensitivity_charts(contents: Contents) -> list[Chart]:
    """Effect size and hit rate of every alteration; one table serves both."""
    frame = contents.tables["sensitivity"]
    rows: list[dict[Any, Any]] = frame.to_dict("records")
    labels = [alteration_in_words(row) for row in rows]
    limits = contents.plan.thresholds
    charts = []
    for name, column in (("effect", "cohens_d"), ("hits", "hit_rate")):
        limit = getattr(limits, MEASURES[column][0])
        known = any(is_number(row[column]) for row in rows)
        charts.append(
            Chart(
                name,
                say(f"chart.{name}.title"),
                say(f"chart.{name}.reading"),
                None,
                drawing=sensitivity(frame, column, limit, labels, width_px=460),
                empty=None if known else _why_nothing(contents),
            )
        )
    return charts


def sensitivity_table(contents: Contents) -> TableView | None:
    """The numbers of both charts."""
    rows: list[dict[Any, Any]] = contents.tables["sensitivity"].to_dict("records")
    if not rows:
        return None
    labels = [alteration_in_words(row) for row in rows]
    heads = [
        Head(say("head.alteration"), numeric=False),
        Head(say("head.seen"), numeric=False, term="seen"),
        Head(say("head.drop")),
        Head(say("statistic.cohens_d"), term="cohens_d"),
        Head(say("head.interval")),
        Head(say("statistic.hedges_g"), term="cohens_d"),
        Head(say("statistic.d_z"), term="d_z"),
        Head(say("statistic.hit_rate"), term="hit_rate"),
        Head(say("head.interval")),
        Head(say("head.hits"), term="hit_rate"),
        Head(say("head.ties")),
        Head(say("statistic.auc"), term="auc"),
    ]
    made: list[list[Part]] = []
    for row, label in zip(rows, labels, strict=True):
        of_items = joined([whole(row["n_hits"]), "/", whole(row["n_items"])], "")
        made.append(
            [
                label,
                _seen(row["seen"]),
                number(row["mean_drop"]),
                number(row["cohens_d"], 2),
                interval(row["cohens_d_low"], row["cohens_d_high"], 2, unreliable=unreliable(row, "cohens_d")),
                number(row["hedges_g"], 2),
                number(row["d_z"], 2),
                number(row["hit_rate"]),
                interval(row["hit_rate_low"], row["hit_rate_high"], unreliable=unreliable(row, "hit rate")),
                of_items,
                whole(row["n_ties"]),
                number(row["auc"]),
            ]
        )
    return TableView(say("chart.effect.table"), heads, made)


def example_pictures(contents: Contents) -> tuple[Text | None, list[Picture]]:
    """One item of the golden set: the render as it was, and every alteration of it."""
    images = contents.tables["golden_images"]
    made = images[images["skipped"].isna() & images["altered_path"].notna()]
    if made.empty:
        return None, []
    counts = made.groupby("object").size()
    # The item with most alterations; of several, the first by name.
    chosen = min(counts.index[counts == counts.max()])
    rows: list[dict[Any, Any]] = made[made["object"] == chosen].to_dict("records")
    item, missing = str(rows[0]["item_id"]), say("sensitivity.picture_gone")
    shown = [
        picture(
            rows[0]["original_path"],
            say("sensitivity.alt_original", item=item),
            joined([say("kind.original")]),
            missing,
        )
    ]
    seen = dict(zip(contents.tables["sensitivity"]["alteration"], contents.tables["sensitivity"]["seen"], strict=True))
    for row in rows:
        label = alteration_in_words(row)
        verdict = seen.get(row["alteration"])
        caption = joined([label, _seen(verdict)], ": ") if verdict else label
        alt = say("sensitivity.alt_altered", item=item, alteration=label)
        shown.append(picture(row["altered_path"], alt, caption, missing))
    return say("sensitivity.examples", item=same(item), object=same(chosen)), shown
