"""Reads the input of the reliability study, from a file or from a Postgres table, into frames."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from resources.configuration.reliability import ReliabilityStudy
from resources.errors import FileFault
from resources.file_hash import sha256_of_file
from resources.inputs.relevance_records import Relevance
from resources.inputs.relevance_scores import read_relevance_file
from resources.inputs.relevance_table import read_relevance_table


@dataclass(frozen=True)
class RelevanceInput:
    """Queries with their documents, and the scores that came with them.

    `rows` has the row of each document and of each score, in the order of the frames of these names;
    null for a table, whose rows are known by their key.

    `documents` has the columns of table `query_documents`; `scores` has query_id, doc_id, judge, prompt_version and
    score (0-1), no row where a judgment is missing. `judges` are those of `scores`, in the order of the input.
    `n_missing` counts each judge's documents without a score, under the versions under which it judged their query or
    another judge did. `ignored` are columns that say nothing to the study.
    """

    name: str
    documents: pd.DataFrame
    scores: pd.DataFrame
    judges: tuple[str, ...]
    n_missing: Mapping[str, int]
    ignored: tuple[str, ...]
    sha256: str
    rows: Mapping[str, NDArray[np.int64]] | None = None

    @property
    def content_sha256(self) -> str:
        """Of queries, documents, texts and scores as they were read, whatever else changed in the file."""
        digest = hashlib.sha256()
        for frame in (self.documents, self.scores):
            digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
        return digest.hexdigest()

    def place(
        self, query_id: str, doc_id: str | None = None, judge: str | None = None, prompt_version: str | None = None
    ) -> str:
        """Where a query's text was read, a document's or a score: file and row, or table and key."""
        frame = self.documents if judge is None else self.scores
        wanted = {"query_id": query_id, "doc_id": doc_id, "judge": judge, "prompt_version": prompt_version}
        meant = np.ones(len(frame), dtype=bool)
        for column, value in wanted.items():
            meant &= True if value is None else (frame[column] == value).to_numpy(dtype=bool)
        found = np.flatnonzero(meant)
        if self.rows is None or not found.size:
            return f"{self.name}, id '{query_id}'"
        return f"{self.name}, row {self.rows['documents' if judge is None else 'scores'][found[0]]}"


def read_relevance(plan: ReliabilityStudy) -> RelevanceInput:
    """What the study's configuration names as its input.

    Raises:
        UserError: It cannot be read, something in it is wrong, or it has scores of fewer than two judges and the
            configuration names no judges. Nothing is loaded then.
    """
    if plan.postgres is not None:
        read = read_relevance_table(plan.postgres, plan.columns, plan.scale, plan.prompt_version)
        sha256 = read.sha256
    elif plan.queries is not None:
        read = read_relevance_file(plan.queries, plan.columns, plan.scale, plan.prompt_version)
        sha256 = sha256_of_file(plan.queries)
    else:
        raise ValueError("the study has no input")
    _refuse_few_judges(read, plan)
    rows = None if plan.postgres is not None else read.rows
    return RelevanceInput(
        read.name, read.documents, read.scores, read.judges, read.n_missing, read.ignored, sha256, rows
    )


def _refuse_few_judges(read: Relevance, plan: ReliabilityStudy) -> None:
    if plan.judges or len(read.judges) >= 2:
        return
    there = f"only judge '{read.judges[0]}' has scores" if read.judges else "there are no scores"
    raise FileFault(
        read.name,
        f"{there}, and agreement takes two judges.",
        "Add the other judge's scores, or configure `judges` in touchstone.yaml.",
    )
