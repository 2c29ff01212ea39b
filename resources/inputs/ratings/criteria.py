"""Columns that say for what an object is rated, such as fluency: each of several criteria has a verdict of its own."""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from analysis.messages import Name, message
from analysis.spelling import one_spelling
from resources.errors import listing
from resources.inputs.column_names import SpelledNames
from resources.inputs.ratings.other_columns import other_text
from resources.inputs.ratings.summary_rows import MOST_OF_A_NAME, kind_of
from resources.inputs.record_files import value_of
from resources.inputs.written_columns import looks_like_number

_CRITERION: Final = re.compile(
    r"(criteri(on|a|um|o)|kriterium|dimension[es]?|aspect|aspetto|metric|facet|trait)s?([_\s-]?(id|name))?",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_NUMBER: Final = re.compile(r"(\d{1,4})(\.0*)?")
# Criteria with numbers for names run from 0 or 1 to about here; a picture's dimension does not.
MOST_NUMBERED: Final = 12
# A column with more different texts holds remarks.
MOST_CRITERIA: Final = 10_000
# Two raters' words need not be the same ones: so many of one's ratings are labels that the other gives too.
SHARED: Final = 0.8


def names_a_criterion(name: str) -> bool:
    """Whether a column's name, or of a nested field its last part, is that of criteria; metric may be a judge's too."""
    return bool(_CRITERION.fullmatch(name.rpartition(".")[2].strip()))


def are_criteria(name: str, n_by_text: Mapping[str, int], ratings: Iterable[Collection[str]]) -> bool:
    """Whether a column with such a name holds several criteria that come again, and neither a measure nor ratings."""
    n_by_text = {text: n for text, n in n_by_text.items() if n > MOST_OF_A_NAME or kind_of(text) is None}
    n, different = sum(n_by_text.values()), len(n_by_text)
    if not (1 < different < n and different <= max(2, n // 2)):
        return False
    if 2 * sum(count for text, count in n_by_text.items() if looks_like_number(text)) > n:
        plain = name.casefold().replace("k", "c")
        return "crit" in plain or ("metric" not in plain and _are_numbered(n_by_text))
    return not any(shares_words(n_by_text, words) for words in ratings)


def _are_numbered(texts: Collection[str]) -> bool:
    """Whether all are small whole numbers, as names of criteria are."""
    found = [number and int(number[1]) for number in map(_NUMBER.fullmatch, texts)]
    return all(number is not None and number <= max(MOST_NUMBERED, 2 * len(texts)) for number in found)


def criteria_of_names(judges: Iterable[str], people: Iterable[str]) -> dict[str, list[str]]:
    """The columns of each criterion where all have one in their names: gpt_fluency, gpt_style, ann_fluency, ann_style.

    Returns:
        Empty where not each name has one word of three letters or more that names of both sides have, and not all
        names.
    """
    sides = [{name: {*_WORD.findall(name.casefold())} for name in names} for names in (judges, people)]
    words = sides[0] | sides[1]
    of_both = set.intersection(*(set().union(*side.values()) for side in sides))
    criteria = of_both - (set.intersection(*words.values()) if words else set())
    found: dict[str, list[str]] = {}
    for name, own in words.items():
        if len(own & criteria) != 1:
            return {}
        [criterion] = own & criteria
        found.setdefault(criterion, []).append(name)
    return found if len(found) > 1 else {}


def shares_words(n_by_text: Mapping[str, int], words: Collection[str]) -> bool:
    """Whether most of a column's texts are among these words, and several of them."""
    given = {_plain_word(word) for word in words}
    shared = [n for text, n in n_by_text.items() if _plain_word(text) in given]
    return len(shared) > 1 and sum(shared) >= SHARED * sum(n_by_text.values())


def _plain_word(text: str) -> str:
    return one_spelling(text).replace(" / ", "/")  # 4 / 5


class CriterionColumns:
    """How often each text comes in the columns with a criterion's name, over all rows that are read."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take those of these columns whose name is that of criteria."""
        found = [name for name in names if names_a_criterion(name)]
        self.n_by_text = {name: Counter[str]() for name in found}
        self._readers = [(value_of(name), SpelledNames(), self.n_by_text[name]) for name in found]

    def add(self, fields: dict[str, Any]) -> None:
        """One row more."""
        for value, spelled, counts in self._readers:
            if len(counts) <= MOST_CRITERIA and (text := other_text(value(fields))) is not None:
                counts[spelled.first(text)] += 1

    def choice(self, ratings: Iterable[Collection[str | None]], remarks: list[str]) -> str | None:
        """The option that chooses the first of several criteria, with a remark that none was; else null."""
        for name, counts in self.n_by_text.items():
            words = ({text for text in texts if text is not None} for texts in ratings)
            if len(counts) <= MOST_CRITERIA and are_criteria(name, counts, words):
                option = f"`--where {shlex.quote(f'{name}={next(iter(counts))}')}`"
                several = (
                    "Column '{name}' holds several criteria ({all}), and this verdict is on all of them: "
                    "{option} chooses one."
                )
                remarks.append(
                    message(
                        several, name=Name(name), all=listing(Name(text[:60]) for text in counts), option=Name(option)
                    )
                )
                return option
        return None
