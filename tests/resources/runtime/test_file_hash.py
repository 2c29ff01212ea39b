"""A file's hash is of its bytes, wherever it lies."""

import hashlib
from pathlib import Path

from upath import UPath

from resources.runtime.file_hash import sha256_of_file


def test_the_hash_is_of_the_bytes_on_a_disk_and_elsewhere(tmp_path: Path) -> None:
    # Longer than what is read at once, and no multiple of it.
    data = b"0123456789" * 250_001
    (tmp_path / "scores.csv").write_bytes(data)
    remote = UPath("memory://hashed/scores.csv")
    remote.parent.mkdir(parents=True, exist_ok=True)
    remote.write_bytes(data)
    expected = hashlib.sha256(data).hexdigest()
    assert sha256_of_file(str(tmp_path / "scores.csv")) == expected
    assert sha256_of_file("memory://hashed/scores.csv") == expected
