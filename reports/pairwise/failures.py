"""Failures side by side: pairs on which all people agree and most methods pick the other photo."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.ties import compare
from reports.pairwise.contents import Contents, named, say
from reports.shared.numbers import number, whole
from reports.shared.pictures import Picture, picture
from reports.shared.table_view import Head, TableView, null
from reports.shared.text import Part, Text, joined, same

LEAST_VOTES: Final = 4
MOST_SHOWN: Final = 12
COLUMNS: Final = ("pair_idx", "n_methods", "n_wrong", "margin")
OUTCOMES: Final = ("wrong", "right", "tie", "nothing")


@dataclass(frozen=True)
class Failure:
    """One pair: both photos with their votes, which methods picked what, and their scores."""

    id: int
    title: Text
    photos: tuple[Picture, Picture]
    picks: list[tuple[Text, Text]]
    scores: TableView


def failing_pairs(contents: Contents) -> pd.DataFrame:
    """Unanimous judged pairs with enough votes that more than half of the methods with a prediction miss.

    Returns:
        One row per photo pair with `pair_idx`, `n_methods`, `n_wrong` and the `margin` in votes; the largest margin
        first, then the largest share of wrong methods. A tie is no miss. A pair listed in both orders stands once.
    """
    pairs, results = contents.judged, contents.tables["pairwise_results"]
    votes = pairs["votes_1"] + pairs["votes_2"]
    unanimous = compare(pairs["agreement"], 1.0) == 0
    unanimous &= pairs["votes_neither"].to_numpy(dtype=np.int64) == 0
    sure = pairs[unanimous & (votes >= LEAST_VOTES).to_numpy(dtype=bool)]
    said = results[results["predicted_winner"].notna() & results["pair_idx"].isin(sure["pair_idx"])]
    if said.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    wrong = said["credit"].to_numpy(dtype=np.float64) == 0.0
    counts = said.assign(wrong=wrong).groupby("pair_idx")["wrong"].agg(n_methods="size", n_wrong="sum")
    found = sure.join(counts[2 * counts["n_wrong"] > counts["n_methods"]], on="pair_idx", how="inner")
    found = found.assign(
        margin=(found["votes_1"] - found["votes_2"]).abs(),
        share=found["n_wrong"] / found["n_methods"],
        photos=[" ".join(sorted(names)) for names in zip(found["image_1"], found["image_2"], strict=True)],
    )
    found = found.sort_values(["margin", "share", "pair_idx"], ascending=[False, False, True])
    return found.drop_duplicates("photos")[list(COLUMNS)].reset_index(drop=True)


def failures(contents: Contents, found: pd.DataFrame) -> list[Failure]:
    """The first of these pairs, with their photos."""
    pairs = contents.tables["photo_pairs"].set_index("pair_idx")
    shown = found.head(MOST_SHOWN)
    results = contents.tables["pairwise_results"]
    results = results[results["pair_idx"].isin(shown["pair_idx"])]
    return [
        _failure(pairs.loc[row["pair_idx"]], row, results[results["pair_idx"] == row["pair_idx"]])
        for row in shown.to_dict("records")
    ]


def said_of_failures(contents: Contents, found: pd.DataFrame) -> Text:
    """How many such pairs there are, and how many are shown."""
    if not contents.measured:
        return say("failures.no_method")
    counts = {"votes": whole(LEAST_VOTES), "shown": whole(min(len(found), MOST_SHOWN))}
    return say("failures.said" if len(found) else "failures.none", n=whole(len(found)), **counts)


def _failure(pair: pd.Series, counts: dict[Any, Any], results: pd.DataFrame) -> Failure:
    winner = int(pair["winner"])
    photos = [_photo(pair, side, won=side == winner) for side in (1, 2)]
    rows = results.sort_values("method").to_dict("records")
    by_outcome = {outcome: [str(row["method"]) for row in rows if _outcome(row) == outcome] for outcome in OUTCOMES}
    title = say(
        "failures.title",
        series=str(pair["series_id"]),
        votes=whole(max(pair["votes_1"], pair["votes_2"])),
        n=whole(counts["n_wrong"]),
        total=whole(counts["n_methods"]),
    )
    return Failure(
        int(counts["pair_idx"]),
        title,
        (photos[0], photos[1]),
        [(say(f"outcome.{outcome}"), named(names)) for outcome, names in by_outcome.items() if names],
        _scores(pair, rows),
    )


def _photo(pair: pd.Series, side: int, *, won: bool) -> Picture:
    name, votes = str(pair[f"image_{side}"]), whole(pair[f"votes_{side}"])
    caption = say("failures.won" if won else "failures.lost", photo=name, n=votes)
    path = str(pair[f"path_{side}"])
    missing = say("failures.gone" if path else "failures.is_text", photo=name)
    return picture(path, say("failures.alt", photo=name, n=votes), caption, missing)


def _outcome(row: dict[Any, Any]) -> str:
    if null(row["predicted_winner"]):
        return "nothing"
    return {1.0: "right", 0.0: "wrong"}.get(float(row["credit"]), "tie")


def _scores(pair: pd.Series, rows: list[dict[Any, Any]]) -> TableView:
    heads = [
        Head(say("head.method"), numeric=False),
        Head(same(pair["image_1"])),
        Head(same(pair["image_2"])),
        Head(say("head.outcome"), numeric=False),
    ]
    cells: list[list[Part]] = [
        [
            str(row["method"]),
            _score(row["score_image1"]),
            _score(row["score_image2"]),
            say(f"outcome.{_outcome(row)}"),
        ]
        for row in rows
    ]
    names = joined([str(pair["image_1"]), str(pair["image_2"])])
    return TableView(say("failures.scores", photos=names), heads, cells)


def _score(value: Any) -> Text:
    """A score in the method's own unit, with digits enough to tell two near ones apart."""
    return number(value, 1 if not null(value) and abs(float(value)) >= 100 else 4)
