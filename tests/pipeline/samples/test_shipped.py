"""The sample inputs ship with the package, small, as the bytes that the studies read."""

import tomllib
from pathlib import Path

import pytest

from pipeline.samples import shipped
from pipeline.samples.evaluation import write_evaluation_samples
from pipeline.samples.fidelity import write_fidelity_samples
from pipeline.samples.pairwise import write_pairwise_samples
from pipeline.samples.reliability import write_reliability_samples, write_review_samples
from resources.runtime.home import CHECKOUT

ARCHIVES = sorted((Path(shipped.__file__).parent / "shipped").iterdir())


def test_archives_are_package_data_of_three_megabytes_at_most_in_all() -> None:
    assert [path.name for path in ARCHIVES] == [
        f"{name}.zip" for name in ("evaluation", "fidelity", "pairwise", "reliability", "reliability_by_review")
    ]
    assert sum(path.stat().st_size for path in ARCHIVES) <= 3_000_000
    setup = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert "shipped/*.zip" in setup["package-data"]["pipeline.samples"]
    assert not any(room.startswith("tools") for room in setup["packages"]["find"]["include"])


WRITERS = [
    write_fidelity_samples,
    write_pairwise_samples,
    write_evaluation_samples,
    write_reliability_samples,
    write_review_samples,
]


@pytest.mark.parametrize("write", WRITERS)
def test_writing_twice_gives_the_same_files(write, tmp_path: Path) -> None:
    for name in ("one", "other"):
        write(tmp_path / name)
    one = {path.relative_to(tmp_path / "one"): path.read_bytes() for path in files_in(tmp_path / "one")}
    assert one == {path.relative_to(tmp_path / "other"): path.read_bytes() for path in files_in(tmp_path / "other")}


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
