"""Sensitivity: which alterations of the golden set the judge sees, by how much, and what they look like."""

from typing import Any, Final

import pandas as pd

from resources.plots.figure import BLUE, GREY, RED
from resources.reports.charts import Chart, Interval, line_at, note_at_line, row_traces, rows_axis, rows_height, words
from resources.reports.fidelity.contents import Contents, say
from resources.reports.numbers import interval, is_number, number, plain_number, whole
from resources.reports.pictures import Picture, picture
from resources.reports.table_view import Head, TableView
from resources.reports.text import Part, Text, joined, same

NOT_SEEN: Final = "not seen"
COLOURS: Final = {"seen": BLUE, "seen in part": BLUE, NOT_SEEN: RED, "kept": GREY, "disturbed": RED, "unknown": GREY}
UNITS: Final = {"opacity": "opacity", "degrees": "degrees", "factor": "factor", "px at 512": "px", "share": "share"}


def alteration_in_words(row: dict[Any, Any]) -> Text:
    """What was altered and by how much."""
    kind = say(f"kind.{row['kind']}")
    if not is_number(row["magnitude"]):
        return kind
    unit, size = UNITS.get(str(row["magnitude_unit"])), float(row["magnitude"])
    between = ", " if unit == "opacity" else " "
    if unit is None:
        return joined([kind, plain_number(size), str(row["magnitude_unit"])], " ")
    return joined([kind, say(f"unit.{unit}", n=plain_number(100 * size if unit == "share" else size))], between)


def said_of_golden_set(contents: Contents) -> list[Text]:
    """On how many items and at which setting, and plainly what the judge does not see."""
    frame = contents.tables["sensitivity"]
    if frame.empty:
        return [_why_nothing(contents)]
    images = contents.tables["golden_images"]
    worse = frame[frame["expected"] == "worse"]
    missed = [alteration_in_words(row) for row in worse[worse["seen"] == NOT_SEEN].to_dict("records")]
    partly = [alteration_in_words(row) for row in worse[worse["seen"] == "seen in part"].to_dict("records")]
    said = [
        say(
            "sensitivity.basis",
            n=whole(frame["n_items"].max()),
            setting=str(frame["setting"].iloc[0]),
            images=whole(int(images["skipped"].isna().sum())),
        )
    ]
    if missed:
        said.append(say("sensitivity.not_seen", n=whole(len(missed)), names=joined(missed, "; ")))
    if partly:
        said.append(say("sensitivity.in_part", n=whole(len(partly)), names=joined(partly, "; ")))
    if not missed and not partly and len(worse):
        said.append(say("sensitivity.all_seen", n=whole(len(worse))))
    said += _sentinels(frame)
    n_skipped = int(images["skipped"].notna().sum())
    if n_skipped:
        said.append(say("sensitivity.skipped", n=whole(n_skipped)))
    if frame["n_chose_setting"].sum():
        said.append(say("sensitivity.not_held_out", n=whole(frame["n_chose_setting"].max())))
    return said


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
    colors = [COLOURS[row["seen"]] for row in rows]
    charts = []
    for name, column, limit in (("effect", "cohens_d", limits.effect_size), ("hits", "hit_rate", limits.hit_rate)):
        points = [Interval(row[column], row[f"{column}_low"], row[f"{column}_high"]) for row in rows]
        hover = [
            joined([label, number(one.value), interval(one.low, one.high)], " ")
            for label, one in zip(labels, points, strict=True)
        ]
        axis: dict[str, Any] = {"title": {"text": words(say(f"axis.{column}"))}}
        if name == "hits":
            axis |= {"range": [-0.03, 1.03]}
        needed = say("chart.needed", limit=plain_number(limit))
        known = any(is_number(one.value) for one in points)
        charts.append(
            Chart(
                name,
                say(f"chart.{name}.title"),
                say(f"chart.{name}.reading"),
                None,
                row_traces(
                    points,
                    hover,
                    colors,
                    bars=False,
                    hollow=[row["seen"] in ("seen in part", "unknown") for row in rows],
                ),
                {
                    "xaxis": axis,
                    "yaxis": rows_axis(labels),
                    "shapes": [line_at(limit, vertical=True)],
                    "annotations": [
                        note_at_line(needed, limit, vertical=True, anchor="right" if name == "hits" else "left")
                    ],
                },
                rows_height(len(rows)),
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
                say(f"seen.{str(row['seen']).replace(' ', '_')}"),
                number(row["mean_drop"]),
                number(row["cohens_d"], 2),
                interval(row["cohens_d_low"], row["cohens_d_high"], 2),
                number(row["hedges_g"], 2),
                number(row["d_z"], 2),
                number(row["hit_rate"]),
                interval(row["hit_rate_low"], row["hit_rate_high"]),
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
        caption = joined([label, say(f"seen.{verdict.replace(' ', '_')}")], ": ") if verdict else label
        alt = say("sensitivity.alt_altered", item=item, alteration=label)
        shown.append(picture(row["altered_path"], alt, caption, missing))
    return say("sensitivity.examples", item=same(item), object=same(chosen)), shown
