"""Small tables that the tests of this folder share; objects are a, b, c ..., one product each unless told otherwise."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from resources.configuration.fidelity import FidelityStudy
from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked

SETTING = "t0.2_p0.95"


def plan(**changes: Any) -> FidelityStudy:
    """A study of three repeats whose files nobody reads."""
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    return FidelityStudy(**{**files, "repeats": 3, "minimum_repeats": 2, "bootstrap_resamples": 200, **changes})


def objects_of(products: Mapping[str, str], **columns: Mapping[str, Any]) -> pd.DataFrame:
    """Table `study_objects` of these objects; a column is given for the objects in which it differs."""
    rows = []
    for name, product in products.items():
        row = {
            "object": name,
            "judged_object": name,
            "item_id": product,
            "product_id": product,
            "variant": None,
            "algorithm": "rodin_multi",
            "category_l1": "Home",
            "category_l2": "Seats",
            "category_l3": "Stools",
            "candidate_path": f"{name}.png",
            "candidate_sha256": f"hash of {name}",
            "reference_paths": [f"{product}.png"],
            "reference_sha256": [f"hash of {product}"],
            "n_references": 1,
            "excluded": None,
            "exclusion_detail": None,
        }
        rows.append(row | {column: values[name] for column, values in columns.items() if name in values})
    return checked(TABLES["study_objects"], pd.DataFrame(rows))


def one_each(names: str) -> dict[str, str]:
    """Every letter an object of its own product: a of product p-a."""
    return {name: f"p-{name}" for name in names}


def ratings_of(ratings: Mapping[str, Sequence[float]], objects: pd.DataFrame) -> pd.DataFrame:
    """Table `human_scores`: the first score of each object is annotator a1's, the second a2's."""
    known = objects.set_index("object")
    shared = ["item_id", "product_id", "variant", "algorithm", "category_l1", "category_l2", "category_l3"]
    rows = [
        {"filename": f"{name}.glb", "object": name, "annotator": f"a{place}", "score": score}
        | known.loc[name, shared].to_dict()
        for name, scores in ratings.items()
        for place, score in enumerate(scores, start=1)
    ]
    return checked(TABLES["human_scores"], pd.DataFrame(rows))


def matrix_of_scores(
    scores: Mapping[str, Sequence[float | None]],
    products: Mapping[str, str] | None = None,
    planned: int | None = None,
    setting: str = SETTING,
) -> pd.DataFrame:
    """Table `score_matrix`: one score per repeat, None where it is missing."""
    of_product = products or one_each("".join(scores))
    rows = [
        {
            "setting": setting,
            "object": name,
            "item_id": of_product[name],
            "product_id": of_product[name],
            "n_valid": sum(score is not None for score in repeats),
            "n_planned": planned or len(repeats),
            **{f"repeat_{place}": score for place, score in enumerate(repeats, start=1)},
        }
        for name, repeats in scores.items()
    ]
    return checked(TABLES["score_matrix"], pd.DataFrame(rows))


def calls_of(attempts: Sequence[tuple[str, int, int, str, float | None]], setting: str = SETTING) -> pd.DataFrame:
    """Table `judge_calls` of attempts as object, repeat, attempt, state, score."""
    rows = []
    for name, repeat, attempt, state, score in attempts:
        rows.append(
            dict.fromkeys(column.name for column in TABLES["judge_calls"].columns)
            | {"object": name, "item_id": f"p-{name}", "setting": setting, "repeat": repeat, "attempt": attempt}
            | {"run_id": "1", "judge": "replay", "judge_identity": "1", "model_asked": "m", "temperature": 0.2}
            | {"top_p": 0.95, "seed": 1, "prompt_hash": "1", "image_hashes": ["1"], "rationale": [], "cost_usd": 0.01}
            | {"started_at": pd.Timestamp("2026-03-29", tz="UTC"), "latency_ms": 10.0 * attempt}
            | {"state": state, "score": score, "score_stated": score, "score_recomputed": score}
        )
    return checked(TABLES["judge_calls"], pd.DataFrame(rows, dtype="object"))


def keeps_to_its_declaration(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as it would be stored; an error where it would be refused."""
    return checked(TABLES[name], frame)
