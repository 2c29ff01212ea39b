"""What one method picks of each judged pair: its scores, its winner, its credit and its time."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.gates import Gate, at_most
from analysis.messages import message
from analysis.preference.accuracy import credits_of, predicted_winners
from analysis.preference.head import linked_clusters
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError, listing
from resources.photos.methods.contract import Measured
from resources.photos.methods.features import Features, Floats, Pairs
from resources.photos.methods.rules import parts_of
from resources.photos.methods.scoring import Folds, PairScores, pair_scores_of
from resources.runtime.file_hash import sha256_of_file
from resources.tables.pairwise import PAIRWISE_RESULTS

COLUMNS: Final = [column.name for column in PAIRWISE_RESULTS.columns]
PAIR: Final = ["pair_idx", "series_id", "cluster", "winner", "agreement", "num_reviewers"]


def images_of(judged: pd.DataFrame) -> pd.Series:
    """The unique images of the judged pairs: name to address, in the order in which pairs first show them."""
    both = pd.concat(
        [judged[["image_1", "path_1"]].set_axis(["image", "path"], axis=1)]
        + [judged[["image_2", "path_2"]].set_axis(["image", "path"], axis=1)]
    )
    return both.drop_duplicates("image").set_index("image")["path"]


def result_rows(method: Measured, judged: pd.DataFrame, features: Features, study: PairwiseStudy) -> pd.DataFrame:
    """One method's rows of `pairwise_results`."""
    pairs = pairs_of(judged, features)
    pictures = features.contents
    groups = linked_clusters(judged["cluster"].to_numpy(dtype=str), pictures[pairs.first], pictures[pairs.second])
    found = pair_scores_of(method, features, pairs, Folds(groups, study.folds, study.seed))
    times = features.times_ms(parts_of(method))
    return _rows(method.name, judged, groups, found, times[pairs.first] + times[pairs.second])


