"""Features of queries: counted from their texts, with nothing said of texts that are not known."""

import numpy as np
import pandas as pd

from assets.reliability.low_kappa_profile import features_of, profile

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
    assert [name for name in found if name.startswith("document_kind")] == ["document_kind=list"]
    assert list(np.asarray(found["document_kind=list"])) == [True, None, False]


def test_of_two_values_one_is_a_feature_and_of_three_each() -> None:
    found = features_of(FRAME, VERSIONS)
    assert [name for name in found if name.startswith("prompt_version")] == ["prompt_version=v2"]
    assert list(np.asarray(found["prompt_version=v2"])) == [False, True, False]
    three = features_of(FRAME, pd.Series({"q1": "v1", "q2": "v2", "q3": "v3"}))
    assert len([name for name in three if name.startswith("prompt_version")]) == 3


def test_a_feature_of_two_values_is_one_test_in_holms_correction() -> None:
    # Nothing but the kind of document tells ten queries from ten others: one test, so p is as it is after Holm.
    kinds = ["plain words here"] * 10 + ["if (x) {\n"] * 10
    texts = pd.DataFrame(
        [(f"q{place}", "red shoes", "d", text) for place, text in enumerate(kinds)], columns=FRAME.columns
    ).astype("str")
    frame = pd.DataFrame(
        {"judge_1": "careful", "judge_2": "hasty", "query_id": texts["query_id"], "kappa": [0.1] * 10 + [0.9] * 10}
    ).assign(is_low=[True] * 10 + [False] * 10, prompt_version="v1")
    rows = profile(frame, ("careful", "hasty"), texts.assign(document=kinds)).set_index("feature")
    tested = rows[rows["p"].notna()]
    # The words of the documents differ too: 3 and 2.
    assert list(tested.index) == ["document_words", "document_kind=prose"]
    assert tested["p_holm"].min() == 2 * tested["p"].min()


def test_the_low_queries_of_the_deciding_pair_stand_against_its_others_with_a_kappa() -> None:
    kappas = {"hasty": [0.1, 0.9, None], "odd": [0.9, 0.2, 0.1]}
    frame = pd.concat(
        [
            pd.DataFrame({"judge_1": "careful", "judge_2": judge, "query_id": ["q1", "q2", "q3"], "kappa": of_queries})
            for judge, of_queries in kappas.items()
        ]
    ).assign(prompt_version="v1")
    frame["is_low"] = frame["kappa"] < 0.4
    rows = profile(frame, ("careful", "hasty"), FRAME).set_index("feature")
    # q1 is low for this pair, q2 is not and q3 has no kappa; q3 and q2 are low for the other pair alone.
    assert rows.loc["query_words", ["low_kappa", "rest", "n_low_kappa", "n_rest"]].tolist() == [4, 3, 1, 1]


def test_features_come_in_the_order_of_the_queries_asked_for() -> None:
    assert features_of(FRAME, VERSIONS[["q3", "q1"]])["query_words"] == [1, 4]


def test_without_texts_nothing_is_said_of_documents() -> None:
    found = features_of(FRAME.assign(document=None), VERSIONS)
    assert list(np.asarray(found["document_words"])) == [None] * 3
    assert not [name for name in found if name.startswith("document_kind")]
