"""How far people agree among themselves: the votes of both orders, the place on the screen, the agreement on pairs."""

import itertools
from typing import Final

import numpy as np

from analysis.ties import snap
from reports.pairwise.contents import Contents, level, say
from reports.shared import marks
from reports.shared.charts import Chart
from reports.shared.colours import MAIN, PALE
from reports.shared.drawing import COUNTS, Axis, Drawing
from reports.shared.marks import Entry
from reports.shared.numbers import interval, number, percent, plain_number, whole
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined, same

# Each band begins where the one before ends; the first holds ties alone, the last unanimous pairs alone.
EDGES: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
HEIGHT_PX: Final = 320
UPRIGHT: Final = {"labelAngle": 0}


def said_of_people(contents: Contents) -> list[Text]:
    """What the votes say, sentence by sentence."""
    people = contents.people
    counts, said = people.counts, []
    if people.majority is not None:
        said.append(say("people.majority", share=percent(people.majority), n=whole(counts["n_pairs"])))
    if people.majority_judged is not None:
        judged = {"share": percent(people.majority_judged), "n": whole(counts["n_judged"])}
        said.append(say("people.majority_judged", **judged, agreement=plain_number(contents.plan.min_agreement)))
    both = counts["n_shown_in_both_orders"]
    if both:
        opposite = counts["n_opposite_winners"]
        numbers = {"n": whole(opposite), "total": whole(both), "share": percent(opposite / both)}
        said.append(say("people.opposite", **numbers, filtered=whole(counts["n_opposite_winners_after_filter"])))
    else:
        said.append(say("people.one_order"))
    if people.accuracy_bound is not None:
        said.append(say(f"people.{contents.plan.orders}", share=percent(people.accuracy_bound)))
    return said


def position_table(contents: Contents) -> TableView | None:
    """The share of votes for the photo shown first, over all pairs and over those shown in both orders."""
    position, rows = contents.people.position, []
    pairs = contents.tables["photo_pairs"]
    for name, frame in (("position_both_orders", pairs[pairs["n_orders"] == 2]), ("position", pairs)):
        share = position[f"{name}_share"]
        if share is None:
            continue
        unreliable = "unreliable" in position[f"{name}_share_interval_method"]
        coefficient = position if name == "position_both_orders" else dict.fromkeys(position)
        odds, low, high = (coefficient[f"position_log_odds{end}"] for end in ("", "_low", "_high"))
        rows.append(
            [
                say(f"people.{name}"),
                number(share),
                interval(position[f"{name}_share_low"], position[f"{name}_share_high"], unreliable=unreliable),
                number(position[f"{name}_z"], 2),
                number(odds),
                interval(low, high, unreliable="unreliable" in str(coefficient["position_log_odds_interval_method"])),
                whole(position[f"{name}_votes_first"]),
                whole(int((frame["votes_1"] + frame["votes_2"]).sum())),
            ]
        )
    heads = [
        Head(say("head.votes_of"), numeric=False),
        Head(say("head.first_share"), term="position"),
        Head(say("head.interval", level=level(contents))),
        Head(same("z")),
        Head(say("head.log_odds"), term="position_log_odds"),
        Head(say("head.interval", level=level(contents))),
        Head(say("head.votes_first")),
        Head(say("head.votes")),
    ]
    return TableView(say("people.position_table"), heads, rows) if rows else None


def agreement_chart(contents: Contents) -> Chart:
    """How many pairs there are by the share of votes that the winner got, judged ones and others."""
    pairs = contents.tables["photo_pairs"]
    # The band of each pair: 0 a tie, then (0.5, 0.6), [0.6, 0.7) and so on, unanimous pairs last.
    agreement = snap(pairs["agreement"].to_numpy(dtype=np.float64), EDGES)
    band = np.where(agreement <= EDGES[0], 0, np.searchsorted(EDGES, agreement, side="right"))
    judged = pairs["excluded"].isna().to_numpy()
    labels = _labels()
    counts = {
        name: np.bincount(band[chosen], minlength=len(labels))
        for name, chosen in (("judged", judged), ("left_out", ~judged))
    }
    bars, entries, base = [], [], np.zeros(len(labels), dtype=np.int64)
    edges = [place - 0.5 for place in range(len(labels) + 1)]
    for name, color in (("judged", MAIN), ("left_out", PALE)):
        legend = say(f"legend.{name}")
        hover = [joined([legend, label, whole(int(n))]) for label, n in zip(labels, counts[name], strict=True)]
        bars += marks.columns(marks.Bins(edges, counts[name].tolist(), hover, base.tolist()), color, share=0.8)
        base = base + counts[name]
        entries.append(Entry(legend, color, "square"))
    heads = [
        Head(say("head.agreement"), numeric=False, term="agreement"),
        Head(say("legend.judged")),
        Head(say("legend.left_out")),
    ]
    rows: list[list[Part]] = [
        [label, whole(int(counts["judged"][place])), whole(int(counts["left_out"][place]))]
        for place, label in enumerate(labels)
    ]
    return Chart(
        "votes",
        say("chart.votes.title"),
        say("chart.votes.reading"),
        TableView(say("chart.votes.table"), heads, rows),
        drawing=Drawing(
            [marks.boxes(bars), marks.legend(entries)],
            Axis(say("axis.agreement"), (edges[0], edges[-1]), range(len(labels)), labels, grid=False, more=UPRIGHT),
            Axis(say("axis.pairs"), **COUNTS),
            HEIGHT_PX,
        ),
        empty=say("chart.no_pairs") if pairs.empty else None,
    )


def _labels() -> list[Text]:
    found = [say("people.tie")]
    for low, high in itertools.pairwise(EDGES):
        found.append(joined([number(low, 1), number(high, 1)], "\u2013"))
    return [*found, say("people.unanimous")]
