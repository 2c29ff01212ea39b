"""The step that is due: each step in its turn, and what ends the contingency."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.contingency import STATUSES, ContingencyFacts, step_due

AT_FIRST = ContingencyFacts(
    status="contingency_triggered",
    n_disputed=12,
    n_reviewed=0,
    quota=3,
    biased=True,
    threshold_helps=True,
    recalibrated=False,
    n_low=4,
    n_undecided=9,
)
REVIEWED = AT_FIRST._replace(n_reviewed=3)


def test_review_comes_first_and_says_how_much_is_left():
    found = step_due(AT_FIRST._replace(n_reviewed=1))
    assert found.name == "review"
    assert found.sentence == "Review 2 more of 12 disputed queries: 1 of the 3 needed is done."


def test_one_disputed_query_is_told_as_one():
    found = step_due(AT_FIRST._replace(n_disputed=1, quota=1))
    assert found.sentence == "Review 1 of 1 disputed query."


def test_a_review_that_is_due_again_after_thresholds_were_accepted_says_why():
    found = step_due(AT_FIRST._replace(n_reviewed=1, moved=True))
    assert found.sentence == (
        "The accepted threshold changed labels, so other documents are in dispute now. Review 2 more of 12 disputed "
        "queries: 1 of the 3 needed is done."
    )


def test_the_threshold_that_is_due_names_the_kappa_that_it_raises():
    assert "raises micro kappa" in step_due(REVIEWED).sentence


def test_review_comes_before_a_new_validation():
    assert step_due(AT_FIRST._replace(changed=True)).name == "review"


def test_a_bias_that_a_threshold_cures_asks_for_the_threshold():
    assert step_due(REVIEWED).name == "accept_thresholds"


@pytest.mark.parametrize(
    ("biased", "helps", "word"), [(True, False, "threshold helps"), (False, True, "Neither"), (False, False, "Neither")]
)
def test_without_a_bias_or_a_cure_recalibration_is_next(biased, helps, word):
    found = step_due(REVIEWED._replace(biased=biased, threshold_helps=helps))
    assert found.name == "recalibrate"
    assert word in found.sentence
    assert "4 queries of low kappa" in found.sentence


def test_after_recalibration_people_decide_the_rest():
    found = step_due(REVIEWED._replace(biased=False, recalibrated=True))
    assert found.name == "manual_review"
    assert "9 documents" in found.sentence


def test_without_a_query_of_low_kappa_there_is_nothing_to_recalibrate():
    found = step_due(REVIEWED._replace(biased=False, n_low=0, n_undecided=1))
    assert found.name == "manual_review"
    assert "1 document on" in found.sentence


@pytest.mark.parametrize("change", [{"changed": True}, {"n_undecided": 0}])
def test_what_changed_or_was_settled_since_asks_for_a_validation(change):
    assert step_due(REVIEWED._replace(**change)).name == "validate"


@pytest.mark.parametrize("status", ["passed", "resolved_by_review"])
def test_nothing_is_due_once_it_is_over(status):
    assert step_due(AT_FIRST._replace(status=status)).name == "none"


@pytest.mark.parametrize("status", ["passed", "resolved_by_review"])
def test_a_verdict_on_other_scores_or_thresholds_asks_for_a_validation(status):
    assert step_due(AT_FIRST._replace(status=status, changed=True)).name == "validate"


def test_without_a_validation_data_are_missing():
    assert step_due(AT_FIRST._replace(status=None)).name == "more_data"


COUNT = st.integers(0, 9)


@given(
    st.builds(
        ContingencyFacts,
        status=st.sampled_from([None, *STATUSES]),
        n_disputed=st.integers(9, 30),
        n_reviewed=COUNT,
        quota=COUNT,
        biased=st.booleans(),
        threshold_helps=st.booleans(),
        recalibrated=st.booleans(),
        n_low=COUNT,
        n_undecided=COUNT,
        changed=st.booleans(),
        without_effect=st.sampled_from(["", "No answer counts."]),
    )
)
def test_nothing_is_due_only_after_a_verdict_on_what_is_there_now(facts):
    found = step_due(facts)
    assert found.sentence.endswith(".")
    over = facts.status in ("passed", "resolved_by_review") and not facts.changed
    assert (found.name == "none") == over
    if found.name == "recalibrate":
        assert not facts.recalibrated
    if found.name == "accept_thresholds":
        assert facts.biased
        assert facts.threshold_helps


@pytest.mark.parametrize(
    "wrong", [{"status": "failed"}, {"n_low": -1}, {"n_reviewed": 13}, {"quota": 13}, {"n_undecided": -2}]
)
def test_facts_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError, match="none of|do not fit"):
        step_due(AT_FIRST._replace(**wrong))


@pytest.mark.parametrize("status", [None, "contingency_triggered"])
def test_a_table_that_is_none_of_queries_is_never_reviewed_but_pointed_to_the_verdict(status):
    facts = AT_FIRST._replace(status=status, one_document=True)
    found = step_due(facts)
    assert found.name == "verdict"
    assert "review" not in found.sentence.lower()
    assert "`touchstone verdict` answers it" in found.sentence
    assert step_due(facts._replace(status="passed")).name == "none"
