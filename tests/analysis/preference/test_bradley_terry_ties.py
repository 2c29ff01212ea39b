"""Models of ties: Davidson's reference, numerical derivatives, an independent optimiser, and no or only ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from analysis.conformance.published import TIED_WINS as WINS
from analysis.conformance.published import TIES
from analysis.preference.bradley_terry import bradley_terry
from analysis.preference.bradley_terry_counts import Counts
from analysis.preference.bradley_terry_ties import MODELS, POSITION
from analysis.undefined import UndefinedStatistic
from tests.analysis.preference.chances import fitted_chances, outcome_chances

ONE, OTHER = np.triu_indices(3, 1)
VOTES = (WINS[ONE, OTHER], WINS[OTHER, ONE], TIES)


def test_davidsons_model_on_three_images():
    fit = bradley_terry(ONE, OTHER, *VOTES, tie_model="davidson")
    found = fit.strength_differences([1, 2], [0, 0])
    # Solved to 40 digits: -0.81230422121913, -1.6246084424383, nu 0.53379270185926.
    assert found == pytest.approx([-0.81230422121913, -1.6246084424383], abs=1e-10)
    assert fit.tie_parameter == pytest.approx(0.53379270185926, abs=1e-10)


@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
def test_an_optimiser_on_the_printed_formula_finds_the_same(model):
    def loss(x):
        strengths = np.array([0.0, x[0], x[1]])
        parameter = np.exp(x[2]) if model == "davidson" else 1 + np.exp(x[2])
        chances = outcome_chances(model, strengths[ONE] - strengths[OTHER], parameter)
        return -(np.column_stack(VOTES) * np.log(chances)).sum()

    best = minimize(loss, [0.0, 0.0, 0.0], method="BFGS", options={"gtol": 1e-9})
    fit = bradley_terry(ONE, OTHER, *VOTES, tie_model=model)
    assert fit.strength_differences([1, 2], [0, 0]) == pytest.approx(best.x[:2], abs=1e-6)
    expected = np.exp(best.x[2]) if model == "davidson" else 1 + np.exp(best.x[2])
    assert fit.tie_parameter == pytest.approx(expected, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-8)


@pytest.mark.parametrize("model", [*MODELS, "position"])
@given(
    d=st.floats(-3, 3),
    parameter=st.floats(0.1, 1.5),
    votes=st.tuples(*[st.integers(0, 5)] * 3),
)
@settings(max_examples=40, deadline=None)
def test_derivatives_are_those_of_the_value(model, d, parameter, votes):
    counts = Counts(np.array([0]), np.array([1]), *(np.array([float(count)]) for count in votes), 2)
    step = 1e-5

    def at(d, parameter):
        return np.array((MODELS | {"position": POSITION})[model].terms(np.array([d]), parameter, counts))[:, 0]

    here = at(d, parameter)
    by_d = (at(d + step, parameter) - at(d - step, parameter)) / (2 * step)
    by_parameter = (at(d, parameter + step) - at(d, parameter - step)) / (2 * step)
    # value, d, parameter, d d, d parameter, parameter parameter
    assert here[[1, 3, 4]] == pytest.approx(by_d[[0, 1, 2]], rel=1e-5, abs=1e-6)
    assert here[[2, 5]] == pytest.approx(by_parameter[[0, 2]], rel=1e-5, abs=1e-5)


def test_half_a_win_each_is_twice_the_votes_halved():
    fit = bradley_terry(ONE, OTHER, *VOTES)
    doubled = bradley_terry(ONE, OTHER, 2 * VOTES[0] + VOTES[2], 2 * VOTES[1] + VOTES[2])
    assert fit.strengths == pytest.approx(doubled.strengths, abs=1e-9)
    assert fit.errors == pytest.approx(np.sqrt(2) * doubled.errors, abs=1e-9)
    assert fit.tie_parameter is None


@pytest.mark.parametrize(("model", "end"), [("davidson", 0.0), ("rao_kupper", 1.0)])
def test_votes_without_ties_put_the_parameter_at_its_end_and_leave_bradley_and_terry(model, end):
    plain = bradley_terry(ONE, OTHER, *VOTES[:2])
    fit = bradley_terry(ONE, OTHER, *VOTES[:2], tie_model=model)
    assert fit.strengths.tolist() == plain.strengths.tolist()
    assert fit.tie_parameter == end


@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
def test_one_parameter_serves_all_components(model):
    # The same three images twice: the same strengths in both, the same parameter.
    once = bradley_terry(ONE, OTHER, *VOTES, tie_model=model)
    both = bradley_terry(np.r_[ONE, ONE + 3], np.r_[OTHER, OTHER + 3], *(np.r_[v, v] for v in VOTES), tie_model=model)
    assert both.n_components == 2
    assert both.strengths == pytest.approx(np.r_[once.strengths, once.strengths], abs=1e-9)
    assert both.tie_parameter == pytest.approx(once.tie_parameter, abs=1e-9)


@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
def test_nothing_but_ties_has_no_parameter(model):
    with pytest.raises(UndefinedStatistic, match="every vote is a tie"):
        bradley_terry(ONE, OTHER, [0] * 3, [0] * 3, [4, 2, 6], tie_model=model)
    assert bradley_terry(ONE, OTHER, [0] * 3, [0] * 3, [4, 2, 6]).strengths.tolist() == [0, 0, 0]


@pytest.mark.parametrize("model", list(MODELS))
def test_a_tie_holds_an_image_that_never_won(model):
    # 0 beat 1 three times and tied once; 2 and 3, who beat each other, say how likely ties are.
    votes = [0, 2], [1, 3], [3, 1], [0, 1], [1, 0]
    fit = bradley_terry(*votes, tie_model=model, separation="refuse")
    assert not fit.regularised.any()
    assert fit.strengths[0] > 0.5


@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
def test_without_any_contradiction_ties_have_no_finite_parameter(model):
    # 3 wins and a tie: with nu and the lead growing together, both chances rise to 3/4 and 1/4 and are never reached.
    with pytest.raises(UndefinedStatistic, match="grow together without end"):
        bradley_terry([0], [1], [3], [0], [1], tie_model=model)
    # 0 beats 1, 1 beats 2, and 0 ties 2: leads of at least 1 and 1 cannot add up to at most 1.
    assert bradley_terry([0, 1, 0], [1, 2, 2], [1, 1, 0], [0] * 3, [0, 0, 1], tie_model=model).tie_parameter > 0


@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
def test_one_vote_against_the_order_is_a_contradiction(model):
    # 0 beats 1, 1 beats 2, and 2 beats 0 once, on either side of its row; 0 and 1 also tie.
    for last in ([0, 2, 0, 1], [2, 0, 1, 0]):
        first, second, won, lost = np.array([[0, 1, 3, 0], [1, 2, 1, 0], last]).T
        fit = bradley_terry(first, second, won, lost, [1, 0, 0], tie_model=model, separation="refuse")
        assert fit.tie_parameter > 0
        assert fit.strengths.sum() == pytest.approx(0.0, abs=1e-9)


def test_what_is_shown_first_has_a_log_odds_of_its_own():
    # d 0.3 and 0.5 for the place: 3 wins, 1 loss and 2 ties, half each, at log odds 0.8.
    counts = Counts(np.array([0]), np.array([1]), np.array([3.0]), np.array([1.0]), np.array([2.0]), 2)
    p = 1 / (1 + np.exp(-0.8))
    terms = POSITION.terms(np.array([0.3]), 0.5, counts)
    assert terms.value[0] == pytest.approx(4 * np.log(p) + 2 * np.log(1 - p))


@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
@given(
    rows=st.lists(
        st.tuples(*[st.integers(0, 4)] * 2, *[st.integers(0, 2)] * 3).filter(lambda row: row[0] != row[1]),
        min_size=1,
        max_size=9,
    )
)
@settings(max_examples=60, deadline=None)
def test_votes_either_have_a_maximum_that_is_found_or_are_said_to_have_none(model, rows):
    first, second, won, lost, tied = np.array(rows).T
    try:
        fit = bradley_terry(first, second, won, lost, tied, tie_model=model)
    except UndefinedStatistic:
        return
    assert np.isfinite(fit.strengths).all()
    assert np.isfinite(fit.errors).all()
    if model == "davidson" and tied.any():
        # Davidson's equation of nu: as many ties as expected.
        voted = won + lost + tied > 0
        expected = fitted_chances(fit, first[voted], second[voted])[:, 2] * (won + lost + tied)[voted]
        assert expected.sum() == pytest.approx(tied.sum(), abs=1e-5)


@pytest.mark.parametrize("model", ["davidson", "rao_kupper"])
def test_known_strengths_are_recovered_within_their_errors(model):
    rng = np.random.default_rng(11)
    true = rng.normal(0, 1, 12)
    one, two = np.triu_indices(12, 1)
    chances = outcome_chances(model, true[one] - true[two], 1.6)
    won, lost, tied = np.array([rng.multinomial(60, row) for row in chances]).T
    fit = bradley_terry(one, two, won, lost, tied, tie_model=model)
    off = (fit.strengths - (true - true.mean())) / fit.errors
    # The sum of 11 squared normal deviates: 99 % lie below 24.7.
    assert (off**2).sum() < 24.7
    # Three times the parameter's standard errors by the information.
    assert abs(fit.tie_parameter - 1.6) < {"davidson": 3 * 0.062, "rao_kupper": 3 * 0.028}[model]
