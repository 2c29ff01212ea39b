"""What the reliability study reads: queries, documents and scores, and where each of them was read."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class RelevanceInput:
    """Queries with their documents, and the scores that came with them.

    `documents` has the columns of table `query_documents`; `scores` has query_id, doc_id, judge, prompt_version and
    score (0-1), no row where a judgment is missing. `judges` are those of `scores`, in the order of the input.
    `n_missing` counts each judge's documents without a score, under the versions under which it judged their query or
    another judge did. `ignored` are columns that say nothing to the study. `rows` has the row of each document and of
    each score, in the order of the frames of these names; null for a table, whose rows are known by their key.
    `sha256` is of the file or the table's content; `notes` are sentences on how it was read.
    """

    name: str
    documents: pd.DataFrame
    scores: pd.DataFrame
    judges: tuple[str, ...]
    n_missing: Mapping[str, int]
    ignored: tuple[str, ...]
    rows: Mapping[str, NDArray[np.int64]] | None
    sha256: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
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
