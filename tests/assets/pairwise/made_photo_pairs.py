"""Small tables of study B: photo pairs from votes, and what methods say of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.images.photo_rules import STEPS
from assets.pairwise.logic.method_scores import result_rows
from resources.configuration.pairwise import PairwiseStudy
from resources.photos.methods.features import Features
from resources.tables.all_tables import TABLES
from resources.tables.pairwise_rows import judged_pairs
from resources.tables.parquet import checked

# series, compareID 1 and 2, votes for either
Votes = tuple[int, int, int, int, int]


def plan(**changes: Any) -> PairwiseStudy:
    """A study whose files nobody reads."""
    files = {"pairs_csv": Path("pairs.csv"), "image_root": Path("images")}
    return PairwiseStudy(**{**files, "bootstrap_resamples": 200, **changes})


def photo_pairs_of(votes: Sequence[Votes], **columns: Sequence[Any]) -> pd.DataFrame:
    """Table `photo_pairs`: ties and pairs that fewer than 7 of 10 agree on are left out."""
    rows = []
    for number, (series, one, two, for_one, for_two) in enumerate(votes):
        n = for_one + for_two
        agreement = max(for_one, for_two) / n
        names = [f"{series:06d}-{place + 1:02d}" for place in (one, two)]
        rows.append(
            {
                "pair_idx": number,
                "series_id": f"{series:06d}",
                "cluster": f"{series:06d}",
                "compareID1": one,
                "compareID2": two,
                "compareFile1": f"{series}-{one + 1}.JPG",
                "compareFile2": f"{series}-{two + 1}.JPG",
                "image_1": names[0],
                "image_2": names[1],
                "path_1": f"images/{names[0]}.JPG",
                "path_2": f"images/{names[1]}.JPG",
                "votes_1": for_one,
                "votes_2": for_two,
                "votes_neither": 0,
                "first_shown_votes": for_one,
                "votes_1_shown_first": for_one,
                "n_orders": 1,
                "num_reviewers": n,
                "agreement": agreement,
                "winner": None if for_one == for_two else 1 if for_one > for_two else 2,
                "opposite_orders": False,
                "excluded": "tie" if for_one == for_two else "low_agreement" if agreement < 0.7 else None,
            }
        )
    frame = pd.DataFrame(rows).assign(**columns).astype({"winner": "Int64"})
    return checked(TABLES["photo_pairs"], frame)


class Told:
    """A method whose score of each image is told."""

    needs = ("rules",)

    def __init__(self, name: str, scores: dict[str, float]) -> None:
        self.name = name
        self._scores = scores

    def score(self, features: Features) -> list[float]:
        return [self._scores.get(str(image), float("nan")) for image in features.images]


def features_of(photo_pairs: pd.DataFrame, **columns: Any) -> Features:
    """Features of the judged images: decoded in 10 ms, measured in 1 ms."""
    judged = judged_pairs(photo_pairs)
    names = list(dict.fromkeys([*judged["image_1"], *judged["image_2"]]))
    times = {"decode_ms": 10.0, "rules_ms": 1.0} | {f"{step}_ms": 0.125 for step in STEPS}
    frame = pd.DataFrame(times | columns, index=names)
    return Features(frame, [f"images/{name}.JPG" for name in names], lambda sentences: frame.to_numpy())


def results_of(photo_pairs: pd.DataFrame, name: str, scores: dict[str, float], **columns: Any) -> pd.DataFrame:
    """Rows of `pairwise_results`, as they would be stored."""
    features = features_of(photo_pairs, **columns)
    frame = result_rows(Told(name, scores), judged_pairs(photo_pairs), features, plan())
    return checked(TABLES["pairwise_results"], frame)


def by_winner(photo_pairs: pd.DataFrame, wrong: Sequence[int] = (), tied: Sequence[int] = ()) -> dict[str, float]:
    """Scores that pick every judged pair's winner but for the pairs named; each image must be in one judged pair."""
    scores = {}
    for row in judged_pairs(photo_pairs).to_dict("records"):
        first = 0.0 if row["pair_idx"] in tied else 1.0 if (row["winner"] == 1) != (row["pair_idx"] in wrong) else -1.0
        scores |= {row["image_1"]: first, row["image_2"]: 0.0}
    return scores
