"""Table `method_significance`: couples of methods on the pairs that all of them predict."""

import math
from itertools import combinations

import pandas as pd
import pytest

from assets.pairwise.method_significance import common_credit, headline, significance_rows
from tests.assets.pairwise.made_photo_pairs import by_winner, photo_pairs_of, results_of
from tests.assets.shared.made_tables import keeps_to_its_declaration

# Forty series with one pair each, all won 4 to 1 by image 1.
PAIRS = photo_pairs_of([(series, 0, 1, 4, 1) for series in range(40)])


def results(**wrong: range) -> dict[str, pd.DataFrame]:
    """Methods that are wrong in these pairs."""
    return {name: results_of(PAIRS, name, by_winner(PAIRS, list(pairs))) for name, pairs in wrong.items()}


def rows(made: dict[str, pd.DataFrame], **how: bool) -> pd.DataFrame:
    return keeps_to_its_declaration("method_significance", significance_rows(*common_credit(made), **how))


def test_the_better_method_comes_first_with_z_over_series_and_mcnemar_beside_it() -> None:
    [row] = rows(results(worse=range(20), better=range(16, 20))).to_dict("records")
    assert (row["method_1"], row["method_2"], row["n"], row["n_series"]) == ("better", "worse", 40, 40)
    # Better is right where worse is not in 16 series, never the reverse: z = 16 / sqrt 16 = 4.
    assert row["difference"] == pytest.approx(16 / 40)
    assert row["z"] == pytest.approx(4.0)
    assert row["p"] == pytest.approx(math.erfc(4 / math.sqrt(2)))
    # 16 to 0: exact two-sided p = 2 / 2^16, mid-p half of that.
    assert (row["mcnemar_p"], row["mcnemar_p_mid"]) == pytest.approx((2 / 2**16, 1 / 2**16))
    assert (row["separated"], row["letters_1"], row["letters_2"]) == (True, "a", "b")


def test_holm_and_letters_are_over_all_couples() -> None:
    # Errors: none, 5, 20. One to two: 5 series, z = sqrt 5 = 2.236, p 0.0253; to three: sqrt 20; two to three: sqrt 15.
    # Five series that differ are too few to tell two methods apart, whatever their p.
    found = rows(results(c=range(20), b=range(5), a=range(0))).set_index(["method_1", "method_2"])
    assert found.loc[("a", "b"), "p"] == pytest.approx(math.erfc(math.sqrt(5 / 2)))
    assert found.loc[("b", "c"), "p_holm"] == pytest.approx(2 * math.erfc(math.sqrt(15 / 2)))
    assert found["p_holm"].max() < 0.05
    assert found["separated"].tolist() == [False, True, True]
    assert "5 clusters differ, under 10: unreliable" in found.loc[("a", "b"), "undefined"]
    letters = {
        name: found.loc[couple, f"letters_{side}"] for couple in found.index for side, name in enumerate(couple, 1)
    }
    assert letters == {"a": "a", "b": "a", "c": "b"}


def test_methods_that_are_not_separated_share_a_letter() -> None:
    found = rows(results(a=range(0, 6), b=range(3, 10), c=range(12, 40)))
    letters = dict(zip(found["method_1"], found["letters_1"], strict=True)) | dict(
        zip(found["method_2"], found["letters_2"], strict=True)
    )
    for row in found.to_dict("records"):
        shared = set(letters[row["method_1"]]) & set(letters[row["method_2"]])
        assert bool(shared) != row["separated"]


def test_methods_are_compared_on_the_pairs_that_all_of_them_predict() -> None:
    made = results(a=range(0), b=range(10))
    scores = {name: score for name, score in by_winner(PAIRS).items() if name > "000029-99"}
    made |= {"c": results_of(PAIRS, "c", scores), "none": results_of(PAIRS, "none", {})}
    made |= {"unavailable": made["a"].iloc[:0]}
    found = rows(made)
    assert set(found["method_1"]) | set(found["method_2"]) == {"a", "b", "c"}
    assert set(found["n"]) == {10}
    # On the last ten pairs all three are right.
    assert not found["separated"].any()
    assert set(found["undefined"]) == {"z, p: the two get the same credit in each cluster"}


def test_listed_orders_have_no_exact_test() -> None:
    [row] = rows(results(a=range(0), b=range(20)), merged=False).to_dict("records")
    assert pd.isna(row["mcnemar_p"])
    assert "mcnemar_p: none: an exact test needs pairs with both orders merged" in row["undefined"]


def test_too_few_series_leave_differences_without_a_test() -> None:
    few = photo_pairs_of([(series, 0, 1, 4, 1) for series in range(4)])
    made = {name: results_of(few, name, by_winner(few, wrong)) for name, wrong in (("a", [0, 1]), ("b", [3]))}
    [row] = rows(made).to_dict("records")
    assert (row["method_1"], row["difference"], row["separated"]) == ("b", 0.25, False)
    assert row["undefined"] == "all tests: 4 clusters, fewer than 5"
    assert row["letters_1"] == row["letters_2"] == "a"


def test_fewer_than_two_methods_have_nothing_to_compare() -> None:
    for made in (results(a=range(3)), {}):
        credit, series = common_credit(made)
        frame = keeps_to_its_declaration("method_significance", significance_rows(credit, series))
        assert frame.empty
        assert headline(frame, credit)["note"] == "fewer than two methods predict anything"


def test_the_headline_counts_couples_and_names_everybodys_letters() -> None:
    made = results(a=range(0), b=range(20), c=range(19))
    seen = headline(rows(made), common_credit(made)[0])
    assert (seen["n_methods"], seen["n_pairs"], seen["n_couples"]) == (3, 40, len(list(combinations("abc", 2))))
    assert seen["letters"] == {"a": "a", "c": "b", "b": "b"}
