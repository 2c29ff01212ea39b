"""Landis and Koch's words, at and next to each limit."""

import pytest

from analysis.agreement.landis_koch import landis_koch


@pytest.mark.parametrize(
    ("kappa", "word"),
    [
        (-1.0, "poor"),
        (-0.001, "poor"),
        (0.0, "slight"),
        (0.20, "slight"),
        (0.201, "fair"),
        (0.40, "fair"),
        (0.401, "moderate"),
        (0.60, "moderate"),
        (0.601, "substantial"),
        (0.80, "substantial"),
        (0.801, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)
def test_a_limit_belongs_to_the_word_below_it(kappa, word):
    assert landis_koch(kappa) == word


def test_limits_are_compared_at_12_decimals():
    assert 0.1 + 0.2 + 0.3 > 0.6
    assert landis_koch(0.1 + 0.2 + 0.3) == "moderate"
    assert landis_koch(-1e-15) == "slight"


@pytest.mark.parametrize("kappa", [float("nan"), float("inf"), 1.1])
def test_what_is_no_kappa_has_no_word(kappa):
    with pytest.raises(ValueError, match="no band"):
        landis_koch(kappa)
