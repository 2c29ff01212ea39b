"""Asset `pairwise_report`: through Dagster on made tables, from the methods that were run, whole or not at all."""

import hashlib
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
from upath import UPath

from assets.pairwise import pairwise_report as module
from assets.pairwise.pairwise_report import contents_of, pairwise_report, write_report
from assets.shared.report_files import as_one
from resources.runtime.home import Home
from resources.study import Study
from tests.assets.pairwise.made_photo_pairs import plan
from tests.assets.shared.made_tables import keeps_to_its_declaration
from tests.reports.pairwise.made_pairwise import contents_of_votes, frames_of_study, nothing_measured

pytestmark = pytest.mark.usefixtures("drawn_once")

PARTS = dg.StaticPartitionsDefinition(["composite_balanced", "sharpness_only", "never_run"])


def run(folder: Path, frames: dict[str, Any]) -> tuple[dg.ExecuteInProcessResult, Study]:
    """The asset on these tables."""
    study = Study("small", None, Home(UPath(folder), folder), pairwise_section=plan())
    made: dict[str, Any] = {}

    class Given(dg.IOManager):
        """Hands out the tables and keeps what is made."""

        def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
            made[context.asset_key.path[-1]] = obj

        def load_input(self, context: dg.InputContext) -> Any:
            return frames[context.asset_key.path[-1]]

    given = [dg.AssetSpec(name) for name in frames if name != "pairwise_results"]
    result = dg.materialize(
        [*given, dg.AssetSpec("pairwise_results", partitions_def=PARTS), pairwise_report],
        resources={"study": study, "io_manager": Given()},
        selection=[pairwise_report],
    )
    return result, study


def test_the_page_lies_in_the_outputs_and_the_table_says_so(tmp_path: Path) -> None:
    result, study = run(tmp_path, frames_of_study(plan()))
    row = keeps_to_its_declaration("pairwise_report", result.output_for_node("pairwise_report")).iloc[0]
    page = Path(row["path"]).read_bytes()
    assert Path(row["path"]) == study.home.report("pairwise") == tmp_path / "outputs" / "pairwise_report.html"
    assert row["sha256"] == hashlib.sha256(page).hexdigest()
    assert row["n_bytes"] == len(page)
    assert list(row["languages"]) == ["en", "it"]
    assert (row["study"], row["best"]) == ("small", "composite_balanced")
    [made] = result.asset_materializations_for_node("pairwise_report")
    assert made.metadata["report"].value == str(study.home.report("pairwise"))
    assert made.metadata["best"].value == "composite_balanced"
    # The verdict is the first thing that the UI shows, and the title of the page.
    assert next(iter(made.metadata)) == "verdict"
    assert str(made.metadata["verdict"].value).startswith("May composite\\_balanced stand in for people? **")
    assert '<p class="question">' in page.decode()


def test_a_study_in_which_nothing_can_be_measured_has_a_page_too(tmp_path: Path) -> None:
    result, _ = run(tmp_path, nothing_measured(plan()))
    row = keeps_to_its_declaration("pairwise_report", result.output_for_node("pairwise_report")).iloc[0]
    assert pd.isna(row["best"])
    assert Path(row["path"]).stat().st_size == row["n_bytes"]


def test_nothing_half_written_takes_the_place_of_a_whole_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pairwise_report.html"
    path.write_bytes(before := b"a whole page")

    def broken(_contents: object) -> str:
        raise RuntimeError("the template broke")

    monkeypatch.setattr(module, "pairwise_page", broken)
    with pytest.raises(RuntimeError, match="broke"):
        write_report(contents_of_votes(), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["pairwise_report.html"]


def test_methods_are_joined_and_those_without_rows_leave_the_declared_columns() -> None:
    frames = frames_of_study(plan())
    joined = as_one("pairwise_results", frames["pairwise_results"])
    assert len(joined) == sum(map(len, frames["pairwise_results"].values()))
    empty = as_one("pairwise_results", {})
    assert empty.empty
    assert list(empty.columns) == list(joined.columns)


@pytest.mark.slow
def test_the_real_votes_have_the_ceiling_that_was_counted_independently(shared_data: Path) -> None:
    from resources.inputs.pairwise.photo_pairs import read_photo_pairs

    study = plan(
        pairs_csv=shared_data / "pairwise" / "photo_triage_pairs.csv", image_root=Path("nowhere"), max_missing_share=1.0
    )
    pairs = keeps_to_its_declaration("photo_pairs", read_photo_pairs(study).frame)
    frames = frames_of_study(study) | {"photo_pairs": pairs}
    people = contents_of("real", study, frames).people
    # 38,150 of 74,655 votes for the photo shown first; 11,396 pairs in both orders, z 5.37 over them.
    assert people.position["position_share"] == pytest.approx(38_150 / 74_655)
    assert people.position["position_both_orders_z"] == pytest.approx(5.37, abs=0.005)
    assert people.counts["n_shown_in_both_orders"] == 11_396
