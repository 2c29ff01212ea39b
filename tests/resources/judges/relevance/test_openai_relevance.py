"""A model on a server of loopback that is asked for relevance: what is sent, kept, paid, and never asked twice."""

import subprocess
import sys
from pathlib import Path

import pytest

from resources.configuration.openai_judge import OpenAIJudge
from resources.database.call_queries import RELEVANCE_CALLS, STUDY_CALLS, state_counts
from resources.database.ledger import Ledger
from resources.errors import UserError
from resources.judges.openai.access import access_of
from resources.judges.relevance.documents import AskedDocument, Judged
from resources.judges.relevance.estimate import estimate
from resources.judges.relevance.openai_relevance import relevance_judge
from resources.judges.relevance.prompts import prompt_of
from resources.judges.relevance.registry import PromptedJudge
from tests.openai_server import Asked, Scripted, answered, failed, openai_server
from tests.resources.judges.relevance.asked import ASKED, judge, ledger_of, model_on, study_in
from tests.resources.judges.relevance.killed_run import KILLED

pytestmark = pytest.mark.slow

V1_SHA256 = "3a4fc8c7aaaf7228681e009465be7a82db89075c6742a2abc9029773a50070bd"


@pytest.fixture
def ledger(database_url: str) -> Ledger:
    return ledger_of(database_url)


@pytest.fixture
def on_disk(tmp_path: Path) -> Ledger:
    return ledger_of(f"sqlite:///{tmp_path / 'touchstone.db'}")


def identity_of(section: OpenAIJudge) -> str:
    return relevance_judge("judge1", section, prompt_of("v1", {}), access_of(section)).identity.digest


def by_topic(asked: Asked) -> Scripted:
    """High where the document speaks of bikes."""
    return answered("0.9" if "Fixing a flat" in asked.text else "0.1")


