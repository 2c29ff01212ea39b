"""A column's numbers and ids are read in one form, which is said, or refused by name."""

import pytest

from resources.errors import UserError
from resources.inputs.written_columns import WrittenOtherwise, evidence_of

OR_DECLARE = "; or, where commas are decimal signs too, `touchstone verdict` takes `--decimal ,`"


@pytest.mark.parametrize(
    ("cells", "numbers", "said"),
    [
        (["0,5", "12,75"], [0.5, 12.75], "a comma is the decimal sign"),
        (["812", "1,234", "1,234.5"], [812, 1234, 1234.5], "a comma separates thousands"),
        (["812", "1,234"], [812, 1234], "a comma separates thousands"),
        (["1.234,5", "0,5"], [1234.5, 0.5], "a comma is the decimal sign, a point separates thousands"),
        (["1\u202f234,5", "12,0"], [1234.5, 12], "a comma is the decimal sign, a space separates thousands"),
        (["1\u2019234.5", "1"], [1234.5, 1], "an apostrophe separates thousands"),
        (["\u22120.5", "0.3", "-1"], [-0.5, 0.3, -1], "dashes before numbers are minus signs"),
        (["50%", "87 %"], [0.5, 0.87], "% makes shares (50 % is 0.5)"),
        (["$5.10", "$1,200.00", "-$3.5"], [5.1, 1200, -3.5], "a comma separates thousands, '$' is left out"),
        (["5 dB", "6.5 dB"], [5, 6.5], "'dB' is left out"),
        (["3,5 \u20ac", "4,0 \u20ac"], [3.5, 4], "a comma is the decimal sign, '\u20ac' is left out"),
        (["1.234", "2", "1e-3", "+.5", "5."], [1.234, 2, 0.001, 0.5, 5], None),
        (["1.5", "none", "4/5", "2026-01-05", "", "1_000", "0x10"], [1.5, *[None] * 6], None),
    ],
)
def test_a_consistent_column_is_read_and_its_form_is_said(
    cells: list[str], numbers: list[float | None], said: str | None
) -> None:
    written = evidence_of({"mos": cells}).decided("a.csv", ",")
    assert [written.number("mos", cell) for cell in cells] == numbers
    assert written.notes() == ([f"Column 'mos': {said}."] if said else [])


@pytest.mark.parametrize(
    ("cells", "odd", "like"),
    [
        (["0,5", "0,7", "0.5"], "0.5", f"1234,5{OR_DECLARE}"),
        (["0.5", "0.7", "0,5"], "0,5", f"1234.5{OR_DECLARE}"),
        # Three decimals are no groups, whatever fits.
        (["7.218", "6.311", "7,123"], "7,123", f"1234.5{OR_DECLARE}"),
        (["3.18", "2.71", "9,709"], "9,709", f"1234.5{OR_DECLARE}"),
        (["7,218", "6,311", "7.123"], "7.123", f"1234,5{OR_DECLARE}"),
        (["812", "3.5", "1,234"], "1,234", f"1234.5{OR_DECLARE}"),
        (["5 dB", "6 dB", "7"], "7", "1234.5 dB"),
        (["50%", "60%", "0.7"], "0.7", "1234.5%"),
        (["1.5", "2.5", "12,34,567"], "12,34,567", "1234.5"),
        (["1.5", "2.5", "(0.5)"], "(0.5)", "1234.5"),
        (["1.5", "2.5", "0.5-"], "0.5-", "1234.5"),
        (["1.5", "2.5", "< 0.01"], "< 0.01", "1234.5"),
        (["$5", "$6", "($7)"], "($7)", "$1234.5"),
        (["1.5", "2.5", '="0.5"'], '="0.5"', "1234.5"),
    ],
)
def test_a_number_in_another_form_than_its_column_is_refused_by_name(cells: list[str], odd: str, like: str) -> None:
    written = evidence_of({"mos": cells}).decided("a.csv", ",")
    with pytest.raises(WrittenOtherwise) as refused:
        written.number("mos", odd)
    assert f"'{odd}' in column 'mos' is written in another way" in refused.value.problem
    assert refused.value.remedy == f"Write it like {like}."


@pytest.mark.parametrize("cells", [["1,234", "2,345"], ["5", "1,234"]])
def test_commas_that_may_mean_either_are_refused_where_commas_separate_cells(cells: list[str]) -> None:
    with pytest.raises(UserError, match=r"a\.csv: '1,234' in column 'mos' can be read in two ways.*with a point"):
        evidence_of({"mos": cells}).decided("a.csv", ",")


def test_between_semicolons_a_comma_is_the_decimal_sign_unless_whole_numbers_of_three_digits_speak_against_it() -> None:
    written = evidence_of({"mos": ["45,123", "87,455", "9"]}).decided("a.csv", ";")
    assert [written.number("mos", cell) for cell in ("45,123", "9")] == [45.123, 9]
    # 45.123 of 100, or 45,123 and 100.
    with pytest.raises(UserError, match=r"a\.csv: '45,123' in column 'mos' can be read in two ways"):
        evidence_of({"mos": ["45,123", "87,455", "100"]}).decided("a.csv", ";")


def test_the_decimal_sign_of_other_columns_decides() -> None:
    cells = {"mos": ["1,234", "2,345"], "sd": ["0,5"]}
    assert evidence_of(cells).decided("a.csv", ",").number("mos", "1,234") == 1.234
    points = {"mos": ["1.234", "2"], "sd": ["0,5"]}
    assert evidence_of(points).decided("a.csv", ";").number("mos", "1.234") == 1234


@pytest.mark.parametrize(
    ("cells", "delimiter", "part"),
    [
        ({"mos": ["1,234", "2,345"], "sd": ["0.5"]}, ",", "Other columns have decimal points"),
        ({"mos": ["7,123", "6,311"], "sd": ["38.1"]}, ";", "`--decimal ,`"),
        ({"mos": ["812", "1,234"], "sd": ["0,5"]}, ",", "Other columns have decimal commas"),
        ({"mos": ["812", "1,234", "1200"]}, ",", "`--decimal .`"),
        ({"mos": ["1.234", "2"], "sd": ["0,5"]}, "", "the point may be the decimal sign"),
        ({"mos": ["7.123", "6.311"], "sd": ["0,5"]}, ";", "the point may be the decimal sign"),
    ],
)
def test_a_factor_of_a_thousand_is_a_question(cells: dict[str, list[str]], delimiter: str, part: str) -> None:
    with pytest.raises(UserError, match=r"in column 'mos' can be read in two ways") as refused:
        evidence_of(cells).decided("a.csv", delimiter)
    assert part in str(refused.value)


def test_the_decimal_sign_that_is_named_decides() -> None:
    cells = {"niqe": ["7.218", "7,123", "2"], "mos": ["1,234", "2,345"], "n": ["1.234,5"]}
    written = evidence_of(cells).decided("a.csv", ",", ",")
    assert [written.number("niqe", cell) for cell in cells["niqe"]] == [7.218, 7.123, 2]
    assert (written.number("mos", "1,234"), written.number("n", "1.234,5")) == (1.234, 1234.5)
    assert written.notes()[0] == "Column 'niqe': a comma is the decimal sign and so is a point."
    assert evidence_of(cells).decided("a.csv", ",", ".").number("mos", "1,234") == 1234


def test_ids_lose_their_point_where_the_whole_column_is_whole() -> None:
    written = evidence_of({}, {"id": ["1.0", "2"], "version": ["1.0", "1.1"]}).decided("a.csv", ",")
    assert [written.label("id", "1.0"), written.label("version", "1.0")] == ["1", "1.0"]
