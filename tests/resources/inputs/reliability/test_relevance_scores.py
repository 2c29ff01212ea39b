"""Files of queries, documents and scores: every form and kind that the study takes gives the same frames."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resources.configuration.reliability import ReliabilityStudy
from resources.errors import FileFault, UserError
from resources.inputs.reliability.relevance import read_relevance
from resources.inputs.reliability.relevance_records import Asked
from resources.inputs.reliability.relevance_rows import read_relevance_file
from tests.resources.inputs.made_records import csv_file, json_lines, parquet_file

LONG = [
    {
        "query_id": query,
        "query": f"what is {query}?",
        "doc_id": doc,
        "document": f"text {doc}",
        "judge": judge,
        "prompt_version": "v1",
        "score": score,
    }
    for query, doc, judge, score in [
        ("q1", "a", "judge1", 0.9),
        ("q1", "a", "judge2", 0.8),
        ("q1", "b", "judge1", 0.2),
        ("q1", "b", "judge2", 0.4),
        ("q2", "a", "judge1", 0.5),
        ("q2", "a", "judge2", 0.0),
    ]
]
QUERIES = [
    {
        "id": "q1",
        "query": "what is q1?",
        "docs": [{"id": "a", "text": "text a"}, {"id": "b", "text": "text b"}],
        "judge1_score": [0.9, 0.2],
        "judge2_score": [0.8, 0.4],
    },
    {
        "id": "q2",
        "query": "what is q2?",
        "docs": [{"id": "a", "text": "text a"}],
        "judge1_score": [0.5],
        "judge2_score": [0.0],
    },
]


def flat(record: dict[str, Any]) -> dict[str, Any]:
    return {name: json.dumps(value) if isinstance(value, list) else value for name, value in record.items()}


def long_csv(path: Path) -> Path:
    return csv_file(path / "long.csv", *LONG)


def long_semicolons(path: Path) -> Path:
    text = long_csv(path).read_text().replace(",", ";").replace("0.", "0,")
    file = path / "semicolons.csv"
    file.write_text(text, encoding="utf-8-sig")
    return file


def long_json(path: Path) -> Path:
    return json_lines(path / "long.jsonl", *LONG)


def long_parquet(path: Path) -> Path:
    return parquet_file(path / "long.parquet", *LONG)


def query_csv(path: Path) -> Path:
    return csv_file(path / "queries.csv", *map(flat, QUERIES))


def query_json(path: Path) -> Path:
    return json_lines(path / "queries.jsonl", *QUERIES)


def query_parquet(path: Path) -> Path:
    return parquet_file(path / "queries.parquet", *QUERIES)


def wide_csv(path: Path) -> Path:
    pairs = zip(LONG[::2], LONG[1::2], strict=True)
    rows = [
        {name: one[name] for name in ("query_id", "query", "doc_id", "document")}
        | {"judge1_score": one["score"], "judge2_score": other["score"]}
        for one, other in pairs
    ]
    return csv_file(path / "wide.csv", *rows)


FORMS = [long_csv, long_semicolons, long_json, long_parquet, query_csv, query_json, query_parquet, wide_csv]


@pytest.mark.parametrize("made", FORMS, ids=lambda made: made.__name__)
def test_every_form_holds_the_same(tmp_path: Path, made: Any) -> None:
    read = read_relevance_file(made(tmp_path))
    documents = read.documents
    assert documents["query_id"].tolist() == ["q1", "q1", "q2"]
    assert documents["doc_id"].tolist() == ["a", "b", "a"]
    assert documents["document"].tolist() == ["text a", "text b", "text a"]
    assert documents["query"].tolist() == ["what is q1?", "what is q1?", "what is q2?"]
    assert documents["position"].tolist() == [0, 1, 0]
    scores = {
        (query, doc, judge): score
        for query, doc, judge, score in read.scores.drop(columns="prompt_version").itertuples(index=False)
    }
    assert scores == {(one["query_id"], one["doc_id"], one["judge"]): one["score"] for one in LONG}
    assert read.judges == ("judge1", "judge2")
    assert read.n_missing == {"judge1": 0, "judge2": 0}
    assert read.scores["prompt_version"].unique().tolist() == ["v1"]


def test_queries_and_documents_only_are_an_input(tmp_path: Path) -> None:
    names = ("query_id", "query", "doc_id", "document")
    read = read_relevance_file(
        csv_file(tmp_path / "a.csv", *[{name: one[name] for name in names} for one in LONG[::2]])
    )
    assert len(read.documents) == 3
    assert read.scores.empty
    assert read.judges == ()


def test_queries_with_documents_only_are_an_input_too(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", {"id": 7, "query": "what?", "docs": ["one", "two"]})
    read = read_relevance_file(path)
    assert read.documents["query_id"].tolist() == ["7", "7"]
    assert read.documents["doc_id"].tolist() == ["1", "2"]
    assert read.documents["document"].tolist() == ["one", "two"]


def test_without_documents_they_are_numbered_and_have_no_text(tmp_path: Path) -> None:
    path = json_lines(
        tmp_path / "a.jsonl", {"id": "q", "query": "what?", "judge1_score": [0.1, 0.2], "x_score": [1, 0]}
    )
    read = read_relevance_file(path)
    assert read.documents["doc_id"].tolist() == ["1", "2"]
    assert read.documents["document"].isna().all()
    assert read.judges == ("judge1", "x")


def test_lists_as_postgres_writes_them_are_read(tmp_path: Path) -> None:
    row = {"id": "1", "query": "what?", "judge1_score": "{0.9,NULL}", "judge2_score": "{0.1,0.2}"}
    read = read_relevance_file(csv_file(tmp_path / "a.csv", row))
    assert read.scores["score"].tolist() == [0.9, 0.1, 0.2]


def test_columns_of_other_names_are_read_where_they_are_named(tmp_path: Path) -> None:
    renamed = {"query_id": "QID", "doc_id": "DID", "score": "grade", "judge": "rater", "document": "text"}
    rows = [{renamed.get(name, name): value for name, value in one.items()} for one in LONG]
    read = read_relevance_file(csv_file(tmp_path / "a.csv", *rows), renamed)
    assert read.documents["document"].tolist() == ["text a", "text b", "text a"]
    assert len(read.scores) == 6


def test_a_list_of_another_name_is_a_judges_where_it_is_named(tmp_path: Path) -> None:
    row = {"id": "q", "query": "what?", "gpt says": [0.1], "claude_score": [0.2]}
    read = read_relevance_file(json_lines(tmp_path / "a.jsonl", row), {"gpt_score": "gpt says"})
    assert read.judges == ("gpt", "claude")


def test_scores_on_a_declared_scale_are_mapped_onto_0_to_1(tmp_path: Path) -> None:
    rows = [one | {"score": score} for one, score in zip(LONG, [1, 2, 3, 4, 5, 1.5], strict=True)]
    read = read_relevance_file(csv_file(tmp_path / "a.csv", *rows), asked=Asked(scale=(1, 5)))
    # (score - 1) / 4
    assert read.scores["score"].tolist() == [0, 0.25, 0.5, 0.75, 1, 0.125]


def test_a_missing_judgment_is_counted_and_never_zero(tmp_path: Path) -> None:
    path = json_lines(
        tmp_path / "a.jsonl",
        {"id": "q1", "query": "what?", "judge1_score": [0.1, None, 0.3], "judge2_score": [0.1, 0.2, "  "]},
        '{"id": "q2", "query": "who?", "judge1_score": [NaN], "judge2_score": [0]}',
        {"id": "q3", "query": "why?", "docs": [{"id": "a"}], "judge1_score": None, "judge2_score": [0.4]},
    )
    read = read_relevance_file(path)
    assert read.n_missing == {"judge1": 3, "judge2": 1}
    assert read.scores["score"].tolist() == [0.1, 0.3, 0.1, 0.2, 0.0, 0.4]
    assert len(read.documents) == 5


def test_a_document_that_one_judge_alone_scored_is_counted(tmp_path: Path) -> None:
    read = read_relevance_file(csv_file(tmp_path / "a.csv", *LONG[:-1]))
    assert read.n_missing == {"judge1": 0, "judge2": 1}


def test_only_judgments_missing_under_a_version_that_judged_the_query_are_counted(tmp_path: Path) -> None:
    # v2 judged q2 alone: of its one document judge2 lacks the score; q1 is not missing anything under v2.
    rows = [*LONG, LONG[4] | {"prompt_version": "v2"}]
    read = read_relevance_file(csv_file(tmp_path / "a.csv", *rows))
    assert read.n_missing == {"judge1": 0, "judge2": 1}


def test_judges_come_in_the_order_in_which_the_input_has_them(tmp_path: Path) -> None:
    rows = [one | {"judge": {"judge1": "zeta", "judge2": "alpha"}[str(one["judge"])]} for one in LONG]
    assert read_relevance_file(json_lines(tmp_path / "a.jsonl", *rows)).judges == ("zeta", "alpha")


def test_long_texts_and_hostile_markup_are_kept_as_they_are(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> '; DROP TABLE queries; --  \n\tend"
    rows = [one | {"query": f"{hostile} {one['query_id']}", "document": "x" * 100_000} for one in LONG]
    for path in (csv_file(tmp_path / "a.csv", *rows), json_lines(tmp_path / "a.jsonl", *rows)):
        read = read_relevance_file(path)
        assert read.documents["query"].iloc[0] == f"{hostile} q1"
        assert read.documents["document"].str.len().tolist() == [100_000] * 3


def test_a_text_need_not_be_repeated_in_every_row(tmp_path: Path) -> None:
    rows = [one | ({} if place % 2 else {"query": None, "document": None}) for place, one in enumerate(LONG)]
    read = read_relevance_file(json_lines(tmp_path / "a.jsonl", *rows))
    assert read.documents["document"].tolist() == ["text a", "text b", "text a"]


def test_half_is_kept_exactly(tmp_path: Path) -> None:
    read = read_relevance_file(query_json(tmp_path))
    assert 0.5 in read.scores["score"].tolist()
    assert read.scores["score"].dtype == np.float64


def test_columns_that_say_nothing_to_the_study_are_named(tmp_path: Path) -> None:
    rows = [one | {"kappa": 0.3, "human_override": False} for one in QUERIES]
    assert read_relevance_file(json_lines(tmp_path / "a.jsonl", *rows)).ignored == ("kappa", "human_override")


def test_the_study_reads_what_its_configuration_names(tmp_path: Path) -> None:
    path = query_json(tmp_path)
    first = read_relevance(ReliabilityStudy(queries=path))
    assert first.judges == ("judge1", "judge2")
    assert len(first.sha256) == 64
    path.write_text(path.read_text() + "\n")
    assert read_relevance(ReliabilityStudy(queries=path)).sha256 != first.sha256


@pytest.mark.parametrize(
    ("left_out", "said"),
    [(("judge2",), "only judge 'judge1' has scores"), (("judge1", "judge2"), "there are no scores")],
)
def test_scores_of_fewer_than_two_judges_are_refused_unless_judges_are_configured(
    tmp_path: Path, left_out: tuple[str, ...], said: str
) -> None:
    records = [{key: one[key] for key in one if key.split("_")[0] not in left_out} for one in QUERIES]
    path = json_lines(tmp_path / "a.jsonl", *records)
    with pytest.raises(FileFault, match=f"{said}, and agreement takes two judges. .* configure `judges`"):
        read_relevance(ReliabilityStudy(queries=path))
    asked = {"kind": "recorded", "path": "scores.csv"}
    study = ReliabilityStudy.model_validate({"queries": path, "judges": {"one": asked, "two": asked}})
    assert len(read_relevance(study).documents) == 3


def test_a_file_that_is_not_there_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        read_relevance(ReliabilityStudy(queries=tmp_path / "none.jsonl"))