def test_every_document_is_asked_once_and_its_score_handed_on(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(by_topic) as server:
        said, outcome = judge(study_in(tmp_path), model_on(server, monkeypatch), ledger)
        bodies = [request.body for request in server.requests]
    assert len(bodies) == len(ASKED) == outcome.n_asked == outcome.n_scored
    assert {(one.query_id, one.doc_id): one.score for one in said} == {
        (one.query_id, one.doc_id): 0.9 if "Fixing" in one.text else 0.1 for one in ASKED
    }
    assert {(one.judge, one.prompt_version, one.prompt_hash, one.state) for one in said} == {
        ("judge1", "v1", V1_SHA256, "valid")
    }
    for body in bodies:
        assert "response_format" not in body
        assert body["temperature"] == 0
        assert body["messages"][0]["content"].startswith("You are evaluating the relevance")
        assert isinstance(body["messages"][1]["content"], str)
    counts = state_counts(ledger.engine, "study")
    assert counts[["kind", "setting", "n"]].to_dict("records") == [
        {"kind": RELEVANCE_CALLS, "setting": "v1 t0.0_p1.0", "n": len(ASKED)}
    ]


def test_a_second_run_hands_on_the_same_judgments_and_asks_nothing(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(by_topic) as server:
        first, _ = judge(study_in(tmp_path), model_on(server, monkeypatch), ledger)
        second, _ = judge(study_in(tmp_path), model_on(server, monkeypatch), ledger)
        assert len(server.requests) == len(ASKED)
    assert sorted(first) == sorted(second)


def test_judgments_that_could_not_be_stored_are_handed_on_again_and_not_asked_for_again(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[Judged] = []

    def full_at_the_second(batch: list[Judged]) -> None:
        if stored:
            raise OSError("no space left")
        stored.extend(batch)

    with openai_server(by_topic) as server:
        section = model_on(server, monkeypatch, concurrency=1)
        with pytest.raises(OSError, match="no space left"):
            judge(study_in(tmp_path), section, on_disk, keep=full_at_the_second)
        said, outcome = judge(study_in(tmp_path), section, on_disk)
        assert len(server.requests) == len(ASKED)
    assert outcome.n_scored == len(ASKED)
    assert set(stored) < set(said)


def test_a_killed_run_goes_on_where_it_was_and_repeats_no_finished_call(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(by_topic, latency_s=0.2) as server:
        section = model_on(server, monkeypatch, concurrency=1)
        program = [sys.executable, "-m", "tests.resources.judges.relevance.killed_run", str(tmp_path)]
        assert subprocess.run(program, timeout=60).returncode == KILLED
        finished = set(on_disk.rows("study", identity_of(section))["object"])
        said, outcome = judge(study_in(tmp_path), section, on_disk)
        texts = [request.text for request in server.requests]
    assert 1 <= len(finished) < len(ASKED)
    # The call that was under way when the run was killed is asked again; what had an answer is not.
    for one in ASKED:
        n_asked = sum(one.query in text and one.text in text for text in texts)
        assert n_asked == 1 or (n_asked == 2 and one.object not in finished)
    assert outcome.n_scored == len(said) == len(ASKED)


def test_the_budget_ends_the_run_and_what_came_is_kept(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # At most 400 bytes of prompt and as many of text, and 50 tokens of answer: about $0.003 a call.
    kept: list[Judged] = []
    with openai_server(by_topic) as server:
        section = model_on(server, monkeypatch, concurrency=1, budget_usd=0.009, max_output_tokens=50)
        with pytest.raises(UserError, match="The budget is used up") as caught:
            judge(study_in(tmp_path), section, on_disk, keep=kept.extend)
        assert 1 <= len(kept) == len(server.requests) < len(ASKED)
    assert f"{len(kept)} of {len(ASKED)} relevance calls" in caught.value.__notes__[0]


def test_a_run_that_nobody_started_spends_nothing_without_a_daily_budget(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(by_topic) as server:
        with pytest.raises(UserError, match="touchstone run reliability"):
            judge(study_in(tmp_path), model_on(server, monkeypatch), on_disk, unattended=True)
        assert not server.requests


def test_one_model_under_two_names_is_asked_twice_and_not_one_answer_counted_as_two(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(by_topic) as server:
        section = model_on(server, monkeypatch)
        first, _ = judge(study_in(tmp_path), section, on_disk, name="judge1")
        second, _ = judge(study_in(tmp_path), section, on_disk, name="judge2")
        assert len(server.requests) == 2 * len(ASKED)
    assert first[0].judge_identity != second[0].judge_identity


def test_another_prompt_version_is_asked_anew_by_the_same_judge(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(by_topic) as server:
        section = model_on(server, monkeypatch)
        first, _ = judge(study_in(tmp_path), section, on_disk)
        second, _ = judge(study_in(tmp_path), section, on_disk, version="recalibrated_v2", asked=ASKED[:3])
        assert len(server.requests) == len(ASKED) + 3
    assert first[0].judge_identity == second[0].judge_identity
    assert {one.prompt_version for one in second} == {"recalibrated_v2"}


def test_answers_without_a_score_are_handed_on_with_their_state_and_faults_are_told_of(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def odd(asked: Asked) -> Scripted:
        if "lentil" in asked.text:
            return answered("7 of 10")
        if "shops" in asked.text:
            return failed(400, "this document is not allowed")
        # Cut off: 0.1 may have been the beginning of 0.15, or a draft.
        return answered("0.1", finish_reason="length") if "office" in asked.text else answered("Score: 0.4")

    with openai_server(odd) as server:
        said, outcome = judge(study_in(tmp_path), model_on(server, monkeypatch), on_disk)
    states = {(one.query_id, one.doc_id): (one.state, one.score) for one in said}
    assert states["q1", "d1"] == ("recovered", 0.4)
    assert states["q1", "d2"] == ("ambiguous", None)
    assert states["q2", "d3"] == ("cut_off", None)
    assert (outcome.n_scored, outcome.n_without_score) == (3, 2)
    assert [one.object for one in outcome.without_answer] == ["q1/d3"]
    assert "no answer about 1 of 6: q1/d3" in caplog.text


def test_a_document_without_text_is_named_before_anything_is_asked(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(by_topic) as server:
        asked = [*ASKED, AskedDocument("q3", "Why?", "d9", None)]
        with pytest.raises(UserError, match="query 'q3', document 'd9'"):
            judge(study_in(tmp_path), model_on(server, monkeypatch), on_disk, asked=asked)
        assert not server.requests


def test_an_answer_form_in_json_is_refused(on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server(by_topic) as server, pytest.raises(UserError, match="answer_form 'json_schema' asks for JSON"):
        judge(study_in(tmp_path), model_on(server, monkeypatch, answer_form="json_schema"), on_disk)


def test_a_document_that_is_too_large_is_told_of_in_words_of_this_study(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server([failed(413, "too large")]) as server, pytest.raises(UserError, match="Shorten the document"):
        judge(study_in(tmp_path), model_on(server, monkeypatch), on_disk)


def test_the_estimate_counts_open_calls_and_bounds_what_they_cost(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_in(tmp_path)
    long = AskedDocument("q9", "Why?", "d1", "ü" * 50_000)
    usage = {"prompt_tokens": 200, "completion_tokens": 4}
    with openai_server(lambda asked: answered("0.5", usage=usage)) as server:
        section: OpenAIJudge = model_on(server, monkeypatch, max_output_tokens=50)
        model = PromptedJudge("judge1", section, "v1")
        before = estimate("study", study.reliability, model, [*ASKED, long], on_disk)
        judge(study, section, on_disk)
        after = estimate("study", study.reliability, model, [*ASKED, long], on_disk)
    assert (before.row.n_calls, before.n_answered) == (len(ASKED) + 1, 0)
    assert (after.row.n_calls, after.n_answered) == (1, len(ASKED))
    # Each ü is two bytes, and a text has no more tokens than bytes: 100,000 x $2 a million, and 50 x $8.
    assert 0.2004 < after.row.worst_usd < 0.2004 + 0.005
    # Four characters a token as a guess: 50,000 / 4 x $2 a million.
    assert 0.025 < after.row.usd < 0.026
    assert "pictures" not in after.method
    assert after.row.usd < after.row.worst_usd


def test_names_with_the_ledgers_signs_are_no_golden_images(
    on_disk: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = [AskedDocument("q~1", "Why?", "d@1", "Because."), AskedDocument("q/2", "Why?", "%", "Because.")]
    with openai_server(by_topic) as server:
        said, _ = judge(study_in(tmp_path), model_on(server, monkeypatch), on_disk, asked=odd)
    assert {(one.query_id, one.doc_id) for one in said} == {("q~1", "d@1"), ("q/2", "%")}
    assert set(state_counts(on_disk.engine, "study")["kind"]) == {RELEVANCE_CALLS} != {STUDY_CALLS}
    assert on_disk.occasion_rows("study").empty
