"""The verdict on data sets of scores: against means it is never a yes, and answers with a key have none."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assets.evaluation.logic.mean_verdicts import mean_verdicts
from reports.shared.verdict import answer_of, lines_of
from resources.configuration.evaluation import Dataset, EvaluationGates, EvaluationStudy


def samples(noise: float, n: int = 100, kind: str = "scores") -> pd.DataFrame:
    random = np.random.default_rng(3)
    truth = random.normal(size=n)
    return pd.DataFrame(
        {
            "kind": kind,
            "sample_id": [f"s{place}" for place in range(n)],
            "truth_score": truth,
            "prediction_score": -(truth + noise * random.normal(size=n)),
            "n_rows_in_file": n,
            "n_unusable": 0,
        }
    )


@pytest.mark.parametrize(
    ("noise", "n", "word"),
    [
        (0.3, 100, "agrees with these means"),
        (3.0, 100, "does not agree with these means"),
        (0.8, 60, "not proven"),
        (0.3, 20, "cannot say"),
    ],
)
def test_each_word_of_scores_against_means(noise: float, n: int, word: str) -> None:
    known = {"metric": Dataset(higher_is_better=False)}
    [found] = mean_verdicts({"metric": samples(noise, n)}, known, EvaluationStudy())
    assert (found.against, found.verdict.word) == ("these means", word)


def test_scores_on_the_means_scale_but_far_above_them_agree_in_order_only_as_the_verdict_on_the_file_says() -> None:
    frame = samples(0.3)
    frame["prediction_score"] = 2.0 - frame["prediction_score"]
    [found] = mean_verdicts({"metric": frame}, {"metric": Dataset(same_scale=True)}, EvaluationStudy())
    assert found.verdict.word == "agrees with these means in order only"
    spearman, level, *_ = lines_of(found)
    assert spearman.startswith("Spearman with these means: 0.9")
    assert level.startswith("Its scores, less these means: ")
    assert level.endswith("so that only the order agrees.")
    # What is 32 dB next to means of 1 to 5 has another unit, by its values or by its name.
    for column in ("psnr", "other"):
        frame["prediction_score"] = -samples(0.3)["prediction_score"] + (0.3 if column == "psnr" else 30)
        [found] = mean_verdicts({"metric": frame}, {"metric": Dataset(prediction=column)}, EvaluationStudy())
        assert [one.name for one in found.verdict.conditions] == ["Spearman with these means"]


def test_a_gate_on_unusable_rows_that_fails_is_in_the_first_lines_whatever_the_word() -> None:
    for noise, word in (
        (0.3, "agrees with these means"),
        (0.8, "not proven"),
        (3.0, "does not agree with these means"),
    ):
        frame = samples(noise, 60).assign(n_rows_in_file=80, n_unusable=20)
        [found] = mean_verdicts({"metric": frame}, {"metric": Dataset(higher_is_better=False)}, EvaluationStudy())
        assert found.verdict.word == word
        failing = "Share of rows without a usable score: 0.250, needed at most 0.05: fails."
        assert failing in lines_of(found)
        assert failing.rstrip(".") in [one.plain("en") for one in answer_of(found).reasons]
        assert "On 60 samples." in lines_of(found)


def test_labels_of_people_are_no_key_and_the_verdict_on_them_is_named() -> None:
    people = Dataset(file=Path("my labels.csv"), prediction="llm", truth=("ann", "bob"), options=("pass", "fail"))
    known = {"labels": people, "key": Dataset(truth="answer")}
    frames = dict.fromkeys(known, samples(0.1, kind="answers"))
    [found] = mean_verdicts(frames, known, EvaluationStudy())
    assert (found.judge, found.verdict.word) == ("labels", "cannot say")
    assert answer_of(found).question.plain("en") == "May labels stand in for people?"
    assert lines_of(found)[0].endswith("touchstone verdict 'my labels.csv' --judge llm --human ann --human bob.")


def test_a_data_sets_own_minimum_comes_first_and_answers_have_no_verdict() -> None:
    lax = Dataset(higher_is_better=False, gates=EvaluationGates(min_srcc=0.1))
    frames = {"metric": samples(1.5), "answers": samples(0.1, kind="answers")}
    [found] = mean_verdicts(frames, {"metric": lax, "answers": Dataset()}, EvaluationStudy())
    assert found.verdict.word == "agrees with these means"
    assert found.verdict.conditions[0].needed == "at least 0.1"
