"""How much a Parquet file holds once it is decoded, found before: one stored text may be that of millions of values."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

BATCH_ROWS: Final = 8192
BATCH_BYTES: Final = 2**28  # of decoded values at a time
_DELTA: Final = "DELTA_BYTE_ARRAY"  # each text by what it adds to the one before: to see its length is to decode it
FEW_ROWS: Final = 256
_DICTIONARY_ROWS: Final = 2**18  # each batch has the whole dictionary once more
_VALUE_BYTES: Final = 8


class TooMuch(Exception):
    """The file holds more than is read; `size` is how much, or more where `is_least`, bytes."""

    def __init__(self, size: int, *, is_least: bool = False) -> None:
        super().__init__(size)
        self.size, self.is_least = size, is_least


def refuse_large(about: pq.FileMetaData, most: int) -> None:
    """Refuse a file that the sizes in its own end say is too large.

    Raises:
        TooMuch: Decompressed, all columns together are larger.
    """
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    stored = sum(group.total_byte_size for group in groups)
    n_values = sum(group.column(number).num_values for group in groups for number in range(about.num_columns))
    if (size := max(stored, n_values * _VALUE_BYTES)) > most:
        raise TooMuch(size)


def rows_at_a_time(file: Any, about: pq.FileMetaData, columns: Sequence[str] | None, most: int) -> int:
    """So many rows that their decoded values take little memory.

    Args:
        file: The open file.
        about: Its end.
        columns: Dotted names of those that are read; null for all.
        most: The largest size that may be read, bytes.

    Raises:
        TooMuch: Decoded, these columns are larger.
    """
    read = [one for one in range(about.num_columns) if _is_read(about.schema.column(one).path, columns)]
    size, bound, shared = 0, 0, []
    for number in read:
        chunks = [about.row_group(group).column(number) for group in range(about.num_row_groups)]
        if any(_stands_for_more(chunk) for chunk in chunks):
            shared.append((about.schema.column(number).path, any(_DELTA in chunk.encodings for chunk in chunks)))
            bound += sum(chunk.num_values * chunk.total_uncompressed_size for chunk in chunks)
        else:
            size += sum(max(chunk.total_uncompressed_size, chunk.num_values * _VALUE_BYTES) for chunk in chunks)
    if size + bound <= min(most, BATCH_BYTES):
        return BATCH_ROWS
    longest = 0
    for path, is_delta in shared:
        for decoded in _decoded(file, path, is_delta=is_delta):
            size += decoded.size
            longest = max(longest, decoded.longest)
            if size > most:
                raise TooMuch(size, is_least=True)
    return max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, longest)))


class _Decoded(NamedTuple):
    """Of one batch of values, bytes: all of them, and the longest."""

    size: int
    longest: int


def _is_read(path: str, columns: Sequence[str] | None) -> bool:
    return columns is None or any(path == name or path.startswith(f"{name}.") for name in columns)


def _stands_for_more(chunk: pq.ColumnChunkMetaData) -> bool:
    """Whether texts are stored once for several values, or by what they add to the one before."""
    return chunk.physical_type == "BYTE_ARRAY" and any(
        "DICTIONARY" in encoding or encoding == _DELTA for encoding in chunk.encodings
    )


def _decoded(file: Any, path: str, *, is_delta: bool) -> Iterator[_Decoded]:
    """The size of one column's values, batch by batch, without decoding those that a dictionary holds."""
    stored = pq.ParquetFile(file, read_dictionary=[] if is_delta else [path])
    for batch in stored.iter_batches(batch_size=FEW_ROWS if is_delta else _DICTIONARY_ROWS, columns=[path]):
        values = _leaf(batch.column(0))
        if pa.types.is_dictionary(values.type):
            lengths = pc.take(pc.binary_length(values.dictionary), values.indices)
        else:
            lengths = pc.binary_length(values)
        yield _Decoded(pc.sum(lengths).as_py() or 0, pc.max(lengths).as_py() or 0)


def _leaf(values: pa.Array) -> pa.Array:
    """The values within groups and lists."""
    while pa.types.is_nested(values.type):
        values = values.field(0) if pa.types.is_struct(values.type) else values.flatten()
    return values
