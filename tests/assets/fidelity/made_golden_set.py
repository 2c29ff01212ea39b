"""Small golden sets: tables `golden_images` and `golden_scores` of letters as objects."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked
from tests.assets.shared.made_tables import SETTING

# Name of the alteration: kind, magnitude, unit, what is expected.
ALTERATIONS: dict[str, tuple[str, float | None, str, str]] = {
    "stripes7_o30": ("stripes", 0.3, "opacity", "worse"),
    "stripes7_o50": ("stripes", 0.5, "opacity", "worse"),
    "stripes7_o70": ("stripes", 0.7, "opacity", "worse"),
    "stripes7_shaded_o70": ("stripes_shaded", 0.7, "opacity", "worse"),
    "hue_5": ("hue", 5.0, "degrees", "worse"),
    "saturation_75": ("saturation", 0.75, "factor", "worse"),
    "saturation_50": ("saturation", 0.5, "factor", "worse"),
    "saturation_25": ("saturation", 0.25, "factor", "worse"),
    "texture_150": ("texture_scale", 1.5, "factor", "worse"),
    "untouched": ("untouched", None, "none", "same"),
    "reencoded": ("reencoded", None, "none", "same"),
    "other_item": ("other_item", None, "none", "worse"),
    # The user's own.
    "scratch_1": ("scratch", 1.0, "mm", "worse"),
    "polished_1": ("polished", 1.0, "steps", "better"),
    "polished_2": ("polished", 2.0, "steps", "better"),
    "polished_3": ("polished", 3.0, "steps", "better"),
}


def described(alteration: str) -> dict[str, Any]:
    """The columns that say what an alteration is."""
    names = ("kind", "magnitude", "magnitude_unit", "expected")
    return {"alteration": alteration, **dict(zip(names, ALTERATIONS[alteration], strict=True))}


def images_of(objects: str, alterations: Sequence[str], **changed: Mapping[str, Any]) -> pd.DataFrame:
    """Table `golden_images`; a column is given for the objects in which it differs."""
    rows = [
        {
            "object": name,
            "item_id": f"p-{name}",
            "product_id": f"p-{name}",
            "category_l3": "Stools",
            **described(alteration),
            "original_path": f"{name}.png",
            "original_sha256": f"hash of {name}",
            "altered_path": f"{name}_{alteration}.png",
            "altered_sha256": f"hash of {name} {alteration}",
            "reference_paths": [f"p-{name}.png"],
            "reference_sha256": [f"hash of p-{name}"],
            "changed_share": 0.5,
            "chose_setting": False,
            "skipped": None,
        }
        | {column: values[name] for column, values in changed.items() if name in values}
        for name in objects
        for alteration in alterations
    ]
    return checked(TABLES["golden_images"], pd.DataFrame(rows))


def scores_of_pairs(
    originals: Sequence[float | None],
    altered: Mapping[str, Sequence[float | None]],
    chose: Sequence[bool] | None = None,
    products: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Table `golden_scores`: a letter for each original, a score for each of its alterations; None is no pair."""
    rows = []
    for alteration, scores in altered.items():
        for place, (original, score) in enumerate(zip(originals, scores, strict=True)):
            name = "abcdefghijklmnopqrstuvwxyz"[place]
            whole = original is not None and score is not None
            rows.append(
                {
                    "setting": SETTING,
                    "object": name,
                    "item_id": f"p-{name}",
                    "product_id": products[place] if products else f"p-{name}",
                    **described(alteration),
                    "original_score": original,
                    "n_original": 3 if original is not None else 0,
                    "altered_score": score,
                    "n_altered": 3 if score is not None else 0,
                    "n_planned": 3,
                    "drop": original - score if original is not None and score is not None else None,
                    "cost_usd": 0.01,
                    "chose_setting": bool(chose and chose[place]),
                    "undefined": None if whole else "too few valid repeats",
                }
            )
    columns = [column.name for column in TABLES["golden_scores"].columns]
    return checked(TABLES["golden_scores"], pd.DataFrame(rows, columns=columns))
