"""The verdict: each condition of the gate passed and failed, both flags, the status, and what leaves no verdict."""

import pandas as pd
import pytest

from analysis.agreement.reliability_gate import REMEDY
from analysis.undefined import UndefinedStatistic
from assets.reliability.logic.verdict import (
    Verdict,
    agreement_gate,
    convention_gate,
    notes_of,
    proven_gate,
    status_of,
    verdict_of,
)
from resources.configuration.reliability import ReliabilityGate
from tests.assets.reliability.made_judgments import (
    BASE,
    THREE,
    TWO,
    Scores,
    blocks,
    disputed_of,
    judge_agreement_of,
    plan,
    query_kappa_of,
)

# Of 16 documents, half relevant to each judge: 14 alike is kappa 2 * 14/16 - 1 = 0.75, 12 alike 0.5, 16 alike 1.
GOOD, FAIR, FULL = (7, 1, 1, 7), (6, 2, 2, 6), (8, 0, 0, 8)


def verdict(scores: Scores, judges: tuple[str, ...] = TWO, **gate: float) -> Verdict:
    study = plan(gate=gate)
    return verdict_of(query_kappa_of(scores, judges), judge_agreement_of(scores, judges), study)


def test_a_hundred_queries_of_macro_and_micro_three_quarters_pass() -> None:
    found = verdict(blocks([GOOD] * 100))
    assert (found.measures["kappa_macro"], found.measures["kappa_micro"]) == (0.75, 0.75)
    assert found.gate.passed
    assert status_of(found, disputed_of(blocks([GOOD] * 2))) == "passed"
    assert notes_of(found, "passed") == "IRR Validation Passed (Kappa: 0.75)"


def test_a_hundred_queries_of_macro_and_micro_below_trigger_the_contingency() -> None:
    # 60 of 0.75 and 40 of 0.5: 0.45 + 0.2.
    found = verdict(blocks([GOOD] * 60 + [FAIR] * 40))
    assert found.measures["kappa_macro"] == pytest.approx(0.65)
    assert found.measures["kappa_micro"] == pytest.approx(0.65)
    assert status_of(found, disputed_of(blocks([GOOD] * 2))) == "contingency_triggered"
    assert "Macro kappa" in notes_of(found, "contingency_triggered")


def test_each_condition_fails_by_itself() -> None:
    # Macro: kappas 0.5 and 0.5 of large queries, with a limit for macro alone.
    assert [gate.passed for gate in verdict(blocks([FAIR] * 3), min_micro=0.4).gate.gates] == [False, True, True]
    assert [gate.passed for gate in verdict(blocks([FAIR] * 3), min_macro=0.4).gate.gates] == [True, False, True]
    # A third of the queries below 0.6, of which at most 0.3 may be.
    low = verdict(blocks([FAIR, FULL, FULL]), low_kappa=0.6)
    assert [gate.passed for gate in low.gate.gates] == [True, True, False]
    assert low.gate.low_share.seen == pytest.approx(1 / 3)
    assert verdict(blocks([FAIR, FULL, FULL, FULL]), low_kappa=0.6).gate.passed


def test_a_macro_of_exactly_the_limit_passes() -> None:
    assert verdict(blocks([GOOD] * 4), min_macro=0.75, min_micro=0.75).gate.passed


def test_rare_relevance_does_not_pass_on_its_macro_alone() -> None:
    # 92 queries without a relevant document count as 1 by convention; 8 have one judge relevant where the other is not.
    scores = blocks([(0, 0, 0, 10)] * 92 + [(0, 1, 1, 8)] * 8)
    found = verdict(scores)
    assert found.measures["kappa_macro"] > 0.9
    # Pooled: p_o 984/1000, both call 8 relevant: 2 (0*984 - 64) / (8*992 + 992*8).
    assert found.measures["kappa_micro"] == pytest.approx(-128 / (2 * 8 * 992))
    assert not found.gate.passed
    assert len(disputed_of(scores)) == 16


