"""Sentences that tables hold, in English, each with the template and values that it was made of, for other languages.

A table holds the finished sentence, and pandas keeps plain text only. So what each sentence was made of is kept here by
sentence, is stored with every table that holds it (`resources.tables.parquet`), and is known again once that is read.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np


class Name(str):
    """A user's own word, such as a column's name or a label: it is never looked up, whatever it says."""

    __slots__ = ()


Value = str | int | float
Made = tuple[str, dict[str, Value]]

MOST_KNOWN: Final = 100_000  # sentences; the oldest are forgotten, and are their own template then
_made: OrderedDict[str, Made] = OrderedDict()


def message(template: str, /, **values: Value) -> str:
    """A sentence in English, such as ``message("only {n} pair|only {n} pairs", n=2)``.

    Args:
        template: Names of values in braces, with Python's format after a colon. Two forms divided by ``|`` are for one
            and for many, by the value `n`. It is also the key of the Italian in ``reports/shared/messages.it.yaml``.
        values: Numbers and words; a value that is itself a message is translated inside, a `Name` is not. None: the
            template is the sentence.

    Returns:
        The sentence; `made_of` gives its template and values.
    """
    if not values:
        return template
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}
    one, _, many = template.partition("|")
    sentence = (many if many and plain["n"] != 1 else one).format(**plain)
    for value in plain.values():
        if isinstance(value, str) and value == sentence:  # a list of one message is that message
            return value
    _keep(sentence, (template, plain))
    return sentence


def _keep(sentence: str, made: Made) -> None:
    """Know a sentence from now on; what it was made of the first time counts, unless it knew fewer names for such."""
    known = _made.setdefault(sentence, made)
    if known[0] == made[0] and _n_names(known) < _n_names(made):
        _made[sentence] = made
    while len(_made) > MOST_KNOWN:
        _made.popitem(last=False)


def _n_names(made: Made) -> int:
    return sum(isinstance(value, Name) for value in made[1].values())


def message_list(parts: Iterable[str | None], between: str = "; ") -> str:
    """Several messages one after the other, without those that are empty; nothing where all are."""
    values = {f"part_{place}": part for place, part in enumerate(part for part in parts if part)}
    return message(between.join(f"{{{name}}}" for name in values), **values)


def labelled(name: str, words: str) -> str:
    """A message behind the name of what it is about, such as a column."""
    return message("{name}: {words}", name=name, words=words)


def none_because(reason: str) -> str:
    """That there is no number, in a column of methods."""
    return message("none: {reason}", reason=reason)


def made_of(sentence: str) -> Made:
    """The template and values of a sentence; one that no message made is its own template."""
    return _made.get(sentence, (sentence, {}))


def messages_behind(sentences: Iterable[str]) -> dict[str, tuple[Any, ...]]:
    """What these sentences, and the messages in them, were made of, by sentence; those without values are left out.

    Behind template and values are the keys of those that are a `Name`: in JSON these are texts as others are.
    """
    found: dict[str, tuple[Any, ...]] = {}
    left = list(sentences)
    while left:
        sentence = left.pop()
        if sentence not in found and (made := _made.get(sentence)) is not None:
            found[sentence] = (*made, *(key for key, value in made[1].items() if isinstance(value, Name)))
            left += [value for value in made[1].values() if isinstance(value, str)]
    return found


def remember(made: object) -> None:
    """Know again what `messages_behind` gave, also after it was JSON; what has another shape is left out."""
    for sentence, one in made.items() if isinstance(made, Mapping) else ():
        match one:
            case [str(template), dict(values), *names] if all(
                isinstance(value, str | int | float) for value in values.values()
            ):
                plain = {key: Name(value) if key in names else value for key, value in values.items()}
                _keep(sentence, (template, plain))
