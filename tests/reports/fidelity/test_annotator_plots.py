"""The plots of people next to the judge: on ordinary tables, on nulls, and on nothing."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.fidelity.plots.people import annotators, few_labels, retried_calls
from tests.reports.specifications import drawn, legend_of, lines_at, names_of, rows_of, texts, titles

ANNOTATORS = pd.DataFrame(
    {
        "setting": ["t0.2_p0.95"] * 4,
        "annotator": ["a1", "a $name$ that is much too long for an axis", "a3", "all annotators"],
        "n_instances": pd.array([40, 40, 12, 40], "Int64"),
        "share_judge_better": [0.8, 0.3, np.nan, np.nan],
        "share_annotator_better": [0.3, 0.75, np.nan, np.nan],
        "p": [0.001, 0.9, np.nan, np.nan],
        "rejected": pd.array([True, False, None, None], "boolean"),
        "omega": [np.nan, np.nan, np.nan, 0.5],
    }
)
LABELS = pd.DataFrame(
    {"setting": ["t0.2_p0.95"] * 2, "n_labels": pd.array([5, 10], "Int64"), "all_labels": [0.5, 0.5]}
    | {
        f"{name}{end}": [0.5 + shift, 0.52 + shift]
        for name in ("prediction_powered", "people_only", "judge_only")
        for end, shift in (("", 0.0), ("_low", -0.1), ("_high", 0.1))
    }
)
RETRIED = pd.DataFrame(
    {
        "setting": ["t0.2_p0.95"],
        "n_calls": pd.array([60], "Int64"),
        "n_retried_calls": pd.array([4], "Int64"),
        "mean_retried": [0.5],
        "mean_others": [0.4],
        "mae_retried": [0.1],
        "mae_others": [0.05],
        "difference": [0.02],
        "difference_low": [-0.01],
        "difference_high": [0.05],
    }
)


def of_annotators(frame: pd.DataFrame) -> dict[str, Any]:
    return drawn(annotators(frame, "all annotators", 0.5))


def test_annotators_stand_in_rows_with_their_number_and_who_was_won_against() -> None:
    spec = of_annotators(ANNOTATORS)
    names = names_of(spec)
    assert names[0] == "a1 (n=40, won)"
    assert names[1].startswith("a $name$ that is")
    assert len(names) == 2
    assert titles(spec) == ["t0.2_p0.95: omega 0.50, 0.5 needed"]
    person, judge = rows_of(spec, "point")
    assert [row["x"] for row in judge] == [0.8, 0.3]
    assert [row["x"] for row in person] == [0.3, 0.75]


def test_where_nobody_could_be_tested_the_plot_says_so() -> None:
    alone = ANNOTATORS.tail(1).assign(omega=np.nan)
    assert "no annotator could be tested" in texts(of_annotators(alone))
    assert "no annotator could be tested" in texts(of_annotators(ANNOTATORS.head(0)))


def test_labels_alone_the_judge_alone_and_both_stand_side_by_side() -> None:
    spec = drawn(few_labels(LABELS))
    assert legend_of(spec) == ["labels alone", "labels and judge", "judge alone, uncorrected", "all labels"]
    assert names_of(spec, "x") == ["5", "10"]
    assert lines_at(spec) == [0.5]
    assert [row["y"] for row in rows_of(spec, "point")[1]] == LABELS["prediction_powered"].tolist()


@pytest.mark.parametrize("frame", [LABELS.assign(prediction_powered=np.nan), LABELS.head(0)])
def test_without_an_estimate_the_plot_says_so(frame: pd.DataFrame) -> None:
    assert "too few labels" in texts(drawn(few_labels(frame)))


def test_retried_calls_stand_beside_the_others() -> None:
    left, right = drawn(retried_calls(RETRIED))["concat"]
    assert [bar["y2"] for bar in rows_of(left, "rect")[0]] == [0.5, 0.1, 0.4, 0.05]
    assert [dot["x"] for dot in rows_of(right, "point")[0]] == [0.02]


def test_without_a_retry_or_a_difference_the_plot_says_so() -> None:
    none = RETRIED.assign(n_retried_calls=pd.array([0], "Int64"))
    assert texts(drawn(retried_calls(none))) == ["no call was tried again"]
    apart = RETRIED.assign(difference=np.nan)
    assert texts(drawn(retried_calls(apart))) == ["no difference within objects"]
    assert texts(drawn(retried_calls(RETRIED.head(0)))) == ["no call was tried again"]
