"""What `touchstone verdict` writes: its page, and with `--save` the ratings as data sets of study C."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.messages import message
from analysis.ties import differences
from pipeline.command_line.verdict_result import Answer, provenance
from reports.verdict.report import MOST_OBJECTS, verdict_page
from resources.configuration.load import load_configuration
from resources.configuration.place import FILE_NAME, configuration_file
from resources.errors import UserError
from resources.runtime.home import touchstone_home

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
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


def saved_datasets(said: Answer, name: str) -> list[tuple[Path, str]]:
    """Files for the inbox, one for each judge, and what they hold.

    Args:
        said: The ratings.
        name: Of the data set; with several judges each one's name follows.

    Raises:
        UserError: The name is none, or the configuration has no inbox.
    """
    if not NAME.fullmatch(name):
        raise UserError(f"`--save {name}`: a data set's name has letters, digits, `_`, `.` and `-` only.")
    study = load_configuration().evaluation
    inbox = None if study is None else study.inbox
    if inbox is None:
        remedy = "`touchstone init` writes a configuration; in its section `evaluation` add `inbox: inbox`."
        raise UserError(f"`--save {name}`: the configuration names no inbox of study C. {remedy}")
    several = len(said.judges) > 1
    files = []
    for judge, scores in said.judges.items():
        stem = f"{name}-{re.sub(r'[^A-Za-z0-9_.-]', '_', judge)}" if several else name
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(said, scores))
        files.append((Path(inbox) / f"{stem}.jsonl", text))
    home = touchstone_home()
    if configuration_file(home) is None and "TOUCHSTONE_HOME" in os.environ and not home.holds_a_study():
        # Without it there would be no study to run.
        files.append((home.local / FILE_NAME, "study: ratings\nevaluation:\n  inbox: inbox\n"))
    return files


def _rows(said: Answer, scores: np.ndarray) -> Iterator[dict[str, Any]]:
    """A sample an object that judge and people rated: scores with people's mean, or labels with their majority."""
    of_scores, labels = said.people.measure == "scores", said.people.labels
    people = said.people.middle
    for place, (one, other) in enumerate(zip(scores, people, strict=True)):
        if np.isnan(one) or np.isnan(other):
            continue
        about = {column.name: column.texts[place] for column in said.ratings.others}
        metadata = {"source": str(said.ratings.clusters[place])} | about
        row: dict[str, Any] = {"sample_id": said.ratings.objects[place], "metadata": metadata}
        if of_scores:
            yield row | {"final_score": float(one), "mos": float(other)}
        else:
            yield row | {"options": list(labels), "prediction": labels[int(one)], "answer": labels[int(other)]}
