"""Asset `fidelity_report`: through Dagster on a small study, from the settings that were made, whole or not at all."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import jsonschema
import pandas as pd
import pytest

from assets.fidelity import fidelity_report as module
from assets.fidelity.fidelity_report import OF_GOLDEN_SET, contents_of, gates_by_setting, write_report
from assets.fidelity.logic.sensitivity_rows import sensitivity_rows
from assets.fidelity.logic.setting_conditions import conditions_by_setting
from assets.shared.gate import rows_of
from reports.shared.gate_row import GateRow
from reports.shared.verdict import as_data
from resources.configuration.fidelity import FidelityStudy
from resources.runtime.home import CHECKOUT
from resources.study import Study
from tests.assets.fidelity.made_golden_set import scores_of_pairs
from tests.assets.shared.made_tables import keeps_to_its_declaration, plan
from tests.reports.fidelity.made_contents import contents_of_size, frames_of, plan_of
from tests.reports.made_size import Size
from tests.small_study import KEYS, errors, run, stored, without_drawing, write_study

pytestmark = pytest.mark.usefixtures("drawn_once", "pages")

TWO = (KEYS[0], KEYS[1])
GOLDEN = ("golden_scores", "sensitivity", "dose_response")
NO_SUBSCORES = frames_of(Size())["subscore_sensitivity"].iloc[:0]


def no_scores() -> pd.DataFrame:
    return frames_of(Size())["golden_scores"].iloc[:0]


def golden_gates(*args: pd.DataFrame, study: FidelityStudy) -> list[GateRow]:
    """The rows over the tables in the order of `GOLDEN`."""
    return rows_of(OF_GOLDEN_SET, dict(zip(GOLDEN, args, strict=True)) | {"subscore_sensitivity": NO_SUBSCORES}, study)


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
    assert Path(row["path"]) == study.home.report("fidelity") == study.home.outputs / "fidelity_report.html"
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
    assert event.materialization.metadata["report"].value == str(study.home.report("fidelity"))


def test_the_verdict_comes_first_in_the_ui_in_the_title_and_in_the_download(
    made: tuple[Study, dg.ExecuteInProcessResult],
) -> None:
    study, result = made
    verdict = stored(study, "fidelity_trust_verdict")
    # 12 objects of 6 products: too few for a verdict on any setting.
    assert verdict.loc[verdict["row"] == "verdict", "word"].tolist() == ["cannot say", "cannot say"]
    [gate] = [one for one in result.get_asset_check_evaluations() if one.check_name == "verdict_is_not_worse"]
    assert gate.passed
    for event in result.get_asset_materialization_events():
        if event.asset_key.path[-1] in ("fidelity_trust_verdict", "fidelity_report"):
            shown = str(event.materialization.metadata["verdict"].value)
            assert shown.startswith(
                f"May the recorded judge at {KEYS[1]} stand in for people? **cannot say**".replace("_", "\\_")
            )
    page = study.home.report("fidelity").read_text()
    assert "<title>cannot say - " in page
    assert page.index('class="answer answer-cannot_say"') < page.index('class="result')
    data = as_data(verdict)
    schema = json.loads((CHECKOUT / "docs" / "trust_verdict.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(data)


def test_nothing_half_written_takes_the_place_of_a_whole_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fidelity_report.html"
    path.write_bytes(before := b"a whole report")

    def broken(_contents: object) -> str:
        raise RuntimeError("the template broke")

    monkeypatch.setattr(module, "fidelity_page", broken)
    with pytest.raises(RuntimeError, match="broke"):
        write_report(contents_of_size(), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["fidelity_report.html"]


def test_the_row_keeps_to_its_declaration_without_a_recommendation(tmp_path: Path) -> None:
    row = write_report(contents_of_size(recommended_setting=None), tmp_path / "fidelity_report.html")
    assert keeps_to_its_declaration("fidelity_report", row)["recommended"].isna().all()


def test_settings_that_were_not_made_are_left_out() -> None:
    frames = dict(frames_of(Size()))
    by_setting = {name: {} for name in module.BY_SETTING}
    contents = contents_of("empty", plan_of(Size()), frames | by_setting)
    assert contents.gates == {}
    assert contents.tables["stability"].empty


def test_the_gates_are_those_of_the_checks() -> None:
    frames, study = frames_of(Size()), plan_of(Size())
    rows = {row.name: row for row in gates_by_setting(frames, study)[KEYS[1]]}
    icc = frames["icc_by_setting"].set_index("setting").loc[KEYS[1]]
    assert rows["repeatable"].seen == icc["icc_1k"]
    assert rows["repeatable"].low == icc["icc_1k_low_by_product"]
    assert [name for name, row in rows.items() if row.advice] == [
        "means_are_precise",
        "no_large_errors",
        "judge_can_stand_in",
    ]
    golden = {
        row.name: row
        for row in golden_gates(frames["golden_scores"], frames["sensitivity"], frames["dose_response"], study=study)
    }
    # The weakest stripes have d 1.2 and the hue shift is not seen.
    assert (golden["stripes_are_seen"].seen, golden["stripes_are_seen"].passed) == (1.2, True)
    assert golden["stripes_are_seen"].low == pytest.approx(0.8)
    assert (golden["every_alteration_is_seen"].seen, golden["every_alteration_is_seen"].passed) == (1.0, False)
    assert golden["more_costs_more"].passed
    assert golden_gates(*(frames[name].iloc[:0] for name in GOLDEN), study=study) == []


def test_golden_gates_stand_with_the_numbers_of_the_very_row_that_the_check_speaks_of() -> None:
    # Flat stripes at 0.3 have no d, on three items; those at 0.7 have one, on four. Of the copies, the untouched ones
    # are disturbed on two items of three, the re-encoded ones on none of four.
    originals = [0.9, 0.9, 0.9, 0.6]
    altered = {
        "stripes7_o30": [0.8, 0.8, 0.8, None],
        "stripes7_o70": [0.5, 0.4, 0.3, 0.2],
        "untouched": [0.9, 0.7, 0.7, None],
        "reencoded": originals,
    }
    study = plan()
    frame = keeps_to_its_declaration("sensitivity", sensitivity_rows(scores_of_pairs(originals, altered), study))
    rows = {
        row.name: row
        for row in golden_gates(no_scores(), frame, frames_of(Size())["dose_response"].iloc[:0], study=study)
    }
    seen = rows["stripes_are_seen"]
    assert (seen.seen, seen.n, seen.low, seen.high, seen.passed) == (None, 3, None, None, False)
    assert "neither original nor altered scores vary" in (seen.reason or "")
    copies = rows["unchanged_copies_keep_their_score"]
    assert (copies.seen, copies.n, copies.needed) == (pytest.approx(2 / 3), 3, 0.2)
    strong = rows["strong_stripes_stand_out"]
    assert (strong.n, strong.seen) == (4, frame.set_index("alteration").loc["stripes7_o70", "cohens_d"])
    assert "more_costs_more" not in rows


def test_the_dose_gate_stands_with_the_items_of_its_line() -> None:
    frames = frames_of(Size())
    frame = frames["dose_response"]
    two = pd.concat([frame.assign(n_items=10), frame.assign(kind="hue", r2=0.7, n_items=0, n_line=7)])
    [row] = [
        one
        for one in golden_gates(no_scores(), frames["sensitivity"], two, study=plan())
        if one.name == "more_costs_more"
    ]
    assert (row.seen, row.n) == (0.7, 7)


def test_what_nobody_knows_of_an_alteration_is_a_reason_in_the_report() -> None:
    scores = scores_of_pairs([0.9, 0.8], {"stripes7_o70": [0.1, 0.2], "hue_5": [None, None]})
    frame = keeps_to_its_declaration("sensitivity", sensitivity_rows(scores, plan()))
    empty = frames_of(Size())["dose_response"].iloc[:0]
    [row] = [
        one for one in golden_gates(no_scores(), frame, empty, study=plan()) if one.name == "every_alteration_is_seen"
    ]
    assert (row.seen, row.passed) == (None, False)
    assert row.reason == "fewer than 2 items have a pair of scores that counts for hue_5"


def test_a_setting_without_the_tables_of_some_gates_has_the_others() -> None:
    frames = dict(frames_of(Size()))
    frames["human_agreement"] = frames["human_agreement"].query(f"setting != '{KEYS[1]}'")
    contents = contents_of_size(**frames)
    assert [row.name for row in contents.gates[KEYS[1]]] == ["judge_can_stand_in"]
    assert [row.name for row in contents.gates[KEYS[2]]][-1] == "judge_can_stand_in"


def test_conditions_are_those_of_the_settings_that_were_compared() -> None:
    frame = frames_of(Size())["recommended_setting"]
    frame = frame.assign(n_settings_tried=[0, 2, 2], mad=[0.01, 0.071, 0.01])
    made = conditions_by_setting(frame, plan(), "choosing")
    assert list(made) == frame["setting"].tolist()[1:]
    first = made[frame["setting"].iloc[1]]
    assert [(row.name, row.passed) for row in first] == [
        ("icc", True),
        ("json_validity_rate", True),
        ("spearman_r", True),
        ("mad", False),
    ]
