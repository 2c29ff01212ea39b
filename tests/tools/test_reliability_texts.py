"""The texts of the reliability samples are plain, all different, and kept apart by what they are for."""

import re

import pytest

from tools.samples.reliability import (
    ANCHORS,
    BY_REVIEW,
    CALIBRATION,
    DIFFICULTIES,
    EVALUATED,
    SampleQuery,
    sample_queries,
)

PARTS = (EVALUATED, CALIBRATION, BY_REVIEW)
FEWEST = {EVALUATED: 60, CALIBRATION: 20, BY_REVIEW: 20}
SENTENCE_END = re.compile(r"[.!?](?:\s|$)")


@pytest.fixture(scope="module")
def by_part() -> dict[str, list[SampleQuery]]:
    return {part: sample_queries(part, seed=1) for part in PARTS}


@pytest.fixture(scope="module")
def every(by_part: dict[str, list[SampleQuery]]) -> list[SampleQuery]:
    return [one for part in PARTS for one in by_part[part]]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_enough_queries_of_five_documents(by_part, part):
    assert len(by_part[part]) >= FEWEST[part]
    assert {len(one.documents) for one in by_part[part]} == {5}


def test_ids_are_those_of_one_query_and_one_document_of_it(by_part):
    for queries in by_part.values():
        assert len({one.id for one in queries}) == len(queries)
        assert {tuple(document.id for document in one.documents) for one in queries} == {("d1", "d2", "d3", "d4", "d5")}


def test_no_query_stands_twice_within_or_across_the_parts(every):
    plain = [" ".join(one.query.casefold().split()) for one in every]
    assert len(set(plain)) == len(plain)


def test_no_document_stands_twice_within_or_across_the_parts(every):
    words = [" ".join(re.findall(r"\w+", document.text.casefold())) for one in every for document in one.documents]
    assert len(set(words)) == len(words)


def test_no_two_documents_begin_with_the_same_five_words(every):
    starts = [" ".join(document.text.split()[:5]).casefold() for one in every for document in one.documents]
    assert sorted({start for start in starts if starts.count(start) > 1}) == []


def test_texts_are_ascii_without_outer_or_double_spaces(every):
    for text in [*(one.query for one in every), *(document.text for one in every for document in one.documents)]:
        assert text.isascii(), text
        assert text == " ".join(text.split()), text


def test_a_document_is_one_to_four_sentences_that_end(every):
    for document in (document for one in every for document in one.documents):
        assert document.text[-1] in ".!?", document.text
        assert 1 <= len(SENTENCE_END.findall(document.text)) <= 4, document.text


def test_true_relevance_lies_on_the_anchors_of_the_prompt_and_uses_all_of_them(by_part):
    for queries in by_part.values():
        assert {document.relevance for one in queries for document in one.documents} == set(ANCHORS)


def test_about_a_third_of_the_documents_is_relevant(by_part):
    for queries in by_part.values():
        truth = [document.relevance > 0.5 for one in queries for document in one.documents]
        assert 0.25 < sum(truth) / len(truth) < 0.45


def test_a_query_is_easy_or_hard_in_one_of_three_ways_and_every_way_is_met_often(by_part):
    found = [one.difficulty for one in by_part[EVALUATED]]
    assert set(found) == set(DIFFICULTIES)
    assert min(found.count(difficulty) for difficulty in DIFFICULTIES) >= 10
    assert 0.35 < found.count("easy") / len(found) < 0.65


def test_only_vague_queries_have_no_relevant_document(every):
    without = [one for one in every if not any(document.relevance > 0.5 for document in one.documents)]
    assert {one.difficulty for one in without} == {"vague"}


def test_relevant_documents_of_other_words_share_hardly_a_word_with_their_query(by_part):
    for one in (one for one in by_part[EVALUATED] if one.difficulty == "other_words"):
        asked = content_words(one.query)
        [best] = [document for document in one.documents if document.relevance == 1.0]
        assert len(asked & content_words(best.text)) / len(asked) <= 0.25, one.query


def test_a_trap_shares_more_words_with_its_query_than_half(by_part):
    """The words alone would take an irrelevant document for an answer."""
    for one in (one for one in by_part[EVALUATED] if one.difficulty == "shared_words"):
        asked = content_words(one.query)
        shares = [
            len(asked & content_words(document.text)) / len(asked)
            for document in one.documents
            if document.relevance <= 0.3
        ]
        assert max(shares) >= 0.5, one.query


def content_words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z']+", text.casefold()) if len(word) > 3}


def test_the_seed_decides_the_order_of_documents_and_nothing_else(by_part):
    again, other = sample_queries(EVALUATED, seed=1), sample_queries(EVALUATED, seed=2)
    assert again == by_part[EVALUATED]
    assert other != again
    for one, same in zip(again, other, strict=True):
        assert (one.id, one.query) == (same.id, same.query)
        assert {document.text for document in one.documents} == {document.text for document in same.documents}


def test_a_place_tells_nothing_of_relevance(by_part):
    """The best document stands in each of the five places about as often: 61 of them, 12 a place on average."""
    best = [
        place for one in by_part[EVALUATED] for place, document in enumerate(one.documents) if document.relevance == 1.0
    ]
    assert min(best.count(place) for place in range(5)) >= 4
