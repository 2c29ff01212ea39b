"""The verdict on methods: a voter's place, the most accurate method first, and what is unavailable cannot be said."""

from pathlib import Path

import numpy as np
import pandas as pd

from assets.pairwise.logic.method_verdicts import method_verdicts
from resources.configuration.pairwise import PairwiseStudy

N = 120


def votes() -> pd.DataFrame:
    random = np.random.default_rng(1)
    first = random.binomial(5, np.where(np.arange(N) % 2, 0.85, 0.15))
    counts = {"votes_1": first, "votes_2": 5 - first, "votes_neither": 0}
    return pd.DataFrame({"pair_idx": np.arange(N), **counts, "excluded": None})


def results(picks: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "pair_idx": np.arange(N),
            "cluster": [f"{pair // 2}" for pair in range(N)],
            "predicted_winner": pd.array(picks, dtype="Int64"),
        }
    )


def test_each_method_has_its_word_and_the_most_accurate_answers_the_question() -> None:
    pairs = votes()
    better = np.where(np.arange(N) % 2, 1, 2)
    frames = {"good": results(better), "coin": results(np.random.default_rng(2).integers(1, 3, N))}
    frames["ties"] = results(np.zeros(N))
    metrics = pd.DataFrame(
        {
            "method": ["coin", "gone", "good", "ties"],
            "accuracy": [0.5, np.nan, 0.98, 0.5],
            "unavailable": [None, "no weights", None, None],
        }
    )
    plan = PairwiseStudy(pairs_csv=Path("x.csv"), image_root=Path())
    found = method_verdicts(frames, pairs, metrics, plan)
    words = {one.judge: one.verdict.word for one in found}
    assert words == {"good": "yes", "coin": "no", "gone": "cannot say", "ties": "no"}
    assert [one.judge for one in found if one.leading] == ["good"]
    # Chosen among the three that could be tried, on the pairs that it is shown on.
    assert {one.judge: one.not_covered[1:] for one in found if one.not_covered[1:]} == {"good": ("chosen: 3",)}
    # Of the 3 votes for neither one is on a pair that is not judged.
    pairs.loc[[0, 1, 2], "votes_neither"] = 1
    pairs.loc[0, "excluded"] = "low_agreement"
    assert method_verdicts(frames, pairs, metrics, plan)[1].not_covered[1:] == ("ties: 2",)
    [voter] = found[0].people
    # Of five voters who are right with 0.85 two agree with 0.85^2 + 0.15^2 = 0.745, beyond chance 0.49.
    assert voter.person is not None
    assert abs(voter.person - 0.49) < 0.08
