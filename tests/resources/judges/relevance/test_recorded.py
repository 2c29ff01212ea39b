"""Scores that were given earlier: whose they are, what is missing, and what is wrong in the file."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from resources.configuration.reliability import RecordedJudge
from resources.errors import UserError
from resources.judges.relevance.documents import AskedDocument, Judged, Outcome
from resources.judges.relevance.recorded import NO_SCORE
from resources.judges.relevance.recorded import RecordedJudge as StoredJudge
from tests.resources.judges.relevance.asked import ASKED, judge, ledger_of, study_in

COLUMNS = ["query_id", "doc_id", "judge", "prompt_version", "score"]
ROWS: list[tuple[Any, ...]] = [
    (one.query_id, one.doc_id, name, "v1", score) for name, score in (("judge1", 0.25), ("judge2", 1)) for one in ASKED
]


def written(folder: Path, rows: list[tuple[Any, ...]] = ROWS, ending: str = "csv") -> Path:
    path = folder / f"recorded.{ending}"
    frame = pd.DataFrame(rows, columns=COLUMNS)
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        path.write_text("\n".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in rows))
    return path


def said(folder: Path, path: Path, **options: Any) -> tuple[list[Judged], Outcome]:
    ledger = ledger_of(f"sqlite:///{folder / 'touchstone.db'}")
    return judge(study_in(folder), RecordedJudge(kind="recorded", path=path), ledger, **options)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_each_judge_gives_back_its_own_scores(ending: str, tmp_path: Path) -> None:
    path = written(tmp_path, ending=ending)
    first, outcome = said(tmp_path, path)
    second, _ = said(tmp_path, path, name="judge2")
    assert [one.score for one in first] == [0.25] * len(ASKED)
    assert [one.score for one in second] == [1.0] * len(ASKED)
    assert outcome == (len(ASKED), len(ASKED), 0, (), first[0].judge_identity, "")
    assert first[0].judge_identity != second[0].judge_identity


def test_an_answer_that_nobody_recorded_is_said_and_no_judgment(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    judged, outcome = said(tmp_path, written(tmp_path, ROWS[1:]))
    assert len(judged) == outcome.n_scored == len(ASKED) - 1
    assert outcome.without_answer == (ASKED[0],)
    assert "no answer about 1 of 6: q1/d1" in caplog.text


def test_an_answer_recorded_without_a_score_is_one_without_a_score(tmp_path: Path) -> None:
    judged, outcome = said(tmp_path, written(tmp_path, [(*ROWS[0][:4], None), *ROWS[1:]]))
    assert (judged[0].score, judged[0].state, judged[0].message) == (None, "schema_error", NO_SCORE)
    assert (outcome.n_scored, outcome.n_without_score) == (len(ASKED) - 1, 1)


def test_answers_under_another_version_do_not_make_another_judge(tmp_path: Path) -> None:
    before, _ = said(tmp_path, written(tmp_path))
    more = [*ROWS, ("q1", "d1", "judge1", "recalibrated_v2", 0.9)]
    after, _ = said(tmp_path, written(tmp_path, more[::-1]))
    changed, _ = said(tmp_path, written(tmp_path, [(*ROWS[0][:4], 0.5), *ROWS[1:]]))
    assert before[0].judge_identity == after[0].judge_identity != changed[0].judge_identity
    second, outcome = said(tmp_path, written(tmp_path, more), version="recalibrated_v2", asked=ASKED[:1])
    assert [(one.score, one.prompt_version) for one in second] == [(0.9, "recalibrated_v2")]
    assert outcome.n_scored == 1


def test_documents_without_text_need_none(tmp_path: Path) -> None:
    judged, _ = said(tmp_path, written(tmp_path), asked=[AskedDocument("q1", "?", "d1", None)])
    assert [one.score for one in judged] == [0.25]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("q1", "d1", "judge1", "v1", 4), "row 14: '4.0' in column 'score' is outside 0-1"),
        (("q1", "d1", "judge1", "v1", "good"), "row 14: 'good' in column 'score' is no number"),
        (("q1", "d1", "judge1", "v1", 0.3), "row 14: it has the same query_id, doc_id, judge, prompt_version as row 2"),
        (("q1", "", "judge1", "v1", 0.3), "row 14: there is no value in column 'doc_id'"),
    ],
)
def test_a_wrong_row_is_told_of_and_nothing_is_kept(row: tuple[Any, ...], words: str, tmp_path: Path) -> None:
    kept: list[Judged] = []
    with pytest.raises(UserError) as caught:
        said(tmp_path, written(tmp_path, [*ROWS, row]), keep=kept.extend)
    assert words in str(caught.value)
    assert not kept


def test_an_unknown_judge_or_version_names_what_is_there(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(UserError, match=r"no judge 'judge3' \(did you mean 'judge[12]'\?\)"):
        said(tmp_path, path, name="judge3")
    with pytest.raises(UserError, match="no answer under prompt_version 'v2'; it has v1"):
        said(tmp_path, path, version="v2")


def test_true_is_no_score(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'true' in column 'score' is no number"):
        said(tmp_path, written(tmp_path, [(*ROWS[0][:4], True), *ROWS[1:]], "jsonl"))


def test_ids_with_zeros_in_front_and_a_name_in_another_letter_case_are_found(tmp_path: Path) -> None:
    rows = [("0001", "01", "JUDGE1", "v1", 0.5), ("0001", "02", "JUDGE1", "v1", 0.75)]
    judge1 = StoredJudge("judge1", written(tmp_path, rows), "v1")
    asked = [AskedDocument("1", "what?", str(number), "text") for number in (1, 2, 3)]
    assert [one.score for one in judge1.judged(asked, "v1")] == [0.5, 0.75]
    exact = [AskedDocument("0001", "what?", "01", "text"), AskedDocument("1", "what?", "2", "text")]
    assert [one.score for one in judge1.judged(exact, "v1")] == [0.5]


def test_a_person_without_a_prompt_version_has_scores_of_any_scale_under_each(tmp_path: Path) -> None:
    path = tmp_path / "ann.csv"
    path.write_text("query_id,doc_id,judge,score\n" + "".join(f"{one.query_id},{one.doc_id},ann,4\n" for one in ASKED))
    for version in ("v1", "v2"):
        found = StoredJudge("ann", path, version, (1, 5)).judged(ASKED, version)
        # (4 - 1) / 4
        assert {one.score for one in found} == {0.75}
        assert len(found) == len(ASKED)
    path.write_text(path.read_text().replace(",4\n", ",6\n", 1))
    with pytest.raises(UserError, match=r"ann.csv, row 2: '6' in column 'score' is outside 1-5"):
        StoredJudge("ann", path, "v1", (1, 5))
