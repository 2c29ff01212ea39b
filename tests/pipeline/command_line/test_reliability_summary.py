"""What a run says of bias on the terminal: the judge that the test names, whatever the median shift."""

from pathlib import Path

import pandas as pd
import pytest

from pipeline.command_line import reliability_summary
from pipeline.command_line.reliability_steps import effect_in_words
from pipeline.command_line.reliability_summary import bias_in_words
from resources.study import Study, stored_table
from tests.small_relevance import AGREED, LENIENT, Scores, relevance_study, validate_in

SAME: Scores = ((0.9, 0.8, 0.2, 0.1), (0.9, 0.8, 0.2, 0.1))
# Each of the first judge's scores is 0.05 higher.
HIGHER: Scores = ((0.95, 0.85, 0.25, 0.15), (0.9, 0.8, 0.2, 0.1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kinds", "higher"), [([HIGHER] * 8, "judge1"), ([(HIGHER[1], HIGHER[0])] * 8, "judge2")], ids=["first", "second"]
)
def test_a_bias_at_a_median_shift_of_0_names_the_judge_that_scores_higher(
    tmp_path: Path, kinds: list[Scores], higher: str
) -> None:
    # 20 queries without a difference and 8 of one sign: p is 2 / 2^8, and most Walsh averages are 0.
    study = relevance_study(tmp_path, [SAME] * 20 + kinds)
    assert validate_in(study).succeeded
    [bias, threshold, *_] = bias_in_words(study)
    assert bias.startswith(
        f"Bias of judge1 and judge2: {higher} scores higher where they differ; the median shift is 0"
    )
    assert "p 0.0078" in bias
    assert threshold == "Threshold: no threshold helps: the median shift of the documents is 0."


@pytest.mark.slow
def test_a_bias_and_its_interval_are_told_of_the_judge_that_is_named(tmp_path: Path) -> None:
    # Medians of judge 1 - judge 2: four times 0, eight times -0.25. Walsh averages: 36 of -0.25, 32 of -0.125, 10 of 0.
    study = relevance_study(tmp_path, [AGREED] * 4 + [LENIENT] * 8)
    assert validate_in(study).succeeded
    bias, threshold, effect = bias_in_words(study)
    assert bias.startswith("Bias of judge1 and judge2: judge2 scores higher by 0.125 [0.")
    assert threshold.startswith("Threshold: set the threshold of judge2 from 0.5 to 0.65 (micro kappa 0.33 -> ")
    # Four queries of kappa 1 and eight of 0, then of 0.5.
    assert effect.startswith("On all queries, judge1 and judge2: macro 0.333 -> 0.667, micro 0.333 -> ")
    back = effect_in_words(study, {"judge1": 0.5, "judge2": 0.65}, {"judge1": 0.5, "judge2": 0.5})
    assert back[0].endswith("Accepting lowers macro kappa.")
    assert "lowers" not in effect


@pytest.mark.slow
def test_of_several_pairs_each_threshold_names_its_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = relevance_study(tmp_path, [AGREED] * 4 + [LENIENT] * 8)
    assert validate_in(study).succeeded

    def of_three(study: Study, name: str) -> pd.DataFrame | None:
        table = stored_table(study, name)
        return None if table is None else pd.concat([table, table.assign(judge_2="odd")])

    monkeypatch.setattr(reliability_summary, "stored_table", of_three)
    said = " ".join(bias_in_words(study))
    assert "Threshold by judge1 and judge2: set" in said
    assert "Threshold by judge1 and odd: set" in said
