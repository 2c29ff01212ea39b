"""What people's votes say of photos and of methods: strengths by Bradley and Terry, and how likely votes are."""

from typing import Any, Final

import numpy as np

from analysis.preference.likelihood import CHANCE_PER_VOTE
from analysis.ties import compare
from reports.pairwise.contents import Contents, bounds_of, level, say, units
from reports.pairwise.plots import strengths
from reports.shared.charts import Chart
from reports.shared.colours import MAIN
from reports.shared.drawing import Axis, Drawing, rows_axis, rows_height
from reports.shared.marks import Interval, line_at, note_at_line, row_layers
from reports.shared.numbers import interval, is_number, number, percent, plain_number, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined

QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)


def said_of_strengths(contents: Contents) -> list[Text]:
    """What was fitted on how many votes, and what it rests on."""
    frame = contents.tables["bradley_terry"]
    if frame.empty:
        return [say(f"strengths.{_why_none(contents)}")]
    held = frame["regularised"].astype(bool)
    # Each vote is about two photos.
    counts = {"n": whole(len(frame)), "votes": whole(int(frame["n_votes"].sum()) // 2)}
    said = [say("strengths.said", components=whole(frame["component"].nunique()), **counts)]
    if held.any():
        said.append(
            say("strengths.held", n=whole(frame.loc[held, "component"].nunique()), photos=whole(int(held.sum())))
        )
    if contents.people.majority is not None and contents.people.majority_judged is not None:
        shares = {"all": percent(contents.people.majority), "judged": percent(contents.people.majority_judged)}
        said.append(say("strengths.all_votes", **shares))
    return said


def _why_none(contents: Contents) -> str:
    if not contents.plan.use_bradley_terry:
        return "not_asked"
    return "refused" if contents.people.counts["n_votes"] else "none"


def strengths_chart(contents: Contents) -> Chart:
    """How many photos have which strength, those held by the prior apart."""
    frame = contents.tables["bradley_terry"]
    return Chart(
        "strengths",
        say("chart.strengths.title"),
        say("chart.strengths.reading"),
        _quantiles(contents),
        drawing=strengths(frame),
        empty=said_of_strengths(contents)[0] if frame.empty else None,
    )


def _quantiles(contents: Contents) -> TableView:
    frame = contents.tables["bradley_terry"]
    held = frame["regularised"].astype(bool)
    heads = [Head(say("head.photos_by"), numeric=False), Head(say("head.photos"))]
    heads += [Head(say("head.quantile", share=plain_number(100 * share))) for share in QUANTILES]
    heads += [Head(say("head.median_error"), term="bradley_terry"), Head(say("head.median_votes"))]
    rows: list[list[Part]] = []
    for name, part in (("by_votes", frame[~held]), ("by_prior", frame[held])):
        if part.empty:
            continue
        values = np.quantile(part["strength"].to_numpy(dtype=np.float64), QUANTILES)
        errors = part["standard_error"].dropna()
        rows.append(
            [
                say(f"legend.{name}"),
                whole(len(part)),
                *(number(value, 2) for value in values),
                number(errors.median() if len(errors) else None, 2),
                plain_number(part["n_votes"].median()),
            ]
        )
    return TableView(say("chart.strengths.table"), heads, rows)


def likelihood_charts(contents: Contents) -> list[Chart]:
    """The held-out log-likelihood per vote and the agreement with strengths, both next to log 0.5."""
    return [_likelihood(contents), _agreement(contents)]


def _likelihood(contents: Contents) -> Chart:
    rows = _sorted(contents, "log_likelihood_per_vote")
    names = [f"log_likelihood_per_vote{end}" for end in ("", "_low", "_high")]
    points = [Interval(*(row[name] for name in names)) for row in rows]
    return _beside_chance(contents, "likelihood", rows, points)


def _agreement(contents: Contents) -> Chart:
    rows = _sorted(contents, "bt_agreement")
    return _beside_chance(contents, "bt_agreement", rows, [Interval(row["bt_agreement"]) for row in rows])


def likelihood_table(contents: Contents) -> TableView:
    """The numbers of both charts."""
    heads = [
        Head(say("head.method"), numeric=False),
        Head(say("head.likelihood"), term="likelihood"),
        Head(say("head.interval", level=level(contents))),
        Head(say("head.likelihood_total"), term="likelihood"),
        Head(say("head.bt_agreement"), term="bt_agreement"),
    ]
    rows: list[list[Part]] = [
        [
            str(row["method"]),
            number(row["log_likelihood_per_vote"]),
            bounds_of(row, "log_likelihood_per_vote"),
            number(row["log_likelihood"], 1),
            number(row["bt_agreement"]),
        ]
        for row in contents.measured
    ]
    rows.append([say("chart.log_half"), number(CHANCE_PER_VOTE), "", "", number(CHANCE_PER_VOTE)])
    return TableView(say("likelihood.table"), heads, rows)


def said_of_likelihood(contents: Contents) -> Text | None:
    """Which methods make votes more likely than a coin does, interval and all."""
    rows = _sorted(contents, "log_likelihood_per_vote")
    if not rows:
        return None
    # A bound that only the last bit lifts above a coin is not above it.
    above = [
        row
        for row in rows
        if is_number(low := row["log_likelihood_per_vote_low"]) and compare(low, CHANCE_PER_VOTE) > 0
    ]
    return say(
        "likelihood.said",
        units=units(contents),
        n=whole(len(above)),
        total=whole(len(rows)),
        best=str(rows[0]["method"]),
        value=number(rows[0]["log_likelihood_per_vote"]),
        chance=number(CHANCE_PER_VOTE),
    )


def _sorted(contents: Contents, column: str) -> list[dict[str, Any]]:
    return sorted((row for row in contents.measured if is_number(row[column])), key=lambda row: -row[column])


def _beside_chance(contents: Contents, name: str, rows: list[dict[str, Any]], points: list[Interval]) -> Chart:
    hover = [
        joined([row["method"], number(one.value), interval(one.low, one.high)], " ")
        for row, one in zip(rows, points, strict=True)
    ]
    return Chart(
        name,
        say(f"chart.{name}.title"),
        say(f"chart.{name}.reading", chance=number(CHANCE_PER_VOTE), units=units(contents)),
        None,
        drawing=Drawing(
            [
                line_at(CHANCE_PER_VOTE, vertical=True),
                note_at_line(say("chart.log_half"), CHANCE_PER_VOTE, vertical=True),
                *row_layers(points, hover, [MAIN] * len(rows)),
            ],
            Axis(say(f"axis.{name}")),
            rows_axis([str(row["method"]) for row in rows]),
            rows_height(len(rows)),
            width_px=460,
        ),
        empty=None if rows else say("chart.no_likelihood"),
    )
