"""Weights and their shares."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from resources.configuration.fidelity import RecommendationWeights, RubricWeights
from resources.tables.call_states import SUBSCORES


def test_shares_are_weights_divided_by_their_sum() -> None:
    # 40 + 25 + 15 + 20 = 100; 2 + 1 + 1 + 0 = 4.
    assert list(RubricWeights().shares.items()) == list(zip(SUBSCORES, (0.4, 0.25, 0.15, 0.2), strict=True))
    assert list(RecommendationWeights(icc=2, json_validity=1, human=1, mad=0).shares.values()) == [0.5, 0.25, 0.25, 0]


@given(st.lists(st.floats(0.001, 1000), min_size=4, max_size=4), st.floats(0.01, 100))
def test_only_proportions_count(weights: list[float], times: float) -> None:
    one = RubricWeights(**dict(zip(SUBSCORES, weights, strict=True))).shares
    other = RubricWeights(**dict(zip(SUBSCORES, [times * weight for weight in weights], strict=True))).shares
    assert sum(one.values()) == pytest.approx(1)
    assert one == pytest.approx(other)


@pytest.mark.parametrize("weight", [0.0, 1e308])
@pytest.mark.parametrize("kind", [RubricWeights, RecommendationWeights])
def test_weights_without_proportions_are_refused(
    kind: type[RubricWeights | RecommendationWeights], weight: float
) -> None:
    with pytest.raises(ValidationError, match="at least one weight must be above 0, and their sum finite"):
        kind(**dict.fromkeys(kind.model_fields, weight))
