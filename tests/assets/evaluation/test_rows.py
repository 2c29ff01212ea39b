"""Rows of one data set's correlations, and the picture next to them."""

import numpy as np
import pytest

from analysis.correlation.mapping import fit_mapping
from analysis.undefined import UndefinedStatistic
from assets.evaluation.logic import rows
from assets.evaluation.logic.outputs import curve_of
from assets.evaluation.logic.rows import Sides, mapping_of
from resources.configuration.evaluation import Dataset

FALLING = Dataset(file="scores.csv", higher_is_better=False, mapping="logistic_4")


def sides(n: int = 40) -> Sides:
    prediction = np.linspace(0.0, 10.0, n)
    return Sides(prediction, 5.0 - np.tanh(prediction - 5.0) + 0.1 * np.sin(7.0 * prediction), None, n)


def test_the_curve_of_the_table_and_of_its_picture_is_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = []
    monkeypatch.setattr(rows, "fit_mapping", lambda *given: fits.append(given) or fit_mapping(*given))
    rows._mapping_of.cache_clear()
    of_table = mapping_of(sides(), FALLING)
    curve = curve_of(sides(), FALLING)
    assert len(fits) == 1
    assert not isinstance(of_table, UndefinedStatistic)
    assert of_table == fit_mapping(-sides().prediction, sides().truth, "logistic_4")
    assert curve is not None
    assert curve[1].tolist() == of_table.apply(-curve[0]).tolist()


def test_too_few_samples_have_no_curve_and_say_why() -> None:
    found = mapping_of(sides(3), FALLING)
    assert isinstance(found, UndefinedStatistic)
    assert "parameters" in found.reason
    assert curve_of(sides(3), FALLING) is None
