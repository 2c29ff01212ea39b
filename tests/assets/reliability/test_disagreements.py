"""Disputed queries as a table and as a CSV file that a spreadsheet opens and no formula of which runs."""

from io import StringIO

import pandas as pd
import pytest

from assets.reliability.disagreements import disputed_queries, exported, harmless
from resources.tables.all_tables import TABLES
from tests.assets.reliability.made_judgments import (
    BASE,
    THREE,
    TWO,
    Scores,
    disputed_of,
    documents_of,
    query_kappa_of,
    scored_of,
)


def table(
    scores: Scores = BASE, held_out: frozenset[str] = frozenset(), judges: tuple[str, ...] = TWO, **votes: object
) -> pd.DataFrame:
    frame = disputed_queries(
        disputed_of(scores, judges, **votes),  # type: ignore[arg-type]
        scored_of(scores, judges).of_two(),
        query_kappa_of(scores, judges),
        documents_of(scores),
        held_out,
    )
    return TABLES["disagreements"].validated(frame)


def wrote(*rows: tuple[str, str, int, str | None, str | None]) -> pd.DataFrame:
    """What reviewers wrote: query, reviewer, votes, reason and note."""
    names = ["query_id", "reviewer", "votes_relevant", "reason", "note"]
    return pd.DataFrame(rows, columns=names).assign(votes_not_relevant=0, blind=True)


def test_a_row_per_disputed_query_the_worst_first_with_means_over_all_its_documents() -> None:
    frame = table()
    assert frame["query_id"].tolist() == ["q4", "q1"]
    assert frame["place"].tolist() == [1, 2]
    # q4: (0.8 + 0.4) / 2; q1: (0.1 + 0.6 + 0.2 + 0.1) / 4.
    assert frame["avg_disagreement"].tolist() == pytest.approx([0.6, 0.25])
    assert frame["max_disagreement"].tolist() == pytest.approx([0.8, 0.6], abs=1e-15)
    assert frame["avg_judge1"].tolist() == pytest.approx([0.55, 0.5])
    assert frame["avg_judge2"].tolist() == pytest.approx([0.35, 0.35])
    assert frame["documents"].tolist() == [["d1", "d2"], ["d2"]]
    assert frame["kappa"].tolist() == [-1.0, 0.5]
    assert frame["query"].tolist() == ["what about q4?", "what about q1?"]
    assert frame["n_undecided"].tolist() == [2, 1]
    assert not frame["reviewed"].any()


def test_means_are_of_the_scores_that_are_there() -> None:
    one: Scores = {"p": {"d": (0.1, 0.1, 0.1)}, "q": {"d": (None, 0.9, 0.1), "e": (None, 0.3, 0.2)}}
    frame = table(one, judges=THREE)
    assert frame["avg_disagreement"].tolist() == pytest.approx([0.45])
    assert frame["avg_judge1"].isna().all()
    assert frame["avg_judge2"].tolist() == pytest.approx([0.6])
    assert ",,0.6," in exported(frame, wrote())


def test_votes_and_queries_that_are_held_out_are_told() -> None:
    frame = table(held_out=frozenset({"q4"}), votes={("q1", "d2"): (1, 0)})
    assert frame["n_undecided"].tolist() == [2, 0]
    assert frame["reviewed"].tolist() == [False, True]
    assert frame["held_out"].tolist() == [True, False]


def test_without_a_dispute_the_table_is_empty_and_whole() -> None:
    frame = table({"q": {"d": (0.1, 0.2), "e": (0.9, 0.8)}})
    assert frame.empty
    assert exported(frame, wrote()).splitlines()[0].startswith("\ufeffid,query,kappa,avg_disagreement,max_disagreement")


def test_the_file_has_no_noise_of_sums() -> None:
    # Differences 0.6, 0.1, 0.1, 0: a mean that binary numbers cannot hold.
    frame = table().assign(avg_disagreement=0.1 + 0.2, avg_judge1=0.6759999999999999)
    text = exported(frame, wrote())
    assert ",0.3," in text
    assert ",0.676," in text
    assert "99999" not in text


def test_a_file_of_many_rows_reads_back() -> None:
    read = pd.read_csv(StringIO(exported(table(), wrote()).removeprefix("\ufeff")))
    assert read["id"].tolist() == ["q4", "q1"]
    assert read["documents_in_dispute"].tolist() == ["d1 d2", "d2"]
    assert read["max_disagreement"].tolist() == [0.8, 0.6]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "\tx", "\rx"])
def test_a_formula_becomes_text(text: str) -> None:
    assert harmless(text) == f"'{text}"


def test_texts_that_are_no_formula_stay() -> None:
    for text in ("", "shoes = good", "a-b"):
        assert harmless(text) == text


def test_names_and_texts_of_the_file_are_all_made_harmless() -> None:
    frame = table().assign(query='=HYPERLINK("x")', query_id="-q", documents=[["=d", "e"], ["@d"]])
    read = pd.read_csv(StringIO(exported(frame, wrote()).removeprefix("\ufeff")))
    for name in ("id", "query", "documents_in_dispute"):
        assert read[name].str.startswith("'").all(), name


def test_what_reviewers_wrote_stands_beside_the_query_a_line_each() -> None:
    words = wrote(
        ("q1", "ann", 1, "it says\nben: so", "see\tpage 2"),
        ("q1", "ben", 0, "not my field", None),
        ("q9", "ann", 1, "not in dispute", None),
        ("q4", "=cmd", 1, None, "=1+1"),
    )
    read = pd.read_csv(StringIO(exported(table(), words).removeprefix("\ufeff")), keep_default_na=False)
    # A line break in a reason makes no line of another's, and no cell begins like a formula.
    assert read["reviewers_wrote"].tolist() == [
        "'=cmd: (note) =1+1",
        "ann: it says ben: so (note) see page 2\nben skipped: not my field",
    ]
    assert pd.read_csv(StringIO(exported(table(), wrote()).removeprefix("\ufeff")))["reviewers_wrote"].isna().all()
