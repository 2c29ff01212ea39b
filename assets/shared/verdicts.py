"""What the studies' verdicts share: their table, the verdict before, the advice on it, and Dagster's metadata."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate
from analysis.verdict.rule import Word
from analysis.verdict.stated import RANKS, Row, Stated
from reports.shared.verdict import markdown
from resources.tables.declare import Table
from resources.tables.trust_verdict import CONDITION, PEOPLE_ALL, PERSON, VERDICT

LIST_COLUMNS = ("reasons", "not_covered")
# In the metadata of a table: each answer with its word, for the run after.
ANSWERS = "answers"


def verdict_table(stated: Iterable[Stated], table: Table) -> pd.DataFrame:
    """One row per verdict, then its conditions and its people."""
    rows: list[dict[str, Any]] = []
    for one in sorted(stated, key=lambda said: not said.leading):
        known = {"judge": one.judge, "place": one.place, "leading": one.leading, "against": one.against}
        said = one.verdict
        counts = next(((c.n, c.n_clusters) for c in said.conditions if c.n is not None), (None, None))
        things = {"counted": one.things[0], "clusters": one.things[1]}
        rows.append(
            known
            | things
            | {"row": VERDICT, "name": one.judge, "word": said.word}
            | {"reasons": list(said.reasons), "not_covered": list(one.not_covered), "margin": said.margin}
            | {"n": counts[0], "n_clusters": counts[1], "n_needed": said.n_needed, "n_for": said.n_for}
        )
        fields = ("name", "state", "required", "estimate", "low", "high", "needed", "limit", "n", "n_clusters", "gate")
        rows += [
            known
            | {"row": CONDITION, "why": condition.why or None}
            | {name: getattr(condition, name) for name in fields}
            for condition in said.conditions
        ]
        rows += [known | _of_person(person) for person in one.people]
    frame = pd.DataFrame(rows, columns=[column.name for column in table.columns])
    for column in LIST_COLUMNS:
        frame[column] = [value if isinstance(value, list) else [] for value in frame[column]]
    return frame


def _of_person(one: Row) -> dict[str, Any]:
    numbers = {"estimate": one.person, "low": one.low, "high": one.high, "judge_estimate": one.judge, "n": one.n}
    return {"row": PERSON, "name": one.name or PEOPLE_ALL} | numbers


def not_worse_gate(frame: pd.DataFrame, before: Mapping[str, Any] | None) -> Gate:
    """Whether what answers the study's question is at least what it was the time before.

    Args:
        frame: The table.
        before: Dagster's metadata of the table as it was made before; none where this is the first.
    """
    name, needed = "verdict_is_not_worse", "no worse than before"
    heads = frame[(frame["row"] == VERDICT) & frame["leading"].astype(bool)].to_dict("records")
    pairs = [
        (row, word)
        for row in heads
        if (word := _word_before(row, (before or {}).get(ANSWERS) or [], alone=len(heads) == 1)) is not None
    ]
    if not pairs:
        return Gate(name, True, None, needed, "This is the first verdict: there is none before it.", len(heads))
    worse = [(row, word) for row, word in pairs if RANKS[row["word"]] > RANKS[word]]
    if not worse:
        listed = "; ".join(f"{_named(row)} '{row['word']}'" for row, _ in pairs)
        return Gate(name, True, None, needed, f"The verdict is no worse than before: {listed}.", len(pairs))
    remedy = "Look at what fails, and at what changed since: inputs, judge, prompt."
    said = "; ".join(f"{_named(row)} was '{word}' and is '{row['word']}'" for row, word in worse)
    return Gate(name, False, None, needed, f"{said}; needed: no worse than before. {remedy}", len(pairs), None, remedy)


def _word_before(row: Mapping[Any, Any], before: Sequence[Mapping[str, Any]], *, alone: bool) -> Word | None:
    """The same judge's answer before, whatever its setting; where one answer took the place of another, that one."""
    of_judge = [one for one in before if one["judge"] == row["judge"]]
    same = [one for one in of_judge if one["place"] == row["place"]] or of_judge or list(before)
    known = len(same) == 1 and same[0]["word"] in RANKS
    return same[0]["word"] if known and (of_judge or alone) else None


def _named(row: dict[Any, Any]) -> str:
    return f"{row['judge']} at {row['place']}" if row["place"] else str(row["judge"])


def verdict_metadata(frame: pd.DataFrame) -> dict[str, Any]:
    """The verdict as the first thing that the UI shows of a table or a report: Markdown, without a click."""
    led = frame[(frame["row"] == VERDICT) & frame["leading"].astype(bool)]
    answers = led[["judge", "place", "word"]].to_dict("records")
    return {"verdict": dg.MetadataValue.md(markdown(frame)), ANSWERS: dg.MetadataValue.json(answers), **_numbers(frame)}


def _numbers(frame: pd.DataFrame) -> dict[str, dg.MetadataValue]:
    """Of the first answer, for the UI to draw over time: its first condition with a number, and the n of that."""
    seen = frame[(frame["row"] == CONDITION) & frame["leading"].astype(bool) & frame["estimate"].notna()]
    if seen.empty:
        return {"verdict_n": dg.MetadataValue.int(0)}
    first = seen.iloc[0]
    n = 0 if pd.isna(first["n"]) else int(first["n"])
    return {"verdict_estimate": dg.MetadataValue.float(float(first["estimate"])), "verdict_n": dg.MetadataValue.int(n)}
