"""A value is a number, or there is a cause for which it is none."""

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from resources.inputs.evaluation.files import read_evaluation_file
from resources.inputs.written_values import Score, options_in, score_in
from tests.resources.inputs.made_files import written
from tests.resources.inputs.made_records import parquet_file, score


@pytest.mark.parametrize(
    ("value", "number", "from_text"),
    [
        (0.5, 0.5, False),
        (-3, -3.0, False),
        (Decimal("1.25"), 1.25, False),
        ("0.87 ", 0.87, True),
        ("1e-3", 0.001, True),
        (".5", 0.5, True),
        ("5.", 5.0, True),
        ("1e-9999", 0.0, True),
    ],
)
def test_a_finite_number_is_read_from_numbers_and_their_texts(value: Any, number: float, from_text: bool) -> None:
    assert score_in(value) == Score(number, None, from_text)


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        *((value, "missing") for value in (None, "", " \t")),
        *((value, "not_a_number") for value in ("N/A", "nan", math.nan, "1_000", "0x10", "1,5", "½", True, [1], {})),
        *((value, "infinite") for value in (math.inf, -math.inf, "inf", "-Infinity", "1e999", 10**400)),
    ],
)
def test_what_is_no_finite_number_has_its_cause(value: Any, cause: str) -> None:
    assert score_in(value).cause == cause


@pytest.mark.parametrize(
    ("value", "names", "texts"),
    [
        (None, ("A", "B", "C", "D"), None),
        (" ", ("A", "B", "C", "D"), None),
        ("A| B |C", ("A", "B", "C"), None),
        (["yes", "no"], ("yes", "no"), None),
        ({"A": "Blur", "B": "Noise", "C": None}, ("A", "B"), ("Blur", "Noise")),
        ([("A", "Blur"), ("B", "Noise")], ("A", "B"), ("Blur", "Noise")),
        (["(A) Blur", "B) Noise"], ("A", "B"), ("Blur", "Noise")),
        (["A. Blur", "A. Noise"], ("A. Blur", "A. Noise"), None),
        (["A. Blur", "Noise"], ("A. Blur", "Noise"), None),
        ({"A": "same", "B": "Same"}, ("A", "B"), None),
    ],
)
def test_options_come_in_several_forms(value: Any, names: tuple[str, ...], texts: tuple[str, ...] | None) -> None:
    assert options_in(value) == (names, texts)


def test_cells_and_stored_numbers_are_left_out_for_the_same_causes(tmp_path: Path) -> None:
    cells = ["0.5", "N/A", "nan", "Infinity", "1e999", ""]
    lines = [f"s{row},{cell},3" for row, cell in enumerate(cells)]
    from_csv = read_evaluation_file(written(tmp_path / "a.csv", "sample_id,final_score,mos", *lines))
    stored = [score(f"s{row}", value) for row, value in enumerate([0.5, math.nan, math.nan, math.inf, -math.inf, None])]
    from_parquet = read_evaluation_file(parquet_file(tmp_path / "a.parquet", *stored))
    expected = {"prediction_not_a_number": 2, "infinite_prediction": 2, "missing_prediction": 1}
    assert from_csv.excluded == from_parquet.excluded == expected
    assert from_csv.n_normalised == 0
