"""Table `pair_judges`: whether the place decides what a judge of pairs says, or the length, or who wrote it."""

from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most
from assets.pairwise.logic.pair_judging import judge_rows
from assets.shared.gate import Kind, gate
from assets.shared.partitions import metadata_value, readable
from resources.errors import listing
from resources.study import Study
from resources.tables.pairwise_rows import judged_pairs

FAIR = 0.5


@dg.asset(group_name="pairwise_people", kinds={"pandas"}, code_version="1")
def pair_judges(
    context: dg.AssetExecutionContext,
    photo_pairs: pd.DataFrame,
    pair_answers: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per judge of pairs: consistency, first-shown rate, position coefficient, length, own texts."""
    frame = judge_rows(pair_answers, judged_pairs(photo_pairs), study.pairwise)
    context.add_output_metadata(readable(headline(frame)))
    return frame


def headline(frame: pd.DataFrame) -> dict[str, Any]:
    """Of the first judge, which a study with one has, the numbers that are drawn over time."""
    names = ("consistency", "first_shown_rate", "position_log_odds", "length_bias", "self_preference", "n")
    row = frame.iloc[0] if len(frame) else dict.fromkeys(names)
    return {"n_judges": len(frame)} | {name: metadata_value(row[name]) for name in names}


@gate(
    pair_judges,
    Kind.ADVICE,
    to_do="Read the judge's picks as they are, asked in both orders; never ask it in one order alone.",
)
def place_does_not_decide(pair_judges: pd.DataFrame) -> Gate:
    """No judge of pairs prefers a place: the interval of each first-shown rate holds 0.5."""
    seen = pair_judges[pair_judges["first_shown_rate_low"].notna()]
    partial = seen[(seen["first_shown_rate_low"] > FAIR) | (seen["first_shown_rate_high"] < FAIR)]
    if seen.empty:
        sentence = "No judge of pairs has a first-shown rate with an interval."
        return Gate("place_does_not_decide", True, None, "nothing", sentence)
    said = zip(partial["judge"], partial["first_shown_rate"], strict=True)
    named = listing(f"{name} {rate:.3f}" for name, rate in said)
    gate = at_most(
        "place_does_not_decide",
        float(len(partial)),
        0,
        n=len(seen),
        counted="judges",
        what="Number of judges that prefer a place",
        remedy=f"First-shown rates: {named}. Answers that differ by order count as ties.",
    )
    return gate.passing_as(f"The first-shown rate of {len(seen)} judges of pairs is not distinguishable from a half.")