def test_a_verdict_that_flips_between_the_conventions_says_so() -> None:
    # Headline (1 + 1 + 0.5 + 0.75) / 4 passes, 0.625 of the defined does not; micro is high enough.
    found = verdict(blocks([(16, 0, 0, 0), (0, 0, 0, 16), FAIR, GOOD]))
    assert found.gate.passed
    assert found.gate.depends_on_convention
    assert not verdict(blocks([GOOD] * 4)).gate.depends_on_convention


def test_a_few_queries_pass_and_do_not_prove_it() -> None:
    found = verdict(blocks([GOOD] * 4))
    assert (found.gate.passed, found.gate.not_proven, found.measures["kappa_macro_low"]) == (True, True, None)


def test_many_good_queries_prove_it() -> None:
    found = verdict(blocks([GOOD, FULL] * 15))
    assert (found.gate.passed, found.gate.not_proven) == (True, False)
    assert found.measures["kappa_macro_low"] > 0.75


def test_without_a_defined_kappa_there_is_no_verdict_and_the_reason_is_told() -> None:
    scores = blocks([(4, 0, 0, 0), (0, 0, 0, 4)])
    with pytest.raises(UndefinedStatistic, match="no query has a defined kappa"):
        verdict(scores)
    gate = agreement_gate(query_kappa_of(scores), judge_agreement_of(scores), plan())
    assert (gate.passed, gate.seen) == (False, None)
    assert gate.sentence.startswith("No verdict over 2 queries: no query has a defined kappa")


def test_a_pair_without_a_common_document_leaves_no_verdict() -> None:
    scores = {"q": {"d": (0.9, None, 0.9), "e": (None, 0.2, 0.1), "f": (0.1, None, 0.1)}}
    with pytest.raises(UndefinedStatistic, match="both judges scored"):
        verdict(scores, THREE)


def test_of_three_judges_the_pair_of_lowest_macro_decides() -> None:
    # careful and hasty agree in all; odd differs from both in one of four.
    docs = {"d": (0.9, 0.9, 0.9), "e": (0.1, 0.1, 0.1), "f": (0.9, 0.8, 0.2), "g": (0.2, 0.3, 0.1)}
    found = verdict({f"q{q}": docs for q in range(3)}, THREE)
    assert found.judges == ("careful", "odd")
    # n_11 1, n_10 1, n_00 2: 0.5 as in q1 of BASE.
    assert found.measures["kappa_macro"] == 0.5
    assert not found.gate.passed


def test_a_pair_that_fails_decides_though_another_has_the_lower_macro() -> None:
    frame = pd.concat(
        [
            # Passes with macro 0.75.
            query_kappa_of(blocks([GOOD] * 2)),
            # Macro (1 + 1 + 1 + 0.5) / 4 is higher, micro 0.5 of one query with both labels is not.
            query_kappa_of(blocks([(0, 0, 0, 1)] * 3 + [FAIR])).assign(judge_2="odd"),
        ]
    )
    found = verdict_of(frame, judge_agreement_of(BASE), plan())
    assert found.measures["kappa_macro"] == pytest.approx(0.875)
    assert found.judges == ("careful", "odd")
    assert not found.gate.passed


def test_people_who_decide_every_document_with_two_labels_resolve_a_failed_verdict() -> None:
    found = verdict(BASE)
    open_ones = [("q1", "d2"), ("q4", "d1"), ("q4", "d2")]
    every = dict.fromkeys(open_ones, (1, 0))
    assert status_of(found, disputed_of(BASE, votes=every)) == "resolved_by_review"
    assert notes_of(found, "resolved_by_review").startswith("People decided every document")
    for missing in open_ones:
        assert status_of(found, disputed_of(BASE, votes={**every, missing: (0, 0)})) == "contingency_triggered"
    # A tie decides nothing.
    assert status_of(found, disputed_of(BASE, votes={**every, open_ones[0]: (1, 1)})) == "contingency_triggered"


