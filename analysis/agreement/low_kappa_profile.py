"""What tells queries of low kappa from the rest, one feature at a time, and the features of texts."""

import re
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from analysis.significance.holm import holm
from analysis.ties import join_ties
from analysis.undefined import UndefinedStatistic

# Runs of letters and digits, joined by apostrophes or hyphens.
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
FEWEST_CONTENT_WORDS = 2
# English words that carry no content of their own.
FUNCTION_WORDS = frozenset([
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "best", "but", "by", "can", "could", "did",
    "do", "does", "for", "from", "get", "had", "has", "have", "how", "i", "if", "in", "into", "is", "me", "my",
    "need", "no", "not", "of", "on", "or", "our", "please", "should", "so", "some", "tell", "than", "that", "the",
    "their", "there", "to", "up", "us", "use", "want", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your",
])  # fmt: skip
# English words that stand for something the query does not name.
VAGUE_WORDS = frozenset([
    "anybody", "anyone", "anything", "everything", "it", "it's", "its", "somebody", "somehow", "someone",
    "something", "stuff", "them", "these", "they", "thing", "things", "this", "those", "whatever",
])  # fmt: skip
_CODE = re.compile(r"```|[{};]\s*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BULLET = re.compile(r"(?:[-*•]|\d+[.)])\s+\S")
LIST_LINES = 2

Group = NDArray[np.float64]


class FeatureComparison(NamedTuple):
    """One feature of low-kappa queries against the rest, in the feature's unit or as shares.

    `p` is two-sided, `p_holm` the same after Holm's correction over all features that have one. The counts are of
    queries that have the feature. `undefined` says why there is no test.
    """

    feature: str
    low_kappa: float | None
    rest: float | None
    measure: Literal["median", "share"]
    difference: float | None
    p: float | None
    p_holm: float | None
    n_low_kappa: int
    n_rest: int
    undefined: str | None


def low_kappa_profile(features: Mapping[str, ArrayLike], low: ArrayLike) -> list[FeatureComparison]:
    """How queries of low kappa differ from the rest.

    Args:
        features: Each of shape ``(n_queries,)``: true / false for yes/no features, else numbers; None (or NaN) where
            the query lacks it.
        low: Shape ``(n_queries,)``, true where kappa is low.

    Returns:
        One comparison per feature, in their order. Numbers: medians and the Mann-Whitney test (exact where a group has
        at most 8 and no values tie, else normal with tie and continuity correction). Yes/no: shares and Fisher's exact
        test. A feature that is the same for every query, or a group without queries, has no test.

    Raises:
        ValueError: Shapes differ, `low` is not true or false, or a value is infinite or no number.

    Source:
        Mann and Whitney (1947), Ann. Math. Stat. 18:50-60; Fisher (1935), J. R. Stat. Soc. 98:39-82; Holm (1979),
        Scand. J. Stat. 6:65-70.
    """
    is_low = np.asarray(low)
    if is_low.ndim != 1 or (is_low.size and is_low.dtype.kind != "b"):
        raise ValueError(f"low must be true or false per query, got {is_low.dtype} of shape {is_low.shape}")
    found = [_compared(name, values, is_low.astype(np.bool_)) for name, values in features.items()]
    corrected = iter(holm([one.p for one in found if one.p is not None]))
    return [one if one.p is None else one._replace(p_holm=next(corrected)) for one in found]


def query_words(query: str) -> int:
    """How many words a query has: runs of letters and digits, joined by apostrophes or hyphens."""
    return len(WORD.findall(query))


def query_is_vague(query: str) -> bool:
    """Whether an English query leaves open what is asked about.

    Vague are queries with fewer than 2 different content words (neither in `FUNCTION_WORDS` nor in `VAGUE_WORDS`), and
    those with a word that stands for something unnamed (`VAGUE_WORDS`: it, this, something, thing, ...). The lists are
    English: of other languages only the number of words counts.
    """
    words = {word.lower().replace("’", "'") for word in WORD.findall(query)}
    return bool(words & VAGUE_WORDS) or len(words - FUNCTION_WORDS - VAGUE_WORDS) < FEWEST_CONTENT_WORDS


def document_words(documents: Sequence[str | None]) -> float | None:
    """The median number of words of a query's documents; none where no text is known."""
    known = [len(WORD.findall(document)) for document in documents if document is not None]
    return float(median(known)) if known else None


def _compared(feature: str, values: ArrayLike, low: NDArray[np.bool_]) -> FeatureComparison:
    array = np.asarray(values)
    if array.shape != low.shape:
        raise ValueError(f"feature '{feature}' has shape {array.shape}, needed is one value for {low.size} queries")
    known = np.array([value is not None and value == value for value in array.tolist()], dtype=np.bool_)
    kept: list[Any] = array[known].tolist()
    yes_no = bool(kept) and all(isinstance(value, bool | np.bool_) for value in kept)
    try:
        numbers = np.array([float(value) for value in kept])
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"feature '{feature}' has a value that is no number: {wrong}") from wrong
    if not np.isfinite(numbers).all():
        raise ValueError(f"feature '{feature}' has an infinite value")
    one, other = numbers[low[known]], numbers[~low[known]]
    middle = np.mean if yes_no else np.median
    of_low, of_rest = (float(middle(group)) if group.size else None for group in (one, other))
    p, undefined = None, None
    try:
        p = _p(one, other, yes_no)
    except UndefinedStatistic as no_test:
        undefined = no_test.reason
    return FeatureComparison(
        feature=feature,
        low_kappa=of_low,
        rest=of_rest,
        measure="share" if yes_no else "median",
        difference=None if of_low is None or of_rest is None else of_low - of_rest,
        p=p,
        p_holm=None,
        n_low_kappa=one.size,
        n_rest=other.size,
        undefined=undefined,
    )


def _p(low: Group, rest: Group, yes_no: bool) -> float:
    if not low.size:
        raise UndefinedStatistic("no query of low kappa has this feature")
    if not rest.size:
        raise UndefinedStatistic("no query outside those of low kappa has this feature")
    both = join_ties(np.r_[low, rest])
    if bool(np.all(both == both[0])):
        raise UndefinedStatistic("the same for every query")
    if yes_no:
        table = [[int(group.sum()), int(group.size - group.sum())] for group in (low, rest)]
        return float(scipy.stats.fisher_exact(table).pvalue)
    return float(scipy.stats.mannwhitneyu(both[: low.size], both[low.size :], alternative="two-sided").pvalue)


def document_kind(document: str) -> Literal["code", "markup", "list", "prose"]:
    """What kind of text a document is, by its marks: code fences or braces, tags, bulleted lines, else prose."""
    lines = [line.strip() for line in document.splitlines()]
    if _CODE.search(document):
        return "code"
    if _TAG.search(document):
        return "markup"
    return "list" if sum(bool(_BULLET.match(line)) for line in lines) >= LIST_LINES else "prose"
