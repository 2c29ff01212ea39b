"""The judge `lexical`: BM25 of a document for its query, as a share of the most that the query's words can give."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from resources.judges.relevance.offline import Measure, Text

MODEL: Final = "bm25-lucene"
CODE_VERSION: Final = "1"
K1: Final = 1.5
B: Final = 0.75
STOP_WORDS: Final = "english_plus"  # question words too
DECIMALS: Final = 9
NO_WORDS: Final = "The query has no word but stop words: nothing can match."


class LexicalMeasure:
    """Weighs words by how rare they are in the corpus: the calibration's documents, and those of the query itself.

    So a score depends on the query with all its documents and on the calibration, and on no other query.
    """

    model = MODEL
    code_version = CODE_VERSION

    def __init__(self, corpus: Sequence[str]) -> None:
        """Split the corpus into words.

        Args:
            corpus: Documents; one that stands there twice counts once.
        """
        self._documents = list(dict.fromkeys(corpus))
        self._known = dict(zip(self._documents, _words(self._documents), strict=True))
        self.parameters = {"k1": K1, "b": B, "stop_words": STOP_WORDS, "form": "lucene, share of the query's weight"}

    def measure(self, texts: Sequence[Text]) -> list[Measure]:
        """For each query and document 0 (no word of the query) to below 1; all documents of a query must be given."""
        places = defaultdict(list)
        for place, text in enumerate(texts):
            places[text.group, text.query].append(place)
        measured: list[Measure | None] = [None] * len(texts)
        for (_, query), its in places.items():
            documents = [texts[place].document for place in its]
            for place, one in zip(its, self._of_query(query, documents), strict=True):
                measured[place] = one
        return [one for one in measured if one is not None]

    def _of_query(self, query: str, documents: Sequence[str]) -> list[Measure]:
        [asked] = _words([query])
        words = list(dict.fromkeys(asked))
        if not words:
            return [Measure(0.0, NO_WORDS)] * len(documents)
        new = [document for document in dict.fromkeys(documents) if document not in self._known]
        corpus = [*self._known.values(), *_words(new)]
        place_of = {document: place for place, document in enumerate([*self._documents, *new])}
        scores = _bm25(corpus, words)
        found_in = Counter(word for document in corpus for word in set(words).intersection(document))
        most = math.fsum(_rarity(found_in[word], len(corpus)) for word in words)
        return [Measure(round(float(scores[place_of[document]]) / most, DECIMALS)) for document in documents]


def _bm25(corpus: list[list[str]], words: list[str]) -> Sequence[float]:
    """BM25 of every document."""
    import bm25s

    vocabulary = {word for document in corpus for word in document}
    known = [word for word in words if word in vocabulary]
    if not known:
        return [0.0] * len(corpus)
    index = bm25s.BM25(k1=K1, b=B, method="lucene", dtype="float64")
    index.index(corpus, show_progress=False)
    scores: Sequence[float] = index.get_scores(known)
    return scores


def _rarity(n_with: int, n_documents: int) -> float:
    """What a word weighs, and the limit of what it can add to a document's score."""
    return math.log(1 + (n_documents - n_with + 0.5) / (n_with + 0.5))


def _words(texts: Sequence[str]) -> list[list[str]]:
    import bm25s

    if not texts:
        return []
    return [
        [word for word in words if word]
        for words in bm25s.tokenize(
            list(texts), stopwords=STOP_WORDS, return_ids=False, show_progress=False, allow_empty=False
        )
    ]
