"""The judges of a study side by side: verdicts, statistics with rank groups, and the difference of every two."""

from typing import Any

import pandas as pd

from analysis.messages import message
from analysis.verdict.judge_differences import COMPARED, Compared
from reports.fidelity.contents import Contents, say
from reports.shared.numbers import DECIMALS, NOTHING, interval, is_number, number, p_value, unbroken, usd, usd_decimals
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined, lines, same
from reports.shared.verdict import judge_text, word_text
from resources.configuration.settings import judge_in

NOT_RUN = message("none of its settings was run")
TERMS_OF = {
    "spearman": "spearman",
    "mae": "mae",
    "icc": "icc",
    "omega": "alternative_annotator",
    "cost_per_object_usd": "cost",
    "cost_per_point_usd": "cost",
}


def comparison(contents: Contents) -> pd.DataFrame | None:
    """Table `judge_comparison`; none where one judge alone was run."""
    frame = contents.tables.get("judge_comparison")
    return None if frame is None or frame["judge"].nunique() < 2 else frame


def said_of_judges(contents: Contents) -> list[Text]:
    """On which objects the judges are compared, why one of them is not, and which of them saw the golden set."""
    frame = comparison(contents)
    if frame is None:
        return []
    shown = frame[frame["value"].notna()]
    said = [say("judges.basis", basis=phrase(str(basis))) for basis in shown["basis"].unique()]
    alone = frame[frame["other"].isna()]
    for judge, rows in alone.groupby("judge", sort=False):
        if rows["value"].isna().all():
            said.append(say("judges.not_compared", judge=judge_text(str(judge)), why=phrase(rows["undefined"].iloc[0])))
    missing = [name for name in contents.plan.judges if name not in set(alone["judge"])]
    said += [say("judges.not_compared", judge=judge_text(name), why=phrase(NOT_RUN)) for name in missing]
    shown_to = {judge_in(str(key)) for key in contents.tables["sensitivity"]["setting"]}
    return said + [say("judges.golden", judge=judge_text(name)) for name in shown_to if name]


def judges_table(contents: Contents) -> TableView | None:
    """A row for each judge: verdict, setting, and each statistic with its interval and its rank group."""
    frame = comparison(contents)
    if frame is None:
        return None
    heads = [Head(say("head.judge"), numeric=False), Head(say("judges.verdict"), numeric=False)]
    heads += [Head(say(f"judges.{statistic}"), term=TERMS_OF[statistic]) for statistic in COMPARED]
    rows: list[list[Part]] = []
    for judge, own in frame[frame["other"].isna()].groupby("judge", sort=False):
        by_statistic = {row["statistic"]: row for row in own.to_dict("records")}
        first = own.iloc[0]
        named = lines([judge_text(str(judge)), same(str(first["setting"]).removeprefix(f"{judge}@"))])
        cells: list[Part] = [named, word_text(str(first["word"]))]
        cells += [_cell(by_statistic[statistic], statistic) for statistic in COMPARED]
        rows.append(cells)
    return TableView(say("judges.table"), heads, rows, stacks=True)


def pairs_table(contents: Contents) -> TableView | None:
    """A row for each two judges and statistic: the difference, its interval and p after Holm."""
    frame = comparison(contents)
    if frame is None:
        return None
    heads = [
        Head(say("judges.pair"), numeric=False),
        Head(say("head.statistic"), numeric=False),
        Head(say("head.difference")),
        Head(say("head.interval")),
        Head(say("judges.p_holm"), term="holm"),
        Head(say("head.method"), numeric=False, wide=True),
    ]
    rows: list[list[Part]] = []
    for row in frame[frame["other"].notna()].to_dict("records"):
        pair = joined([judge_text(row["judge"]), judge_text(row["other"])], " \u2212 ")
        bounds = _bounds(row, row["statistic"]) or NOTHING
        why = row["method"] if pd.isna(row["undefined"]) else row["undefined"]
        named = say(f"judges.{row['statistic']}")
        p = p_value(row["p_holm"]) if is_number(row["p_holm"]) else NOTHING
        rows.append([pair, named, _number(row["value"], row["statistic"]), bounds, p, phrase(str(why))])
    return TableView(say("judges.pairs"), heads, rows, stacks=True)


def _cell(row: dict[Any, Any], statistic: Compared) -> Part:
    if not is_number(row["value"]):
        return NOTHING
    parts: list[Text] = [_number(row["value"], statistic)]
    if bounds := _bounds(row, statistic):
        parts.append(bounds)
    if isinstance(row["letters"], str):
        parts.append(same(row["letters"]))
    return lines(parts)


def _bounds(row: dict[Any, Any], statistic: str) -> Text | None:
    low, high = row["value_low"], row["value_high"]
    if not is_number(low) or not is_number(high):
        return None
    wider = max(abs(low), abs(high))
    return unbroken(interval(low, high, usd_decimals(wider) if statistic.startswith("cost") else DECIMALS))


def _number(value: Any, statistic: str) -> Text:
    return usd(value) if statistic.startswith("cost") and is_number(value) else number(value)
