"""What several series share: folds, intervals, tests and counts keep them together, down to the sample study."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from analysis.preference.head import folds_of
from assets.pairwise.logic.method_rows import method_row
from assets.pairwise.logic.method_scores import result_rows
from assets.pairwise.logic.photo_pair_counts import NOT_ASKED, counts_of
from assets.pairwise.method_significance import common_credit, significance_rows
from resources.photos.methods.features import Features
from resources.photos.methods.registry import PROBES
from resources.tables.pairwise_rows import judged_pairs
from tests.assets.pairwise.made_photo_pairs import by_winner, photo_pairs_of, plan, results_of

N_SCENES, SERIES_A_SCENE = 40, 4
SCENE = np.repeat(np.arange(N_SCENES), SERIES_A_SCENE)
# Votes shuffled over scenes: which of its two photos wins is a coin's choice, the same in all series of a scene.
FIRST_WINS = np.random.default_rng(5).random(N_SCENES)[SCENE] < 0.5
VOTES = [(series, 0, 1, *((4, 1) if first else (1, 4))) for series, first in enumerate(FIRST_WINS)]


@dataclass
class Judged:
    rows: pd.DataFrame
    pairs: pd.DataFrame

    @property
    def accuracy(self) -> float:
        return float(self.rows["credit"].mean())


def judged_by_heart(**columns: NDArray[np.str_]) -> Judged:
    """A probe on features by which each scene's two photos are known again in all of its series, and nothing else."""
    pairs = photo_pairs_of(VOTES, **columns)  # type: ignore[arg-type]
    judged = judged_pairs(pairs)
    names = [*judged["image_1"], *judged["image_2"]]
    known = np.eye(N_SCENES, dtype=np.float32)[SCENE]
    frame = pd.DataFrame({"decode_ms": 1.0, "clip_ms": 1.0}, index=names)
    features = Features(frame, names, lambda _: known, {"clip": np.vstack([known, -known])})
    return Judged(result_rows(PROBES["clip_probe"], judged, features, plan()), pairs)


@pytest.fixture(scope="module")
def by_scene() -> Judged:
    return judged_by_heart(cluster=np.array([f"scene {scene}" for scene in SCENE]))


def test_with_shuffled_votes_a_probe_is_worth_nothing_by_scenes_and_looks_perfect_by_series(by_scene: Judged) -> None:
    assert by_scene.accuracy == 0.5
    assert judged_by_heart().accuracy > 0.95


def sides(fold: NDArray[np.intp]) -> int:
    """How many scenes have series in more than one fold."""
    return sum(np.ptp(fold[np.flatnonzero(np.equal(SCENE, scene))]) > 0 for scene in range(N_SCENES))


def test_no_scene_is_on_both_sides_of_a_fold(by_scene: Judged) -> None:
    study = plan()
    fold, n_groups = folds_of(by_scene.rows["fold_group"], study.folds, study.seed)
    assert (n_groups, len(fold)) == (40, 160)
    assert sides(fold) == 0
    alone, _ = folds_of(judged_by_heart().rows["fold_group"], study.folds, study.seed)
    assert sides(alone) > 0


def test_intervals_tests_and_counts_are_over_clusters() -> None:
    pairs = photo_pairs_of(VOTES[:48], cluster=[f"scene {scene}" for scene in SCENE[:48]])
    results = {name: results_of(pairs, name, by_winner(pairs, range(n))) for name, n in (("good", 12), ("even", 24))}
    row = method_row("good", results["good"], pairs, NOT_ASKED, plan())
    assert (row["n"], row["n_series"], row["n_clusters"]) == (48, 48, 12)
    assert row["interval_method"] == "score interval, effective sample of the delete-one jackknife, t(11), 12 clusters"
    # Wrong in all four series of 3 scenes, right in those of 9: D is -2 or 2 and z = 12 / sqrt 48.
    assert row["p_chance"] == pytest.approx(0.0832645, abs=1e-6)
    [couple] = significance_rows(*common_credit(results)).to_dict("records")
    assert (couple["n_series"], couple["n_clusters"]) == (48, 12)
    # The two differ in 3 scenes, and in 12 series.
    assert "3 clusters differ, under 10: unreliable" in couple["undefined"]
    counts = counts_of(pairs.assign(absent_images=[[]] * 48))
    assert (counts["n_series"], counts["n_clusters"], counts["n_after_filter_clusters"]) == (48, 12, 12)


def test_the_likelihood_is_held_out_in_the_folds_of_the_study() -> None:
    pairs = photo_pairs_of(VOTES[:12], cluster=[f"scene {scene}" for scene in SCENE[:12]])
    results = results_of(pairs, "good", by_winner(pairs, range(2)))
    three = method_row("good", results, pairs, NOT_ASKED, plan(folds=3))
    assert "log_likelihood" in three
    five = method_row("good", results, pairs, NOT_ASKED, plan(folds=5))
    assert "log_likelihood: 3 clusters, fewer than the 5 folds" in str(five["undefined"])
