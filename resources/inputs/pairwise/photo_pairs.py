"""Pairs of photos or texts from people's votes: both orders merged or as listed, the filter, where the photos lie."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.preference.orders import MergedPairs, merge_orders, opposite_winners
from analysis.preference.truth import agreements, filter_pairs, winners
from resources.configuration.pairwise import PairwiseStudy
from resources.inputs.pairwise.photo_places import PhotoPlaces
from resources.inputs.pairwise.photo_votes import (
    CLUSTER,
    FIRST,
    FIRST_FILE,
    FIRST_PHOTO,
    LEFT,
    REVIEWERS,
    RIGHT,
    SECOND,
    SECOND_FILE,
    SECOND_PHOTO,
    SERIES,
    STRENGTH,
    TIES,
    read_photo_votes,
)
from resources.inputs.pairwise.text_votes import TextVotes, read_text_votes
from resources.tables.pairwise import PHOTO_PAIRS

TIE, LOW_AGREEMENT, FEW_REVIEWERS, MISSING = "tie", "low_agreement", "few_reviewers", "missing_image"
COLUMNS = tuple(column.name for column in PHOTO_PAIRS.columns)


@dataclass(frozen=True)
class PhotoPairsRead:
    """The table `photo_pairs` before any draw, and what the file held."""

    frame: pd.DataFrame
    n_rows_in_file: int
    n_votes: int
    notes: tuple[str, ...] = ()


def read_photo_pairs(study: PairwiseStudy) -> PhotoPairsRead:
    """Every pair with its winner, agreement and photos.

    Returns:
        `frame` has `COLUMNS`, numbered in the file's order. A pair is left out (`excluded`) for the first cause that
        holds: a tie, too little agreement, too few reviewers, a photo that is missing.

    Raises:
        FileFault: One thing is wrong with the file.
        FileFaults: Several things are.
    """
    texts = read_text_votes(study) if study.pairs_of == "texts" else None
    votes = (
        read_photo_votes(study.pairs_csv, study.cluster_column, study.columns, study.photo_number)
        if texts is None
        else texts.votes
    )
    merged = merge_orders(*(votes[name].to_numpy() for name in (SERIES, FIRST, SECOND, LEFT, RIGHT, TIES)))
    rows = _merged_rows(votes, merged) if study.orders == "merged" else _listed_rows(votes, merged)
    rows = _with_winner(rows, study)
    frame = _with_photos(rows, study.image_root) if texts is None else _with_texts(rows, texts)
    kinds = {column.name: column.kind for column in PHOTO_PAIRS.columns}
    there = [name for name in COLUMNS if name in frame]
    words = {name: "str" for name in there if kinds[name] == "text"}
    return PhotoPairsRead(
        frame=frame.astype({**words, "winner": "Int64"})[there],
        n_rows_in_file=len(votes),
        n_votes=int(votes[[LEFT, RIGHT, TIES]].to_numpy().sum()),
        notes=tuple(votes.attrs["notes"]),
    )


def _merged_rows(votes: pd.DataFrame, merged: MergedPairs) -> pd.DataFrame:
    """One row per photo pair, image 1 the lower compareID, in the order in which the file first shows them."""
    n, pair = len(merged.lower), merged.pair_of_row
    first_row = np.full(n, len(votes))
    np.minimum.at(first_row, pair, np.arange(len(votes)))
    turned = merged.turned[first_row]
    columns = (FIRST_FILE, SECOND_FILE, FIRST_PHOTO, SECOND_PHOTO)
    files = [votes[name].to_numpy()[first_row] for name in columns]
    # Of the lower compareID: a list states its share without counting votes, in either order.
    for_first = _share_for_first(votes)
    for_lower = np.where(merged.turned, 1 - for_first, for_first)
    rows = pd.DataFrame(
        {
            "series_id": merged.series,
            "cluster": votes[CLUSTER].to_numpy()[first_row],
            "compareID1": merged.lower,
            "compareID2": merged.higher,
            "compareFile1": np.where(turned, files[1], files[0]),
            "compareFile2": np.where(turned, files[0], files[1]),
            "image_1": np.where(turned, files[3], files[2]),
            "image_2": np.where(turned, files[2], files[3]),
            STRENGTH: np.bincount(pair, weights=for_lower, minlength=n) / np.bincount(pair, minlength=n),
            "votes_1": merged.votes_lower,
            "votes_2": merged.votes_higher,
            "votes_neither": merged.votes_neither,
            "first_shown_votes": _summed(votes[LEFT], pair, n),
            "votes_1_shown_first": _summed(votes[LEFT].where(~merged.turned, 0), pair, n),
            "n_orders": merged.n_orders,
            "num_reviewers": _summed(votes[REVIEWERS], pair, n),
            "opposite_orders": opposite_winners(merged, votes[LEFT], votes[RIGHT], neither=votes[TIES]),
        }
    )
    return _numbered(rows.iloc[np.argsort(first_row)])


def _listed_rows(votes: pd.DataFrame, merged: MergedPairs) -> pd.DataFrame:
    """One row per row of the file, image 1 the one shown first."""
    pair = merged.pair_of_row
    rows = votes[[SERIES, CLUSTER, FIRST, SECOND, FIRST_FILE, SECOND_FILE, REVIEWERS]].assign(
        image_1=votes[FIRST_PHOTO],
        image_2=votes[SECOND_PHOTO],
        **{STRENGTH: _share_for_first(votes)},
        votes_1=votes[LEFT],
        votes_2=votes[RIGHT],
        votes_neither=votes[TIES],
        first_shown_votes=votes[LEFT],
        votes_1_shown_first=votes[LEFT],
        n_orders=merged.n_orders[pair],
        opposite_orders=opposite_winners(merged, votes[LEFT], votes[RIGHT], neither=votes[TIES])[pair],
    )
    return _numbered(rows)


def _share_for_first(votes: pd.DataFrame) -> NDArray[np.float64]:
    """A list's stated share for the photo shown first; missing where votes are counted."""
    stated = votes[STRENGTH].to_numpy(dtype=np.float64)
    return np.where(votes[LEFT].to_numpy() >= votes[RIGHT].to_numpy(), stated, 1 - stated)


