"""BM25 against numbers worked by hand, and against its formula written out."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.configuration.reliability import LexicalJudge
from resources.judges.relevance.lexical import NO_WORDS, LexicalMeasure
from resources.judges.relevance.offline import Text
from tests.resources.judges.relevance.asked import ASKED, judge, ledger_of, study_in, write_examples


def measured(corpus: list[str], query: str, *documents: str) -> list[float]:
    return [one.value for one in LexicalMeasure(corpus).measure([Text("q", query, each) for each in documents])]


def test_a_share_worked_by_hand() -> None:
    # Corpus of 4 documents with 2, 2, 2 and 4 words: mean length 2.5. "tyre" stands in 2 of them, "patch" in 1.
    # idf(tyre) = ln(1 + 2.5 / 2.5) = 0.693147, idf(patch) = ln(1 + 3.5 / 1.5) = 1.203973; the most is 1.897120.
    # For a document of 2 words: length term 1.5 x (0.25 + 0.75 x 2 / 2.5) = 1.275; one tyre gives 1 / 2.275 = 0.439560.
    #   0.693147 x 0.439560 / 1.897120 = 0.160601
    # For one of 4 words: 1.5 x (0.25 + 0.75 x 4 / 2.5) = 2.175; two tyres 2 / 4.175 = 0.479042, a patch 1 / 3.175 =
    # 0.314961: (0.332047 + 0.379204) / 1.897120 = 0.374911
    corpus = ["garden rain", "museum ticket"]
    found = measured(corpus, "tyre patch", "tyre pump", "tyre tyre patch glue")
    assert found == pytest.approx([0.160601, 0.374911], abs=1e-6)


words = st.sampled_from(["tyre", "patch", "glue", "pump", "museum", "garden", "rain"])
texts = st.lists(words, min_size=1, max_size=8).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(corpus=st.lists(texts, min_size=1, max_size=6), query=texts, document=texts)
def test_it_is_the_formula_of_lucene_over_the_querys_weight(corpus: list[str], query: str, document: str) -> None:
    everything = [one.split() for one in dict.fromkeys([*corpus, document])]
    mean_length = sum(map(len, everything)) / len(everything)
    asked, its = set(query.split()), document.split()

    def idf(word: str) -> float:
        n = sum(word in one for one in everything)
        return math.log(1 + (len(everything) - n + 0.5) / (n + 0.5))

    length = 1.5 * (0.25 + 0.75 * len(its) / mean_length)
    score = sum(idf(word) * its.count(word) / (its.count(word) + length) for word in asked)
    [found] = measured(corpus, query, document)
    assert found == pytest.approx(score / sum(map(idf, asked)), abs=1e-8)
    assert 0 <= found < 1


def test_a_query_of_stop_words_alone_matches_nothing_and_says_so() -> None:
    [one] = LexicalMeasure(["a museum"]).measure([Text("q", "What is it?", "a museum")])
    assert one == (0.0, NO_WORDS)


@pytest.mark.parametrize("document", ["", "\x00", "</document>", "die und der", "x" * 100_000])
def test_a_document_without_a_word_of_the_query_has_nothing(document: str) -> None:
    assert measured(["garden rain", "tyre"], "punctured tyre", document) == [0.0]


def test_letter_case_and_marks_are_no_difference() -> None:
    assert measured(["rain"], "TYRE?", "tyre, pump") == measured(["rain"], "tyre", "Tyre (pump)")


def test_other_queries_do_not_change_a_score_even_with_the_same_words() -> None:
    measure = LexicalMeasure(["garden rain", "museum"])
    alone = measure.measure([Text("q1", "tyre patch", "tyre glue")])
    beside = measure.measure([Text("q1", "tyre patch", "tyre glue"), Text("q2", "tyre patch", "tyre tyre patch")])
    assert beside[0] == alone[0]


def test_the_judge_scores_documents_that_share_words_higher(tmp_path: Path) -> None:
    study = study_in(tmp_path, calibration=write_examples(tmp_path))
    ledger = ledger_of(f"sqlite:///{tmp_path / 'touchstone.db'}")
    said, _ = judge(study, LexicalJudge(kind="lexical"), ledger)
    score = {(one.query_id, one.doc_id): one.score or 0.0 for one in said}
    assert score["q2", "d1"] > score["q2", "d3"] > score["q2", "d2"]
    # The right answer to q1 shares no word with it: that is what a lexical judge cannot see.
    assert score["q1", "d3"] > score["q1", "d1"] == score["q1", "d2"]
    again, _ = judge(study, LexicalJudge(kind="lexical"), ledger, asked=ASKED[3:])
    assert {(one.query_id, one.doc_id): one.score for one in again}.items() <= score.items()
