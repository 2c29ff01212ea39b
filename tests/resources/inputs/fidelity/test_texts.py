"""Texts take the place of renders: read once, joined with people's scores by id, and known by what is read."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from resources.configuration.fidelity import FidelityStudy, LocalJudge, Texts
from resources.configuration.openai_judge import ModelJudge
from resources.errors import UserError
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.fidelity.study_objects import find_study_objects
from resources.inputs.fidelity.texts import object_of, read_texts
from resources.judges.contract import JudgedObject
from resources.judges.question import question_of
from tests.text_study import GRADES, text_study, write_texts


@pytest.fixture
def plan(tmp_path: Path) -> FidelityStudy:
    write_texts(tmp_path)
    return text_study(tmp_path, "http://127.0.0.1:1/v1").fidelity


def test_scores_on_the_peoples_own_scale_are_joined_with_texts_by_id(plan: FidelityStudy) -> None:
    frame = read_human_scores(plan).frame
    assert len(frame) == 24
    first = frame[(frame["filename"] == "a02") & (frame["annotator"] == "ann")].iloc[0]
    # Grade 3 and a quarter on 1-5 is (3.25 - 1) / 4 on 0-1.
    assert first["score"] == pytest.approx(0.5625)
    assert (first["object"], first["product_id"], first["algorithm"]) == (object_of("a02"), "question 1", "m0")


def test_each_text_is_an_object_without_pictures(plan: FidelityStudy) -> None:
    frame = find_study_objects(read_human_scores(plan).frame, None, plan)
    assert len(frame) == len(GRADES)
    assert frame["excluded"].isna().all()
    assert set(frame["n_references"]) == {0}
    assert frame["candidate_sha256"].nunique() == len(GRADES)


def test_a_text_that_was_removed_after_its_scores_were_read_is_named(plan: FidelityStudy) -> None:
    assert plan.texts is not None
    frame = read_human_scores(plan).frame
    lines = plan.texts.file.read_text().splitlines()
    plan.texts.file.write_text("\n".join(line for line in lines if not line.startswith("a03,")) + "\n")
    with pytest.raises(UserError, match=r"answers.csv: there is no text any more of 1 object: a03\. .* Put it back"):
        find_study_objects(frame, None, plan)


def test_the_prompt_holds_question_and_answer_and_a_changed_text_is_refused(plan: FidelityStudy) -> None:
    assert plan.texts is not None
    text = read_texts(plan.texts)[object_of("a03")]
    judged = JudgedObject(text.object, text.id, "", text.sha256, (), ())
    question = question_of(plan)
    assert question.read('{"right": 5, "clear": 1}', "a03").score == 0.75
    assert isinstance(question.prompt_hash(judged), str)
    with pytest.raises(UserError, match="'a03' changed since study_objects was made"):
        question.prompt_hash(JudgedObject(text.object, text.id, "", "other", (), ()))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("a00,q,other answer,m,1,ann", "id 'a00' has another text than before"),
        ("a99,q,,m,1,ann", "there is no value in column 'answer'"),
    ],
)
def test_a_wrong_row_is_named(lines: str, said: str, plan: FidelityStudy) -> None:
    assert plan.texts is not None
    with plan.texts.file.open("a") as file:
        file.write(lines + "\n")
    with pytest.raises(UserError, match=said):
        read_texts(plan.texts)


def test_a_score_of_no_text_and_one_outside_the_scale_are_named(plan: FidelityStudy, tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text("id,grade\na00,3\nnobody,2\na01,6\n")
    with pytest.raises(UserError) as raised:
        read_human_scores(plan.model_copy(update={"human_scores": scores}))
    assert "there is no text with id 'nobody'" in str(raised.value)
    assert "score 6 is outside 1-5" in str(raised.value)


def test_texts_and_images_are_not_mixed(plan: FidelityStudy, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="whose `task` says `shows: text`"):
        FidelityStudy(texts=Texts(file=tmp_path / "answers.csv"), judge=LocalJudge())
    files = dict.fromkeys(("human_scores", "references", "candidates"), tmp_path)
    with pytest.raises(ValidationError, match="and the study has no `texts`"):
        FidelityStudy(**files, judge=plan.judge)
    assert isinstance(plan.judge, ModelJudge)
    with pytest.raises(ValidationError, match="the golden set alters renders"):
        FidelityStudy(texts=plan.texts, judge=plan.judge, golden={"n_items": 3})
