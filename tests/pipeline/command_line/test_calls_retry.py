"""`touchstone calls --retry`: a person asks again what was answered without a score, and nothing else."""

from pathlib import Path

import dagster as dg
import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.configuration.openai_judge import OpenAIJudge
from tests.openai_server import Asked, OpenAIServer, Scripted, answered, openai_server
from tests.small_study import UP_TO_CALLS, errors, ledger_rows, run_one, without_drawing, write_study

pytestmark = pytest.mark.slow

SETTING = "t0.2_p0.95"
JUDGE = {"kind": "openai", "model": "m", "price": {"input": 0, "output": 0}, "image_side_px": 64, "concurrency": 16}
# Two of the six items, with two objects each and three repeats.
NEVER_WELL, LATER_WELL = "100", "101"
N_AGAIN = 2 * 2 * 3


class Careless:
    """Answers about two items without JSON; about one of them only at first."""

    patient = False

    def __call__(self, asked: Asked) -> Scripted:
        fails = asked.item_id == NEVER_WELL or (asked.item_id == LATER_WELL and not self.patient)
        return answered("seven of ten") if fails else answered()


def configured(folder: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIJudge:
    """A study in the folder's home for the command line, and its judge."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(folder / "home"))
    monkeypatch.setenv("DAGSTER_HOME", str(folder / "home" / "dagster"))
    (folder / "home").mkdir(parents=True)
    (folder / "home" / "touchstone.yaml").write_text(
        f"""
study: small
fidelity:
  human_scores: {folder}/subjective.csv
  references: {folder}/references
  candidates: {folder}/candidates
  repeats: 3
  bootstrap_resamples: 200
  judge: {{kind: openai, model: m, price: {{input: 0, output: 0}}, image_side_px: 64, concurrency: 16}}
"""
    )
    return OpenAIJudge(**JUDGE)  # type: ignore[arg-type]


def test_only_answers_without_a_score_are_asked_again_after_their_number_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Careless()
    retry = ["calls", "--retry", "--setting", SETTING]
    with openai_server(script) as server, without_drawing():
        study = write_study(tmp_path, repeats=3, judge=configured(tmp_path, server, monkeypatch))
        with dg.DagsterInstance.ephemeral() as instance:
            assert not errors(run_one(study, instance, SETTING, UP_TO_CALLS))
        nothing = CliRunner().invoke(application, [*retry, "--state", "refused"])
        assert len(server.requests) == 36
        script.patient = True
        done = CliRunner().invoke(application, retry)
        again = server.requests[36:]
    assert nothing.exit_code == 0
    assert "No call of m came to refused: nothing to ask again." in nothing.stdout
    assert f"{N_AGAIN} calls were answered without a score and are asked again." in done.stdout
    # Item 100 still has no score, so that the study stops at its gate and asks nothing more.
    assert "STOP  enough_repeats" in done.stdout
    assert {asked.item_id for asked in again} == {NEVER_WELL, LATER_WELL}
    assert len(again) == N_AGAIN
    rows = ledger_rows(study)
    assert set(rows.loc[rows["item_id"] == LATER_WELL, "state"]) == {"invalid_json", "valid"}
    assert rows.groupby("item_id")["attempt"].max().to_dict() == {
        item: 2 if item in (NEVER_WELL, LATER_WELL) else 1 for item in ("100", "101", "102", "103", "104", "105")
    }
