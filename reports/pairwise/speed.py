"""What each method costs and what it is worth: time per pair against accuracy."""

from typing import Any

from reports.pairwise.contents import Contents, level, named, say
from reports.pairwise.plots import speeds, timed
from reports.shared.charts import Chart
from reports.shared.numbers import interval, number, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text


def speed_chart(contents: Contents) -> Chart:
    """Accuracy against what a method alone would take per pair; the best of each cluster of equal times is named."""
    metrics = contents.tables["method_metrics"]
    return Chart(
        "speed",
        say("chart.speed.title"),
        say("chart.speed.reading"),
        speed_table(contents),
        drawing=speeds(metrics),
        empty=None if timed(metrics) else say("chart.no_time"),
    )


def speed_table(contents: Contents) -> TableView:
    """Time alone and here, throughput and accuracy, the fastest first."""
    heads = [
        Head(say("head.method"), numeric=False),
        Head(say("head.time"), term="time"),
        Head(say("head.throughput"), term="time"),
        Head(say("head.shared_time"), term="time"),
        Head(say("head.accuracy"), term="accuracy"),
        Head(say("head.interval", level=level(contents))),
    ]
    rows: list[list[Part]] = [
        [
            str(row["method"]),
            number(row["avg_time_ms"], 2),
            number(row["throughput"], 1),
            number(row["shared_time_ms"], 2),
            number(row["accuracy"]),
            interval(row["accuracy_low"], row["accuracy_high"]),
        ]
        for row in sorted(
            timed(contents.tables["method_metrics"]), key=lambda row: (row["avg_time_ms"], -row["accuracy"])
        )
    ]
    return TableView(say("chart.speed.table"), heads, rows)


def said_of_speed(contents: Contents) -> list[Text]:
    """Which methods no other beats in both, and how fast photos were measured."""
    rows, said = timed(contents.tables["method_metrics"]), []
    if rows:
        front = [row["method"] for row in rows if not any(_beats(other, row) for other in rows)]
        said.append(say("speed.front", n=whole(len(front)), methods=named(front)))
    features = contents.tables["image_features"]
    n = int(features["n_images"].sum())
    if n:
        plan = contents.plan
        size = number(plan.rules_long_side, 0) if plan.rules_long_side else None
        said.append(say("speed.fast_mode", side=size) if size else say("speed.full"))
        rates = features.loc[features["images_per_s"].notna(), ["n_computed", "images_per_s"]]
        seconds = float((rates["n_computed"] / rates["images_per_s"]).sum()) if len(rates) else 0.0
        if seconds > 0:
            computed = int(rates["n_computed"].sum())
            said.append(say("speed.computed", n=whole(computed), rate=number(computed / seconds, 0)))
    return said


def _beats(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """At least as good in both, and better in one."""
    faster, better = one["avg_time_ms"] - other["avg_time_ms"], one["accuracy"] - other["accuracy"]
    return bool(faster <= 0 and better >= 0 and (faster < 0 or better > 0))
