"""`touchstone judges test NAME` makes one call and shows all that came of it."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from pipeline.command_line.run_study import study_with
from resources.errors import UserError
from tests.anthropic_server import anthropic_server, refused
from tests.openai_server import OpenAIServer, answered, openai_server

KEYS = {"TEAM_KEY": "sk-team-0123456789abcdef", "OPENAI_API_KEY": "sk-other-0123456789abcdef"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    return tmp_path


def configure(home: Path, server: OpenAIServer, model: str) -> None:
    judge = f"name: tested, model: '{model}', base_url: '{server.base_url}', key_variable: TEAM_KEY, attempts: 1"
    price = "price: {input: 3, output: 15}"
    study = "fidelity: {human_scores: s.csv, references: r, candidates: c}"
    (home / "touchstone.yaml").write_text(f"judges: [{{{judge}, {price}}}]\n{study}\n")


def run(name: str) -> str:
    found = CliRunner().invoke(application, ["judges", "test", name])
    if found.exception and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found.output


def test_one_call_shows_request_answer_score_tokens_and_price(home: Path) -> None:
    with anthropic_server() as server:
        configure(home, server, "anthropic:claude-test")
        shown = run("tested")
    assert len(server.requests) == 1
    for words in ("Request", '"system"', "Answer", '"score": 70', "valid, score 0.7 on 0-1", "1000 in, 90 out"):
        assert words in shown
    # 1,000 tokens read at 3 and 90 written at 15 USD a million.
    assert "0.004350 USD" in shown
    assert not re.search("|".join(KEYS.values()), shown)


def test_a_judge_of_pairs_is_asked_about_two_texts_and_its_pick_is_shown(home: Path) -> None:
    (home / "p.txt").write_text("{query} A: {document_a} B: {document_b} Answer A, B or tie.")
    with openai_server([answered("[[B]]")]) as server:
        configure(home, server, "some-model")
        file = home / "touchstone.yaml"
        task = "task: {prompt: p.txt, object: pair, shows: text}"
        file.write_text(file.read_text().replace("attempts: 1", f"attempts: 1, {task}"))
        shown = run("tested")
    assert "It is blue." in server.requests[0].text
    assert "valid, B" in shown


def test_a_judge_of_images_and_a_text_is_sent_both_in_a_study_of_whatever_kind(home: Path) -> None:
    (home / "p.txt").write_text("{images} Is it '{document}'? From 1 to 5.")
    with openai_server([answered("5")]) as server:
        configure(home, server, "some-model")
        file = home / "touchstone.yaml"
        task = "task: {prompt: p.txt, scale: [1, 5], shows: both}"
        file.write_text(file.read_text().replace("attempts: 1", f"attempts: 1, {task}"))
        shown = run("tested")
    assert "Is it 'A red square.'? From 1 to 5." in server.requests[0].text
    assert len(server.requests[0].images) == 2
    assert "valid, score 1 on 0-1" in shown


def test_an_answer_without_a_score_says_what_is_missing(home: Path) -> None:
    with openai_server([answered("fine")]) as server:
        configure(home, server, "some-model")
        assert "invalid_json, no score: no JSON object in the answer" in run("tested")


def test_a_refusal_is_one_line_without_the_key(home: Path) -> None:
    with anthropic_server([refused(401, "authentication_error", f"invalid x-api-key {KEYS['TEAM_KEY']}")]) as server:
        configure(home, server, "anthropic:claude-test")
        with pytest.raises(UserError, match="Set TEAM_KEY to one that it issued") as raised:
            run("tested")
    assert KEYS["TEAM_KEY"] not in str(raised.value)


def test_an_unknown_name_and_a_judge_that_calls_nothing_are_refused(home: Path) -> None:
    study = "fidelity: {human_scores: s.csv, references: r, candidates: c}"
    (home / "touchstone.yaml").write_text(f"judges: [{{name: baseline, kind: local}}]\n{study}\n")
    with pytest.raises(UserError, match=r"has no 'basline' \(did you mean 'baseline'\?\)"):
        run("basline")
    with pytest.raises(UserError, match="it calls nothing"):
        run("baseline")


def test_another_judge_of_the_list_is_asked_instead_and_one_that_does_not_fit_is_refused(home: Path) -> None:
    reads = "task: {prompt: p.txt, scale: [1, 5], shows: text}"
    judges = f"[{{name: sees, model: 'openai:m'}}, {{name: reads, model: 'openai:m', {reads}}}]"
    study = "fidelity: {human_scores: s.csv, references: r, candidates: c}"
    (home / "touchstone.yaml").write_text(f"judges: {judges}\n{study}\n")
    assert study_with("sees").fidelity.judge_name == "sees"
    assert study_with("local").fidelity.judge_name == "local"
    with pytest.raises(UserError, match="The judge reads cannot be asked in this study: .* the study has no `texts`"):
        study_with("reads")
    with pytest.raises(UserError, match=r"There is no judge 'seas' that scores objects \(did you mean 'sees'\?\)"):
        study_with("seas")
