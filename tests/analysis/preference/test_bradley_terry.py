"""Bradley-Terry strengths: the published citations, statsmodels, the likelihood's own equations, and refusals."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.conformance.published import CITED, JOURNALS
from analysis.preference.bradley_terry import bradley_terry
from analysis.preference.bradley_terry_newton import NotConverged
from analysis.undefined import UndefinedStatistic
from tests.analysis.preference.chances import fitted_chances

ONE, OTHER = np.triu_indices(4, 1)
VOTES = (CITED[ONE, OTHER], CITED[OTHER, ONE])


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    """Two series of 2 to 5 images that all beat and lose to the next one, and some more votes."""
    rows = []
    for start in (0, 10):
        size = draw(st.integers(2, 5))
        rows += [(start + i, start + (i + 1) % size, 1, 1) for i in range(size)]
        image = st.integers(start, start + size - 1)
        more = st.tuples(image, image, st.integers(0, 6), st.integers(0, 6)).filter(lambda row: row[0] != row[1])
        rows += draw(st.lists(more, max_size=8))
    return tuple(np.array(rows).T)


def test_the_citations_of_four_journals():
    fit = bradley_terry(JOURNALS[ONE], JOURNALS[OTHER], *VOTES)
    against = fit.differences(JOURNALS[1:], ["Biometrika"] * 3)
    assert against.values == pytest.approx([-2.94907250, -0.47956977, 0.26895406], abs=5e-9)
    assert against.errors == pytest.approx([0.102545335, 0.060588729, 0.070829965], abs=1e-9)
    assert fit.errors == pytest.approx([0.04333047, 0.07257974, 0.04164102, 0.05304699], abs=5e-9)
    assert fit.strengths.sum() == pytest.approx(0, abs=1e-12)
    assert (fit.n_components, fit.n_components_regularised, fit.prior) == (1, 0, "none")
    assert (fit.error_method, fit.voter_errors, against.voter_errors) == ("inverse information", None, None)
    assert fit.images.tolist() == JOURNALS.tolist()


def test_two_images_by_hand():
    # 3 wins to 1: log odds log 3, information 4 * 3/4 * 1/4 = 3/4; centred half of it, with half of the error.
    fit = bradley_terry(["x"], ["y"], [3], [1])
    assert fit.strengths == pytest.approx([np.log(3) / 2, -np.log(3) / 2], abs=1e-12)
    assert fit.errors == pytest.approx([np.sqrt(4 / 3) / 2] * 2, abs=1e-12)
    assert fitted_chances(fit, ["x"], ["y"])[0] == pytest.approx([0.75, 0.25, 0.0], abs=1e-12)
    assert fit.log_likelihood == pytest.approx(3 * np.log(0.75) + np.log(0.25), abs=1e-12)


def test_intervals_are_normal_for_independent_votes_and_students_for_voters():
    # As above: log(3) / 2 -/+ 1.959964 sqrt(4/3) / 2.
    fit = bradley_terry(["x"], ["y"], [3], [1])
    half = 1.959964 * np.sqrt(4 / 3) / 2
    assert fit.intervals().low == pytest.approx(fit.strengths - half, abs=1e-6)
    assert fit.intervals().high == pytest.approx(fit.strengths + half, abs=1e-6)
    assert fit.intervals().method == "normal, inverse information, assumes independent votes"
    # Eight voters with one vote each, 6 for x: scores 1/4 and -3/4, the sum of their squares 6/16 + 2 * 9/16 = 3/2,
    # information 8 * 3/16 = 3/2: variance of the difference 8/7 * (3/2) / (3/2)^2; t(7) = 2.364624.
    by_voters = bradley_terry(["x"] * 8, ["y"] * 8, [1] * 6 + [0] * 2, [0] * 6 + [1] * 2, voters=list("abcdefgh"))
    error = np.sqrt(8 / 7 * 2 / 3) / 2
    assert by_voters.n_voters == 8
    assert by_voters.voter_errors == pytest.approx([error] * 2)
    assert by_voters.intervals().high == pytest.approx(by_voters.strengths + 2.364624 * error, abs=1e-6)
    assert by_voters.intervals(0.9).high == pytest.approx(by_voters.strengths + 1.894579 * error, abs=1e-6)
    few = bradley_terry(["x"] * 2, ["y"] * 2, [1, 0], [0, 1], voters=["a", "b"])
    assert (few.n_voters, few.voter_errors) == (None, None)
    for confidence in (0.0, 1.0):
        with pytest.raises(ValueError, match="between 0 and 1"):
            fit.intervals(confidence)


def test_the_tie_parameter_of_equal_images_by_hand():
    # Davidson with equal strengths: a tie has chance nu / (2 + nu) = 4/16, so nu = 2/3.
    fit = bradley_terry(["x"], ["y"], [6], [6], [4], tie_model="davidson")
    assert fit.tie_parameter == pytest.approx(2 / 3)


def test_statsmodels_finds_the_same_strengths_and_errors():
    rng = np.random.default_rng(2)
    one, two = np.triu_indices(9, 1)
    wins, losses = rng.integers(1, 9, (2, 36))
    fit = bradley_terry(one, two, wins, losses)
    design = np.zeros((36, 9))
    design[np.arange(36), one], design[np.arange(36), two] = 1, -1
    logit = sm.GLM(np.column_stack([wins, losses]), design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12)
    found = fit.differences(np.arange(1, 9), np.zeros(8, dtype=int))
    assert found.values == pytest.approx(logit.params, abs=1e-8)
    assert found.errors == pytest.approx(logit.bse, abs=1e-8)


@given(tournaments())
@settings(max_examples=40, deadline=None)
def test_each_image_wins_as_often_as_its_strength_expects(rows):
    # The likelihood equations: sum of wins = sum of expected wins, per image.
    first, second, wins, losses = rows
    fit = bradley_terry(first, second, wins, losses)
    expected = fitted_chances(fit, first, second)[:, 0] * (wins + losses)
    for image in fit.images:
        won = wins[first == image].sum() + losses[second == image].sum()
        should = expected[first == image].sum() + (wins + losses - expected)[second == image].sum()
        assert should == pytest.approx(won, abs=1e-6)
    for component in range(fit.n_components):
        assert fit.strengths[fit.components == component].sum() == pytest.approx(0, abs=1e-9)


@given(tournaments(), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_the_order_of_rows_and_of_both_sides_does_not_matter(rows, seed):
    first, second, wins, losses = rows
    rng = np.random.default_rng(seed)
    order, turn = rng.permutation(len(first)), rng.random(len(first)) < 0.5
    fit = bradley_terry(first, second, wins, losses)
    again = bradley_terry(
        np.where(turn, second, first)[order],
        np.where(turn, first, second)[order],
        np.where(turn, losses, wins)[order],
        np.where(turn, wins, losses)[order],
    )
    assert again.strengths == pytest.approx(fit.strengths, abs=1e-8)
    assert again.errors == pytest.approx(fit.errors, abs=1e-8)
    assert again.components.tolist() == fit.components.tolist()


def test_series_do_not_influence_each_other():
    alone = bradley_terry(JOURNALS[ONE], JOURNALS[OTHER], *VOTES)
    first, second = np.r_[JOURNALS[ONE], ["x", "x"]], np.r_[JOURNALS[OTHER], ["y", "z"]]
    beside = bradley_terry(first, second, np.r_[VOTES[0], [3, 1]], np.r_[VOTES[1], [1, 0]])
    assert beside.strengths[:4] == pytest.approx(alone.strengths, abs=1e-9)
    assert beside.errors[:4] == pytest.approx(alone.errors, abs=1e-9)
    assert beside.regularised.tolist() == [False] * 4 + [True] * 3


def test_a_component_without_a_finite_maximum_gets_the_prior_on_each_of_its_images():
    # x beat y 2:0. By symmetry strengths are t and -t, and 2 / (1 + e^2t) + 0.1 / (1 + e^t) = 0.1 / (1 + e^-t).
    fit = bradley_terry(["x", "a", "a"], ["y", "b", "b"], [2, 1, 0], [0, 0, 1])
    top = fit.strengths[2]
    assert 2 / (1 + np.exp(2 * top)) + 0.1 / (1 + np.exp(top)) == pytest.approx(0.1 / (1 + np.exp(-top)), abs=1e-9)
    assert fit.strengths[3] == -top
    assert fit.regularised.tolist() == [False, False, True, True]
    assert fit.prior.startswith("0.1 wins and losses against strength 0, re-centred, for 2 images of 1 components")
    # The information of the penalised fit for (t, -t): 2 p(1-p) between them and 0.2 q(1-q) for each.
    p, q = 1 / (1 + np.exp(-2 * top)), 1 / (1 + np.exp(-top))
    between, own = 2 * p * (1 - p), 0.2 * q * (1 - q)
    covariance = np.linalg.inv([[between + own, -between], [-between, between + own]])
    assert fit.differences(["x"], ["y"]).errors[0] ** 2 == pytest.approx([1, -1] @ covariance @ [1, -1], rel=1e-9)
    assert fit.errors[2] ** 2 == pytest.approx([0.5, -0.5] @ covariance @ [0.5, -0.5], rel=1e-9)


def test_the_prior_is_as_many_wins_and_losses_against_an_opponent_of_strength_0():
    # statsmodels with the same pseudo-votes, of three images of which one always lost.
    one, two, wins, losses = np.array([[0, 1], [0, 2], [1, 2]]).T[0], np.array([1, 2, 2]), [3, 2, 1], [1, 0, 0]
    fit = bradley_terry(one, two, wins, losses, prior_strength=0.25)
    design = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    votes = np.column_stack([[*wins, 0.25, 0.25, 0.25], [*losses, 0.25, 0.25, 0.25]])
    logit = sm.GLM(votes, design, family=sm.families.Binomial()).fit(tol=1e-14)
    assert fit.strengths == pytest.approx(logit.params - logit.params.mean(), abs=1e-7)
    assert fit.regularised.all()


def test_a_separated_component_is_refused_on_request():
    with pytest.raises(UndefinedStatistic, match=r"1 of 2 components \(2 images\) .* no finite strengths: x, y"):
        bradley_terry(["x", "a", "a"], ["y", "b", "b"], [2, 1, 0], [0, 0, 1], separation="refuse")


def test_images_of_different_components_have_no_common_scale():
    fit = bradley_terry([1, 3], [2, 4], [1, 1], [1, 1])
    for ask in (fit.differences, fit.strength_differences):
        with pytest.raises(UndefinedStatistic, match="no vote connects 1 and 3"):
            ask([1, 1], [2, 3])


def test_an_image_without_votes_was_not_fitted():
    fit = bradley_terry([1, 3], [2, 4], [1, 0], [1, 0])
    assert fit.images.tolist() == [1, 2]
    for image in (0, 3, 9):
        with pytest.raises(ValueError, match=f"1 images were not fitted: {image}"):
            fit.strength_differences([1], [image])
    with pytest.raises(ValueError, match="labels are of another kind"):
        fit.positions(["1"])
    with pytest.raises(ValueError, match=r"6 images were not fitted: 11, 12, 13, 14, 15, \.\.\.$"):
        fit.positions(range(11, 17))
    with pytest.raises(ValueError, match=r"5 images were not fitted: 11, 12, 13, 14, 15$"):
        fit.positions(range(11, 16))


def test_a_search_that_does_not_end_gives_nothing():
    with pytest.raises(NotConverged, match="after 2 steps"):
        bradley_terry(JOURNALS[ONE], JOURNALS[OTHER], *VOTES, most_steps=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"second": ["x", "z"]}, "1 rows set an image against itself: x"),
        ({"wins_first": [-1, 1]}, "counts from 0 on"),
        ({"wins_second": [np.nan, 1]}, "counts from 0 on"),
        ({"wins_second": [1]}, "shapes"),
        ({"ties": [1]}, "shapes"),
        ({"first": ["x", None]}, "all text or all integers"),
        ({"first": [1, 2]}, "all text or all integers"),
        ({"tie_model": "elo"}, "unknown model of ties 'elo'"),
        ({"separation": "ignore"}, "unknown way 'ignore'"),
        ({"prior_strength": 0.0}, "above 0"),
    ],
)
def test_bad_votes_and_options_are_refused(change, message):
    arguments = {"first": ["x", "y"], "second": ["y", "z"], "wins_first": [1, 1], "wins_second": [1, 1]} | change
    with pytest.raises(ValueError, match=message):
        bradley_terry(**arguments)


def test_no_vote_has_no_strengths():
    with pytest.raises(UndefinedStatistic, match="no vote"):
        bradley_terry(["x"], ["y"], [0], [0])
