"""Judgments as arrays: which scores count, for which documents, in which order of judges."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.undefined import UndefinedStatistic
from assets.reliability.logic.judge_pairs import judges_in, pairs_of_judges, scored_documents
from tests.assets.reliability.made_judgments import (
    BASE,
    THREE,
    TWO,
    Scores,
    at,
    documents_of,
    judgments_of,
    plan,
    scored_of,
)

GAPS: Scores = {"q1": {"d1": (None, 0.8), "d2": (0.8, 0.2)}, "q2": {"d1": (0.9, None), "d2": (None, None)}}


def test_scores_stand_document_by_judge_in_the_tables_order() -> None:
    scored = scored_of(BASE)
    assert scored.judges == TWO
    assert scored.documents["doc_id"].tolist() == ["d1", "d2", "d3", "d4", "d1", "d2", "d1", "d2", "d1", "d2"]
    assert scored.scores[:3].tolist() == [[0.9, 0.8], [0.8, 0.2], [0.1, 0.3]]
    assert scored.queries.tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert scored.query_ids.tolist() == ["q1", "q2", "q3", "q4"]


def test_the_first_document_may_lack_a_judge_and_the_judges_keep_the_order_of_the_input() -> None:
    assert judges_in(judgments_of(GAPS), plan()) == TWO
    assert judges_in(judgments_of({"q": {"d": (None, 0.1, 0.2), "e": (0.1, 0.2, 0.3)}}, THREE), plan()) == THREE


def test_configured_judges_come_in_the_order_of_the_configuration_and_others_are_passed_over() -> None:
    judges = {name: {"kind": "recorded", "path": Path("x")} for name in ("odd", "careful")}
    scores = {"q": {"d": (0.1, 0.2, 0.3)}}
    scored = scored_documents(judgments_of(scores, THREE), plan(judges=judges))
    assert (scored.judges, scored.scores.tolist()) == (("odd", "careful"), [[0.3, 0.1]])


def test_a_document_that_nobody_judged_is_there_where_the_documents_are_known() -> None:
    scored = scored_of(GAPS)
    assert scored.documents["doc_id"].tolist() == ["d1", "d2", "d1", "d2"]
    assert np.isnan(scored.scores).tolist() == [[True, False], [False, False], [False, True], [True, True]]
    assert scored.documents["prompt_version"].tolist() == ["v1"] * 4
    assert len(scored_documents(judgments_of(GAPS), plan()).documents) == 3


def test_a_document_that_nobody_judged_has_the_version_of_its_query_else_the_studys_first() -> None:
    scores = {"q1": {"d1": (0.1, 0.2), "d2": (None, None)}, "q2": {"d1": (None, None)}}
    scored = scored_documents(judgments_of(scores, version="later"), plan(), documents=documents_of(scores))
    assert scored.documents["prompt_version"].tolist() == ["later", "later", "v1"]


def test_a_judgment_of_a_document_that_the_input_no_longer_has_is_left_out() -> None:
    fewer = {"q1": {"d1": (0.9, 0.8)}}
    scored = scored_documents(judgments_of(BASE), plan(), documents=documents_of(fewer))
    assert scored.scores.tolist() == [[0.9, 0.8]]


def test_only_scores_that_count_are_taken_unless_a_version_is_asked_for() -> None:
    later = {"q1": {"d1": (0.2, 0.3)}}
    rows = pd.concat([judgments_of({"q1": {"d1": (0.9, 0.1)}}, counts=False), judgments_of(later, version="v2")])
    assert scored_documents(rows, plan()).scores.tolist() == [[0.2, 0.3]]
    assert scored_documents(rows, plan(), "v1").scores.tolist() == [[0.9, 0.1]]


def test_of_all_keeps_complete_documents_and_the_numbers_of_queries() -> None:
    scored = scored_of({"q0": {"d1": (0.3, None)}, **GAPS})
    whole = scored.of_all()
    assert (whole.documents["doc_id"].tolist(), whole.queries.tolist()) == (["d2"], [1])
    assert whole.query_ids.tolist() == ["q0", "q1", "q2"]


def test_without_a_judge_no_document_is_complete() -> None:
    assert not scored_documents(judgments_of({}), plan(), documents=documents_of(BASE)).complete.any()


def test_a_score_of_exactly_the_threshold_is_not_relevant_and_judges_have_their_own() -> None:
    scored = scored_of({"q": {"d": (0.5, 0.5), "e": (0.1 + 0.2 + 0.2, 0.50001), "f": (None, 0.7)}})
    # 0.1 + 0.2 + 0.2 is 0.5 but for the last digit.
    assert scored.labels(at(TWO)).tolist() == [[False, False], [False, True], [False, True]]
    assert scored.labels({"careful": 0.4, "hasty": 0.6})[:2].tolist() == [[True, False], [True, False]]


def test_three_judges_make_three_pairs_each_on_the_documents_that_both_scored() -> None:
    scored = scored_of({"q": {"d": (0.9, 0.2, None), "e": (0.9, None, 0.1), "f": (0.9, 0.8, 0.7)}}, THREE)
    pairs = pairs_of_judges(scored, at(THREE))
    assert [(one.judge_1, one.judge_2) for one in pairs] == [
        ("careful", "hasty"),
        ("careful", "odd"),
        ("hasty", "odd"),
    ]
    assert [one.score_2.tolist() for one in pairs] == [[0.2, 0.8], [0.1, 0.7], [0.7]]
    # d: relevant to the first alone; f: to both.
    assert pairs[0].counts.tolist() == [[1, 1, 0, 0]]


def test_a_row_without_a_score_is_no_score() -> None:
    [pair] = pairs_of_judges(scored_of({"q": {"d": (float("nan"), 0.2), "e": (0.1, 0.2)}}), at(TWO))
    assert pair.counts.tolist() == [[0, 0, 0, 1]]


def test_one_judge_makes_no_pair() -> None:
    scored = scored_documents(judgments_of({"q": {"d": (0.1,)}}, ("careful",)), plan())
    with pytest.raises(UndefinedStatistic, match="1 judge has scores"):
        pairs_of_judges(scored, at(("careful",)))


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from(THREE), st.floats(0, 1)),
        unique_by=lambda one: one[:3],
        min_size=1,
    )
)
def test_the_scores_are_those_of_a_pivot(rows: list[tuple[str, str, str, float]]) -> None:
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "judge", "score"]).assign(
        prompt_version="v1", counts=True
    )
    scored = scored_documents(frame, plan())
    expected = frame.pivot_table(index=["query_id", "doc_id"], columns="judge", values="score")
    keys = pd.MultiIndex.from_frame(scored.documents[["query_id", "doc_id"]])
    np.testing.assert_array_equal(scored.scores, expected.loc[keys, list(scored.judges)].to_numpy())
    assert len(scored.scores) == len(expected)
