"""Finds samples that stand in several rows of an evaluation file."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from resources.errors import SHOWN, listing
from resources.inputs.faults import Faults


class Repeated(NamedTuple):
    """Rows that repeat an earlier row of their sample: shape ``(n,)``, true where they do."""

    same_fields: NDArray[np.bool_]
    other_fields: NDArray[np.bool_]


def repeated_samples(
    sample_ids: pa.ChunkedArray,
    rows: NDArray[np.int64],
    compared: Sequence[pa.Array],
    fields: Sequence[pa.ChunkedArray],
    faults: Faults,
) -> Repeated:
    """Which rows repeat a sample with the same values.

    Args:
        sample_ids: Shape ``(n,)``.
        rows: Shape ``(n,)``, rows in the file.
        compared: Columns of shape ``(n,)`` that rows of one sample must have in common, or it is noted as a fault.
        fields: Further columns of shape ``(n,)``; they only tell the two kinds of repetition apart.
        faults: Where samples with different values are noted, each with all its rows.
    """
    codes, _ = pd.factorize(pd.array(sample_ids, dtype="str"))
    _, first_of_code = np.unique(codes, return_index=True)
    first = first_of_code[codes]
    repeated = np.flatnonzero(first != np.arange(len(codes)))
    none = np.zeros(len(codes), dtype=bool)
    if not len(repeated):
        return Repeated(none, none.copy())
    conflicting = _differs(compared, repeated, first[repeated])
    by_code = np.argsort(codes, kind="stable")
    for code in np.unique(codes[repeated[conflicting]]):
        start, end = np.searchsorted(codes, [code, code + 1], sorter=by_code)
        own = by_code[start:end]
        faults.add(
            f"sample_id '{sample_ids[int(own[0])]}' stands in rows {listing(rows[own].tolist(), SHOWN)} "
            "with different scores or answers.",
            "Keep one row per sample_id.",
            int(rows[own[-1]]),
        )
    differs = _differs(fields, repeated, first[repeated])
    same, other = none.copy(), none
    same[repeated[~differs]] = True
    other[repeated[differs]] = True
    return Repeated(same, other)


def _differs(columns: Sequence[pa.Array], left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Where two choices of rows differ in any column; two nulls are alike."""
    differs = np.zeros(len(left), dtype=bool)
    for column in columns:
        codes, _ = pd.factorize(column.take(pa.array(np.concatenate([left, right]))).to_pandas())
        differs |= codes[: len(left)] != codes[len(left) :]
    return differs
