"""Sample inputs that ship with the package as one archive a study: the same bytes on every machine."""

import zipfile  # noqa: TID251 - the archives that come with the package; it keeps every name inside the folder
from pathlib import Path

from pipeline.samples.whole_folder import make_whole

SEED = 20260101  # of all that `python -m tools.samples` drew


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
