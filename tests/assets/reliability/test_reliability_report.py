"""Asset `reliability_report`: made by every validation, whole or not at all, with what is due by the votes of now."""

import hashlib
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from assets.reliability import reliability_report as module
from assets.reliability.logic.contingency_state import due
from assets.reliability.reliability_report import standing_of, write_report
from resources.study import Study
from tests.reports.reliability.made_reliability import FIRST, contents_in
from tests.small_relevance import relevance_study, stored, validate, vote_on

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pages")]


@pytest.fixture
def study(tmp_path: Path, instance: dg.DagsterInstance) -> Study:
    made = relevance_study(tmp_path, FIRST)
    outcome = validate(made, instance)
    assert (outcome.user_errors, outcome.other_errors) == ([], [])
    assert "reliability_report" in outcome.tables
    return made


def test_the_page_lies_in_the_outputs_and_the_table_says_so(
    study: Study, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    row = stored(study, "reliability_report").iloc[0]
    page = Path(row["path"]).read_bytes()
    assert (
        Path(row["path"])
        == study.home.report("reliability")
        == tmp_path / "home" / "outputs" / "reliability_report.html"
    )
    assert row["sha256"] == hashlib.sha256(page).hexdigest()
    assert row["n_bytes"] == len(page)
    assert list(row["languages"]) == ["en", "it"]
    assert (row["study"], row["status"], row["due"]) == ("small", "contingency_triggered", "review")
    made = instance.get_latest_materialization_event(dg.AssetKey("reliability_report"))
    assert made is not None
    assert made.asset_materialization is not None
    metadata = made.asset_materialization.metadata
    assert metadata["report"].value == str(study.home.report("reliability"))
    assert (metadata["status"].value, metadata["due"].value) == ("contingency_triggered", "review")
    verdict = stored(study, "reliability_trust_verdict")
    assert verdict.loc[verdict["row"] == "verdict", "word"].tolist() == ["do not agree with each other"]
    assert "agree with each other? **do not agree with each other**" in str(metadata["verdict"].value)
    assert b"<title>do not agree with each other - " in page


def test_what_is_due_follows_the_votes_of_now_and_is_what_the_command_line_says(study: Study) -> None:
    contents = contents_in(study)
    assert contents.standing.step == due(study)
    vote_on(study, 2)
    later = standing_of(study, dict(contents.tables))
    assert later.step == due(study)
    assert (later.step.name, later.command) == ("recalibrate", "touchstone reliability recalibrate")


def test_a_run_without_a_verdict_has_a_page_too(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    made = relevance_study(tmp_path, [((0.9, 0.8), (0.8, 0.9))] * 3)
    validate(made, instance)
    row = stored(made, "reliability_report").iloc[0]
    assert pd.isna(row["status"])
    assert pd.isna(row["due"])
    assert Path(row["path"]).stat().st_size == row["n_bytes"]


def test_nothing_half_written_takes_the_place_of_a_whole_page(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    path = study.home.report("reliability")
    before, contents = path.read_bytes(), contents_in(study)

    def broken(_contents: object) -> str:
        raise RuntimeError("the template broke")

    monkeypatch.setattr(module, "reliability_page", broken)
    with pytest.raises(RuntimeError, match="broke"):
        write_report(contents, path)
    assert path.read_bytes() == before


def test_the_differences_are_the_medians_of_each_query(study: Study) -> None:
    # AGREED: 0.1 -0.1 0.1 -0.1, median 0. OPPOSED: 0.8 0 -0.6 0, median 0. One label: 0.1 -0.1 -0.2 0.3, median 0.
    assert contents_in(study).differences.tolist() == [0.0] * 18
