"""`touchstone verdict --save`: the ratings of a file as data sets in the inbox of study C."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from pipeline.command_line.verdict_result import Answer
from resources.configuration.load import load_configuration
from resources.errors import UserError

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


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
