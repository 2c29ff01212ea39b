"""Which products choose the setting, so that numbers come from others: known before anything is judged."""

from typing import Literal, NamedTuple

import pandas as pd

from analysis.agreement.selection import split
from analysis.messages import message
from resources.configuration.fidelity import FidelityStudy


class Choosing(NamedTuple):
    """The products that choose; under `optimism` all of them, and `why` says what made it so."""

    method: Literal["split", "optimism"]
    products: frozenset[str]
    why: str


def products_that_choose(study_objects: pd.DataFrame, human_scores: pd.DataFrame, study: FidelityStudy) -> Choosing:
    """One random half of the products, or all of them where there are too few to split.

    It depends on the objects that are judged and on who was scored, not on what the judge said, so that the halves
    stay the same when a setting is judged again, and the golden set can be drawn before.

    Args:
        study_objects: Table `study_objects`.
        human_scores: Table `human_scores`; products that people scored are halved among themselves.
        study: Method, fewest products and seed.
    """
    judged = study_objects[study_objects["excluded"].isna()]
    scored = judged["object"].isin(human_scores["object"])
    n_products = int(judged.loc[scored, "product_id"].nunique())
    plan = study.recommendation
    fewest = 2 if plan.method == "split" else plan.fewest_products_to_split
    if plan.method == "optimism" or n_products < fewest:
        why = message("as configured")
        if plan.method != "optimism":
            why = message(
                "people scored {n:,} product, and fewer than {fewest} are not split"
                "|people scored {n:,} products, and fewer than {fewest} are not split",
                n=n_products,
                fewest=fewest,
            )
        return Choosing("optimism", frozenset(judged["product_id"]), why)
    inside = split(judged["product_id"].to_numpy(dtype=str), scored.to_numpy(dtype=bool), study.seed)
    why = message("as configured")
    if plan.method != "split":
        why = message(
            "people scored {n:,} product, at least {fewest}|people scored {n:,} products, at least {fewest}",
            n=n_products,
            fewest=fewest,
        )
    return Choosing("split", frozenset(judged.loc[inside, "product_id"]), why)
