"""What a file or a record holds, as one short text."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from upath import UPath

from resources.runtime.opened_files import refuse_no_file

_CHUNK_BYTES: Final = 1 << 20


def sha256_of_file(path: str | Path | UPath) -> str:
    """The SHA-256 of a file's bytes in hex; the path is local or an fsspec address.

    Raises:
        FileFault: It is no file.
    """
    refuse_no_file(path)
    digest = hashlib.sha256()
    with UPath(path).open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def digest_of(record: Any) -> str:
    """Sixteen hex digits that differ where a record does."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]
