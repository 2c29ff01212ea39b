"""Which objects the golden set is made of: drawn among products that did not choose the setting, or named."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from assets.fidelity.logic.recommendation_gates import chosen_setting
from assets.shared.seeded_draw import lot, products_in_turn
from resources.configuration.fidelity import FidelityStudy
from resources.errors import UserError, did_you_mean, listing
from resources.inputs.fidelity.golden_pairs import own_altered, refuse_unknown_subscores


def golden_objects(study_objects: pd.DataFrame, choosing: Collection[str], study: FidelityStudy) -> pd.DataFrame:
    """Rows of `study_objects`, one object per item, with the flag `chose_setting`.

    The draw is by hash of seed and name, so that objects that come or go later move as few of the others as can be:
    what was paid for stays in the set. Items of other products come before a product's second item.

    Raises:
        UserError: An item that the configuration names is not in the study.
    """
    refuse_unknown_items(study_objects, study)
    judged = study_objects["excluded"].isna()
    objects = study_objects.assign(chose_setting=study_objects["product_id"].isin(list(choosing)))
    objects["drawn"] = [lot(study.seed, name) for name in objects["object"]]
    # An object that is left out stands for an item only where the item has no other.
    per_item = objects.assign(left_out=~judged).sort_values(["left_out", "drawn"]).drop_duplicates("item_id")
    if study.golden.items is not None:
        chosen = _named(per_item, study.golden.items)
    else:
        chosen = _drawn(per_item[~per_item["left_out"]], study)
    return chosen.drop(columns=["drawn", "left_out"]).reset_index(drop=True)


def other_object(chosen: Mapping[Hashable, Any], study_objects: pd.DataFrame, seed: int) -> pd.Series | None:
    """A judged object of another product, of another category where there is one; null where there is none."""
    others = study_objects[
        study_objects["excluded"].isna()
        & study_objects["product_id"].ne(chosen["product_id"])
        & study_objects["candidate_sha256"].ne(chosen["candidate_sha256"])
    ]
    if others.empty:
        return None
    lots = [lot(seed, f"{chosen['object']} {name}") for name in others["object"]]
    same = others["category_l3"].fillna("").eq("" if pd.isna(chosen["category_l3"]) else chosen["category_l3"])
    return others.assign(same=same, lot=lots).sort_values(["same", "lot"]).iloc[0]


def refuse_wrong_golden_set(study_objects: pd.DataFrame, study: FidelityStudy) -> None:
    """End where the golden set is of what the study does not have, or own pairs are wrong, before anything is paid for.

    Raises:
        UserError: An item is unknown, with the nearest that there is, or a pair is wrong.
    """
    refuse_unknown_items(study_objects, study)
    own_altered(study_objects, study)
    refuse_unknown_subscores(study)


def refuse_unknown_items(study_objects: pd.DataFrame, study: FidelityStudy) -> None:
    """End where the configuration names a golden item that the study does not have.

    Raises:
        UserError: That is so, with the names and the nearest that there are.
    """
    known = set(study_objects["item_id"])
    unknown = [f"'{item}'{did_you_mean(item, known)}" for item in study.golden.items or () if item not in known]
    if unknown:
        raise UserError(
            f"golden.items: the study has no item {listing(unknown)}. Correct the names, or leave them out."
        )


def _named(per_item: pd.DataFrame, items: Sequence[str]) -> pd.DataFrame:
    return per_item.set_index("item_id", drop=False).loc[list(dict.fromkeys(items))]


def _drawn(per_item: pd.DataFrame, study: FidelityStudy) -> pd.DataFrame:
    reporting = per_item[~per_item["chose_setting"]]
    pool = per_item if reporting.empty else reporting
    return products_in_turn(pool, "item_id", study.seed, study.golden.n_items)


def setting_in_force(configured: str | None, recommended_setting: pd.DataFrame, section: str) -> str:
    """The partition key of one setting.

    Returns:
        Else the recommended setting, else the one that lacks least; where each that was compared is deterministic, the
        baseline, or the first that was compared. Where none was compared, the same of all that were made.

    Raises:
        UserError: No setting is named, and none was made.
    """
    if configured is not None:
        return configured
    chosen = chosen_setting(recommended_setting)
    if key := chosen.setting or chosen.nearest:
        return key
    compared = recommended_setting[recommended_setting["n_settings_tried"] > 0]
    for rows in (compared, recommended_setting):
        if len(rows):
            baseline_first = rows.assign(other=~rows["baseline"].astype(bool)).sort_values("other", kind="stable")
            return str(baseline_first["setting"].iloc[0])
    raise UserError(f"No setting was run yet. Run one, or name one of the study's settings as `{section}.setting`.")
