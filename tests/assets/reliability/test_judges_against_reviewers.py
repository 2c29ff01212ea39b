"""Which way judges err on documents that people decided: counted by hand, with no rate where nothing is decided."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import numpy as np
import pandas as pd
import pytest
from upath import UPath

from assets.reliability.judges_against_reviewers import judge_row, judges_against_reviewers
from resources.runtime.home import Home
from resources.study import Study
from tests.assets.reliability.made_judgments import BASE, THREE, Scores, disputed_of, documents_of, judgments_of, plan


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    one = Study("shoes", None, Home(UPath(tmp_path), tmp_path), reliability_section=plan())
    yield one
    one.engine.dispose()


def table(study: Study, scores: Scores, judges: tuple[str, ...], votes: dict) -> pd.DataFrame:
    disputed = disputed_of(scores, judges, votes)
    said = documents_of(scores), judgments_of(scores, judges)
    made = judges_against_reviewers(dg.build_asset_context(), *said, disputed, study=study)
    assert isinstance(made, pd.DataFrame)
    return made.set_index("judge")


def test_each_way_of_erring_is_counted_by_judge(study: Study) -> None:
    # People: q1/d2 not relevant, q4/d1 relevant, q4/d2 undecided by a tie.
    found = table(study, BASE, ("careful", "hasty"), {("q1", "d2"): (0, 2), ("q4", "d1"): (1, 0), ("q4", "d2"): (1, 1)})
    # careful calls both relevant: one too high. hasty calls neither: one too low.
    assert found.loc["careful", ["n_documents", "n_queries", "too_high", "too_low", "bias"]].tolist() == [
        2,
        2,
        1,
        0,
        0.5,
    ]
    assert found.loc["hasty", ["too_high", "too_low", "bias"]].tolist() == [0, 1, -0.5]
    assert found["bias_low"].isna().all()


def test_three_judges_have_a_row_each(study: Study) -> None:
    scores = {"q": {"d": (0.9, 0.8, 0.1), "e": (0.1, 0.2, 0.9)}}
    found = table(study, scores, THREE, {("q", "d"): (1, 0), ("q", "e"): (0, 1)})
    assert found["too_high"].tolist() == [0, 0, 1]
    assert found["too_low"].tolist() == [0, 0, 1]
    assert found["bias"].tolist() == [0.0, 0.0, 0.0]


def test_a_judge_is_held_against_people_on_the_documents_that_it_scored(study: Study) -> None:
    scores: Scores = {"q": {"d": (0.9, 0.1, None), "e": (0.1, 0.2, 0.9)}}
    found = table(study, scores, THREE, {("q", "d"): (1, 0), ("q", "e"): (0, 1)})
    assert found["n_documents"].tolist() == [2, 2, 1]
    assert found["too_high"].tolist() == [0, 0, 1]
    assert found["too_low"].tolist() == [0, 1, 0]


def test_the_interval_of_the_bias_names_its_queries() -> None:
    labels = np.tile([True, False, True], 6)
    row = judge_row("careful", labels, np.arange(18) % 4 > 0, np.repeat(np.arange(6), 3), plan())
    assert str(row["method"]).endswith("delete-one jackknife, t(5), 6 clusters")


def test_where_people_decided_nothing_there_is_no_bias_and_it_says_so(study: Study) -> None:
    found = table(study, BASE, ("careful", "hasty"), {})
    assert found["n_documents"].tolist() == [0, 0]
    assert found["bias"].isna().all()
    assert set(found["method"]) == {"none: people decided no document"}


def test_many_queries_have_an_interval_over_queries() -> None:
    random = np.random.default_rng(2)
    labels, people = random.random(60) > 0.3, random.random(60) > 0.5
    row = judge_row("careful", labels, people, np.repeat(np.arange(20), 3), plan())
    assert row["bias"] == pytest.approx((labels.astype(int) - people.astype(int)).mean())
    assert float(str(row["bias_low"])) < float(str(row["bias"])) < float(str(row["bias_high"]))
    assert row["method"] == "delete-one jackknife, t(19), 20 clusters"
