"""Queries and documents as the input has them now, on both databases, which keep what an earlier input had."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from assets.reliability.query_documents import query_documents
from resources.database.reliability.records import JudgmentRecord
from resources.errors import UserError
from resources.study import Study
from tests.small_relevance import AGREED, JUDGES, OPPOSED, relevance_study, write_queries


@pytest.fixture
def study(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", database_url)
    one = relevance_study(tmp_path, [AGREED, OPPOSED])
    yield one
    one.engine.dispose()


def made(study: Study) -> tuple[pd.DataFrame, dict[str, object]]:
    context = dg.build_asset_context()
    frame = query_documents(context, study=study)
    assert isinstance(frame, pd.DataFrame)
    return frame, dict(context.get_output_metadata("result") or {})


def test_documents_come_in_the_order_of_the_input_with_their_number(study: Study) -> None:
    frame, metadata = made(study)
    assert frame["query_id"].tolist() == ["q01"] * 4 + ["q02"] * 4
    assert frame["doc_id"].tolist() == ["d1", "d2", "d3", "d4"] * 2
    assert frame["document"].iloc[0] == "Document 1 of query 1."
    assert (metadata["n_queries"], metadata["n_documents"], metadata["n_without_text"]) == (2, 8, 0)


def test_what_the_input_no_longer_has_leaves_the_table_and_stays_in_the_database(study: Study, tmp_path: Path) -> None:
    made(study)
    write_queries(tmp_path / "queries.jsonl", [AGREED])
    frame, metadata = made(study)
    assert frame["query_id"].unique().tolist() == ["q01"]
    assert metadata["n_no_longer_in_the_input"] == 4
    assert len(study.queries.query_documents()) == 8


def test_a_document_that_the_input_no_longer_has_does_not_keep_a_later_round_from_counting(study: Study) -> None:
    frame, _ = made(study)
    every = list(zip(frame["query_id"], frame["doc_id"], strict=True))
    # The later round lacks one document, and the input has dropped it.
    study.queries.record(
        JudgmentRecord(*key, judge, "v2", 0.7) for key in every if key != ("q01", "d4") for judge in JUDGES
    )

    def counting(documents: pd.DataFrame | None) -> set[str]:
        rows = study.queries.judgments(JUDGES, documents)
        return set(rows.loc[rows["counts"] & (rows["query_id"] == "q01"), "prompt_version"])

    assert counting(None) == {"v1"}
    assert counting(frame[(frame["query_id"] != "q01") | (frame["doc_id"] != "d4")]) == {"v2"}


def test_another_text_of_a_known_query_is_refused_and_nothing_is_changed(study: Study, tmp_path: Path) -> None:
    before, _ = made(study)
    write_queries(tmp_path / "queries.jsonl", [AGREED, OPPOSED, AGREED], text="Other text")
    with pytest.raises(UserError):
        made(study)
    pd.testing.assert_frame_equal(study.queries.query_documents(), before)


def test_a_refused_score_leaves_no_new_query_and_names_file_and_row(study: Study, tmp_path: Path) -> None:
    before, _ = made(study)
    # The second record has a changed score, and a third query comes with it.
    other = ((0.9, 0.8, 0.2, 0.15), OPPOSED[1])
    path = write_queries(tmp_path / "queries.jsonl", [AGREED, other, AGREED])
    with pytest.raises(UserError, match=r"queries.jsonl, row 2: Query 'q02', document 'd4': .* Nothing was stored"):
        made(study)
    pd.testing.assert_frame_equal(study.queries.query_documents(), before, check_like=True)
    # What was refused is free to be corrected.
    write_queries(path, [AGREED, OPPOSED, AGREED])
    assert made(study)[1]["n_queries"] == 3


def test_scores_are_kept_with_their_queries(study: Study) -> None:
    made(study)
    assert len(study.queries.judgments(JUDGES)) == 16
