"""The votes on pairs of texts, counted by pair and order, and what recorded judges said of the same pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.spelling import one_spelling
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import FileFault, did_you_mean, listing
from resources.inputs.battles import FIRST, SECOND, Battle, Battles, Thing, read_battles
from resources.inputs.faults import Faults
from resources.inputs.ratings.likely import looks_like_a_model

RECORDED: Final = ("judge", "first", "second", "picked")


@dataclass(frozen=True)
class TextVotes:
    """`votes` has the columns of `photo_votes.read_photo_votes`; `recorded` a row per judge and order (`RECORDED`)."""

    votes: pd.DataFrame
    recorded: pd.DataFrame
    things: dict[str, Thing]


def read_text_votes(study: PairwiseStudy) -> TextVotes:
    """Every pair of texts with people's votes, a row for each order in which it was shown.

    Raises:
        FileFault: One thing is wrong with the file.
        FileFaults: Several things are.
    """
    found = read_battles(study.pairs_csv, study.columns, study.cluster_column)
    recorded = _recorded_names(found, study.recorded_judges)
    faults = Faults(found.name)
    kept, n_twice = _once(found.rows, faults)
    people = [one for one in kept if one.judge is None or recorded.get(one.judge) is None]
    if likely := next((one for one in people if one.judge and looks_like_a_model(one.judge)), None):
        problem = f"'{likely.judge}' in column 'judge' looks like a model, and its answers would count as a person's."
        faults.add(problem, "Name it under `recorded_judges` in section `pairwise`, or rename it.", likely.row)
    faults.raise_if_any()
    if not people:
        raise FileFault(found.name, "there is no vote of a person in it.", "Add people's rows: they are the measure.")
    notes = list(found.notes)
    if n_twice:
        notes.append(f"Rows that say the same of one pair, order and person again, counted once: {n_twice:,}.")
    votes = _counted(people)
    votes.attrs["notes"] = notes
    rows = [
        (recorded[str(one.judge)], one.a.name, one.b.name, one.winner) for one in kept if recorded.get(str(one.judge))
    ]
    things = {thing.name: thing for one in found.rows for thing in (one.a, one.b)}
    return TextVotes(votes, pd.DataFrame(rows, columns=list(RECORDED)), things)


def _recorded_names(found: Battles, named: Sequence[str]) -> dict[str, str]:
    """The study's name of a judge by the file's spelling of it.

    Raises:
        FileFault: The file has no such judge.
    """
    there = {one.judge for one in found.rows if one.judge is not None}
    names: dict[str, str] = {}
    for name in named:
        alike = [one for one in there if one_spelling(one) == one_spelling(name)]
        if not alike:
            problem = f"column 'judge' holds no '{name}'{did_you_mean(name, there)}; it holds {listing(sorted(there))}."
            raise FileFault(found.name, problem, "Correct `recorded_judges`.")
        names |= dict.fromkeys(alike, name)
    return names


def _once(rows: Iterable[Battle], faults: Faults) -> tuple[list[Battle], int]:
    """The rows without repetitions of what one person said of one pair in one order, and how many those were."""
    first: dict[tuple[str, ...], Battle] = {}
    kept, n_twice = [], 0
    for one in rows:
        if one.judge is not None:
            before = first.setdefault((one.judge, one.a.name, one.b.name), one)
            if before is not one:
                n_twice += 1
                if before.winner != one.winner:
                    problem = (
                        f"'{one.judge}' says another winner of {one.a.name} and {one.b.name} than in row {before.row}."
                    )
                    faults.add(problem, "Keep one of the rows.", one.row)
                continue
        kept.append(one)
    return kept, n_twice


def _counted(people: Sequence[Battle]) -> pd.DataFrame:
    """Votes by pair and order, as the rows of a file of photo votes; compareIDs number a question's texts by name."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for one in people:
        row = rows.setdefault(
            (one.a.name, one.b.name),
            {
                "row": one.row,
                "series_id": one.question,
                "compareFile1": one.a.source,
                "compareFile2": one.b.source,
                "LEFT": 0,
                "RIGHT": 0,
                "TIES": 0,
                "cluster": one.cluster,
                "photo_1": one.a.name,
                "photo_2": one.b.name,
            },
        )
        row[{FIRST: "LEFT", SECOND: "RIGHT"}.get(one.winner, "TIES")] += 1
    frame = pd.DataFrame(list(rows.values())).set_index("row")
    names = pd.concat([frame[["series_id", name]].set_axis(["s", "t"], axis=1) for name in ("photo_1", "photo_2")])
    places = {thing: place for _, part in names.groupby("s")["t"] for place, thing in enumerate(sorted(set(part)))}
    return frame.assign(
        compareID1=frame["photo_1"].map(places).astype("int64"),
        compareID2=frame["photo_2"].map(places).astype("int64"),
        num_reviewers=frame["LEFT"] + frame["RIGHT"] + frame["TIES"],
        strength=np.nan,
    )
