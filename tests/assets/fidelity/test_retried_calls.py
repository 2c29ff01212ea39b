"""Table `retried_calls`: by hand, with and without retries, and the gate."""

from collections.abc import Sequence

import pandas as pd
import pytest

from assets.fidelity.logic.judge_answers import matrix_of
from assets.fidelity.matched_scores import matched_rows
from assets.fidelity.retried_calls import counted_calls, headline, retried_row, retries_not_told_apart
from tests.assets.asked_gates import asked
from tests.assets.shared.made_tables import (
    SETTING,
    calls_of,
    keeps_to_its_declaration,
    objects_of,
    one_each,
    plan,
    ratings_of,
)

retried_gate = asked(retries_not_told_apart)

NAMES = "abcdefgh"
Attempt = tuple[str, int, int, str, float | None]
# a: repeat 1 timed out, then 0.5, others 0.4; b: repeat 1 was no JSON and was tried again: 0.7, others 0.5;
# c: repeat 3 timed out for good; the rest came at once.
ATTEMPTS: list[Attempt] = [
    ("a", 1, 1, "timeout", None),
    ("a", 1, 2, "valid", 0.5),
    ("a", 2, 1, "valid", 0.4),
    ("a", 3, 1, "valid", 0.4),
    ("b", 1, 1, "invalid_json", None),
    ("b", 1, 2, "recovered", 0.7),
    ("b", 2, 1, "valid", 0.5),
    ("b", 3, 1, "valid", 0.5),
    ("c", 1, 1, "valid", 0.2),
    ("c", 2, 1, "valid", 0.2),
    ("c", 3, 1, "timeout", None),
    ("c", 3, 2, "timeout", None),
]


def first_time(names: str, score: float = 0.3) -> list[Attempt]:
    return [(name, repeat, 1, "valid", score) for name in names for repeat in (1, 2, 3)]


def second_time(names: str, scores: Sequence[float]) -> list[Attempt]:
    """The first repeat came at the second attempt, with these scores; the others at once with 0.3."""
    attempts: list[Attempt] = []
    for name, score in zip(names, scores, strict=True):
        attempts += [(name, 1, 1, "rate_limited", None), (name, 1, 2, "valid", score)]
        attempts += [(name, repeat, 1, "valid", 0.3) for repeat in (2, 3)]
    return attempts


def row_of(
    attempts: Sequence[Attempt],
    names: str = NAMES,
    products: dict[str, str] | None = None,
    *,
    scored: str | None = None,
    gone: str = "",
) -> pd.DataFrame:
    """The row of a study of `names`, of which people scored `scored` (all) and that has lost `gone` since."""
    objects = objects_of(products or one_each(names))
    calls = calls_of(attempts)
    matrix = matrix_of(SETTING, calls, objects, 3)
    people = ratings_of({name: [0.4] for name in scored or names}, objects)
    objects = objects[~objects["object"].isin(list(gone))]
    matched = matched_rows(SETTING, matrix, people, objects, plan(match_by="object"))
    made = retried_row(SETTING, calls, matched, objects, plan(match_by="item"))
    return keeps_to_its_declaration("retried_calls", made)


@pytest.fixture(scope="module")
def seen() -> pd.Series:
    return row_of(ATTEMPTS + first_time("de"), "abcde").iloc[0]


def test_the_last_attempt_counts_and_what_came_before_is_remembered() -> None:
    counted = counted_calls(calls_of(ATTEMPTS)).set_index(["object", "repeat"])
    assert counted["retried"].groupby("object").sum().to_dict() == {"a": 1, "b": 1, "c": 1}
    assert counted[counted["answered_before"]].index.tolist() == [("b", 1)]
    assert counted.loc[("a", 1), "score"] == 0.5


def test_calls_and_objects_are_counted(seen: pd.Series) -> None:
    # Three repeats of five objects; c's retried call gave no score.
    assert (seen["n_calls"], seen["n_retried_calls"], seen["n_retried_answers"]) == (15, 3, 1)
    assert (seen["n_retried_objects"], seen["n_other_objects"]) == (2, 3)
    assert seen["retried"] == "a, b"


def test_means_and_the_difference_within_objects(seen: pd.Series) -> None:
    # Retried 0.5 and 0.7. Others 0.4 0.4 0.5 0.5 0.2 0.2 and six times 0.3: 4.0 / 12.
    assert seen["mean_retried"] == pytest.approx(0.6)
    assert seen["mean_others"] == pytest.approx(1 / 3)
    # a 0.5 - 0.4, b 0.7 - 0.5: mean 0.15, not 0.6 - 0.33.
    assert seen["difference"] == pytest.approx(0.15)


def test_errors_against_people_are_of_whole_objects(seen: pd.Series) -> None:
    # People say 0.4. a 1.3 / 3 = 0.4333, b 1.7 / 3 = 0.5667: (0.0333 + 0.1667) / 2.
    # c 0.2, d and e 0.3: (0.2 + 0.1 + 0.1) / 3.
    assert seen["mae_retried"] == pytest.approx(0.1)
    assert seen["mae_others"] == pytest.approx(0.4 / 3)
    assert (seen["n_mae_retried"], seen["n_mae_others"]) == (2, 3)


def test_errors_have_their_own_n_where_people_did_not_score_every_object() -> None:
    seen = row_of(ATTEMPTS + first_time("de"), "abcde", scored="bde").iloc[0]
    assert (seen["n_retried_objects"], seen["n_other_objects"]) == (2, 3)
    assert (seen["n_mae_retried"], seen["n_mae_others"]) == (1, 2)
    assert seen["mae_retried"] == pytest.approx(1.7 / 3 - 0.4)
    nobody = row_of(ATTEMPTS, "abc", scored="c").iloc[0]
    assert (nobody["n_mae_retried"], nobody["n_mae_others"]) == (0, 1)


