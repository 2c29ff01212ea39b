"""Words in every language of a report: looked up by key, filled with numbers, safe to put on a page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import yaml
from babel import Locale
from markupsafe import Markup, escape

LANGUAGES: Final = ("en", "it")
FOLDER: Final = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Text:
    """The same thing said in each language; `value` is the number behind it, where it is one.

    Put into a template it becomes one ``span`` per language, of which the page shows one at a time.
    """

    html: Mapping[str, Markup]
    value: float | None = None

    def __html__(self) -> str:
        """Both languages as markup; only once where they are the same."""
        if len(set(self.html.values())) == 1:
            return str(next(iter(self.html.values())))
        return Markup("").join(
            Markup('<span class="t" lang="{}">{}</span>').format(language, html) for language, html in self.html.items()
        )

    def plain(self, language: str) -> str:
        """Without markup: for attributes, charts and titles."""
        return self.html[language].striptags()

    @property
    def plains(self) -> dict[str, str]:
        """`plain` in each language."""
        return {language: self.plain(language) for language in self.html}


Part = Text | str | int


def same(words: object) -> Text:
    """A user's words, or a name, that no language changes."""
    return Text(dict.fromkeys(LANGUAGES, escape(str(words))))


def in_english(words: object) -> Text:
    """Words that only exist in English; the page says so to screen readers where it is in another language."""
    said = escape(str(words))
    return Text({"en": said} | {other: Markup('<span lang="en">{}</span>').format(said) for other in LANGUAGES[1:]})


def joined(parts: Iterable[Part], between: str = ", ") -> Text:
    """Several texts one after the other."""
    texts = [part if isinstance(part, Text) else same(part) for part in parts]
    return Text({language: escape(between).join(text.html[language] for text in texts) for language in LANGUAGES})


def lines(parts: Iterable[Part]) -> Text:
    """Several texts one under the other, for a cell of a table; empty ones are left out."""
    texts = [part if isinstance(part, Text) else same(part) for part in parts if part != ""]
    line = Markup('<span class="line">{}</span>')
    return Text(
        {language: Markup(" ").join(line.format(text.html[language]) for text in texts) for language in LANGUAGES}
    )


class Translations:
    """The words of a report: those that all reports share, and its own."""

    def __init__(self, *names: str) -> None:
        """Words of ``reports/{name}.{language}.yaml`` for each name; later files add to earlier ones."""
        self._names = names

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        """By language and dotted key; read when the first is wanted, as loading the graph writes no report."""
        return {
            language: {key: words for name in self._names for key, words in read_words(name, language).items()}
            for language in LANGUAGES
        }

    def say(self, key: str, /, **parts: Part) -> Text:
        """A sentence in each language.

        Args:
            key: Dotted, as in the data file. Its words may name parts in braces; two forms divided by ``|`` are for one
                and for many, by the part ``n``.
            parts: What the braces stand for; a plain text is escaped.

        Raises:
            KeyError: No such key, or a part that the words name is not given.
        """
        html = {}
        for language, texts in self.texts.items():
            words = form_for(texts[key], parts.get("n"), language)
            html[language] = escape(words).format(**{name: _in(part, language) for name, part in parts.items()})
        return Text(html)

    def names_below(self, key: str) -> list[str]:
        """What stands right below a key, in the order of the data files."""
        names = (one.split(".")[1] for one in self.texts[LANGUAGES[0]] if one.startswith(f"{key}."))
        return list(dict.fromkeys(names))

    def has(self, key: str) -> bool:
        """Whether there are words under this key."""
        return all(key in texts for texts in self.texts.values())


def _in(part: Part, language: str) -> Any:
    return part.html[language] if isinstance(part, Text) else part


def form_for(words: str, n: Any, language: str) -> str:
    """Of words with a form for one and one for many, divided by ``|``, the one for `n`; other words as they are.

    Raises:
        KeyError: There are two forms and no number.
    """
    one, _, many = words.partition("|")
    if not many:
        return words
    if n is None:
        raise KeyError("n")
    value = n.value if isinstance(n, Text) else float(n)
    return one if value is not None and locale(language).plural_form(value) == "one" else many


@lru_cache
def locale(language: str) -> Locale:
    """A language's marks, months and plurals, of the Unicode Common Locale Data Repository."""
    return Locale.parse(language)


@lru_cache
def read_words(name: str, language: str) -> Mapping[str, str]:
    """One data file with its nested keys dotted."""
    return dict(_dotted(read_data(f"{name}.{language}.yaml"), ""))


def read_data(name: str) -> Any:
    """A data file of ours below `reports/`: libyaml, where it is there, reads it in a tenth of the time."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)((FOLDER / name).read_text(encoding="utf-8"))
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _dotted(nested: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, str]]:
    for key, value in nested.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value).strip()
