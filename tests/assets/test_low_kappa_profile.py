"""Features of queries: counted from their texts, with nothing said of texts that are not known."""

import numpy as np
import pandas as pd

from assets.reliability.low_kappa_profile import features_of

ROWS = [
    ("q1", "best waterproof trail shoes", "d1", "One two three."),
    ("q1", "best waterproof trail shoes", "d2", "- one\n- two"),
    ("q1", "best waterproof trail shoes", "d3", "- a\n- b\n- c"),
    ("q2", "what is it", "d1", None),
    ("q3", "boots", "d1", "if (x) {\n"),
    ("q3", "boots", "d2", "plain words here"),
]
FRAME = pd.DataFrame(ROWS, columns=["query_id", "query", "doc_id", "document"]).astype("str")
VERSIONS = pd.Series({"q1": "v1", "q2": "v2", "q3": "v1"})


def test_features_of_queries_by_hand() -> None:
    found = features_of(FRAME, VERSIONS)
    assert found["query_words"] == [4, 3, 1]
    # q2 asks for "it"; q3 has one content word.
    assert found["query_is_vague"] == [False, True, True]
    assert found["documents"] == [3, 1, 2]
    # Words 3, 2, 3; none; "if", "x" and three.
    assert list(np.asarray(found["document_words"])) == [3.0, None, 2.5]


def test_the_kind_of_most_documents_counts_and_on_a_tie_the_first_in_the_alphabet() -> None:
    found = features_of(FRAME, VERSIONS)
    assert [name for name in found if name.startswith("document_kind")] == ["document_kind=code", "document_kind=list"]
    assert list(np.asarray(found["document_kind=list"])) == [True, None, False]
    assert list(np.asarray(found["document_kind=code"])) == [False, None, True]


def test_each_prompt_version_is_a_feature() -> None:
    found = features_of(FRAME, VERSIONS)
    assert list(np.asarray(found["prompt_version=v2"])) == [False, True, False]


def test_features_come_in_the_order_of_the_queries_asked_for() -> None:
    assert features_of(FRAME, VERSIONS[["q3", "q1"]])["query_words"] == [1, 4]


def test_without_texts_nothing_is_said_of_documents() -> None:
    found = features_of(FRAME.assign(document=None), VERSIONS)
    assert list(np.asarray(found["document_words"])) == [None] * 3
    assert not [name for name in found if name.startswith("document_kind")]
