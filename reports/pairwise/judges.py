"""Judges of pairs: whether the order, the length or their own authorship decides what they say."""

from collections.abc import Mapping
from typing import Any

from analysis.messages import message_list
from reports.pairwise.contents import Contents, level, say
from reports.shared.numbers import interval, is_number, number, percent, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView, records
from reports.shared.text import Part, Text, joined, lines

# A number with its interval, how many pairs or answers it rests on, and its entry in the glossary.
PLACE = (
    ("consistency", ("n",), "consistency"),
    ("first_shown_rate", ("n_first_shown",), "first_shown_rate"),
    ("position_log_odds", ("n_position",), "position_log_odds"),
)
OF_TEXTS = (
    ("length_bias", ("n_longer", "n_shorter"), "length_bias"),
    ("self_preference", ("n_own", "n_not_own"), "self_preference"),
)


def said_of_judges(contents: Contents) -> list[Text]:
    """What the order does to each judge's answers, sentence by sentence."""
    return [
        say(
            "judges.said",
            judge=str(row["judge"]),
            n=whole(row["n"]),
            same=percent(row["consistency"]),
            first=percent(row["first_shown_rate"]),
        )
        for row in _rows(contents)
        if is_number(row["consistency"]) and is_number(row["first_shown_rate"])
    ]


def judges_table(contents: Contents) -> TableView | None:
    """Each judge's numbers with their intervals; none where no judge of pairs is named."""
    rows = _rows(contents)
    if not rows:
        return None
    shown = PLACE + (OF_TEXTS if contents.plan.pairs_of == "texts" else ())
    heads = [Head(say("head.judge"), numeric=False), Head(say("head.pairs"))]
    heads += [
        Head(say(f"head.{name}"), term=term, note=say("head.interval", level=level(contents)))
        for name, _, term in shown
    ]
    heads.append(Head(say("head.note"), numeric=False, wide=True))
    cells: list[list[Part]] = [
        [
            str(row["judge"]),
            whole(row["n"]),
            *[_cell(row, name, counts) for name, counts, _ in shown],
            phrase(message_list([row["undefined"]])) if row["undefined"] else "",
        ]
        for row in rows
    ]
    return TableView(say("judges.table"), heads, cells, stacks=True)


def _rows(contents: Contents) -> list[dict[str, Any]]:
    frame = contents.tables.get("pair_judges")
    return [] if frame is None else records(frame)


def _cell(row: Mapping[str, Any], name: str, counts: tuple[str, ...]) -> Part:
    if not is_number(row[name]):
        return number(None)
    unreliable = "unreliable" in str(row[f"{name}_interval_method"] or "")
    bounds = interval(row[f"{name}_low"], row[f"{name}_high"], unreliable=unreliable)
    n = [whole(row[count]) for count in counts]
    rests_on = say("judges.n_of_both", n=n[0], m=n[1]) if len(n) > 1 else joined(["n", *n], " ")
    return lines([number(row[name]), bounds, rests_on])
