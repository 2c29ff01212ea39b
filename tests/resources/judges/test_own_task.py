"""A task of the user's own: its prompt is filled in and nothing is added, and answers are read on its own scale."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from resources.configuration.settings import Setting
from resources.configuration.task import Task
from resources.errors import FileFault, UserError
from resources.inputs.fidelity.texts import Text
from resources.judges.contract import Attempt, JudgedObject, JudgeIdentity
from resources.judges.own_task import OwnTask, own_task

JUDGED = JudgedObject("0000000a", "100_tall", "c.png", "cc", ("1.png", "2.png"), ("11", "22"), ("Home", None, "Chairs"))
WHO = JudgeIdentity("anthropic", "m", "own-1", "1")
PROMPT = 'You rate chairs.\n{images}\nRate {item_id} ({category_l3}) from 1 to 5. Answer {"x"} with one number.\n'
FIELDS = '{images} Give {"colour": 1-5, "finish": 1-5, "score": 1-5, "reason": "..."} on the scale from 1 to 5.'
RUBRIC: dict[str, Any] = {"scale": (1, 5), "answer": "json", "rubric": {"colour": 3, "finish": 1}}


def task_of(folder: Path, text: str = PROMPT, **keys: Any) -> OwnTask:
    path = folder / "prompt.txt"
    path.write_text(text)
    return own_task(Task(prompt=path, **{"scale": (1, 5), **keys}))


def test_the_prompt_is_filled_in_and_nothing_is_added(tmp_path: Path) -> None:
    call = task_of(tmp_path).call(JUDGED, Attempt("chairs", Setting(0.2, 1.0), WHO))
    assert call.system_message == "You rate chairs."
    assert call.user_message == 'Rate 100_tall (Chairs) from 1 to 5. Answer {"x"} with one number.'


def test_the_hash_is_of_prompt_and_context_and_not_of_the_nonce(tmp_path: Path) -> None:
    task = task_of(tmp_path, PROMPT + "{run_id}")
    first, second = (task.call(JUDGED, Attempt("chairs", Setting(0.2, 1.0), WHO, repeat)) for repeat in (1, 2))
    assert first.user_message != second.user_message
    assert first.prompt_hash == second.prompt_hash
    assert task.prompt_hash(replace(JUDGED, item_id="other")) != first.prompt_hash
    assert task_of(tmp_path, PROMPT + "{run_id}!").prompt_hash(JUDGED) != first.prompt_hash
    assert (
        task_of(tmp_path, PROMPT.replace(" from 1 to 5", "") + "{run_id}", scale=(0, 4)).parameters != task.parameters
    )


def test_a_text_may_come_before_the_images_and_after_and_the_hash_is_of_it_too(tmp_path: Path) -> None:
    prompt = "Asked for: {document}\n{images}\nDoes {item_id} show '{document}'? From 1 to 5."
    texts = {JUDGED.object: Text("c.png", "", "a tall {chair}", "", "")}
    task = replace(task_of(tmp_path, prompt, shows="both"), texts=texts)
    asked = task.messages(JUDGED, "")
    assert asked == ("Asked for: a tall {chair}", "Does 100_tall show 'a tall {chair}'? From 1 to 5.")
    # An altered render and one of another occasion go with the text of the original.
    for name in ("0000000a~blur_2", "0000000a@2026-01-05"):
        assert task.messages(replace(JUDGED, object=name), "") == asked
    other = replace(task, texts={JUDGED.object: texts[JUDGED.object]._replace(document="a low chair")})
    assert other.prompt_hash(JUDGED) != task.prompt_hash(JUDGED)
    with pytest.raises(UserError, match="There is no text of object 0000000b any more"):
        task.prompt_hash(replace(JUDGED, object="0000000b"))


@pytest.mark.parametrize(
    ("raw", "state", "score"),
    [
        ("4", "valid", 0.75),  # (4 - 1) / (5 - 1)
        ("<think>hm, 2</think> 1", "valid", 0.0),
        ("I say 5.", "recovered", 1.0),
        ("6", "out_of_range", None),
        ("0.7", "out_of_range", None),
        ("good", "invalid_json", None),
        ("", "refused", None),
    ],
)
def test_a_number_is_read_on_the_prompts_own_scale(raw: str, state: str, score: float | None, tmp_path: Path) -> None:
    found = task_of(tmp_path).read(raw)
    assert (found.state, found.score) == (state, score)


@pytest.mark.parametrize(
    ("raw", "state", "score"),
    [
        ("Good.", "valid", 0.5),
        ("**very good**", "valid", 1.0),
        ("It looks very good to me", "recovered", 1.0),
        ("bad, or good?", "ambiguous", None),
        ("excellent", "out_of_range", None),
        ("It is not good.", "ambiguous", None),
        ("This isn't good", "ambiguous", None),
        ("never very good", "ambiguous", None),
        ("It is nothing but good, no.", "recovered", 0.5),
    ],
)
def test_a_label_is_one_of_the_list_or_no_answer(raw: str, state: str, score: float | None, tmp_path: Path) -> None:
    task = task_of(tmp_path, "{images} bad, good or very good?", scale=("bad", "good", "very good"), answer="label")
    found = task.read(raw)
    assert (found.state, found.score) == (state, score)


def test_fields_of_json_are_weighted_by_the_rubric(tmp_path: Path) -> None:
    task = task_of(tmp_path, FIELDS, **RUBRIC)
    # Colour 5 is 1.0 and finish 3 is 0.5 on 0-1: 3/4 + 0.5/4 = 0.875.
    found = task.read(json.dumps({"colour": 5, "finish": 3, "reason": "shiny"}))
    assert (found.state, found.score) == ("valid", 0.875)
    assert found.subscores == {"colour": 1.0, "finish": 0.5}
    assert found.rationale == ("shiny",)
    stated = json.dumps({"colour": 5, "finish": 3, "score": 2})
    assert task.read(f"Here: {stated}").state == "recovered"
    assert task.read(stated).score == 0.25
    assert task.read(stated, "recomputed").score == 0.875
    assert task.read(json.dumps({"colour": 5})).problem == "finish is missing"
    assert task.read(json.dumps({"colour": 5, "finish": 9})).state == "out_of_range"
    assert task.read(f"{stated} {json.dumps({'colour': 1, 'finish': 1})}").state == "ambiguous"
    schema = task.schema
    assert schema is not None
    assert schema["required"] == ["colour", "finish", "score", "reason"]


@pytest.mark.parametrize(
    ("text", "keys", "said"),
    [
        ("{images} {item} 1 to 5", {}, r"there is no place '\{item\}' \(did you mean 'item_id'\?\)"),
        ("Rate it from 1 to 5.", {}, r"the prompt has the place '\{images\}' 0 times"),
        ("{images} then {images} x", {}, r"the prompt has the place '\{images\}' 2 times"),
        ("Rate from 1 to 5: {images}", {}, r"nothing comes after '\{images\}'"),
        ("{images} Rate from 0 to 10.", {}, r"asks for answers from 0 to 10, and `scale` is \[1, 5\]"),
        (" ", {}, "the prompt has 1 bytes"),
        ("{images} Rate from 1 to 5.", {"shows": "both"}, r"the place '\{document\}' is missing"),
        ("{document} Rate from 1 to 5.", {"shows": "both"}, r"the prompt has the place '\{images\}' 0 times"),
        ("{images} {document} Rate it.", {}, r"there is no place '\{document\}'"),
        ("{images} good?", {"scale": ("bad", "good"), "answer": "label"}, "does not name the label 'bad'"),
        ("{images} colour?", RUBRIC, "does not name 'finish' of the rubric"),
    ],
)
def test_a_wrong_prompt_is_one_line_before_anything_is_asked(
    text: str, keys: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(FileFault, match=said) as raised:
        task_of(tmp_path, text, **keys)
    assert len(str(raised.value).splitlines()) == 1


def test_a_prompt_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFault, match="the prompt cannot be read"):
        own_task(Task(prompt=tmp_path / "no.txt", scale=(1, 5)))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"scale": [5, 1]}, "must rise"),
        ({"scale": ["bad", "good"]}, "labels take `answer: label`"),
        ({"scale": [1, 5], "answer": "label"}, "labels take `answer: label`"),
        ({"scale": ["good", "Good"], "answer": "label"}, "two labels differ only in the case"),
        ({"scale": [1, 5], "answer": "json", "rubric": {"a": 0, "b": 0}}, "at least one weight must be above 0"),
        ({"scale": [1, 5], "rubric": {"a": 1}}, "its names are fields of an answer in JSON"),
        ({"object": "pair", "shows": "both"}, "a judge of pairs is shown photos or texts, and not both"),
    ],
)
def test_a_task_whose_parts_do_not_fit_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Task(prompt=Path("p.txt"), **keys)
