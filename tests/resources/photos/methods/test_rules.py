"""Methods by rule: raw measures, and mixtures worked by hand."""

import numpy as np
import pytest

from resources.configuration.pairwise import RULE_METHODS
from resources.photos.methods.rules import RULES_BY_NAME, Composite
from tests.resources.photos.methods.made_features import features_of

FEATURES = features_of(2, sharpness=[1000.0, 3000.0], contrast=[0.8, np.nan], exposure=[0.6, 0.7], colorfulness=[25, 0])


def test_every_rule_method_of_the_configuration_is_there_under_its_name() -> None:
    assert tuple(RULES_BY_NAME) == RULE_METHODS
    assert all(method.name == name and method.needs == ("rules",) for name, method in RULES_BY_NAME.items())


@pytest.mark.parametrize("measure", ["sharpness", "contrast", "exposure", "colorfulness"])
def test_a_single_measure_is_compared_raw(measure: str) -> None:
    np.testing.assert_array_equal(RULES_BY_NAME[f"{measure}_only"].score(FEATURES), FEATURES.numbers(measure))


def test_mixtures_weigh_measures_brought_to_one_scale() -> None:
    # Sharpness 1000/2000 = 0.5, contrast 0.8/1.6 = 0.5, exposure 0.6, colourfulness 25/125 = 0.2.
    # Balanced: 0.3*0.5 + 0.2*0.5 + 0.3*0.6 + 0.2*0.2 = 0.47.
    # Sharpness focused: 0.5*0.5 + 0.15*0.5 + 0.25*0.6 + 0.1*0.2 = 0.495.
    # Exposure focused: 0.2*0.5 + 0.15*0.5 + 0.5*0.6 + 0.15*0.2 = 0.505.
    names = ("composite_balanced", "composite_sharpness_focused", "composite_exposure_focused")
    assert [RULES_BY_NAME[name].score(FEATURES)[0] for name in names] == pytest.approx([0.47, 0.495, 0.505])


def test_a_mixture_without_one_of_its_measures_is_not_defined() -> None:
    assert np.isnan(RULES_BY_NAME["composite_balanced"].score(FEATURES)[1])


def test_no_value_is_so_large_that_a_larger_one_ties_with_it() -> None:
    many = features_of(2, sharpness=[1e6, 2e6], contrast=[1.0, 1.0], exposure=[0.5, 0.5], colorfulness=[1.0, 1.0])
    one, two = RULES_BY_NAME["composite_balanced"].score(many)
    assert one < two < 1.0


def test_weights_of_a_users_mixture_need_not_add_up_to_one() -> None:
    # (6*0.5 + 2*0.6) / 8 = 0.525.
    assert Composite("mine", {"sharpness": 6.0, "exposure": 2.0}).score(FEATURES)[0] == pytest.approx(0.525)
