"""Sample inputs that ship with the package as one archive a study: the same bytes on every machine."""

import json
import shutil
import tempfile
import zipfile  # noqa: TID251 - the archives that come with the package; it keeps every name inside the folder
from collections.abc import Callable
from pathlib import Path

from resources.errors import UserError

MANIFEST = "manifest.json"
SEED = 20260101  # of all that `python -m tools.samples` drew


def make_whole(folder: Path, version: str, seed: int, write: Callable[[Path], None]) -> None:
    """Make a folder unless it is complete from before.

    Args:
        folder: Where it goes; samples of another seed or version are replaced whole.
        version: Of the code that makes the samples.
        seed: Of the samples.
        write: Writes everything into an empty folder.

    Raises:
        UserError: The folder holds something that is no set of samples.
    """
    if is_whole(folder, version, seed):
        return
    if folder.exists() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise UserError(f"{folder} holds files that are no samples; nothing was written. Name an empty folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        made = scratch / "made"
        made.mkdir()
        write(made)
        _write_manifest(made, version, seed)
        if folder.exists():
            folder.rename(scratch / "before")
        made.rename(folder)
    finally:
        shutil.rmtree(scratch)


def is_whole(folder: Path, version: str, seed: int) -> bool:
    """Whether the folder holds every file of this seed and version, at its full length."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, json.JSONDecodeError):
        return False
    if (manifest.get("samples_version"), manifest.get("seed")) != (version, seed):
        return False
    files = manifest["bytes_by_file"]
    return all((folder / name).is_file() and (folder / name).stat().st_size == size for name, size in files.items())


def _write_manifest(folder: Path, version: str, seed: int) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
    manifest = {"samples_version": version, "seed": seed, "bytes_by_file": sizes}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def unpack(name: str, folder: Path, version: str) -> Path:
    """The archive `shipped/{name}.zip` in a folder, unpacked now or found complete from before.

    Args:
        name: The study's.
        folder: Where the files go; made where it is missing. Samples of another version are replaced whole.
        version: Of the archive.

    Returns:
        The folder.

    Raises:
        UserError: The folder holds something that is no set of samples.
    """

    def write(target: Path) -> None:
        with zipfile.ZipFile(Path(__file__).parent / "shipped" / f"{name}.zip") as archive:
            archive.extractall(target)

    make_whole(Path(folder), version, SEED, write)
    return Path(folder)
