"""What judging relevance costs is told before it is spent, and nobody is asked without a person's consent."""

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.errors import UserError
from resources.study import study_from_environment
from tests.openai_server import Asked, Scripted, answered, openai_server
from tests.small_relevance import AGREED, OPPOSED, relevance_study

MODEL = "gpt-4o-2024-08-06"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("TOUCHSTONE_HOME", tmp_path / "home"), ("DAGSTER_HOME", tmp_path), ("COLUMNS", 200)):
        monkeypatch.setenv(name, str(value))
    for name in ("TOUCHSTONE_CONFIG", "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


def said(*arguments: str) -> str:
    return " ".join(CliRunner().invoke(application, arguments, catch_exceptions=False).output.split())


def asked_of_models(folder: Path, **judge: object) -> None:
    """Two queries with four documents each that two models are to judge."""
    study = relevance_study(folder, [AGREED, OPPOSED])
    assert study.file is not None
    values = yaml.safe_load(study.file.read_text())
    model = {"kind": "openai", "model": MODEL, **judge}
    values["reliability"]["judges"] = {"one": {**model, "budget_usd": 2}, "other": {**model, "concurrency": 2}}
    study.file.write_text(yaml.safe_dump(values))


def first_two_relevant(asked: Asked) -> Scripted:
    return answered("0.9" if "Document 1" in asked.text or "Document 2" in asked.text else "0.1")


def test_a_dry_run_tells_calls_price_and_budget_of_every_judge_and_keeps_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_of_models(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret-secret")
    shown = said("run", "reliability", "--dry-run")
    assert "one, v1: 8 calls to make, 0 answered." in shown
    assert "other, v1: 8 calls to make, 0 answered." in shown
    assert "in all 16" in shown
    assert "Budget $2.00, spent $0.00, left $2.00: it suffices." in shown
    assert "No budget_usd is set" in shown
    assert "sk-secret" not in shown
    assert study_from_environment().queries.query_documents().empty


@pytest.mark.slow
def test_a_paid_judge_is_asked_after_a_persons_consent_and_nothing_twice(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_of_models(tmp_path, price={"input": 2, "output": 8})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret-secret")
    with openai_server(first_two_relevant) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        with pytest.raises(UserError, match="agree with `--yes`"):
            said("run", "reliability")
        assert not server.requests
        assert "IRR Validation Passed (Kappa: 1.00)" in said("run", "reliability", "--yes")
        assert len(server.requests) == 16
        # All is answered: nothing costs anything, so nobody is asked for consent.
        assert "IRR Validation Passed (Kappa: 1.00)" in said("run", "reliability")
        assert len(server.requests) == 16


def test_a_missing_key_is_said_before_anything_runs(home: Path, tmp_path: Path) -> None:
    asked_of_models(tmp_path)
    assert "STOP The judge openai cannot be asked: OPENAI_API_KEY is not set." in said(
        "run", "reliability", "--dry-run"
    )
    with pytest.raises(UserError, match="OPENAI_API_KEY is not set"):
        said("run", "reliability", "--yes")
    assert not list(tmp_path.rglob("*.parquet"))


def test_scores_that_come_with_the_input_cost_nothing(home: Path, tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED, OPPOSED])
    assert said("run", "reliability", "--dry-run") == "The scores come with the input: no judge is asked."


def test_options_go_with_the_studies_that_have_them(home: Path, tmp_path: Path) -> None:
    relevance_study(tmp_path, [AGREED])
    with pytest.raises(UserError, match="names its judges in touchstone.yaml"):
        said("run", "reliability", "--judge", "openai")
    with pytest.raises(UserError, match="`--dataset` with evaluation"):
        said("run", "reliability", "--dataset", "x")
