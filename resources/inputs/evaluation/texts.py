"""Texts of an evaluation file's metadata: single values, ids and labels, each under the name it is asked by."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from resources.inputs.column_names import own_name
from resources.inputs.evaluation.rows import RowFault
from resources.inputs.record_files import SeveralValues, as_text

_WHOLE, _FRACTION = r"^-?\d+(\.0*)?$", r"\.0*$"


def whole_texts(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts, ``2.0`` as ``2`` where all of them are whole numbers."""
    if pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py():
        return pc.replace_substring_regex(texts, _FRACTION, "")
    return texts


def as_asked(fields: dict[str, pa.ChunkedArray], names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
    """The fields, each under the names by which it is asked for; under its own where it is not."""
    owns = {name: own_name(name, fields) for name in names}
    others = {name: fields[own] for name, own in owns.items() if own is not None and own != name}
    replaced = {own for name, own in owns.items() if name in others} - set(names)
    return {name: column for name, column in fields.items() if name not in replaced} | others


def single(name: str, value: Any) -> str | None:
    """A single value as text; null where there is none.

    Raises:
        RowFault: It is a list or a group of fields.
    """
    try:
        return as_text(value)
    except SeveralValues as fault:
        raise RowFault(f"field '{name}' holds {fault}, not a single value.", "Write one value.") from fault


def without_nul(name: str, text: str) -> str:
    """The text.

    Raises:
        RowFault: It holds NUL.
    """
    if "\0" in text:
        raise RowFault(f"{text!r:.60} in field '{name}' holds NUL.", "Remove it.")
    return text


def shown(value: Any) -> str:
    """A value's beginning, for messages."""
    return "" if value is None else f"{value:.60}" if isinstance(value, str) else f"{value!r:.60}"
