"""Groups of samples come in counting order, nest, and are compared only where that says something."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.accuracy.group_accuracies import GroupAccuracies
from analysis.resampling.bootstrap import Resampling
from assets.evaluation.logic.groups import (
    MOST_COMPARED,
    _counted,
    breakdown,
    breakdown_rows,
    group_names,
    in_nested_order,
)
from assets.evaluation.logic.rows import correlation_rows
from resources.configuration.evaluation import Dataset
from resources.errors import UserError
from resources.inputs.evaluation.files import read_evaluation_file
from resources.inputs.evaluation.table import evaluation_samples_table

QUICK = Resampling(42, resamples=100)


def samples_of(tmp_path: Path, records: list[dict[str, Any]]) -> pd.DataFrame:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return evaluation_samples_table("a", read_evaluation_file(path))


def answers(tmp_path: Path, *labels: dict[str, Any]) -> pd.DataFrame:
    """Questions, every third of which is answered wrong."""
    base = [{"sample_id": str(n), "answer": "A", "prediction": "AAB"[n % 3]} for n in range(len(labels))]
    return samples_of(tmp_path, [one | label for one, label in zip(base, labels, strict=True)])


def test_numbers_in_names_are_in_counting_order() -> None:
    names = ["10", "2", "a10", "a2", "1.25", "1.5", "0.5", "b", "(missing)"]
    expected = ["0.5", "1.25", "1.5", "2", "10", "(missing)", "a2", "a10", "b"]
    assert sorted(names, key=_counted) == expected


@given(st.lists(st.integers(min_value=0, max_value=10**30), max_size=20))
def test_whole_numbers_are_in_their_own_order(numbers: list[int]) -> None:
    assert sorted(map(str, numbers), key=_counted) == [str(number) for number in sorted(numbers)]


@given(st.lists(st.text(), max_size=8))
def test_any_names_have_an_order(names: list[str]) -> None:
    assert [_counted(name) for name in sorted(names, key=_counted)] == sorted(map(_counted, names))


def test_groups_come_level_by_level_and_nest_on_request(tmp_path: Path) -> None:
    samples = answers(tmp_path, *({"x": str(n % 2), "y": "ab"[n // 8]} for n in range(16)))
    found = breakdown(samples, ["x", "y"], Dataset(), QUICK)
    assert [group.path for group in found.groups] == [
        (), ("0",), ("1",), ("0", "a"), ("0", "b"), ("1", "a"), ("1", "b")
    ]  # fmt: skip
    assert [group.row["group"] for group in in_nested_order(found.groups)] == [
        "(all)", "0", "0 / a", "0 / b", "1", "1 / a", "1 / b"
    ]  # fmt: skip
    for level in (1, 2):
        rows = [group.row for group in found.groups if group.row["level"] == level]
        assert sum(row["n_used"] for row in rows) == 16
        assert {row["p_difference"] for row in rows} == {found.differences[level].p}


def test_clusters_leave_no_p_that_assumes_independence_unlabelled(tmp_path: Path) -> None:
    samples = answers(tmp_path, *({"x": str(n % 2), "c": str(n // 4)} for n in range(40)))
    found = breakdown(samples, ["x"], Dataset(cluster="c"), QUICK)
    assert all(group.row["p_difference"] is None for group in found.groups)
    assert "assumes independence" in found.differences[1].method


def test_too_many_groups_are_not_compared_in_pairs(tmp_path: Path) -> None:
    many = answers(tmp_path, *({"x": str(n)} for n in range(MOST_COMPARED + 1)))
    assert breakdown(many, ["x"], Dataset(), QUICK).differences[1] == "31 groups, more than 30"
    few = answers(tmp_path, *({"x": str(n % MOST_COMPARED)} for n in range(60)))
    assert isinstance(breakdown(few, ["x"], Dataset(), QUICK).differences[1], GroupAccuracies)


def test_no_field_leaves_the_whole_alone(tmp_path: Path) -> None:
    [row] = breakdown_rows(answers(tmp_path, *({} for _ in range(9))), [], Dataset(), QUICK)
    assert (row["group"], row["grouped_by"], row["value"], row["n_used"]) == ("(all)", "", 6 / 9, 9)


def test_an_unknown_field_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no field 'kin' \(did you mean 'kind'\?\). The fields are kind"):
        breakdown_rows(answers(tmp_path, {"kind": "x"}), ["kin"], Dataset(), QUICK)


def test_samples_whose_opinions_make_no_sense_are_left_out_of_the_noise_and_counted(tmp_path: Path) -> None:
    records = [
        {"sample_id": str(n), "final_score": n % 9 + n / 50, "mos": n, "sd": 1.0, "votes": 20} for n in range(50)
    ]
    wrong = [{"sd": -1}, {"sd": "n/a"}, {"votes": 0}, {"votes": 2.5}, {"votes": None}, {"sd": None}]
    samples = samples_of(tmp_path, [record | odd for record, odd in zip(records, [*wrong, *[{}] * 44], strict=True)])
    rows = correlation_rows(samples, Dataset(opinion_sd="sd", votes="votes"), QUICK, ("plcc",))
    of = {row["statistic"]: row for row in rows}
    assert (of["outlier_ratio"]["n_used"], of["plcc"]["n_used"]) == (44, 50)
    assert of["outlier_ratio"]["value"] is not None
    assert "srcc" not in of


def test_krasulas_areas_need_no_curve(tmp_path: Path) -> None:
    # Four samples cannot carry the four parameters of the curve.
    records = [{"sample_id": str(n), "final_score": n, "mos": 10 * n, "sd": 1.0, "votes": 20} for n in range(4)]
    rows = correlation_rows(samples_of(tmp_path, records), Dataset(opinion_sd="sd", votes="votes"), QUICK, ("plcc",))
    of = {row["statistic"]: row for row in rows}
    assert of["outlier_ratio"]["value"] is None
    assert of["outlier_ratio"]["undefined"]
    assert of["krasula_better_worse"]["value"] == 1.0
    assert of["krasula_better_worse"]["method"] == "4 samples with opinions, 6 of 6 pairs"


def test_equal_extremes_are_neither_best_nor_worst(tmp_path: Path) -> None:
    # A third of each group is answered wrong: 12 samples, places n % 3 == 2.
    samples = answers(tmp_path, *({"x": "ab"[n // 12]} for n in range(24)))
    found = breakdown(samples, ["x"], Dataset(), QUICK)
    assert [group.row["value"] for group in found.groups[1:]] == [8 / 12, 8 / 12]
    assert {group.row["standing"] for group in found.groups} == {None}


def test_values_that_hold_the_separator_stay_apart(tmp_path: Path) -> None:
    labels = [{"x": "a / b", "y": "c"}, {"x": "a", "y": "b / c"}]
    samples = answers(tmp_path, *(labels[n // 12] for n in range(24)))
    found = breakdown(samples, ["x", "y"], Dataset(), QUICK)
    inner = [group for group in found.groups if group.row["level"] == 2]
    assert {group.row["group"]: group.row["n_used"] for group in inner} == {
        "'a' / 'b / c'": 12,
        "'a / b' / 'c'": 12,
    }
    tested = found.differences[2]
    assert isinstance(tested, GroupAccuracies)
    assert tested.sizes == {"'a' / 'b / c'": 12, "'a / b' / 'c'": 12}


@given(st.sets(st.tuples(st.sampled_from(["a", "a / b", "b", "'a'", " / "]), st.text(alphabet="a/ '", max_size=5))))
def test_groups_of_a_level_have_names_of_their_own(paths: set[tuple[str, ...]]) -> None:
    assert len(set(group_names(list(paths)))) == len(paths)
