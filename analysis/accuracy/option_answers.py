"""Multiple-choice answers brought to one of the options, where that needs no guess."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import NamedTuple

from analysis.spelling import one_spelling

# A longer text is no answer but an essay; nested deeper, no wrapping that people or models write.
_LONGEST, _DEEPEST, _MOST_STATEMENTS = 10_000, 20, 20
_QUOTES = "\"'`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u00b4"
_MARKS = "\"'*_`"
# Letters of another width or font and circled ones; not superscripts, which change what a number says.
_SAME_LETTER = ("<wide>", "<narrow>", "<font>", "<circle>", "<square>", "<compat> 0028")
_WRAPPED = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"\\(?:boxed|fbox|text|textbf|textit|textrm|mathrm|mathbf|emph)\s*\{(?P<inner>.*)\}",
        r"\\\((?P<inner>.*)\\\)",
        r"\\\[(?P<inner>.*)\\\]",
        r"(?P<mark>\*{1,3}|_{1,3}|`{1,3}|~~|\${1,2})(?P<inner>.+)(?P=mark)",
        r"<(?P<tag>[A-Za-z][\w-]*)>(?P<inner>.*)</(?P=tag)>",
    )
]
_LEAD = re.compile(
    rf"""[{_MARKS}\s]*
    (?: (?:(?:so|thus|hence|therefore)\b[\s,]*)? (?:(?:the|my)\s+)?
        (?:(?:final|correct|right|best|predicted|chosen|selected)\s+)*
        (?:answer|option|choice|response|prediction)\b [{_MARKS}]*
        (?: \s*(?:is|would\s+be|should\s+be)\b | \s*[:=] | \s+[-\u2013\u2014]\s+(?!\d) )?
      | i(?:['\u2019]d|\s+would|['\u2019]ll|\s+will)?\s+(?:choose|pick|select|say|go\s+with)\b
    ) [{_MARKS}]* \s* :? \s*""",
    re.IGNORECASE | re.VERBOSE,
)
_HEADING = re.compile(r"(?:#{1,6}|>|[*\u2022\u2023])\s+")
_CLOSING = re.compile(r"[.:,;!\u3001\u3002\u0964]+$")
# What separates a letter from what it says; a space alone would read "A red" out of a sentence.
_BETWEEN = r"(?:\s*[)\]}>.:,;*_`]+\s*(?:[-\u2013\u2014]\s*)?|\s*[-\u2013\u2014]\s*)"
_STATEMENT = re.compile(
    rf"(?:answer|option|choice)\b[{_MARKS}]*\s*(?:is\b|[:=])[{_MARKS}]*\s*(?P<rest>[^\n]*)|(?P<boxed>\\boxed\s*\{{[^{{}}]*\}})",
    re.IGNORECASE,
)
_ENCLOSED = re.compile(r"\s*(\([^()]+\)|\[[^\[\]]+\]|\*\*[^*]+\*\*|\"[^\"]+\"|`[^`]+`|\\boxed\s*\{[^{}]+\})")
_SENTENCE = re.compile(r"(.+?)[.!](?=\s)")
_DOUBT = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|wrong|incorrect|false|except|unlikely|instead|actually|unless|either|"
    r"if)\b|n['\u2019]t\b|\?",
    re.IGNORECASE,
)


class OptionAnswer(NamedTuple):
    """The option that an answer names (none: no option), and whether its text had to be changed for that."""

    option: str | None
    normalised: bool


def normalised_answer(answer: str | None, options: Sequence[str], texts: Sequence[str] | None = None) -> OptionAnswer:
    r"""Which option an answer names.

    "b", "B.", "(B)", "**B**", "Answer: B", "The answer is (B).", a full-width letter and `\boxed{B}` all name the
    option "B". So does what the option says, alone or after its letter. Nothing is guessed: an answer that names two
    options, or a letter within a sentence ("A dog"), names none.

    Args:
        answer: What was answered; none or blank names no option.
        options: The names of the options as text, in any number.
        texts: What each option says, same order, where its name is a letter for it. Without it, options of more than
            one letter each can be named by A, B, ... in their order too.

    Returns:
        The option as `options` spells it. An answer that is an option's name, but for case and outer spaces, is that
        option; else the answer must name one option and no other.

    Raises:
        ValueError: Fewer than one option, a blank one, or two that differ in case or outer spaces alone.

    Source:
        docs/statistics.md, Multiple choice.
    """
    named = _options(tuple(options), None if texts is None else tuple(texts))
    if answer is None:
        return OptionAnswer(None, False)
    place = named.place_of(answer)
    return OptionAnswer(None, False) if place is None else OptionAnswer(options[place], answer != options[place])


def written_answer(answer: str | None, options: Sequence[str], texts: Sequence[str] | None = None) -> OptionAnswer:
    """Which option an answer is as it is written: its name or what it says, letter case and outer spaces aside.

    Arguments, result and refusals are those of `normalised_answer`.
    """
    named = _options(tuple(options), None if texts is None else tuple(texts))
    for way in (named.exact, named.said):
        place = None if answer is None else way.get(one_spelling(answer))
        if place is not None:
            return OptionAnswer(options[place], answer != options[place])
    return OptionAnswer(None, False)


class _Options:
    """The options of one question, by all the ways to spell them; each way maps a plain text to a place."""

    def __init__(self, names: tuple[str, ...], texts: tuple[str, ...] | None) -> None:
        self.exact = {one_spelling(name): place for place, name in enumerate(names)}
        if not names or "" in self.exact:
            raise ValueError(f"options must be texts that are not blank, got {list(names)}")
        if len(self.exact) < len(names):
            raise ValueError(f"two options differ in case or outer spaces alone: {list(names)}")
        self.said = {} if texts is None else _unique(texts)
        self.labels = names
        if texts is None and all(len(_bare(name)) > 1 for name in names) and len(names) <= len(ascii_uppercase):
            self.labels, texts = tuple(ascii_uppercase[: len(names)]), names
        self.texts = texts
        self.spellings = [_unique([_same_letters(one) for one in side]) for side in (self.labels, texts or ())]
        # An option may itself be written "(B)" or "B.".
        self.spellings += [_unique([_bare(one) for one in side]) for side in (self.labels, texts or ())]

    def place_of(self, answer: str) -> int | None:
        exact = self.exact.get(one_spelling(answer))
        if exact is not None:
            return exact
        if len(answer) > _LONGEST:
            return None
        text = _same_letters(answer)
        places = self._whole(text) or self._label_and_text(text)
        if not places:
            return self._stated(text)
        return places.pop() if len(places) == 1 else None

    def _whole(self, text: str) -> set[int]:
        """The options that the whole text names, with its wrappings and without."""
        forms = [one_spelling(form) for form in self._forms(text)]
        return {way[form] for form in forms for way in self.spellings if form in way}

    def _forms(self, text: str) -> Iterator[str]:
        for _ in range(_DEEPEST):
            yield text
            peeled = _peeled(text)
            if peeled == text:
                lead = _LEAD.match(text)
                # "The right answer is wrong" names two options where "right" is one.
                if lead is None or not lead[0] or self._mentioned(lead[0]):
                    return
                peeled = text[lead.end() :]
            text = peeled

    def _label_and_text(self, text: str) -> set[int]:
        """The options whose letter and text both are there: "A: red", "(A) red", "red (A)"."""
        found: set[int] = set()
        if self.texts is None:
            return found
        said = [self.spellings[1], self.spellings[3]]
        for form in self._forms(text):
            for place, label in enumerate(self.labels):
                # What is left may name an option by its text only: "A - B" names none.
                after = re.fullmatch(rf"[\s(\[{{<*_`]*{re.escape(label)}{_BETWEEN}(\S.*)", form, re.I | re.S)
                before = re.fullmatch(rf"(.*\S)\s*[(\[]{re.escape(label)}[)\]]", form, re.I | re.S)
                for parts in (after, before):
                    rests = [] if parts is None else [one_spelling(rest) for rest in self._forms(parts[1])]
                    if {way[rest] for rest in rests for way in said if rest in way} == {place}:
                        found.add(place)
        return found

    def _stated(self, text: str) -> int | None:
        """The option that a longer text says is the answer, where it names no other and has no word of doubt."""
        places: set[int | None] = set()
        left, end = "", 0
        for number, statement in enumerate(_STATEMENT.finditer(text)):
            if number == _MOST_STATEMENTS:
                return None
            place, length = self._stated_in(statement["boxed"] or statement["rest"])
            places.add(place)
            left += text[end : statement.start()] + " "
            end = statement.end() if statement["boxed"] else statement.start("rest") + length
        left += text[end:]
        if len(places) != 1 or _DOUBT.search(left):
            return None
        [place] = places
        return place if place is not None and self._mentioned(left) <= {place} else None

    def _stated_in(self, rest: str) -> tuple[int | None, int]:
        """The option at the beginning of what follows "the answer is", and how long its text is there."""
        for part in (re.fullmatch(r"(.*)", rest), _ENCLOSED.match(rest), _SENTENCE.match(rest)):
            places = set() if part is None else self._whole(part[1]) or self._label_and_text(part[1])
            if part is not None and len(places) == 1:
                return places.pop(), part.end()
        return None, 0

    def _mentioned(self, text: str) -> set[int]:
        """The options that occur in a text as words; a single letter counts as it is written, or in brackets."""
        found = set()
        for side in (self.labels, self.texts or ()):
            for place, word in enumerate(side):
                pattern = rf"(?<!\w){re.escape(word.strip())}(?!\w)"
                if len(word) == 1:
                    pattern += rf"|[(\[](?i:{re.escape(word)})[)\]]"
                if re.search(pattern, text, 0 if len(word) == 1 else re.IGNORECASE):
                    found.add(place)
        return found


@lru_cache(maxsize=4096)
def _options(names: tuple[str, ...], texts: tuple[str, ...] | None) -> _Options:
    return _Options(names, texts)


def _unique(texts: Sequence[str]) -> dict[str, int]:
    """The place of each text that occurs once, and is not blank."""
    plain = [one_spelling(text) for text in texts]
    return {text: place for place, text in enumerate(plain) if text and plain.count(text) == 1}


def _bare(text: str) -> str:
    """A text without any of its wrappings, and without "option" before it."""
    text = _same_letters(text)
    for _ in range(_DEEPEST):
        peeled = _peeled(text)
        if peeled == text and (lead := _LEAD.match(text)):
            peeled = text[lead.end() :]
        if peeled == text:
            break
        text = peeled
    return text


def _same_letters(text: str) -> str:
    """The text with plain letters for full-width, circled and styled ones, and without invisible marks."""
    if text.isascii():
        return text
    letters = [
        unicodedata.normalize("NFKC", letter) if unicodedata.decomposition(letter).startswith(_SAME_LETTER) else letter
        for letter in text
        if unicodedata.category(letter) != "Cf"
    ]
    return unicodedata.normalize("NFC", "".join(letters))


def _peeled(text: str) -> str:
    """The text without its outermost wrapping: spaces, Markdown, TeX, a tag, quotes, brackets, a point after it."""
    if text != text.strip():
        return text.strip()
    for pattern in _WRAPPED:
        if found := pattern.fullmatch(text):
            return found["inner"]
    if found := _HEADING.match(text):
        return text[found.end() :]
    if found := _CLOSING.search(text):
        return text[: found.start()]
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return text[1:-1]
    if text[:1] and text[0] in _QUOTES:
        return text[1:]
    if text[-1:] and text[-1] in _QUOTES:
        return text[:-1]
    return _without_brackets(text)


def _without_brackets(text: str) -> str:
    """The text without a bracket around it, or one at an end that has no partner."""
    depths, depth = [], 0
    for letter in text:
        kind = unicodedata.category(letter)
        depth += (kind == "Ps") - (kind == "Pe")
        depths.append(depth)
    if not text:
        return text
    begins, ends = unicodedata.category(text[0]) == "Ps", unicodedata.category(text[-1]) == "Pe"
    if begins and ends and depth == 0 and min(depths[:-1], default=0) > 0:
        return text[1:-1]
    if ends and depth < 0:
        return text[:-1]
    if begins and depth > 0:
        return text[1:]
    return text
