"""The gate of two judges: what passes, what fails, and what is flagged."""

import numpy as np
import pytest

from analysis.agreement.kappa import KappaSummary, counts_of_queries, kappa_summary
from analysis.agreement.kappa_intervals import agreement
from analysis.agreement.reliability_gate import KappaLimits, reliability_gate
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic

GOOD = KappaSummary(
    macro=0.8,
    macro_defined=0.75,
    micro=0.78,
    low_share=0.1,
    n_queries=100,
    n_undefined=20,
    n_low=8,
    n_documents=500,
)


def verdict(**changes):
    lows = {name: changes.pop(name, 0.72) for name in ("macro_low", "micro_low")}
    return reliability_gate(GOOD._replace(**changes), **lows)


def judged(counts):
    """The verdict on tables of counts, with the lower bounds of their own intervals."""
    found = agreement(counts, resampling=Resampling(1))
    return reliability_gate(
        kappa_summary(counts),
        macro_low=found.interval("kappa_macro").low,
        micro_low=found.interval("kappa_micro").low,
    )


def hundred(kappa):
    """100 queries of 80 documents with equal margins, half 0.10 above and half 0.10 below: macro and micro kappa."""
    agreeing = np.round(np.repeat([1 + kappa - 0.1, 1 + kappa + 0.1], 50) * 20).astype(int)
    return np.column_stack([agreeing, 40 - agreeing, 40 - agreeing, agreeing])


def test_a_hundred_queries_with_macro_and_micro_at_0_75_pass():
    counts = hundred(0.75)
    summary = kappa_summary(counts)
    assert (summary.macro, summary.micro, summary.n_queries) == pytest.approx((0.75, 0.75, 100))
    found = judged(counts)
    assert (found.passed, found.not_proven, found.depends_on_convention) == (True, False, False)
    assert [gate.passed for gate in found.gates] == [True, True, True]


def test_a_hundred_queries_at_0_65_fail_and_say_by_which_gate():
    counts = hundred(0.65)
    assert kappa_summary(counts).macro == pytest.approx(0.65)
    found = judged(counts)
    assert (found.passed, found.not_proven, found.depends_on_convention) == (False, False, False)
    assert [gate.passed for gate in found.gates] == [False, False, True]
    assert found.macro.sentence == (
        "Macro kappa (1 where both judges give one label) is 0.650 over 100 queries; needed: at least 0.7. "
        "Go through the contingency: tiebreaks, bias, recalibration."
    )


def test_one_query_and_one_document_are_told_as_one():
    counts = counts_of_queries(np.array([True, False]), np.array([True, False]), np.array([0, 0]))
    found = reliability_gate(kappa_summary(counts), macro_low=None, micro_low=None)
    assert "over 1 query;" in found.macro.sentence
    assert "over 1 query with a defined kappa;" in found.low_share.sentence
    assert "over 2 documents;" in found.micro.sentence
    one_label = kappa_summary(counts_of_queries(np.array([True]), np.array([True]), np.array([0])))
    with pytest.raises(UndefinedStatistic, match="in the only query both judges"):
        reliability_gate(one_label, macro_low=None, micro_low=None)


def test_two_unrelated_judges_do_not_pass_where_relevance_is_rare():
    # Both call 2 % relevant at random: 0.98^10 = 82 % of queries of 5 documents have one label, the rest kappa near 0.
    rng = np.random.default_rng(3)
    labels = rng.random((2, 4000, 5)) < 0.02
    counts = counts_of_queries(*labels.reshape(2, -1), np.repeat(np.arange(4000), 5))
    summary = kappa_summary(counts)
    assert summary.macro == pytest.approx(0.82, abs=0.02)
    assert summary.micro == pytest.approx(0.0, abs=0.03)
    found = judged(counts)
    assert found.macro.passed is True
    assert (found.passed, found.micro.passed, found.low_share.passed) == (False, False, False)
    # Disagreements are there to be reviewed.
    assert counts[:, 1].sum() + counts[:, 2].sum() > 0


@pytest.mark.parametrize(
    ("change", "gates"),
    [
        ({"macro": 0.699}, (False, True, True)),
        ({"micro": 0.699}, (True, False, True)),
        ({"low_share": 0.301}, (True, True, False)),
    ],
)
def test_each_gate_alone_stops_the_pass(change, gates):
    found = verdict(**change)
    assert (found.passed, tuple(gate.passed for gate in found.gates)) == (False, gates)


def test_limits_pass_at_12_decimals():
    found = verdict(macro=0.7 - 1e-15, macro_defined=0.7 - 1e-15, micro=0.1 * 7 - 1e-16, low_share=0.1 + 0.2)
    assert found.passed is True


def test_each_gate_counts_what_it_is_about():
    assert [(gate.name, gate.n) for gate in verdict().gates] == [
        ("kappa_macro", 100),
        ("kappa_micro", 500),
        ("low_share", 80),
    ]


@pytest.mark.parametrize("low", [{"macro_low": 0.69}, {"micro_low": 0.69}, {"macro_low": None}, {"micro_low": None}])
def test_a_pass_whose_lower_bound_does_not_reach_is_not_proven(low):
    found = verdict(**low)
    assert (found.passed, found.not_proven) == (True, True)


def test_a_failure_is_not_called_unproven():
    assert verdict(macro=0.6, macro_low=0.5).not_proven is False


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"macro_defined": 0.6}, True),
        ({"macro": 0.6, "macro_defined": 0.75}, True),
        ({"macro": 0.6, "macro_defined": 0.6}, False),
        ({"macro_defined": 0.6, "micro": 0.5}, False),
    ],
)
def test_a_result_that_flips_between_conventions_depends_on_them(change, flag):
    assert verdict(**change).depends_on_convention is flag


def test_without_a_defined_kappa_there_is_no_verdict():
    with pytest.raises(UndefinedStatistic, match="no query has a defined kappa: in each of 2 queries"):
        reliability_gate(kappa_summary([[5, 0, 0, 0], [0, 0, 0, 5]]), macro_low=None, micro_low=None)


def test_one_query_passes_unproven():
    found = judged([[4, 0, 0, 4]])
    assert (found.passed, found.not_proven) == (True, True)


def test_one_constant_judge_fails_with_a_true_0():
    found = judged([[3, 2, 0, 0]] * 6)
    assert (found.passed, found.macro.seen, found.micro.seen, found.low_share.seen) == (False, 0.0, 0.0, 1.0)


def test_limits_of_the_study_replace_the_default_ones():
    limits = KappaLimits(min_macro=0.9, min_micro=0.5, low_kappa=0.3, max_low_share=0.05)
    found = reliability_gate(GOOD, macro_low=0.72, micro_low=0.72, limits=limits)
    assert [gate.passed for gate in found.gates] == [False, True, False]
    assert [gate.needed for gate in found.gates] == [">= 0.9", ">= 0.5", "<= 0.05"]
    assert "kappa below 0.3" in found.low_share.sentence
