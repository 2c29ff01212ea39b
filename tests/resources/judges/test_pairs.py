"""A judge of pairs: its prompt has places for both, its answers are A, B or tie, and each pair is asked both ways."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from resources.configuration.task import Task
from resources.database.ledger import Ledger
from resources.errors import FileFault, UserError
from resources.judges.contract import Attempt, Call, JudgeIdentity, Reply
from resources.judges.own_task import own_task
from resources.judges.pairs import SETTING, PairPlan, PairRun, PairTask, Shown, ShownPair, both_orders
from tests.resources.judges.test_judging import CountedProgress, FakeJudge, ledger_in

WHO = JudgeIdentity("anthropic", "m", "own-pair-1", "1")
PROMPT = "Question: {query}\nA: {document_a}\nB: {document_b}\nWhich is better? Answer A, B or tie.\n"
PAIR = ShownPair(Shown("q1/gpt", "Yes {query}.", "aa"), Shown("q1/llama", "No.", "bb"), "Is it?")
LOG = logging.getLogger(__name__)


def task_of(folder: Path, text: str = PROMPT, **keys: Any) -> PairTask:
    path = folder / "prompt.txt"
    path.write_text(text)
    return PairTask(own_task(Task(prompt=path, **{"object": "pair", "shows": "text", **keys})))


def test_both_texts_are_filled_in_and_the_other_order_is_another_call(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    first, second = (task.call(one, Attempt("study", SETTING, WHO)) for one in both_orders([PAIR]))
    # What stands in braces in a text stays as it is.
    assert first.user_message == "Question: Is it?\nA: Yes {query}.\nB: No.\nWhich is better? Answer A, B or tie."
    assert second.user_message.startswith("Question: Is it?\nA: No.\nB: Yes")
    assert (first.judged.object, second.judged.object) == ("q1%2Fgpt/q1%2Fllama", "q1%2Fllama/q1%2Fgpt")
    assert first.prompt_hash != second.prompt_hash
    assert task.call(PAIR, Attempt("study", SETTING, WHO)) == first
    assert task.call(PAIR, Attempt("study", SETTING, WHO, number=2)).seed != first.seed


@pytest.mark.parametrize(
    ("raw", "state", "share"),
    [
        ("A", "valid", 1.0),
        ("**b**.", "valid", 0.0),
        ("Tie", "valid", 0.5),
        ("A is longer, and B is right. [[B]]", "valid", 0.0),
        ("They are alike. [[C]]", "valid", 0.5),
        ("A is longer.\nVerdict: B", "recovered", 0.0),
        ("Both say it.\n\ntie", "recovered", 0.5),
        ("[[A]] or rather [[B]]", "ambiguous", None),
        ("A better answer was never given.", "out_of_range", None),
        ("[[D]]", "out_of_range", None),
        ("C", "out_of_range", None),
        ("I'm sorry, I can't compare these.", "refused", None),
        ("", "refused", None),
        ("<think>A</think>", "reasoning_only", None),
    ],
)
def test_an_answer_is_a_b_or_tie_or_has_no_score(raw: str, state: str, share: float | None, tmp_path: Path) -> None:
    found = task_of(tmp_path).read(raw)
    assert (found.state, found.score) == (state, share)


def test_a_judge_without_ties_gives_none(tmp_path: Path) -> None:
    assert task_of(tmp_path, scale=("A", "B")).read("tie").state == "out_of_range"


def test_an_answer_in_json_names_the_winner(tmp_path: Path) -> None:
    asked = PROMPT + '{"reason": "...", "winner": "A"}'
    task = task_of(tmp_path, asked, answer="json")
    found = task.read('{"reason": "clear", "winner": "B"}')
    assert (found.state, found.score, found.rationale) == ("valid", 0.0, ("clear",))
    assert task.read('So: {"winner": "tie"}').state == "recovered"
    assert task.read('{"winner": "C"}').state == "out_of_range"
    assert task.read('{"winner": 1}').state == "out_of_range"
    assert task.read('{"winner": "A"} {"winner": "B"}').state == "ambiguous"
    assert task.read("A").state == "invalid_json"
    schema = task.schema
    assert schema is not None
    assert schema["required"] == ["reason", "winner"]


@pytest.mark.parametrize(
    ("text", "keys", "said"),
    [
        ("A: {document_a}. A, B or tie?", {}, r"the place '\{document_b\}' is missing"),
        ("B: {document_b}. A, B or tie?", {}, r"the place '\{document_a\}' is missing"),
        (PROMPT + "{document}", {}, r"there is no place '\{document\}' \(did you mean 'document_"),
        (PROMPT + "{item_id}", {}, r"there is no place '\{item_id\}'"),
        ("Which is better, A, B or tie?", {"shows": "images"}, "Write it once, where both photos, A and B, are"),
        (PROMPT.replace("tie", "none"), {}, "the prompt does not name the label 'tie'"),
        (PROMPT, {"answer": "json"}, 'the prompt does not name the field "winner"'),
    ],
)
def test_a_prompt_without_places_for_both_is_one_line(
    text: str, keys: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(FileFault, match=said) as raised:
        task_of(tmp_path, text, **keys)
    assert len(str(raised.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"scale": ("A", "B", "C")}, "answers A, B or tie, and 'C' is none of them"),
        ({"scale": (1, 5)}, "answers A, B or tie"),
        ({"scale": ("A", "tie")}, "needs both A and B, each once"),
        ({"scale": ("A", "B", "b")}, "needs both A and B, each once"),
        ({"answer": "number"}, "gives a label, or JSON"),
        ({"answer": "json", "rubric": {"clear": 1}}, "gives no parts"),
    ],
)
def test_a_task_of_pairs_whose_parts_do_not_fit_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Task(prompt=Path("p.txt"), object="pair", **keys)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_in(tmp_path)


def pairs(n: int) -> list[ShownPair]:
    things = [
        (Shown(f"q{one}/a", f"one {one}", f"a{one}"), Shown(f"q{one}/b", f"two {one}", f"b{one}")) for one in range(n)
    ]
    return both_orders([ShownPair(*both, f"question {one}") for one, both in enumerate(things)])


def run_of(ledger: Ledger, folder: Path, answers: Callable[[Call], Reply], n: int = 3) -> tuple[PairRun, FakeJudge]:
    judge = FakeJudge(answers)
    return PairRun("study", PairPlan(1), judge, pairs(n), [SETTING], ledger, task=task_of(folder)), judge


def test_both_orders_are_asked_once_and_a_run_that_broke_repeats_no_answer(ledger: Ledger, tmp_path: Path) -> None:
    def breaks_at_the_fourth(call: Call) -> Reply:
        if len(judge.asked) >= 4:
            raise RuntimeError("killed")
        return Reply("A", cost_usd=0.5)

    run, judge = run_of(ledger, tmp_path, breaks_at_the_fourth)
    with pytest.raises(RuntimeError, match="killed"):
        run.ask(CountedProgress(), LOG)
    finished = {one.object for one in pairs(3)} - {key.object for key in run.open_calls()}
    assert len(finished) == 3
    again, second = run_of(ledger, tmp_path, lambda call: Reply("B"))
    again.ask(CountedProgress(), LOG)
    asked = sorted(call.judged.object for call in second.asked)
    assert asked == sorted({one.object for one in pairs(3)} - finished)
    answers = again.answers()
    assert sorted(answers["share"]) == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert answers["cost_usd"].sum() == 1.5
    third, nobody = run_of(ledger, tmp_path, lambda call: Reply("B"))
    third.ask(CountedProgress(), LOG)
    assert nobody.asked == []


def test_a_judge_whose_first_ten_answers_are_unusable_is_stopped(ledger: Ledger, tmp_path: Path) -> None:
    run, judge = run_of(ledger, tmp_path, lambda call: Reply("Both are fine."), n=20)
    with pytest.raises(UserError, match="None of the first 1[0-9] answers of fake has a score") as raised:
        run.ask(CountedProgress(), LOG)
    assert "none of the labels A, B, tie" in str(raised.value)
    assert len(judge.asked) < 40
    again, nobody = run_of(ledger, tmp_path, lambda call: Reply("A"), n=20)
    with pytest.raises(UserError, match="nothing was sent"):
        again.ask(CountedProgress(), LOG)
    assert nobody.asked == []


def test_the_last_answer_with_a_score_counts_and_faults_say_what_they_were(ledger: Ledger, tmp_path: Path) -> None:
    def faulty(call: Call) -> Reply:
        return Reply(None, fault="timeout", fault_message="too slow") if call.attempt == 1 else Reply(json.dumps("A"))

    for _ in range(2):
        run, _judge = run_of(ledger, tmp_path, faulty, n=1)
        before = run.answers()
        run.ask(CountedProgress(), LOG)
    assert before["state"].tolist() == ["timeout"] * 2
    assert run.answers()["share"].tolist() == [1.0, 1.0]
