"""People: how well they agree among themselves, how the judge does next to each, what few labels would do."""

from typing import Any

from reports.fidelity.contents import Contents, defined, few, say
from reports.fidelity.plots.people import estimates, labels_axis
from reports.shared.charts import Chart
from reports.shared.drawing import Axis, Drawing
from reports.shared.numbers import interval, is_number, number, p_value, percent, plain_number, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined
from resources.tables.fidelity.decision import EVERYBODY


def said_of_annotators(contents: Contents, key: str) -> list[Text]:
    """Agreement of people with each other, and the result of the test, for one setting."""
    frame = contents.of("annotator_test", key)
    whole_rows = frame[frame["annotator"] == EVERYBODY]
    if whole_rows.empty:
        return [say("people.nothing")]
    row: dict[Any, Any] = whole_rows.iloc[0].to_dict()
    said = []
    if is_number(row["human_icc_1_1"]):
        bounds = interval(row["human_icc_1_1_low"], row["human_icc_1_1_high"])
        mean = {"mean": number(row["human_icc_1_k"])}
        n = whole(row["human_icc_n"])
        said.append(say("people.icc", icc=number(row["human_icc_1_1"]), bounds=bounds, n=n, **mean))
    else:
        said.append(say("people.no_icc"))
    gate = contents.gate(key, "judge_can_stand_in")
    if gate is not None and gate.seen is not None:
        parts = {
            "omega": gate.seen_text,
            "rho": number(row["rho"]),
            "needed": gate.needed_text,
            "epsilon": plain_number(row["epsilon"]),
            "n": whole(gate.n),
        }
        said.append(say("people.annotator_test", **parts))
    else:
        said.append(say("people.not_tested", n=whole(row["n_instances"])))
    said += [say("people.note", note=phrase(row[name])) for name in ("note", "undefined") if _there(row[name])]
    return said


def annotator_table(contents: Contents, key: str) -> TableView | None:
    """The test against each annotator; none with a single one."""
    frame = contents.of("annotator_test", key)
    each: list[dict[Any, Any]] = frame[frame["annotator"] != EVERYBODY].to_dict("records")
    if not each:
        return None
    heads = [
        Head(say("head.annotator"), numeric=False),
        Head(say("head.objects")),
        Head(say("head.judge_nearer"), term="alternative_annotator"),
        Head(say("head.annotator_nearer")),
        Head(say("head.p"), term="p_value"),
        Head(say("head.p_adjusted"), term="benjamini_yekutieli"),
        Head(say("head.result"), numeric=False),
    ]
    rows: list[list[Part]] = []
    for row in each:
        result: Part = phrase(row["undefined"]) if _there(row["undefined"]) else ""
        if row["rejected"] is not None and _there(row["rejected"]):
            result = say("people.wins" if bool(row["rejected"]) else "people.does_not_win")
        shares = [number(row["share_judge_better"]), number(row["share_annotator_better"])]
        tests = [p_value(row["p"]), p_value(row["p_adjusted"])]
        rows.append([str(row["annotator"]), whole(row["n_instances"]), *shares, *tests, result])
    return TableView(say("people.table", setting=key), heads, rows)


def few_labels_chart(contents: Contents) -> Chart:
    """The mean human score by labels alone, by labels and judge, and by the judge alone, against the labels."""
    known = contents.tables["few_labels"]["prediction_powered"].notna().any()
    return Chart(
        "labels",
        say("chart.labels.title"),
        say("chart.labels.reading"),
        _labels_table(contents),
        drawing=Drawing(
            (),
            labels_axis(contents.tables["few_labels"]),
            Axis(say("axis.mean_people")),
            380,
            variants={key: estimates(contents.of("few_labels", key)) for key in contents.settings},
        ),
        empty=None if known else say("people.no_labels"),
    )


def _labels_table(contents: Contents) -> TableView:
    heads = [
        Head(say("head.setting"), numeric=False),
        Head(say("head.labels")),
        Head(say("head.unlabelled")),
        Head(say("legend.prediction_powered"), term="prediction_powered"),
        Head(say("head.interval")),
        Head(say("legend.people_only")),
        Head(say("head.interval")),
        Head(say("legend.judge_only")),
        Head(say("head.labels_gained"), term="prediction_powered"),
        Head(say("head.all_labels")),
    ]
    rows: list[list[Part]] = []
    for key in contents.settings:
        for row in contents.of("few_labels", key).sort_values("n_labels").to_dict("records"):
            cells: list[Part] = [contents.named(key), whole(row["n_labels"]), whole(row["n_unlabelled"])]
            for name in ("prediction_powered", "people_only"):
                bounds = interval(row[f"{name}_low"], row[f"{name}_high"], unreliable=few(row))
                cells += [number(row[name]), bounds]
            gained = whole(row["labels_gained"])
            rows.append([*cells, number(row["judge_only"]), gained, number(row["all_labels"])])
    return TableView(say("chart.labels.table"), heads, rows)


def said_of_few_labels(contents: Contents, key: str) -> Text | None:
    """What the judge is worth at the most labels tried."""
    rows = contents.of("few_labels", key).sort_values("n_labels")
    rows = rows[rows["labels_gained"].notna()]
    if rows.empty:
        return None
    row = rows.iloc[-1].to_dict()
    if not defined(row["prediction_powered_low"], row["people_only_low"]):
        return None
    worth = "worth" if round(float(row["labels_gained"])) > 0 else "worth_nothing"
    half = (row["prediction_powered_high"] - row["prediction_powered_low"]) / 2
    alone = (row["people_only_high"] - row["people_only_low"]) / 2
    parts = {"half": number(half), "alone": number(alone), "gain": whole(row["labels_gained"])}
    said = [say(f"people.{worth}", n=whole(row["n_labels"]), **parts)]
    if is_number(row["pass_prediction_powered"]):
        said.append(say("people.passes", score=plain_number(contents.plan.pass_score), **_shares(row)))
    return joined(said, " ")


def _shares(row: dict[Any, Any]) -> dict[str, Part]:
    """Shares of objects that people would pass, with bounds, as sentences have them."""
    names = {"both": "pass_prediction_powered", "corrected": "pass_corrected", "judge": "pass_judge_only"}
    shares: dict[str, Part] = {part: percent(row[name]) for part, name in names.items()}
    ends = [row[f"pass_prediction_powered_{end}"] for end in ("low", "high")]
    low, high = (100 * float(end) if is_number(end) else None for end in ends)
    return shares | {"bounds": interval(low, high, 1)}


def _there(value: Any) -> bool:
    return value is not None and value == value and str(value) not in ("", "<NA>", "nan")
