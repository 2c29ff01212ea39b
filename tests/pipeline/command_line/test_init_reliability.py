"""`touchstone init`: the section of study D names every key, and is a study when its lines are taken in."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.init import TEMPLATE
from pipeline.command_line.main import application
from resources.configuration.load import Configuration, read_configuration
from resources.configuration.reliability import (
    Recalibration,
    ReliabilityGate,
    ReliabilityStudy,
    Review,
    SourceTable,
)
from resources.errors import UserError

MODELS = (ReliabilityStudy, SourceTable, ReliabilityGate, Review, Recalibration)


@pytest.fixture
def section() -> str:
    """The commented lines from `reliability:` on, without their first sign."""
    lines = TEMPLATE[TEMPLATE.index("# reliability:") :].splitlines()
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines)


def test_every_key_and_every_kind_of_judge_stands_in_the_section(section: str) -> None:
    keys = [name for model in MODELS for name in model.model_fields]
    assert [name for name in keys if not re.search(rf"\b{name}\b", section)] == []
    assert [kind for kind in ("embedding", "lexical", "recorded", "openai") if f"kind: {kind}" not in section] == []


def test_the_section_is_a_study_whose_values_are_the_defaults_but_for_the_examples(
    tmp_path: Path, section: str
) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_text(f"study: mine\n{section}\n")
    study = read_configuration(path).reliability
    assert study is not None
    plain = Configuration(study="mine", reliability={"queries": "q.csv"}).reliability
    differ = {name for name in ReliabilityStudy.model_fields if getattr(study, name) != getattr(plain, name)}
    assert differ == {"queries"}


@pytest.mark.parametrize("study", ["reliability: {queries: q.csv, ", "evaluation: {inbox: inbox, "])
def test_a_margin_where_no_people_are_compared_is_refused_by_name(tmp_path: Path, study: str) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_text(f"study: mine\n{study}verdict: {{margin: 0.2}}}}\n")
    with pytest.raises(UserError, match=r"verdict\.margin"):
        read_configuration(path)
    path.write_text("study: mine\npairwise: {pairs_csv: p.csv, image_root: ., verdict: {margin: 0.2}}\n")
    pairwise = read_configuration(path).pairwise
    assert pairwise is not None
    assert pairwise.verdict.policy(epsilon=0.1, confidence=0.95, seed=0).most_behind == 0.2


def test_the_examples_inside_the_section_are_a_study_too(tmp_path: Path, section: str) -> None:
    without_table = re.sub(r"^  # postgres:.*\n(  #   .*\n)+", "", section, flags=re.MULTILINE)
    path = tmp_path / "touchstone.yaml"
    path.write_text("study: mine\n" + without_table.replace("\n  # ", "\n  ").replace("judge1: 0.55", "words: 0.55"))
    study = read_configuration(path).reliability
    assert study is not None
    assert [judge.kind for judge in study.judges.values()] == ["embedding", "lexical", "openai", "recorded"]
    assert (study.thresholds, list(study.prompts)) == ({"words": 0.55}, ["v3"])


def test_the_doctor_knows_the_judges_and_the_sentence_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.delenv("TOUCHSTONE_CONFIG", raising=False)
    shown = CliRunner().invoke(application, ["doctor"], catch_exceptions=False).output
    assert "reliability (judge1: embedding, judge2: lexical; prompt v1)" in shown
    assert re.search(r"^sentences +all-MiniLM-L6-v2: /", shown, flags=re.MULTILINE)
