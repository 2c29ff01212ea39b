"""Asset `fidelity_report`: through Dagster on a small study, from the settings that were made, whole or not at all."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from assets.fidelity import fidelity_report as module
from assets.fidelity.fidelity_report import contents_of, report_path, write_report
from assets.report_gates import gates_by_setting, golden_gates
from resources.reports.fidelity.report import FILE_NAME
from resources.study import Study
from tests.assets.made_tables import keeps_to_its_declaration
from tests.resources.reports.made_contents import contents_of_size, frames_of, plan_of
from tests.resources.reports.made_size import Size
from tests.small_study import KEYS, errors, run, stored, without_drawing, write_study

TWO = (KEYS[0], KEYS[1])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Study, dg.ExecuteInProcessResult]]:
    study = write_study(tmp_path_factory.mktemp("report"), repeats=3)
    with without_drawing(), dg.DagsterInstance.ephemeral() as instance:
        yield study, run(study, instance, TWO)


def test_two_settings_of_ten_make_a_report(made: tuple[Study, dg.ExecuteInProcessResult]) -> None:
    study, result = made
    assert errors(result) == {}
    row = stored(study, "fidelity_report").iloc[0]
    page = Path(row["path"]).read_bytes()
    assert Path(row["path"]) == report_path(study) == study.home.outputs / FILE_NAME
    assert row["sha256"] == hashlib.sha256(page).hexdigest()
    assert row["n_bytes"] == len(page)
    assert list(row["languages"]) == ["en", "it"]
    assert row["study"] == "small"
    assert "recorded answers" in row["judge"]
    text = page.decode()
    assert KEYS[1] in text
    assert KEYS[2] not in text


def test_its_metadata_say_where_it_lies(made: tuple[Study, dg.ExecuteInProcessResult]) -> None:
    study, result = made
    [event] = [one for one in result.get_asset_materialization_events() if one.asset_key.path[-1] == "fidelity_report"]
    assert event.materialization.metadata["report"].value == str(report_path(study))


def test_nothing_half_written_takes_the_place_of_a_whole_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / FILE_NAME
    write_report(contents_of_size(), path)
    before = path.read_bytes()

    def broken(_contents: object) -> str:
        raise RuntimeError("the template broke")

    monkeypatch.setattr(module, "fidelity_page", broken)
    with pytest.raises(RuntimeError, match="broke"):
        write_report(contents_of_size(), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [FILE_NAME]


def test_the_row_keeps_to_its_declaration_without_a_recommendation(tmp_path: Path) -> None:
    row = write_report(contents_of_size(recommended_setting=None), tmp_path / FILE_NAME)
    assert keeps_to_its_declaration("fidelity_report", row)["recommended"].isna().all()


def test_settings_that_were_not_made_are_left_out() -> None:
    frames = dict(frames_of(Size()))
    by_setting = {name: {} for name in module.BY_SETTING}
    contents = contents_of("empty", plan_of(Size()), frames | by_setting)
    assert contents.gates == {}
    assert contents.tables["stability"].empty


def test_the_gates_are_those_of_the_checks() -> None:
    frames, plan = frames_of(Size()), plan_of(Size())
    rows = {row.name: row for row in gates_by_setting(frames, plan)[KEYS[1]]}
    icc = frames["icc_by_setting"].set_index("setting").loc[KEYS[1]]
    assert rows["repeatable"].seen == icc["icc_1k"]
    assert rows["repeatable"].low == icc["icc_1k_low_by_product"]
    assert [name for name, row in rows.items() if row.advice] == ["means_are_precise", "no_large_errors"]
    golden = {row.name: row for row in golden_gates(frames["sensitivity"], frames["dose_response"], plan)}
    # The weakest stripes have d 1.2 and the hue shift is not seen.
    assert (golden["stripes_are_seen"].seen, golden["stripes_are_seen"].passed) == (1.2, True)
    assert golden["stripes_are_seen"].low == pytest.approx(0.8)
    assert (golden["every_alteration_is_seen"].seen, golden["every_alteration_is_seen"].passed) == (1.0, False)
    assert golden["more_costs_more"].passed
    assert golden_gates(frames["sensitivity"].iloc[:0], frames["dose_response"], plan) == []
