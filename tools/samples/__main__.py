"""Draws the sample inputs of all studies and packs what ships: `python -m tools.samples` (a minute).

Pictures follow from floating-point arithmetic that processors round differently: run it where a change of the samples
is wanted, not in a build.
"""

import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from pipeline.samples import shipped
from tools.samples import evaluation, fidelity, pairwise, reliability, reliability_by_review

SHIPPED = Path(shipped.__file__).parent / "shipped"
STORED = (".webp", ".jpg")  # compressed as they are
WRITERS: dict[str, Callable[[Path, int], None]] = {
    "fidelity": fidelity.write_all,
    "pairwise": pairwise.write_all,
    "evaluation": evaluation.write_all,
    "reliability": reliability.write_all,
    "reliability_by_review": reliability_by_review.write_all,
}


def packed(folder: Path, target: Path) -> None:
    """All files of a folder in one archive, in the order of their names, without times."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            entry.external_attr = 0o644 << 16
            how = zipfile.ZIP_STORED if path.suffix.lower() in STORED else zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), how, 9)


def main() -> None:
    """Write every archive anew and print its size."""
    SHIPPED.mkdir(exist_ok=True)
    for name, write in WRITERS.items():
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), shipped.SEED)
            packed(Path(folder), SHIPPED / f"{name}.zip")
        print(f"{name}.zip: {(SHIPPED / f'{name}.zip').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
