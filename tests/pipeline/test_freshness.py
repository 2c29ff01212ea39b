"""A study that promises to be fresh shows stale tables in the UI; one that promises nothing never does."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.freshness import FreshnessState
from dagster._core.test_utils import freeze_time
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._daemon.freshness import FreshnessDaemon

from pipeline.definitions import READ_BY_PEOPLE, definitions_of, touchstone
from resources.configuration.load import read_configuration
from resources.errors import UserError
from resources.runtime.dagster_tags import study_of_group
from resources.study import Study
from resources.tables.all_tables import TABLES
from tests.pipeline.ticks import code_location
from tests.small_study import write_study

pytestmark = pytest.mark.slow

SUMMARY, SAMPLES = dg.AssetKey("evaluation_summary"), dg.AssetKey("evaluation_samples")


def policies(study: Study) -> dict[str, dg.FreshnessPolicy]:
    specs = definitions_of(study).resolve_all_asset_specs()
    return {spec.key.path[-1]: spec.freshness_policy for spec in specs if spec.freshness_policy is not None}


def test_a_study_that_promises_nothing_has_no_policy(tmp_path: Path) -> None:
    assert policies(write_study(tmp_path)) == {}


def test_the_promise_is_kept_by_what_people_read(tmp_path: Path) -> None:
    found = policies(replace(write_study(tmp_path), fresh_within_hours=26))
    assert found == dict.fromkeys(
        ("recommended_setting", "fidelity_trust_verdict", "fidelity_report"),
        dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=26)),
    )


def test_every_study_has_a_table_that_people_read() -> None:
    assert set(READ_BY_PEOPLE) <= set(TABLES)
    groups = {spec.key.path[-1]: study_of_group(spec.group_name) for spec in touchstone().resolve_all_asset_specs()}
    assert {groups[name] for name in READ_BY_PEOPLE} == {"fidelity", "pairwise", "evaluation", "reliability"}


@pytest.mark.parametrize("hours", ["0", "-1", "9000", "soon"])
def test_a_promise_that_cannot_be_kept_is_refused(hours: str, tmp_path: Path) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_text(f"study: mine\nfresh_within_hours: {hours}\nevaluation: {{}}\n")
    with pytest.raises(UserError, match="fresh_within_hours"):
        read_configuration(path)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkspaceProcessContext]:
    """The code location as the daemon loads it, over a study that promises 26 hours."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "touchstone.yaml").write_text("study: mine\nfresh_within_hours: 26\nevaluation: {}\n")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    with code_location(home / "dagster") as context:
        yield context


def test_the_daemon_calls_a_summary_stale_that_no_night_renewed(workspace: WorkspaceProcessContext) -> None:
    instance, daemon = workspace.instance, FreshnessDaemon()

    def state_after(hours: float) -> FreshnessState:
        with freeze_time(datetime.now(UTC) + timedelta(hours=hours)):
            assert all(problem is None for problem in daemon.run_iteration(workspace))
        states = instance.get_freshness_state_records([SUMMARY, SAMPLES])
        assert states[SAMPLES].freshness_state == FreshnessState.NOT_APPLICABLE
        return states[SUMMARY].freshness_state

    assert state_after(0) == FreshnessState.UNKNOWN
    instance.report_runless_asset_event(dg.AssetMaterialization(SUMMARY))
    assert [state_after(hours) for hours in (1, 25, 27)] == [*[FreshnessState.PASS] * 2, FreshnessState.FAIL]
    instance.report_runless_asset_event(dg.AssetMaterialization(SUMMARY))
    assert state_after(0) == FreshnessState.PASS