def test_an_object_that_the_study_no_longer_has_is_left_out_and_counted(seen: pd.Series) -> None:
    gone = row_of(ATTEMPTS + first_time("de") + second_time("f", [0.9]), "abcdef", gone="f").iloc[0]
    assert gone["n_objects_gone"] == 1
    pd.testing.assert_series_equal(gone.drop("n_objects_gone"), seen.drop("n_objects_gone"))
    assert seen["n_objects_gone"] == 0


def test_under_five_products_there_is_no_interval_and_the_method_says_so(seen: pd.Series) -> None:
    assert pd.isna(seen["difference_low"])
    assert "2 clusters" in seen["method"]
    assert pd.isna(seen["undefined"])


def test_products_are_resampled_together() -> None:
    scores = [0.31, 0.33, 0.29, 0.35, 0.3, 0.32, 0.28, 0.34]
    apart = row_of(second_time(NAMES, scores)).iloc[0]
    assert "8 clusters" in apart["method"]
    assert apart["difference_low"] < apart["difference"] < apart["difference_high"]
    pairs = {name: f"p{place // 2}" for place, name in enumerate(NAMES)}
    assert "4 clusters" in row_of(second_time(NAMES, scores), products=pairs).iloc[0]["method"]


def test_without_a_retry_there_is_nothing_to_compare() -> None:
    row = row_of(first_time(NAMES))
    seen = row.iloc[0]
    assert (seen["n_retried_calls"], seen["n_retried_objects"], seen["n_other_objects"]) == (0, 0, 8)
    assert seen["retried"] == "none"
    assert seen[["mean_retried", "difference", "mae_retried"]].isna().all()
    assert "difference: no call that gave a score was tried again" in seen["undefined"]
    assert "mae_retried: no such object that people scored" in seen["undefined"]
    gate = retried_gate(row)
    assert gate.passed
    assert gate.sentence == "None of the 24 calls was tried again."


def test_an_object_whose_every_call_was_tried_again_has_no_other_repeat() -> None:
    attempts: list[Attempt] = [
        ("a", repeat, attempt, state, score)
        for repeat in (1, 2, 3)
        for attempt, state, score in ((1, "timeout", None), (2, "valid", 0.5))
    ]
    seen = row_of(attempts + first_time("b"), "ab").iloc[0]
    assert pd.isna(seen["difference"])
    assert "difference: no object has both kinds" in seen["undefined"]
    assert seen["mean_retried"] == pytest.approx(0.5)


def test_a_setting_where_no_call_gave_a_score_is_counted_and_says_so() -> None:
    seen = row_of([("a", repeat, 1, "timeout", None) for repeat in (1, 2, 3)], "a").iloc[0]
    assert (seen["n_calls"], seen["n_other_objects"]) == (3, 1)
    assert "mean_others: no such score" in seen["undefined"]


def test_many_retried_objects_are_listed_up_to_twenty() -> None:
    names = "abcdefghijklmnopqrstuvwxy"
    seen = row_of(second_time(names, [0.3] * len(names)), names).iloc[0]
    assert seen["retried"].endswith("t and 5 more")


def test_retries_that_score_like_the_rest_pass() -> None:
    gate = retried_gate(row_of(second_time(NAMES, [0.31, 0.33, 0.29, 0.27, 0.3, 0.32, 0.28, 0.3])))
    assert gate.passed
    assert gate.seen == 0.0
    assert gate.sentence.startswith(
        "8 of 24 calls were tried again; the scores do not tell them from other repeats: +0.000 ("
    )


def test_retries_that_score_higher_fail_with_the_difference() -> None:
    gate = retried_gate(row_of(second_time(NAMES, [0.5] * 8)))
    assert not gate.passed
    assert gate.seen == pytest.approx(0.2)
    assert "The difference is +0.200 (0.200 to 0.200)" in gate.sentence


def test_retries_that_score_lower_fail_too() -> None:
    gate = retried_gate(row_of(second_time(NAMES, [0.1] * 8)))
    assert gate.seen == pytest.approx(0.2)


def test_one_or_two_retried_objects_are_no_reason_to_warn() -> None:
    two = retried_gate(row_of(second_time("ab", [0.3, 0.9]) + first_time("cde"), "abcde"))
    assert (two.passed, two.seen) == (True, None)
    assert two.sentence == (
        "2 of 15 calls were tried again, and a score came of it for 2 objects: fewer than 5, too few to compare."
    )
    one = retried_gate(row_of(second_time("a", [0.3]) + first_time("bcd"), "abcd"))
    assert one.sentence.startswith("1 of 12 calls was tried again, and a score came of it for 1 object: fewer")


def test_many_retried_objects_of_too_few_products_are_too_few_to_compare_and_the_gate_says_why() -> None:
    pairs = {name: f"p{place // 4}" for place, name in enumerate(NAMES)}
    gate = retried_gate(row_of(second_time(NAMES, [0.3] * 8), products=pairs))
    assert gate.passed
    assert gate.seen is None
    assert "too few to compare" in gate.sentence
    assert "2 clusters" in gate.sentence


def test_the_headline_counts_and_compares() -> None:
    numbers = headline(row_of(second_time(NAMES, [0.5] * 8)))
    assert (numbers["n_calls"], numbers["n_retried_calls"]) == (24, 8)
    assert numbers["difference"] == pytest.approx(0.2)
