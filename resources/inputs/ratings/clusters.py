"""What is said of a file whose objects look as if they shared sources where none were named."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from analysis.messages import Name, message
from resources.inputs.ratings.likely import Role, likely_columns
from resources.inputs.ratings.other_columns import TEXT, OtherColumn, are_clusters
from resources.inputs.record_files import RecordFile

# Texts of objects are copies where so large a share of them comes again.
COPIES: Final = 0.1


def dependence(file: RecordFile, columns: Sequence[OtherColumn], given: Mapping[str, Role]) -> str:
    """What is said where objects are taken as independent and a column looks as if they were not; else nothing.

    Args:
        file: Says which column is likely to be what objects share; else it is texts of which a tenth are copies.
        columns: Of each object.
        given: The roles of columns that were named.
    """
    sources = likely_columns(file, whole=False, given=given).options("source")
    for column in sorted(columns, key=lambda one: one.name not in sources):
        texts = [text for text in zip(column.first_spellings, column.lengths, strict=True) if text[0] is not None]
        counts = Counter(texts)
        n_copies = sum(n for n in counts.values() if n > 1)
        is_text = bool(texts) and sum(column.lengths) / len(texts) > TEXT
        if not are_clusters(texts) or not (column.name in sources or (is_text and n_copies >= COPIES * len(texts))):
            continue
        said = (
            "objects are taken as independent, and {n:,} of them share a '{column}' with others ({different:,} "
            "different ones): where it is their source, add `{option}`, or intervals are too narrow"
        )
        option = Name(f"--cluster {shlex.quote(column.name)}")
        return message(said, n=n_copies, column=Name(column.name), different=len(counts), option=option)
    return ""