def answered_rows(name: str, judged: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """A judge's rows of `pairwise_results`: 1 for what it picks in both orders and 0 for the other, 0.5 each on a tie.

    Raises:
        UserError: The answers are of other pairs.
    """
    own = answers[answers["method"] == name].set_index("pair_idx")
    if not judged["pair_idx"].isin(own.index).all():
        raise UserError(f"pair_answers has no row of {name} for some judged pair. Make it again.")
    rows = own.loc[judged["pair_idx"]]
    if not (rows[["image_1", "image_2"]].to_numpy() == judged[["image_1", "image_2"]].to_numpy()).all():
        raise UserError(f"pair_answers of {name} is about other pairs than those judged now. Make it again.")
    picked = rows["picked"].astype("float64").to_numpy()
    ones = np.select([picked == 1, picked == 2, picked == 0], [1.0, 0.0, 0.5], np.nan)
    found = PairScores(
        ones, 1.0 - ones, rows["undefined"].astype("object").where(rows["undefined"].notna(), None).to_numpy()
    )
    return _rows(name, judged, _groups(judged), found, rows["latency_ms"].to_numpy(dtype=np.float64))


def longer_rows(name: str, judged: pd.DataFrame) -> pd.DataFrame:
    """Rows of `pairwise_results` of the method whose score of a text is its length in characters."""
    one, two = (judged[f"length_{side}"].astype("float64").to_numpy() for side in (1, 2))
    missing = np.isnan(one) | np.isnan(two)
    why = np.full(len(judged), None, dtype=object)
    why[missing] = message("the file holds no text of it")
    found = PairScores(np.where(missing, np.nan, one), np.where(missing, np.nan, two), why)
    return _rows(name, judged, _groups(judged), found, np.full(len(judged), np.nan))


def _groups(judged: pd.DataFrame) -> NDArray[np.int64]:
    """Groups of clusters that share a photo or text."""
    names = [judged[name].to_numpy(dtype=object) for name in ("image_1", "image_2")]
    return linked_clusters(judged["cluster"].to_numpy(dtype=str), *names)


def _rows(
    name: str, judged: pd.DataFrame, groups: NDArray[np.int64], found: PairScores, times_ms: Floats
) -> pd.DataFrame:
    defined = np.isfinite(found.score_1)
    picked = predicted_winners(found.score_1[defined], found.score_2[defined])
    winner = judged["winner"].to_numpy(dtype=np.int64)
    cells = {
        "method": pd.Series(name, index=judged.index, dtype="str"),
        "fold_group": groups,
        "score_image1": found.score_1,
        "score_image2": found.score_2,
        "predicted_winner": _where_defined(picked, defined, "Int64"),
        "credit": _where_defined(credits_of(winner[defined], picked), defined, "float64"),
        "time_ms": times_ms,
        "undefined": found.undefined,
    }
    # Not by choosing columns, which copies them: methods share what they have in common.
    return pd.DataFrame({column: cells.get(column, judged.get(column)) for column in COLUMNS}, copy=False)


def current_pairs_gate(results: Mapping[str, pd.DataFrame], judged: pd.DataFrame) -> Gate:
    """Methods whose rows are not of the pairs that are judged now: numbers of two sets of pairs do not go together.

    Args:
        results: Rows of `pairwise_results` by method; a method without rows is of no pairs.
        judged: What `judged_pairs` gives.
    """
    now = judged[PAIR].reset_index(drop=True).astype("str")
    old = [
        name
        for name, rows in results.items()
        if len(rows) and not now.equals(rows[PAIR].reset_index(drop=True).astype("str"))
    ]
    gate = at_most(
        "results_are_of_the_judged_pairs",
        float(len(old)),
        0,
        n=len(results),
        counted="methods",
        what="Number of methods with results of other pairs than those judged now",
        remedy=f"Make pairwise_results again for {listing(old)}.",
    )
    return gate.passing_as(f"The results of all {len(results)} methods are of the {len(judged)} pairs judged now.")


def no_rows() -> pd.DataFrame:
    """The partition of a method that is unavailable."""
    return pd.DataFrame(columns=COLUMNS)


def pairs_of(judged: pd.DataFrame, features: Features) -> Pairs:
    """The judged pairs as rows of the features.

    Raises:
        UserError: An image of a pair is not among the features.
    """
    place = pd.Index(features.images)
    first, second = (place.get_indexer(pd.Index(judged[name])) for name in ("image_1", "image_2"))
    if bool((absent := (first < 0) | (second < 0)).any()):
        lacking = sorted({*judged.loc[absent, "image_1"], *judged.loc[absent, "image_2"]} - set(features.images))
        raise UserError(f"image_features lacks {listing(lacking)}. Make it again with `touchstone run pairwise`.")
    return Pairs(first, second, judged["winner"].to_numpy(dtype=np.int64))


def headline(frame: pd.DataFrame, unavailable: str | None) -> dict[str, Any]:
    """How often the method is right, and what it lacks."""
    if unavailable is not None:
        return {"n": 0, "unavailable": unavailable}
    predicted = frame["predicted_winner"].notna()
    reasons = frame["undefined"].dropna().unique()
    return {
        "n": int(predicted.sum()),
        "n_without_prediction": int((~predicted).sum()),
        "without_prediction": listing(reasons, 3) or "none",
        "accuracy": frame["credit"].mean(),
        "tie_rate": (frame.loc[predicted, "predicted_winner"] == 0).mean(),
        "avg_time_ms": average_time_ms(frame),
    }


def average_time_ms(results: pd.DataFrame) -> float | None:
    """What a method alone would take for a pair, ms: the mean over the pairs that it predicts; none without any."""
    average = results.loc[results["predicted_winner"].notna(), "time_ms"].mean()
    return None if pd.isna(average) or average == 0.0 else float(average)


def shared_times_ms(parts: dict[str, tuple[str, ...]], features: Features, n_pairs: int) -> dict[str, float]:
    """What each method took here per pair, ms: an image is decoded and measured once, and its users share that.

    Args:
        parts: Of the work, that each available method needs.
        features: Of all images of the judged pairs.
        n_pairs: Judged pairs.

    Returns:
        By method: each part's total over the number of methods that need it, per pair. Summed over methods and pairs
        it is what everything took.
    """
    users = Counter(part for needed in parts.values() for part in needed)
    share = {part: float(np.nansum(features.times_ms((part,)))) / n for part, n in users.items()}
    return {name: sum(share[part] for part in needed) / n_pairs for name, needed in parts.items()}


def _where_defined(values: Floats | NDArray[np.int64], defined: NDArray[np.bool_], dtype: str) -> pd.Series:
    filled = pd.Series(pd.NA if dtype == "Int64" else np.nan, index=range(defined.size), dtype=dtype)
    filled[defined] = values
    return filled


def own_file(study: PairwiseStudy, name: str) -> dict[str, Any]:
    """Which file a user's own method came from and what it held; nothing for the others."""
    path = study.own_methods.get(name)
    return {} if path is None else {"file": str(path), "file_sha256": sha256_of_file(path)}
