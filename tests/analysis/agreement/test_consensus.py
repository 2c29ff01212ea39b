"""Consensus: the judges' label, else people's, else none; a query only whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.consensus import NO_DOCUMENT, NO_VOTE, TIED, consensus, majority

LABELS = [[True, True], [False, False], [True, False], [False, True], [True, False], [True, False]]


def test_six_documents_by_hand():
    # Agree yes, agree no, people 2:1, people 0:1, tie 1:1, no vote.
    found = consensus(LABELS, [0, 0, 2, 0, 1, 0], [0, 0, 1, 1, 1, 0], [0, 0, 0, 1, 2, 3], 5)
    assert found.resolved.tolist() == [True, True, True, True, False, False]
    assert found.relevant[found.resolved].tolist() == [True, False, True, False]
    assert found.by_people.tolist() == [False, False, True, True, False, False]
    # Query 4 has no document, queries 2 and 3 an open one.
    assert found.query_resolved.tolist() == [True, True, False, False, False]
    # Query 2 has one vote each way, 3 has none, 4 has no document.
    assert found.why_not.tolist() == [None, None, TIED, NO_VOTE, NO_DOCUMENT]


def test_one_open_document_leaves_the_whole_query_open():
    found = consensus([[True, True], [True, False]], [0, 0], [0, 0], [0, 0], 1)
    assert found.resolved.tolist() == [True, False]
    assert found.query_resolved.tolist() == [False]


def test_a_query_with_a_tie_and_a_document_without_votes_waits_for_votes():
    found = consensus([[True, False], [True, False]], [1, 0], [1, 0], [0, 0], 1)
    assert found.why_not.tolist() == [NO_VOTE]


def test_where_judges_agree_people_do_not_change_the_label():
    found = consensus([[True, True]], [0], [3], [0], 1)
    assert (found.relevant[0], found.by_people[0]) == (True, False)


def test_three_judges_agree_only_if_all_do():
    found = consensus([[True, True, False], [True, True, True]], [0, 0], [0, 0], [0, 1], 2)
    assert found.resolved.tolist() == [False, True]


@pytest.mark.parametrize(("votes", "said"), [((0, 0), None), ((1, 1), None), ((2, 1), True), ((0, 1), False)])
def test_a_majority_takes_more_votes_on_one_side(votes, said):
    assert majority(*votes) is said


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 3), st.integers(0, 3)), max_size=30))
def test_each_document_follows_the_rule_alone(rows):
    labels = np.array([row[:2] for row in rows], dtype=bool).reshape(-1, 2)
    yes, no = [row[2] for row in rows], [row[3] for row in rows]
    found = consensus(labels, yes, no, np.arange(len(rows)), len(rows))
    for row, (one, two, up, down) in enumerate(rows):
        label = one if one == two else majority(up, down)
        assert found.resolved[row] == found.query_resolved[row] == (label is not None)
        assert found.by_people[row] == (one != two and label is not None)
        if label is not None:
            assert found.relevant[row] == label


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="two judges"):
        consensus([[True]], [0], [0], [0], 1)
    with pytest.raises(ValueError, match="complete"):
        consensus([[True, False]], [0], [0], [0], 1, [True, False])
    with pytest.raises(ValueError, match="two judges"):
        consensus([[0.7, 0.2]], [0], [0], [0], 1)
    with pytest.raises(ValueError, match="each of 1 documents"):
        consensus([[True, False]], [0, 1], [0], [0], 1)
    with pytest.raises(ValueError, match="negative"):
        consensus([[True, False]], [-1], [0], [0], 1)
    with pytest.raises(ValueError, match="from 0 to 0"):
        consensus([[True, False]], [0], [0], [1], 1)
    with pytest.raises(ValueError, match="negative"):
        majority(-1, 0)


def test_of_a_document_that_not_every_judge_labelled_people_alone_decide():
    found = consensus([[True, True], [True, True]], [0, 0], [0, 1], [0, 1], 2, [False, False])
    assert found.resolved.tolist() == [False, True]
    assert found.by_people.tolist() == [False, True]
    assert not found.relevant[1]