def test_a_document_that_a_third_judge_has_not_scored_has_to_be_decided_too() -> None:
    scores: Scores = {"q": {"d": (0.9, 0.1, None), "e": (0.1, 0.1, 0.1), "f": (0.9, 0.9, 0.9)}}
    found = verdict(scores, THREE)
    assert not found.gate.passed
    assert status_of(found, disputed_of(scores, THREE)) == "contingency_triggered"
    assert status_of(found, disputed_of(scores, THREE, {("q", "d"): (0, 1)})) == "resolved_by_review"


def test_nothing_is_resolved_where_nobody_decided_anything() -> None:
    found = verdict(BASE)
    assert status_of(found, disputed_of(BASE).iloc[:0]) == "contingency_triggered"
    far_apart = disputed_of({"q": {"d": (0.05, 0.49)}})
    assert status_of(found, far_apart) == "contingency_triggered"


def test_a_pass_after_only_low_queries_were_judged_again_says_that_a_part_of_the_rise_is_chance() -> None:
    found = verdict(blocks([GOOD] * 100))
    notes = notes_of(found, "passed", chosen_low=True)
    assert notes.startswith("IRR Validation Passed (Kappa: 0.75). A part of the rise comes from judging only")
    assert "recalibrate --all" in notes


def history(**flags: bool | str | float | None) -> pd.DataFrame:
    flagged = {"not_proven": False, "depends_on_convention": False}
    bounds = {"kappa_macro_low": 0.72, "kappa_micro_low": 0.72}
    row = {"status": "passed", "total_queries": 9, **flagged, **bounds} | flags
    return pd.DataFrame([row | {"not_proven": True, "depends_on_convention": True}, row])


def test_advice_reads_the_latest_validation() -> None:
    assert proven_gate(history(), ReliabilityGate()).passed
    assert convention_gate(history()).passed
    gate = proven_gate(history(not_proven=True, kappa_micro_low=None), ReliabilityGate())
    assert not gate.passed
    assert "is not proven yet (micro kappa has no interval)" in gate.sentence
    gate = proven_gate(history(not_proven=True, kappa_macro_low=0.65, total_queries=4), ReliabilityGate())
    assert "(the lower bound of macro kappa is 0.65, below 0.7)" in gate.sentence
    gate = proven_gate(history(not_proven=True, kappa_macro_low=None, total_queries=4), ReliabilityGate())
    assert "(macro kappa has no interval: 4 queries, fewer than 5)" in gate.sentence
    assert not convention_gate(history(depends_on_convention=True)).passed


def test_advice_does_not_apply_where_nothing_passes() -> None:
    failed = history(status="contingency_triggered")
    for of_gate in (lambda frame, why=None: proven_gate(frame, ReliabilityGate(), why), convention_gate):
        for gate, why in (
            (of_gate(failed), "the judges do not pass"),
            (of_gate(history().iloc[:0]), "there is no verdict"),
            # The table still has a row of an earlier run, which passed.
            (of_gate(history(), "no query has a defined kappa"), "there is no verdict"),
        ):
            assert (gate.passed, gate.sentence) == (True, f"Does not apply: {why}.")


def test_the_gate_names_the_pair_and_gives_every_number() -> None:
    gate = agreement_gate(query_kappa_of(BASE), judge_agreement_of(BASE), plan())
    assert not gate.passed
    assert gate.seen == 0.375
    assert gate.sentence.startswith("careful and hasty: Macro kappa (1 where both judges give one label) is 0.375")
    assert "Micro kappa is 0.4" in gate.sentence
    assert "0.333" in gate.sentence
    # What to do is said once, at the end.
    assert gate.sentence.count(REMEDY) == 1
    assert gate.sentence.endswith(REMEDY)
    good = blocks([GOOD] * 3)
    assert agreement_gate(query_kappa_of(good), judge_agreement_of(good), plan()).passed
