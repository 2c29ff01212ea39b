"""Small reliability studies for reports, taken through the contingency on a database of their own."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assets.reliability.reliability_report import READ, contents_of
from reports.reliability.contents import Contents
from resources.study import Study, stored_table
from tests.small_relevance import AGREED, OPPOSED, Scores, relevance_study, validate_in, vote_on

# Both judges call every document relevant: kappa is 0/0.
ONE_LABEL: Scores = ((0.9, 0.8, 0.7, 0.9), (0.8, 0.9, 0.9, 0.6))
FIRST = [AGREED] * 8 + [OPPOSED] * 8 + [ONE_LABEL] * 2
# Under the next prompt six of the eight agree.
AGAIN = [AGREED] * 8 + [AGREED] * 6 + [OPPOSED] * 2 + [ONE_LABEL] * 2


def contents_in(study: Study, **tables: Any) -> Contents:
    """The report's contents from the tables as they lie in the study's home; `tables` replaces some."""
    found = {}
    for name in READ:
        table = stored_table(study, name)
        assert table is not None, name
        found[name] = table
    return contents_of(study, found | tables)


def recalibrated_study(folder: Path) -> Study:
    """Validated, reviewed by two people, judged again, and validated once more: it passes."""
    study = relevance_study(folder, FIRST, AGAIN)
    assert validate_in(study).succeeded
    vote_on(study, 3)
    vote_on(study, 2, "bob", relevant=False)
    low = [f"q{number:02d}" for number in range(9, 17)]
    details = {"prompt_version": "recalibrated_v2", "queries": low, "held_out": low[::2]}
    study.validations.take_action("recalibration_started", details, "ann")
    assert validate_in(study).succeeded
    return study


def failing_study(folder: Path) -> Study:
    """Validated once: half of the queries have a kappa of 0, and nobody has voted."""
    study = relevance_study(folder, FIRST, AGAIN)
    assert validate_in(study).succeeded
    return study


def three_judges(contents: Contents) -> Contents:
    """The same tables as if a third judge stood next to them: every pair has the numbers of the first."""
    tables = dict(contents.tables)
    pairs = [("judge1", "judge2"), ("judge1", "judge3"), ("judge2", "judge3")]
    for name in ("query_kappa", "judge_agreement", "bias_test", "threshold_advice"):
        frame = tables[name]
        tables[name] = _stacked([frame.assign(judge_1=one, judge_2=other) for one, other in pairs])
    of_all = tables["judge_agreement"].iloc[:2].assign(judge_1="all", judge_2="all")
    of_all["statistic"], of_all["value"] = ["fleiss_kappa", "ac1"], [0.41, np.nan]
    of_all["undefined"] = np.array([None, "no unit"], dtype=object)
    tables["judge_agreement"] = _stacked([tables["judge_agreement"], of_all])
    return replace(contents, tables=tables, thresholds={"judge1": 0.5, "judge2": 0.5, "judge3": 0.6})


def _stacked(frames: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(frames, ignore_index=True)
