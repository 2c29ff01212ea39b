"""Data inside a page: strict JSON that no markup can break out of, and large parts compressed."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

# Under this size a page is read more easily than it is made smaller.
PLAIN_UP_TO_BYTES: Final = 150_000
_ESCAPES: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


class Embedded(NamedTuple):
    """What stands in a ``script`` element; `packed` when it is gzip in base64."""

    body: str
    packed: bool


def strict_json(value: Any) -> str:
    """JSON without NaN or Infinity, in ASCII, in which no ``</script>`` and no line separator can stand.

    Raises:
        ValueError: A number is not finite.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def embedded(value: Any) -> Embedded:
    """The value as JSON, compressed where it is large."""
    text = strict_json(value)
    return Embedded(text, packed=False) if len(text) <= PLAIN_UP_TO_BYTES else Embedded(packed(text.encode()), True)


def packed(data: bytes) -> str:
    """Gzip in base64; the same bytes give the same text."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def columns_of(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """A table as JSON takes it: one list a column, null where a value is missing."""
    return {str(name): [plain(cell) for cell in frame[name].tolist()] for name in frame.columns}


def plain(cell: Any) -> Any:
    """One value as strict JSON takes it."""
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    if isinstance(cell, Sequence) and not isinstance(cell, str):
        return [plain(one) for one in cell]
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or pd.isna(cell) or (isinstance(cell, float) and not np.isfinite(cell)):
        return None
    return cell.isoformat() if isinstance(cell, pd.Timestamp) else cell


def source_hash(text: str | bytes) -> str:
    """What a content security policy calls this inline script or style."""
    data = text.encode() if isinstance(text, str) else text
    return f"'sha256-{base64.b64encode(hashlib.sha256(data).digest()).decode()}'"


class Library(NamedTuple):
    """What draws charts, as a page carries it: packed, and the hash of its text."""

    body: str
    hash: str


@lru_cache
def vega() -> Library:
    """Vega, Vega-Lite and vega-embed in one file, which ``tools/bundle_vega.py`` takes from vl-convert."""
    data = (Path(__file__).parent / "library" / "vega.js.gz").read_bytes()
    return Library(base64.b64encode(data).decode(), source_hash(gzip.decompress(data)))  # noqa: TID251 our own file


def tables_of(frames: Mapping[str, pd.DataFrame]) -> dict[str, dict[str, list[Any]]]:
    """Several tables by name."""
    return {name: columns_of(frame) for name, frame in frames.items()}
