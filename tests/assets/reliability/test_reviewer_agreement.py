"""Reviewers against each other, by hand, on both databases; votes that were withdrawn do not count."""

from pathlib import Path

import dagster as dg
import pandas as pd
import pytest
from upath import UPath

from assets.reliability.reviewer_agreement import reviewer_agreement
from resources.database.engine import open_engine
from resources.database.migrate import migrate
from resources.runtime.home import Home
from resources.study import Study
from tests.assets.reliability.made_judgments import plan
from tests.made_disputes import STUDY, add_query, disputed


@pytest.fixture
def study(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", database_url)
    migrate(open_engine(database_url))
    return Study(STUDY, None, Home(UPath(tmp_path), tmp_path), reliability_section=plan())


def made(study: Study) -> pd.DataFrame:
    frame = reviewer_agreement(dg.build_asset_context(), study=study)
    assert isinstance(frame, pd.DataFrame)
    return frame


def test_two_reviewers_of_the_same_documents_have_a_row(study: Study) -> None:
    query = add_query(study.engine, ["a", "b", "c", "d"])
    study.reviews.replace_disputes(disputed([query]))
    for reviewer, said in (("ben", (True, True, False, False)), ("ann", (True, False, False, False))):
        study.reviews.vote(reviewer, reviewer, dict(zip(query[1], said, strict=True)))
    [row] = made(study).to_dict("records")
    assert (row["reviewer_1"], row["reviewer_2"]) == ("ann", "ben")
    assert (row["n_documents"], row["n_queries"], row["percent_agreement"]) == (4, 1, 0.75)
    # n_11 1, n_10 0, n_01 1, n_00 2: 2 * 2 / (1*2 + 3*2) = 0.5.
    assert row["kappa"] == 0.5
    study.reviews.undo("ben")
    assert made(study).empty
    study.engine.dispose()


def test_without_votes_the_table_is_empty(study: Study) -> None:
    assert made(study).empty
    study.engine.dispose()
