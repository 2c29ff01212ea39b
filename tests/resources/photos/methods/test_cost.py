"""What a method alone costs: of the rules only the steps that its own measures need."""

import numpy as np
import pytest

from analysis.images.photo_rules import STEPS
from resources.photos.methods.contract import Method
from resources.photos.methods.registry import PROBES, ClipContrast
from resources.photos.methods.rules import RULES_BY_NAME, Composite, parts_of
from tests.resources.photos.methods.made_features import features_of

# 7 ms of rules: 1 to reduce the photo, and these steps.
STEP_MS = dict(zip(STEPS, (1.0, 0.5, 2.0, 0.1, 0.2, 2.2), strict=True))
FEATURES = features_of(1, rules_ms=7.0, **{f"{step}_ms": taken for step, taken in STEP_MS.items()})


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # Decoding 10 and reducing 1, then what the measure needs; grey counts for each that needs it.
        (RULES_BY_NAME["sharpness_only"], 11.0 + 1.0 + 2.0),
        (RULES_BY_NAME["contrast_only"], 11.0 + 1.0 + 0.5 + 0.1),
        (RULES_BY_NAME["exposure_only"], 11.0 + 1.0 + 0.5 + 0.2),
        (RULES_BY_NAME["colorfulness_only"], 11.0 + 2.2),
        (RULES_BY_NAME["composite_balanced"], 10.0 + 7.0),
        (Composite("two", {"sharpness": 1.0, "exposure": 1.0}), 11.0 + 1.0 + 0.5 + 2.0 + 0.2),
        (ClipContrast("clip_calm", "calm", "busy"), 10.0 + 1.0),
        (PROBES["vit_base"], 10.0 + 1.0),
    ],
)
def test_a_method_pays_for_decoding_and_for_what_it_reads(method: Method, expected: float) -> None:
    assert FEATURES.times_ms(parts_of(method)) == pytest.approx([expected])


def test_a_users_file_that_needs_the_rules_pays_for_all_of_them() -> None:
    class Own:
        name, needs = "own", ("rules",)

        def score(self, features: object) -> np.ndarray:
            return np.zeros(1)

    assert FEATURES.times_ms(parts_of(Own())) == pytest.approx([17.0])
