"""Advice on thresholds: given where a shift is the cause and not elsewhere, and of several pairs the highest."""

import numpy as np
import pandas as pd
import pytest

from assets.reliability.logic.judge_bias import advice_row, helpful
from assets.reliability.logic.judge_pairs import pairs_of_judges
from resources.tables.all_tables import TABLES
from tests.assets.reliability.made_judgments import THREE, TWO, Scores, at, pair_of, scored_of

TABLE = TABLES["threshold_advice"]
NAMES = [column.name for column in TABLE.columns]
BASIS = np.random.default_rng(5).uniform(0.05, 0.8, (30, 6)).round(3)


def shifted(*shifts: float) -> Scores:
    """Judges who see the same, each higher by its shift."""
    return {
        f"q{q}": {f"d{d}": tuple(round(float(BASIS[q, d]) + shift, 3) for shift in shifts) for d in range(6)}
        for q in range(30)
    }


def table(rows: list[dict[str, object]]) -> pd.DataFrame:
    return TABLE.validated(pd.DataFrame(rows, columns=NAMES))


def test_a_judge_that_scores_higher_by_a_tenth_is_advised_a_threshold_as_much_higher() -> None:
    [row] = table([advice_row(pair_of(shifted(0.0, 0.1)), at(TWO), 1)]).to_dict("records")
    assert (row["higher_judge"], row["threshold_now"], row["threshold_advised"]) == ("hasty", 0.5, 0.6)
    assert row["kappa_now"] < row["kappa_advised"] == 1.0
    assert row["n_queries"] == 30
    assert row["advice"].startswith("set the threshold of hasty from 0.5 to 0.6")


def test_the_advice_starts_from_the_other_judges_threshold() -> None:
    row = advice_row(pair_of(shifted(0.2, 0.0)), {"careful": 0.5, "hasty": 0.4}, 1)
    assert (row["higher_judge"], row["threshold_advised"]) == ("careful", pytest.approx(0.6))


def test_without_a_shift_no_threshold_helps() -> None:
    frame = table([advice_row(pair_of(shifted(0.0, 0.0)), at(TWO), 1)])
    assert frame.loc[0, "advice"] == "no threshold helps: the median shift of the documents is 0"
    assert frame[["higher_judge", "threshold_advised"]].isna().all(axis=None)
    assert helpful(frame) == {}


def test_a_threshold_in_force_is_not_advised_against_itself() -> None:
    # At 0.6 the judges agree in all: the same threshold again raises nothing.
    row = advice_row(pair_of(shifted(0.0, 0.1)), {"careful": 0.5, "hasty": 0.6}, 1)
    assert row["threshold_advised"] is None


def test_a_pair_without_a_common_document_has_a_row_and_the_reason() -> None:
    pair = pairs_of_judges(scored_of({"q": {"d": (0.9, None), "e": (None, 0.1)}}), at(TWO))[0]
    frame = table([advice_row(pair, at(TWO), 1)])
    assert frame.loc[0, "advice"] == "no advice: no document that both judges scored"
    assert frame.loc[0, "n_queries"] == 0


def test_of_several_pairs_advice_on_one_judge_the_highest_is_taken() -> None:
    thresholds = at(THREE)
    pairs = pairs_of_judges(scored_of(shifted(0.0, 0.05, 0.15), THREE), thresholds)
    frame = table([advice_row(pair, thresholds, 1) for pair in pairs])
    assert frame["higher_judge"].tolist() == ["hasty", "odd", "odd"]
    assert helpful(frame) == {"hasty": pytest.approx(0.55), "odd": pytest.approx(0.65)}
