"""The curve from a measure to relevance rises, and is never fitted on what is evaluated."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from resources.configuration.reliability import LexicalJudge
from resources.errors import FileFault, UserError
from resources.judges.relevance.offline import Calibration, Curve, Example, fitted_curve, read_calibration
from tests.resources.judges.relevance.asked import EXAMPLES, TAX, judge, ledger_of, study_in, write_examples

MEASURES = [0.1, 0.2, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
RELEVANCE = [0.0, 0.1, 0.0, 0.3, 0.2, 0.5, 0.7, 0.6, 1.0, 0.9]


def calibration(relevance: list[float]) -> Calibration:
    return Calibration("c.csv", tuple(Example(f"q{place}", "d", one) for place, one in enumerate(relevance)))


def test_the_curve_is_the_nearest_logistic_one_with_its_slope_held_back_a_little() -> None:
    curve = fitted_curve("judge1", calibration(RELEVANCE), MEASURES)
    x, y = np.array(MEASURES), np.array(RELEVANCE)
    standardised = (x - x.mean()) / x.std()

    def loss(parameters: np.ndarray) -> float:
        z = parameters[0] * standardised + parameters[1]
        return float(np.sum(np.logaddexp(0, z) - y * z) + parameters[0] ** 2 / 2)

    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    for measure in (0.0, 0.25, 0.5, 1.0):
        z = best[0] * (measure - x.mean()) / x.std() + best[1]
        assert curve.relevance(measure) == pytest.approx(1 / (1 + math.exp(-z)), abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(
    relevance=st.lists(st.floats(0, 1), min_size=10, max_size=10),
    measures=st.lists(st.floats(-2, 2).map(lambda x: round(x, 3)), min_size=10, max_size=10),
)
def test_whatever_the_examples_a_higher_measure_never_gets_a_lower_score(
    relevance: list[float], measures: list[float]
) -> None:
    try:
        curve = fitted_curve("judge1", calibration(relevance), measures)
    except UserError:
        return
    scores = [curve.relevance(measure) for measure in np.linspace(-5, 5, 101)]
    assert scores == sorted(scores)
    assert all(0 <= score <= 1 for score in scores)


def test_measures_far_outside_the_examples_stay_on_the_scale() -> None:
    assert Curve(1e6, 0).relevance(-1e6) == pytest.approx(0, abs=1e-300)
    assert Curve(1e6, 0).relevance(1e6) == 1.0


def test_examples_that_a_threshold_separates_make_no_infinite_slope() -> None:
    curve = fitted_curve("judge1", calibration([0.0] * 5 + [1.0] * 5), MEASURES)
    assert math.isfinite(curve.slope)
    assert 0 < curve.relevance(0.1) < 0.5 < curve.relevance(0.9) < 1


def test_a_measure_that_falls_with_relevance_is_refused() -> None:
    with pytest.raises(UserError, match="does not rise"):
        fitted_curve("judge1", calibration(RELEVANCE[::-1]), MEASURES)


def test_a_measure_that_is_always_the_same_is_refused() -> None:
    with pytest.raises(UserError, match="nothing can be fitted"):
        fitted_curve("judge1", calibration(RELEVANCE), [0.4] * 10)


@pytest.mark.parametrize("query", [TAX, "  when is the TAX return due?"])
def test_a_query_that_is_evaluated_is_never_fitted_on(query: str, tmp_path: Path) -> None:
    path = write_examples(tmp_path, [*EXAMPLES, (query, "It is due in April.", 1.0)])
    ledger = ledger_of(f"sqlite:///{tmp_path / 'touchstone.db'}")
    with pytest.raises(UserError, match=r"1 of its queries is evaluated too: q2 .*nothing was changed"):
        judge(study_in(tmp_path, calibration=path), LexicalJudge(kind="lexical"), ledger)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_every_kind_of_file_gives_the_same_examples(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"examples.{ending}"
    frame = pd.DataFrame(EXAMPLES, columns=["query", "document", "relevance"])
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        path.write_text("\n".join(json.dumps(row) for row in frame.to_dict("records")))
    read = read_calibration(path)
    assert list(read.examples) == EXAMPLES
    shuffled = read_calibration(write_examples(tmp_path, EXAMPLES[::-1]))
    assert read.digest == shuffled.digest
    assert read.digest != read_calibration(write_examples(tmp_path, EXAMPLES[1:])).digest


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("q", "d", 1.5), "row 14: '1.5' in column 'relevance' is outside 0-1"),
        (("q", "d", "high"), "row 14: 'high' in column 'relevance' is no number"),
        (("q", "d", None), "row 14: there is no value in column 'relevance'"),
        (("q", "", 0.5), "row 14: there is no value in column 'document'"),
        (EXAMPLES[0], "row 14: it has the same query, document as row 2"),
    ],
)
def test_a_wrong_row_is_told_of(row: tuple[str, str, float], words: str, tmp_path: Path) -> None:
    with pytest.raises(FileFault) as caught:
        read_calibration(write_examples(tmp_path, [*EXAMPLES, row]))
    assert words in str(caught.value)


def test_too_few_examples_and_one_relevance_are_told_of(tmp_path: Path) -> None:
    with pytest.raises(FileFault, match="9 examples do not fix a curve"):
        read_calibration(write_examples(tmp_path, EXAMPLES[:9]))
    with pytest.raises(FileFault, match="every example has the relevance 1"):
        read_calibration(write_examples(tmp_path, [(query, document, 1.0) for query, document, _ in EXAMPLES]))


def test_a_file_without_a_column_says_which_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("query,text,relevance\na,b,1\n")
    with pytest.raises(FileFault, match="no field 'document'"):
        read_calibration(path)
