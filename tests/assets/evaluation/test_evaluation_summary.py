"""Means over data sets: only over other samples, and distinguishable from the data sets."""

from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rich.console import Console
from upath import UPath

from assets.evaluation.evaluation_summary import mean_rows
from assets.evaluation.logic.differences import are_same_samples
from pipeline.command_line.evaluation_summary import show_evaluation
from reports.shared.phrases import phrase
from resources.runtime.home import Home
from resources.tables.evaluation import EVALUATION_SUMMARY, METRIC_COMPARISON


def samples(first: int, n: int, kind: str = "scores", shift: float = 0.0) -> pd.DataFrame:
    """Samples numbered from `first`; a truth is the number plus `shift`."""
    numbers = range(first, first + n)
    return pd.DataFrame(
        {
            "sample_id": [f"s{number}" for number in numbers],
            "kind": kind,
            "prediction_score": [0.5 * number for number in numbers],
            "truth_score": [number + shift for number in numbers],
            "truth_answer": ["ABCD"[number % 4] if kind == "answers" else None for number in numbers],
        }
    )


def row(dataset: str, value: float | None, n: int, statistic: str = "srcc", kind: str = "scores") -> dict[str, Any]:
    undefined = "all scores are equal" if value is None else None
    counts = {"n_used": n, "n_total": n + 1, "undefined": undefined}
    return {"dataset": dataset, "kind": kind, "statistic": statistic, "value": value} | counts


def test_both_means_of_data_sets_of_other_samples() -> None:
    frames = {"a": samples(0, 10), "b": samples(100, 30)}
    plain, weighted = mean_rows([row("a", 0.4, 10), row("b", 0.8, 30)], frames)
    # (0.4 + 0.8) / 2 = 0.6; (0.4 * 10 + 0.8 * 30) / 40 = 28 / 40 = 0.7
    assert (plain["dataset"], plain["value"]) == ("(mean)", pytest.approx(0.6))
    assert (weighted["dataset"], weighted["value"]) == ("(size-weighted mean)", pytest.approx(0.7))
    assert (plain["n_used"], plain["n_total"], plain["undefined"]) == (40, 42, None)


def test_one_data_set_or_only_one_that_defines_the_statistic_has_no_mean() -> None:
    frames = {"a": samples(0, 10), "b": samples(100, 30)}
    assert mean_rows([row("a", 0.4, 10)], frames) == []
    assert mean_rows([row("a", 0.4, 10), row("b", None, 30)], frames) == []
    assert mean_rows([row("a", 0.4, 10), row("b", 0.7, 30, "accuracy", "answers")], frames) == []


def test_an_undefined_data_set_is_left_out_of_the_mean_and_said() -> None:
    frames = {"a": samples(0, 10), "b": samples(100, 10), "c": samples(200, 10)}
    plain, _ = mean_rows([row("a", 0.4, 10), row("b", 0.8, 10), row("c", None, 10)], frames)
    assert (plain["value"], plain["undefined"]) == (pytest.approx(0.6), "1 undefined left out")


def test_metrics_of_the_same_samples_have_no_mean() -> None:
    # Two of ten predictions are missing in one file: the same pictures all the same.
    frames = {"ssim": samples(0, 10), "blur": samples(0, 8)}
    assert mean_rows([row("ssim", 0.9, 10), row("blur", 0.5, 8)], frames) == []


def test_metrics_of_the_same_samples_count_once_beside_other_samples() -> None:
    frames = {"blur": samples(0, 8), "other": samples(100, 30), "ssim": samples(0, 10)}
    plain, weighted = mean_rows([row("blur", 0.5, 8), row("other", 0.8, 30), row("ssim", 0.7, 10)], frames)
    # The pictures: (0.5 + 0.7) / 2 = 0.6 of 10. (0.6 + 0.8) / 2 = 0.7; (0.6 * 10 + 0.8 * 30) / 40 = 0.75
    assert (plain["value"], weighted["value"]) == (pytest.approx(0.7), pytest.approx(0.75))
    assert (plain["n_used"], plain["undefined"]) == (40, "blur and ssim count once")


def test_data_sets_whose_names_are_words_of_sentences_stay_in_italian() -> None:
    # "people" is "le persone" in a sentence, "once" is "una volta".
    frames = {"people": samples(0, 8), "other": samples(100, 30), "once": samples(0, 10)}
    plain, _ = mean_rows([row("people", 0.5, 8), row("other", 0.8, 30), row("once", 0.7, 10)], frames)
    assert phrase(plain["undefined"]).plains["it"] == "people e once contano una volta sola"


@pytest.mark.parametrize(
    ("second", "same"),
    [
        (samples(0, 10), True),
        (samples(5, 10), True),
        (samples(6, 10), False),
        (samples(0, 4), False),
        (samples(0, 10, shift=0.1), False),
        (samples(0, 10, "answers"), False),
    ],
)
def test_data_sets_are_of_the_same_samples_when_half_are_in_both_with_the_same_truth(
    second: pd.DataFrame, same: bool
) -> None:
    first = samples(0, 10)
    assert are_same_samples(first, second) is are_same_samples(second, first) is same


def test_answers_to_the_same_questions_are_of_the_same_samples_where_the_right_ones_agree() -> None:
    first = samples(0, 8, "answers")
    assert are_same_samples(first, samples(0, 8, "answers"))
    assert not are_same_samples(first, first.assign(truth_answer="A"))


def test_means_are_printed_apart_from_the_data_sets(tmp_path: Path) -> None:
    frames = {"a": samples(0, 10), "b": samples(100, 30), "c": samples(200, 10)}
    rows = [row("a", 0.4, 10), row("b", 0.8, 30), row("c", None, 10)]
    home = Home(UPath(tmp_path), tmp_path)
    folder = Path(home.tables) / "evaluation"
    folder.mkdir(parents=True)
    columns = [column.name for column in EVALUATION_SUMMARY.columns]
    pd.DataFrame(rows + mean_rows(rows, frames), columns=columns).to_parquet(folder / "evaluation_summary.parquet")
    names = [column.name for column in METRIC_COMPARISON.columns]
    pd.DataFrame(columns=names).to_parquet(folder / "metric_comparison.parquet")
    console = Console(file=StringIO(), width=100)
    show_evaluation(home, console)
    first, second = console.file.getvalue().split("Over the data sets:")  # type: ignore[attr-defined]
    assert "(mean)" not in first
    assert "c, srcc: all scores are equal" in first
    assert "(mean)" in second
    assert "Means: 1 undefined left out." in second
    assert "No mean" not in first + second
