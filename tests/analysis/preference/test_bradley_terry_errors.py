"""Standard errors of strengths: against dense matrices, statsmodels' sandwich, and numerical derivatives."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import approx_fprime

from analysis.preference.bradley_terry import bradley_terry
from analysis.preference.bradley_terry_ties import MODELS
from tests.analysis.preference.chances import fitted_chances, outcome_chances


def ballots(seed, sizes, n_voters=12, per_voter=60, ties=True):
    """One vote per row over several series; voters differ in taste, so that their votes hang together."""
    rng = np.random.default_rng(seed)
    starts = np.r_[0, np.cumsum(sizes)]
    rows = []
    for voter in range(n_voters):
        taste = rng.normal(0, 0.7, starts[-1])
        for _ in range(per_voter):
            series = rng.integers(len(sizes))
            one, two = starts[series] + rng.choice(sizes[series], 2, replace=False)
            chances = outcome_chances("davidson", np.array([taste[one] - taste[two]]), 0.6 if ties else 1e-9)[0]
            rows.append((one, two, *rng.multinomial(1, chances), voter))
    return np.array(rows).T


def dense(fit, first, second, won, lost, tied, voters, model):
    """Covariance of centred strengths from numerical derivatives of the log chances, by information and by voters."""
    size = fit.strengths.size
    base = np.vstack(
        [
            (np.eye(size) - (fit.components[:, None] == fit.components) / np.bincount(fit.components)[fit.components]),
            np.zeros(size),
        ]
    )
    # An orthonormal basis of what is centred, and the log parameter next to it.
    directions = np.linalg.svd(base[:size])[0][:, : size - fit.n_components]
    fitted = model != "half_wins"
    basis = np.zeros((size + fitted, directions.shape[1] + fitted))
    basis[:size, : directions.shape[1]] = directions
    if fitted:
        basis[-1, -1] = 1.0
    x = np.r_[fit.strengths, np.log(fit.tie_parameter)] if fitted else fit.strengths

    def logs(x):
        chances = outcome_chances(model, x[first] - x[second], np.exp(x[size]) if fitted else None)
        if not fitted:
            return (won + tied / 2) * np.log(chances[:, 0]) + (lost + tied / 2) * np.log(chances[:, 1])
        return won * np.log(chances[:, 0]) + lost * np.log(chances[:, 1]) + tied * np.log(chances[:, 2])

    scores = np.array([approx_fprime(x, lambda y, v=v: logs(y)[voters == v].sum(), 1e-7) for v in np.unique(voters)])

    step = 1e-4
    units = np.eye(x.size) * step
    gradients = [
        [(logs(x + a + b).sum() - logs(x + a - b).sum() - logs(x - a + b).sum() + logs(x - a - b).sum()) for b in units]
        for a in units
    ]
    information = -np.array(gradients) / (4 * step**2)
    bread = basis @ np.linalg.inv(basis.T @ information @ basis) @ basis.T
    n = len(scores)
    return bread, n / (n - 1) * bread @ scores.T @ scores @ bread


@pytest.mark.parametrize("model", list(MODELS))
def test_errors_of_several_components_with_ties_are_those_of_dense_matrices(model):
    first, second, won, lost, tied, voters = ballots(1, [3, 4, 2])
    fit = bradley_terry(first, second, won, lost, tied, tie_model=model, voters=voters)
    assert fit.n_components == 3
    assert not fit.regularised.any()
    assert fit.voter_method == "sandwich, 12 voters"
    plain, clustered = dense(fit, first, second, won, lost, tied, voters, model)
    size = fit.strengths.size
    assert fit.errors == pytest.approx(np.sqrt(np.diag(plain)[:size]), rel=1e-4)
    assert fit.voter_errors == pytest.approx(np.sqrt(np.diag(clustered)[:size]), rel=1e-4)
    found = fit.differences([0, 3, 3, 7], [1, 6, 4, 8])
    contrast = np.zeros((4, plain.shape[0]))
    contrast[range(4), [0, 3, 3, 7]], contrast[range(4), [1, 6, 4, 8]] = 1, -1
    assert found.errors == pytest.approx(np.sqrt(np.diag(contrast @ plain @ contrast.T)), rel=1e-4)
    assert found.voter_errors == pytest.approx(np.sqrt(np.diag(contrast @ clustered @ contrast.T)), rel=1e-4)


def test_statsmodels_clusters_by_voters_the_same_way():
    first, second, won, lost, _, voters = ballots(3, [6], ties=False)
    fit = bradley_terry(first, second, won, lost, voters=voters)
    design = np.zeros((len(first), 6))
    design[np.arange(len(first)), first], design[np.arange(len(first)), second] = 1, -1
    # Its sandwich without the correction for few clusters, which differs between packages.
    logit = sm.GLM(won, design[:, 1:], family=sm.families.Binomial()).fit(
        tol=1e-12, cov_type="cluster", cov_kwds={"groups": voters, "use_correction": False}
    )
    found = fit.differences(np.arange(1, 6), np.zeros(5, dtype=int))
    assert found.values == pytest.approx(logit.params, abs=1e-8)
    assert found.voter_errors == pytest.approx(np.sqrt(12 / 11) * logit.bse, rel=1e-7)


def test_a_component_of_more_images_than_are_solved_at_once():
    rng = np.random.default_rng(4)
    first, second = np.triu_indices(150, 1)
    chosen = rng.random(first.size) < 0.1
    first, second = first[chosen], second[chosen]
    won, lost = rng.integers(1, 5, (2, first.size))
    fit = bradley_terry(first, second, won, lost)
    p = fitted_chances(fit, first, second)[:, 0]
    information = np.zeros((150, 150))
    np.add.at(information, (first, second), -(won + lost) * p * (1 - p))
    information += information.T
    information -= np.diag(information.sum(axis=0))
    covariance = np.linalg.pinv(information)
    assert fit.errors == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-8)
    variance = np.diag(covariance)
    expected = np.sqrt(variance[first] + variance[second] - 2 * covariance[first, second])
    assert fit.differences(first, second).errors == pytest.approx(expected, rel=1e-8)


def test_an_image_does_not_differ_from_itself():
    assert bradley_terry([0], [1], [2], [1]).differences([0], [0]).errors.tolist() == [0.0]


def test_voters_who_say_the_same_about_ties_differ_in_their_wins_alone():
    # Each ties one vote in three, so nu is 1, its logarithm 0, and no voter pulls at it; about x and y they differ.
    rows = (["x"] * 6, ["y"] * 6, [2, 0] * 3, [0, 2] * 3, [1] * 6)
    fit = bradley_terry(*rows, tie_model="davidson", voters=list("abcdef"))
    assert fit.tie_parameter == pytest.approx(1.0, abs=1e-12)
    # Each of 18 votes has information (1/3 + 1/3) / 4 about the difference, 3 in all; a voter's score is (2 - 0) / 2.
    found = fit.differences(["x"], ["y"])
    assert found.errors[0] ** 2 == pytest.approx(1 / 3)
    assert found.voter_errors[0] ** 2 == pytest.approx(6 / 5 * 6 / 3**2)


def test_voters_who_vote_alike_widen_the_errors():
    # Every vote given ten times by the same voter: the information believes ten votes, the sandwich one.
    first, second, won, lost, _, voters = ballots(5, [4], n_voters=40, per_voter=12, ties=False)
    once = bradley_terry(first, second, won, lost, voters=voters)
    often = bradley_terry(*(np.tile(c, 10) for c in (first, second, won, lost)), voters=np.tile(voters, 10))
    assert often.errors == pytest.approx(once.errors / np.sqrt(10), rel=1e-6)
    assert often.voter_errors == pytest.approx(once.voter_errors, rel=1e-6)


def test_too_few_voters_give_no_errors_of_their_own():
    votes = ([0, 0, 1, 0] * 2, [1, 2, 2, 1] * 2, [1, 1, 1, 0] * 2, [1, 1, 1, 1] * 2)
    few = bradley_terry(*votes, voters=list("abcdabcd"))
    assert (few.voter_errors, few.voter_method) == (None, "none: 4 voters, fewer than 5")
    some = bradley_terry(*votes, voters=list("abcdefgh"))
    assert some.voter_method == "sandwich, 8 voters, unreliable"
    assert bradley_terry(*votes).voter_method == "none: voters are not named"
    with pytest.raises(ValueError, match="one voter per row"):
        bradley_terry(*votes, voters=["a"])
    with pytest.raises(ValueError, match="label is missing"):
        bradley_terry(*votes, voters=["a", None, *"abcdef"])
