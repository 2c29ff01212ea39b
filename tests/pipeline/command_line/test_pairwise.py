"""`touchstone pairwise`: which votes and photos are meant, where the results go, and the whole command as a process."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner
from upath import UPath

from pipeline.command_line.main import application
from pipeline.command_line.pairwise import QUICK_PAIRS, claimed, described
from resources.configuration.load import read_configuration
from resources.errors import UserError
from resources.runtime.home import Home
from tests.chaos.forked import finished
from tests.small_series import write_series

ROOT = Path(__file__).resolve().parents[3]
# Drawn by itself, in a process that loads all that it needs.
PROGRAM = """
from pipeline.command_line.main import run
from tests.unsynced import without_syncing
without_syncing()
run()
"""


def home_in(folder: Path) -> Home:
    return Home(UPath(folder), folder)


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the command sets, it sets for one test."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TOUCHSTONE_CONFIG", "")


def test_options_count_more_than_the_file(tmp_path: Path) -> None:
    old = tmp_path / "old.yaml"
    old.write_text("pairs_csv: p.csv\nimage_root: photos\norders: as_listed\noutput_dir: results\n")
    study = described(home_in(tmp_path), old, {"orders": "merged", "sample_size": QUICK_PAIRS})
    assert (study.pairs_csv, study.orders, study.sample_size) == (tmp_path / "p.csv", "merged", 100)
    assert study.output_dir == tmp_path / "results"


def test_votes_and_photos_alone_are_a_study_and_half_of_them_is_none(tmp_path: Path) -> None:
    study = described(home_in(tmp_path), None, {"pairs_csv": tmp_path / "p.csv", "image_root": tmp_path})
    assert study.output_dir == tmp_path / "outputs" / "quality_benchmarks"
    (tmp_path / "touchstone.yaml").write_text("study: mine\nevaluation: {}\n")
    with pytest.raises(UserError, match="give --pairs and --images, or --config"):
        described(home_in(tmp_path), None, {"pairs_csv": tmp_path / "p.csv"})


@pytest.mark.slow
@pytest.mark.parametrize(("given", "missing"), [("--pairs", "--images"), ("--images", "--pairs")])
def test_votes_without_photos_are_never_judged_on_those_of_the_sample(tmp_path: Path, given: str, missing: str) -> None:
    pairs, photos = write_series(tmp_path / "mine")
    done = touchstone(tmp_path, "pairwise", given, pairs if given == "--pairs" else photos)
    assert done.returncode == 2
    assert f"`{given}` needs `{missing}` too" in done.stderr
    assert not (tmp_path / "home" / "samples").exists()


def test_a_data_set_is_called_as_its_file_unless_it_is_named(tmp_path: Path) -> None:
    given = {"pairs_csv": tmp_path / "holiday votes.csv", "image_root": tmp_path}
    assert described(home_in(tmp_path), None, given).dataset_name == "holiday votes"
    assert described(home_in(tmp_path), None, given | {"dataset_name": "Elba"}).dataset_name == "Elba"


@pytest.mark.slow
def test_what_is_not_there_is_said_before_anything_is_written(tmp_path: Path) -> None:
    pairs, photos = write_series(tmp_path / "mine")
    (tmp_path / "file").write_text("")
    (tmp_path / "half.csv").write_text("series_id,compareID1,compareID2,LEFT\n1,0,1,4\n")
    for arguments, said in (
        (("--pairs", tmp_path / "gone.csv", "--images", photos), "(--pairs, `pairs_csv`)"),
        (("--pairs", pairs, "--images", tmp_path / "nophotos"), "(--images, `image_root`)"),
        (("--pairs", pairs, "--images", photos, "--output", tmp_path / "file" / "results"), "(--output, `output_dir`)"),
        (("--pairs", tmp_path / "half.csv", "--images", photos), "RIGHT"),
        (("--pairs", pairs, "--images", photos, "--method", "sharpnes_only"), "did you mean 'sharpness_only'"),
    ):
        done = touchstone(tmp_path, "pairwise", *arguments)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
        assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "home").exists()


def test_each_study_has_a_home_of_its_own_and_finds_it_again(tmp_path: Path) -> None:
    given = {"pairs_csv": tmp_path / "Holiday votes.csv", "image_root": tmp_path}
    study = described(home_in(tmp_path), None, given)
    first = claimed(home_in(tmp_path), study)
    assert os.environ["TOUCHSTONE_HOME"] == str(first.base)
    assert "TOUCHSTONE_CONFIG" not in os.environ
    stored = read_configuration(first.local / "touchstone.yaml")
    assert stored.pairwise is not None
    assert (stored.pairwise.model_copy(update={"features_dir": None}), stored.study) == (study, "holiday_votes")
    assert first.local.name.startswith("holiday_votes_")
    assert claimed(home_in(tmp_path), study.model_copy(update={"engine": "ray"})).local == first.local
    assert claimed(home_in(tmp_path), study.model_copy(update={"sample_size": 100})).local != first.local


def test_studies_of_the_same_photos_share_what_is_measured_on_them(tmp_path: Path) -> None:
    def features_of(**changes: object) -> Path | None:
        plan = study.model_copy(update=changes)
        stored = read_configuration(claimed(home_in(tmp_path), plan).local / "touchstone.yaml").pairwise
        return stored.features_dir if stored else None

    study = described(home_in(tmp_path), None, {"pairs_csv": tmp_path / "p.csv", "image_root": tmp_path / "one"})
    full = features_of()
    assert full is not None
    assert full.is_relative_to(tmp_path / "photo_features")
    assert features_of(sample_size=100) == features_of(orders="as_listed", pairs_csv=tmp_path / "q.csv") == full
    # Another folder may have other photos of the same names; another size of the rules gives other numbers.
    assert len({full, features_of(image_root=tmp_path / "two"), features_of(rules_long_side=512)}) == 3
    (tmp_path / "touchstone.yaml").write_text("study: mine\npairwise: {pairs_csv: p.csv, image_root: one}\n")
    assert features_of(sample_size=100) == tmp_path / "tables" / "pairwise" / "image_features"


@pytest.mark.slow
def test_a_quick_test_and_the_whole_study_after_it_measure_each_photo_once(tmp_path: Path) -> None:
    pairs, photos = write_series(tmp_path / "mine")
    # Whether a model's weights are here is seen by loading its library, which takes most of a small run.
    rules = {"clip_attributes": [], "dl_methods": [], "rule_based_methods": ["sharpness_only"]}
    data = {"pairs_csv": str(pairs), "image_root": str(photos)}
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(data | rules))
    named = ("pairwise", "--config", tmp_path / "rules.yaml")
    for arguments, new in ((("--quick-test",), 24), ((), 0), (("--orders", "as_listed"), 0)):
        done = touchstone(tmp_path, *named, *arguments)
        assert done.returncode == 0, done.stderr
        own = Path(next(line for line in done.stdout.splitlines() if line.startswith("Tables and")).split(" to ")[1])
        stored = pd.read_parquet(own / "tables" / "pairwise" / "image_features.parquet")
        assert stored["n_computed"].sum() == new


def test_engine_and_votes_go_with_the_studies_that_have_them() -> None:
    for arguments, words in (
        (["fidelity", "--engine", "ray"], "`--engine` and `--method` go with pairwise"),
        (["pairwise", "--judge", "local"], "study pairwise names its judges in touchstone.yaml"),
    ):
        result = CliRunner().invoke(application, ["run", *arguments])
        assert isinstance(result.exception, UserError)
        assert words in str(result.exception)


@pytest.mark.slow
def test_a_file_of_votes_and_a_folder_of_photos_give_ranking_export_and_report(tmp_path: Path) -> None:
    pairs, photos = write_series(tmp_path / "mine")
    done = drawn(tmp_path, "pairwise", "--pairs", pairs, "--images", photos, "--output", tmp_path / "results")
    assert done.returncode == 0, done.stderr
    assert "sharpness_only" in done.stdout
    [folder] = (tmp_path / "results").iterdir()
    assert f"Benchmark files: {folder}" in done.stdout
    ranking = pd.read_csv(folder / "accuracy_ranking.csv").set_index("method")
    # Every sharp photo is sharper than its blurred copy.
    assert ranking.loc["sharpness_only", "accuracy"] == 1.0
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["n_pairs"], summary["dataset"]) == (12, "pairs")
    assert yaml.safe_load((folder / "config.yaml").read_text())["pairwise"]["pairs_csv"] == str(pairs)
    [own] = (tmp_path / "home" / "benchmarks").iterdir()
    assert (own / "outputs" / "pairwise_report.html").is_file()
    # The home itself holds no study: nothing of it was replaced.
    assert not (tmp_path / "home" / "tables").exists()


@pytest.mark.slow
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    _, photos = write_series(tmp_path / "mine")
    done = touchstone(tmp_path, "pairwise", "--pairs", tmp_path / "gone.csv", "--images", photos)
    assert done.returncode == 2
    assert "gone.csv" in done.stderr
    assert "Traceback" not in done.stderr


def touchstone(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own: partitions are read when assets are imported, once a process."""
    return finished([*map(str, arguments)], environment_of(folder), ROOT, Path(tempfile.mkdtemp(dir=folder)))


def drawn(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The same with everything drawn, in a process that a user would start."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment_of(folder),
        timeout=300,
        check=False,
    )


def environment_of(folder: Path) -> dict[str, str]:
    """The variables of this process, with a home and a cache of models below the folder."""
    named = {"TOUCHSTONE_HOME": str(folder / "home"), "HF_HUB_CACHE": str(folder / "hub"), "COLUMNS": "200"}
    return os.environ | named
