"""Columns that grow value by value and stay small: closed pieces are packed into Arrow."""

from typing import Any

import pyarrow as pa

PIECE = 16384


class PackedColumn:
    """Values of one Arrow type, each put at its position; positions that nothing was put at are null."""

    def __init__(self, kind: pa.DataType) -> None:
        """Begin empty."""
        self._kind = kind
        self._pieces: list[pa.Array] = []
        self._packed = 0
        self._open: list[Any] = []

    def put(self, position: int, value: Any) -> None:
        """Put a value at a position beyond those before it."""
        gap = position - self._packed - len(self._open)
        if gap > PIECE:
            self._fill(position)
        elif gap:
            self._open.extend([None] * gap)
        self._open.append(value)
        if len(self._open) >= PIECE:
            self._pack()

    def array(self, length: int) -> pa.ChunkedArray:
        """All values, with nulls up to a length."""
        self._fill(length)
        return pa.chunked_array(self._pieces, self._kind)

    def _fill(self, length: int) -> None:
        self._pack()
        if length > self._packed:
            self._pieces.append(pa.nulls(length - self._packed, self._kind))
            self._packed = length

    def _pack(self) -> None:
        if self._open:
            self._pieces.append(pa.array(self._open, self._kind))
            self._packed += len(self._open)
            self._open = []