def _numbered(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.reset_index(drop=True).assign(pair_idx=np.arange(len(rows)))


def _summed(counts: pd.Series, pair: NDArray[np.intp], n: int) -> NDArray[np.int64]:
    return np.bincount(pair, weights=counts, minlength=n).astype(np.int64)


def _with_winner(rows: pd.DataFrame, study: PairwiseStudy) -> pd.DataFrame:
    """Winner, agreement, and why a pair is left out by the filter."""
    votes = (rows["votes_1"], rows["votes_2"])
    neither = rows["votes_neither"]
    winner, agreement = winners(*votes, neither), agreements(*votes, neither)
    stated = rows[STRENGTH].notna().to_numpy()
    agreement = np.where(stated, np.maximum(rows[STRENGTH], 1 - rows[STRENGTH]), agreement)
    # No share of the larger side is below a half, and what asks for less asks for nothing.
    least = max(study.min_agreement, 0.5)
    limits: dict[str, Any] = {"min_agreement": least, "min_reviewers": study.min_reviewers}
    found = filter_pairs(*votes, rows["num_reviewers"], neither=neither, **limits)
    low = found.low_agreement | (stated & (agreement < least))
    cause = np.where(found.tied, TIE, np.where(low, LOW_AGREEMENT, FEW_REVIEWERS)).astype("object")
    return rows.assign(
        agreement=agreement,
        winner=pd.Series(winner, index=rows.index, dtype="Int64").mask(found.tied),
        excluded=pd.Series(cause, index=rows.index).mask(found.kept & ~low, None),
    )


def _with_photos(rows: pd.DataFrame, root: Path) -> pd.DataFrame:
    """Names and addresses of both photos, and which are not there."""
    names = [rows["image_1"].tolist(), rows["image_2"].tolist()]
    places: dict[str, PhotoPlaces] = {}
    place_of = {}
    for photo in sorted({*names[0], *names[1]}):
        folder, _, name = photo.rpartition("/")
        if folder not in places:
            places[folder] = PhotoPlaces.at(root / folder)
        place_of[photo] = places[folder].place_of(name)
    absent = [[name for name in pair if not place_of[name][1]] for pair in zip(names[0], names[1], strict=True)]
    lacks = np.array([bool(pair) for pair in absent], dtype=np.bool_)
    return rows.assign(
        path_1=[place_of[name][0] for name in names[0]],
        path_2=[place_of[name][0] for name in names[1]],
        absent_images=pd.Series(absent, index=rows.index, dtype="object"),
        excluded=rows["excluded"].mask(rows["excluded"].isna() & lacks, MISSING),
    )


def _with_texts(rows: pd.DataFrame, texts: TextVotes) -> pd.DataFrame:
    """How long both texts are, null where the file holds none, and who wrote them; no photo is missing."""
    found = rows.assign(path_1="", path_2="", absent_images=pd.Series([[] for _ in rows.index], index=rows.index))
    for side in (1, 2):
        things = [texts.things[name] for name in rows[f"image_{side}"]]
        found[f"source_{side}"] = [thing.source for thing in things]
        lengths = [None if thing.document is None else len(thing.document) for thing in things]
        found[f"length_{side}"] = pd.Series(lengths, index=rows.index, dtype="Int64")
    return found
