"""Strengths by everybody's votes: one Newton fit of all components against a fit for each, on the real votes."""

import time
from pathlib import Path

import choix
import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from analysis.preference.bradley_terry import BradleyTerry
from analysis.preference.bradley_terry import bradley_terry as fit_strengths
from resources.configuration.pairwise import PairwiseStudy
from resources.inputs.pairwise.photo_pairs import read_photo_pairs

REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "pairwise" / "photo_triage_pairs.csv"
LIMIT_S, LIMIT_RATIO = 2.0, 10.0
ALPHA = 0.01
Votes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def by_choix(n: int, first: np.ndarray, second: np.ndarray, votes_1: np.ndarray, votes_2: np.ndarray) -> np.ndarray:
    """One component by choix, each vote one comparison."""
    winners = np.concatenate([np.repeat(first, votes_1), np.repeat(second, votes_2)])
    losers = np.concatenate([np.repeat(second, votes_1), np.repeat(first, votes_2)])
    return np.asarray(choix.opt_pairwise(n, list(zip(winners.tolist(), losers.tolist(), strict=True)), alpha=ALPHA))


def by_scipy(n: int, first: np.ndarray, second: np.ndarray, votes_1: np.ndarray, votes_2: np.ndarray) -> np.ndarray:
    """One component by a general optimiser with gradient, a small ridge where choix has one."""

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        difference = at[first] - at[second]
        slope = votes_1 * expit(-difference) - votes_2 * expit(difference)
        gradient = -np.bincount(first, slope, n) + np.bincount(second, slope, n) + 2 * ALPHA * at
        value = -(votes_1 @ log_expit(difference) + votes_2 @ log_expit(-difference)) + ALPHA * at @ at
        return float(value), gradient

    return np.asarray(minimize(loss, np.zeros(n), jac=True, method="BFGS").x)


def component_by_component(fit: BradleyTerry, votes: Votes, one: object) -> np.ndarray:
    """Strengths of every image, each component fitted by itself and centred."""
    first, second = fit.positions(votes[0]), fit.positions(votes[1])
    order = np.argsort(fit.components[first], kind="stable")
    bounds = np.flatnonzero(np.diff(fit.components[first][order])) + 1
    strengths = np.zeros(len(fit.images))
    for rows in np.split(order, bounds):
        members = np.unique(np.concatenate([first[rows], second[rows]]))
        here = [np.searchsorted(members, side[rows]) for side in (first, second)]
        found = one(len(members), *here, votes[2][rows], votes[3][rows])  # type: ignore[operator]
        strengths[members] = found - found.mean()
    return strengths


def main() -> None:
    """Print both times, and how far the strengths agree where they are finite."""
    if not REAL.is_file():
        print("Bradley-Terry: the real votes (../shared/data) are not next to this checkout, so nothing is timed")
        return
    frame = read_photo_pairs(PairwiseStudy(pairs_csv=REAL, image_root=REAL.parent)).frame
    votes = (
        frame["image_1"].to_numpy(dtype=str),
        frame["image_2"].to_numpy(dtype=str),
        frame["votes_1"].to_numpy(dtype=np.int64),
        frame["votes_2"].to_numpy(dtype=np.int64),
    )
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        fit = fit_strengths(*votes)
        best = min(best, time.perf_counter() - started)
    print(
        f"Bradley-Terry on {len(fit.images)} photos in {fit.n_components} components, with standard errors: "
        f"{best:.2f} s (limit {LIMIT_S:g})"
    )
    for name, one in {"scipy's BFGS": by_scipy, "choix": by_choix}.items():
        started = time.perf_counter()
        found = component_by_component(fit, votes, one)
        taken = time.perf_counter() - started
        finite = ~fit.regularised
        alike = np.corrcoef(found[finite], fit.strengths[finite])[0, 1]
        print(
            f"  a fit for each component by {name}: {taken:.1f} s, {taken / best:.0f} times as long (limit "
            f"{LIMIT_RATIO:g}); correlation of strengths {alike:.4f}"
        )


if __name__ == "__main__":
    main()
