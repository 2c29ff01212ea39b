"""How far each sub-score drops under each kind of alteration, and whether the one that speaks of it drops most."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import pandas as pd

from analysis.agreement.deviation import deviation
from analysis.messages import message, message_list
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from assets.fidelity.logic.sensitivity_rows import held_out_pairs, kinds_in, mark, toward
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.fidelity import FidelityStudy
from resources.tables.fidelity.golden import SUBSCORE_SENSITIVITY

NO_SUBSCORES: Final = message("the judge's answers have no sub-scores")
# By the rubric's own words: colours and their proportions; which pattern it is; how large it is. A blur takes the
# pattern's detail away, stripes and a logo put another there. Sentinels and another item's render have no one of them.
MOVES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("hue", "saturation", "brightness"), "color_palette"),
    **dict.fromkeys(("stripes", "stripes_shaded", "logo", "blur"), "texture_identity"),
    "texture_scale": "texture_scale_placement",
}


class Sides(NamedTuple):
    """One sub-score of originals and of altered ones, by the index of `golden_scores`: 0-1, NaN where it is unknown."""

    original: pd.Series
    altered: pd.Series


def subscore_rows(scores: pd.DataFrame, sides: Mapping[str, Sides], study: FidelityStudy) -> pd.DataFrame:
    """One row per kind and sub-score; one per kind with the reason where the answers have none."""
    pairs, rows = held_out_pairs(scores), list[dict[str, Any]]()
    for kind in kinds_in(scores):
        first = scores[scores["kind"] == kind].iloc[0]
        own = first.get("moves")
        moves = MOVES.get(kind) if own is None or pd.isna(own) else str(own)
        shared = {"kind": kind, "setting": first["setting"], "expected": first["expected"]}
        if not sides:
            rows.append(shared | {"n_items": 0, "undefined": NO_SUBSCORES})
            continue
        of_kind = pairs[pairs["kind"] == kind]
        made = []
        for name, one in sides.items():
            said = {"subscore": name, "moves": name == moves if moves in sides else None}
            made.append(shared | said | _row(of_kind, one, study))
        _say_which_moved_most(made, toward(first["expected"]) if first["expected"] != "same" else None)
        rows += made
    return pd.DataFrame(rows, columns=[column.name for column in SUBSCORE_SENSITIVITY.columns])


def _row(pairs: pd.DataFrame, sides: Sides, study: FidelityStudy) -> dict[str, Any]:
    """The drop of one sub-score, each object with the mean over its alterations of the kind."""
    both = pairs.assign(original=sides.original, altered=sides.altered).dropna(subset=["original", "altered"])
    items = both.groupby(["object", "product_id"], sort=True)[["original", "altered"]].mean().reset_index()
    row: dict[str, Any] = {"n_items": len(items)}
    try:
        drop = deviation(items["original"], items["altered"], items["product_id"], resampling=study.resampling).bias
    except UndefinedStatistic as none:
        return row | {"undefined": none.reason}
    assert drop.interval is not None
    return row | {
        "mean_original": float(items["original"].mean()),
        "mean_altered": float(items["altered"].mean()),
        "mean_drop": drop.value,
        **bound_columns("mean_drop", drop.interval),
        "method": message_list([interval_words(drop.interval), mark(both)]),
    }


def _say_which_moved_most(rows: list[dict[str, Any]], sign: float | None) -> None:
    """Set `moved_most` of a kind's rows; null where a sub-score is unknown, or none should move.

    Only one can be it: a drop, or a rise where better is expected, that is larger than every other.
    """
    drops = [row["mean_drop"] for row in rows if "mean_drop" in row]
    for place, row in enumerate(rows):
        if sign is None or len(drops) < len(rows):
            row["moved_most"] = None
            continue
        others = [sign * drop for other, drop in enumerate(drops) if other != place]
        row["moved_most"] = all(bool(compare(sign * drops[place], limit, 1.0) > 0) for limit in (0.0, *others))
