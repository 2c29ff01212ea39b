"""The page of `touchstone verdict`: its numbers, and a row for every object with judge, people and difference."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.messages import message
from analysis.ties import differences
from pipeline.command_line.verdict_result import Answer, provenance
from reports.verdict.report import MOST_OBJECTS, verdict_page

# Columns of the file next to each object: the longest text, then those with the fewest different values.
SHOWN_COLUMNS: Final = 6


def report_text(said: Answer, result: Mapping[str, Any]) -> str:
    """The page as HTML.

    Args:
        said: The ratings and what was found.
        result: What `--json` prints.
    """
    objects = objects_table(said)
    kept = objects.groupby("judge", sort=False).head(MOST_OBJECTS)
    if len(kept) < len(objects):
        note = message("The page has the {n:,} objects with the largest differences.", n=MOST_OBJECTS)
        result = dict(result) | {"notes": [*result["notes"], note]}
    return verdict_page(result, kept.reset_index(drop=True), provenance(said.question))


def objects_table(said: Answer) -> pd.DataFrame:
    """A row for each judge and object that either side rated, the largest differences first."""
    of_scores, labels = said.people.measure == "scores", np.array(said.people.labels, dtype=object)
    people = said.people.middle
    others = sorted(said.ratings.others, key=lambda one: len(set(one.texts)))
    longest = max(others, key=lambda one: sum(one.lengths), default=None)
    shown_columns = [one for one in others if one is not longest][: SHOWN_COLUMNS - 1] + ([longest] if longest else [])
    frames, same_scale = [], {judge.name: judge.same_scale for judge in said.found.judges}
    for name, scores in said.judges.items():
        shown = said.ratings.judges[name]
        # Scores in another unit have no difference.
        both = ~np.isnan(scores) & ~np.isnan(people) & same_scale[name]
        away = np.full(len(people), np.nan)
        away[both] = differences(scores[both], people[both]) if of_scores else scores[both] != people[both]
        ours = {
            "judge": name,
            "object": said.ratings.objects,
            "people": people if of_scores else _label_names(people, labels),
            "rating": shown if of_scores else _label_names(shown, labels),
            "difference": away,
        }
        theirs = {f"{one.name} (column)" if one.name in ours else one.name: one.texts for one in shown_columns}
        frame = pd.DataFrame(ours | theirs)
        order = np.argsort(np.where(np.isnan(away), 1.0, -np.abs(away)), kind="stable")
        frame = frame.iloc[order]
        frames.append(frame[frame["people"].notna() | frame["rating"].notna()])
    return pd.concat(frames, ignore_index=True)


def _label_names(codes: np.ndarray, labels: np.ndarray) -> list[str | None]:
    return [None if np.isnan(code) else str(labels[int(code)]) for code in codes]
