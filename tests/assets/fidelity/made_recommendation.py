"""Settings of known quality over many products, as the tables behind a recommendation."""

import numpy as np
import pandas as pd

from assets.fidelity.convergence_curves import curve_rows
from assets.fidelity.logic.judge_answers import Judgements
from assets.fidelity.recommended_setting import recommendation_rows
from assets.shared.partitions import SETTINGS
from resources.configuration.fidelity import Recommendation
from tests.assets.shared.made_tables import (
    calls_of,
    keeps_to_its_declaration,
    matrix_of_scores,
    objects_of,
    plan,
    ratings_of,
)

BASELINE, STEADY, SHAKY, COARSE = SETTINGS.get_partition_keys()[:4]


def study_of(method: str = "auto", **changes: object):
    """A plan of five repeats."""
    return plan(**{"repeats": 5, "minimum_repeats": 3, "recommendation": Recommendation(method=method)} | changes)


def judgements(
    noises: dict[str, float],
    *,
    n_products: int = 16,
    per_product: int = 2,
    errors: dict[str, float] | None = None,
    invalid: dict[str, int] | None = None,
    unscored: int = 0,
    seed: int = 1,
) -> Judgements:
    """One setting per key: repeats with this noise around what people think plus an error of the setting's own.

    Args:
        noises: Spread of the repeats by setting; 0 makes it deterministic.
        n_products: Products, of `per_product` objects each.
        per_product: Objects of each.
        errors: Spread of the setting's view around people's, by setting.
        invalid: Calls whose first answer was not valid, by setting; a second attempt cured them.
        unscored: Products that no person scored, the last ones.
        seed: Of everything.
    """
    random = np.random.default_rng(seed)
    products = {f"o{number:03d}": f"p{number // per_product:02d}" for number in range(n_products * per_product)}
    truth = dict(zip(products, random.permutation(np.linspace(0.2, 0.8, len(products))), strict=True))
    objects = objects_of(products)
    kept = [name for name in products if products[name] < f"p{n_products - unscored:02d}"]
    people = ratings_of({name: [truth[name]] for name in kept}, objects)
    calls, matrices, curves = {}, {}, {}
    for key, noise in noises.items():
        spread = (errors or {}).get(key, 0.01)
        view = {name: score + spread * random.normal() for name, score in truth.items()}
        scores = {
            name: [float(np.clip(value + noise * random.normal(), 0, 1)) for _ in range(5)]
            for name, value in view.items()
        }
        attempts = [(name, repeat, 1, "valid", 0.5) for name in products for repeat in range(1, 6)]
        for place in range((invalid or {}).get(key, 0)):
            name, repeat = attempts[place][:2]
            attempts[place] = (name, repeat, 1, "invalid_json", None)
            attempts.append((name, repeat, 2, "valid", 0.5))
        calls[key] = calls_of(attempts, setting=key)
        matrices[key] = matrix_of_scores(scores, products, setting=key)
        curves[key] = keeps_to_its_declaration("convergence_curves", curve_rows(matrices[key], study_of()))
    return Judgements(calls, matrices, people, objects, curves)


def recommended(tables: Judgements, method: str = "auto", **changes: object) -> pd.DataFrame:
    """Table `recommended_setting`, as it would be stored."""
    made = recommendation_rows(tables, study_of(method, **changes))
    return keeps_to_its_declaration("recommended_setting", made)
