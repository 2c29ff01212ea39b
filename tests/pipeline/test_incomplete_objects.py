"""One refused object, or one failing setting, does not end a study that the command line runs."""

from io import StringIO
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from rich.console import Console

from pipeline.command_line.run_study import run_and_show
from pipeline.definitions import definitions_of
from pipeline.runs import run_study
from resources.errors import UserError
from tests.small_study import KEYS, OBJECTS, near_truth, stored, stored_path, write_study

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pages")]
FIRST, FAULTY, LAST, AFTER = KEYS[1:5]
VICTIM = OBJECTS[4][2]


def refusing(object_: str, setting: str, repeat: int) -> dict[str, Any]:
    """One object is refused at one setting but for two of its repeats."""
    if (object_, setting) == (VICTIM, FAULTY) and repeat > 2:
        return {"state": "refused", "raw_answer": "I cannot rate this picture."}
    return near_truth(object_, setting, repeat)


def test_a_setting_that_refuses_one_of_twelve_objects_stops_itself_and_the_others_are_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    study, said = write_study(tmp_path, refusing), StringIO()
    study.home.local.mkdir(exist_ok=True)
    # Of another name than the samples, whose true grades would be looked for.
    section = "fidelity: {human_scores: a.csv, references: b, candidates: c}"
    (study.home.local / "touchstone.yaml").write_text(f"study: small\n{section}\n")
    with pytest.raises(UserError, match=f"stopped {FAULTY}; the others went on"):  # exit status 2
        run_and_show(Console(file=said, width=300), "fidelity", (FIRST, FAULTY, LAST, AFTER), study=study)
    assert f"{VICTIM} (2)" in said.getvalue()
    assert f"Not compared: {FAULTY}: Share of objects with fewer than 3 valid repeats is 0.083" in said.getvalue()
    assert "Report: " in said.getvalue()
    summary = stored(study, "setting_summary").set_index("setting")
    assert summary["n_objects"].to_dict() == {FIRST: 12, FAULTY: 0, LAST: 12, AFTER: 12}
    for name in ("icc_by_setting", "human_agreement", "few_labels"):
        made = {path.stem for path in stored_path(study, name, FIRST).parent.iterdir()}
        assert made == {FIRST, LAST, AFTER}


def test_with_the_share_raised_the_object_is_left_out_of_all_settings_and_named(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path, refusing, max_incomplete_share=0.1)
    outcome = run_study(definitions_of(study), "fidelity", instance, (FIRST, FAULTY))
    assert (outcome.succeeded, outcome.stopped, outcome.user_errors, outcome.other_errors) == (True, [], [], [])
    summary = stored(study, "setting_summary").set_index("setting")
    assert summary["n_objects"].tolist() == [11, 11]
    assert summary["incomplete"].fillna("").tolist() == ["", f"{VICTIM} (2)"]
    assert (summary["mae_worst"] > summary["mae_best"]).tolist() == [False, True]
    icc = stored(study, "icc_by_setting", FAULTY).iloc[0]
    assert (icc["n_objects"], icc["n_used"], icc["n_missing"]) == (12, 11, 3)
    # 57 of 60 first answers are valid: leaving the object out fixes nothing.
    recommended = stored(study, "recommended_setting").set_index("setting")
    assert recommended.loc[FAULTY, "json_validity_rate"] == pytest.approx(57 / 60)
    assert f"lacks valid answers in some setting and is left out of all: {FAULTY}: {VICTIM} (2)." in _report_of(study)
    assert "had the missing answers been the worst for the judge" in _report_of(study)


def _report_of(study: Any) -> str:

    return Path(str(study.home.report("fidelity"))).read_text(encoding="utf-8")
