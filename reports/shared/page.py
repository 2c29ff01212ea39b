"""One HTML file with everything in it: words in two languages, numbers, charts, help and the data, and no network."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd
from markupsafe import Markup

from reports.shared.charts import Chart
from reports.shared.embedded import embedded, source_hash, strict_json, tables_of, vega
from reports.shared.figure import picture_of
from reports.shared.numbers import whole
from reports.shared.phrases import phrase
from reports.shared.text import LANGUAGES, Text, Translations
from reports.shared.verdict import colours_in_css
from resources.runtime.provenance import Provenance

if TYPE_CHECKING:
    from jinja2 import Environment


HERE: Final = Path(__file__).parent
STYLES: Final = ("tokens.css", "page.css", "parts.css", "answer.css", "narrow_and_print.css")
SCRIPTS: Final = ("language.js", "data.js", "tables.js", "charts.js", "help.js", "start.js")


@dataclass(frozen=True)
class Entry:
    """One statistic in the help."""

    id: str
    name: Text
    meaning: Text
    reading: Text
    source: Text


def entries(translations: Translations, ids: Sequence[str]) -> list[Entry]:
    """These entries, in this order.

    Raises:
        KeyError: One of them has no words.
    """
    say = translations.say
    return [
        Entry(
            one,
            say(f"glossary.{one}.name"),
            say(f"glossary.{one}.meaning"),
            say(f"glossary.{one}.reading"),
            say(f"glossary.{one}.source"),
        )
        for one in ids
    ]


@dataclass(frozen=True)
class Page:
    """A report before it is written.

    Attributes:
        template: File below ``reports``, which extends ``page.html.j2``.
        title: Of the window.
        translations: Its words.
        sections: Identifier and title of each, in order, for the list of contents.
        charts: Every chart that the template shows.
        tables: What can be downloaded, by name; each has words under ``tables.{name}``.
        about: What stands next to the tables in the JSON download.
        file_stem: Beginning of the downloads' names.
        terms: Entries of the help.
        choices: Values of `chosen_by` among which the reader can choose.
        chosen: The one that is shown first.
        chosen_by: Column of the tables by which they are filtered.
        styles: Files of ``static`` that this report needs next to the shared ones.
        in_rows: Pictures in the rows of its long tables, as `pictures_in_rows` gives them.
        context: What the template asks for besides.
        provenance: Where its numbers come from; none where no run made it.
    """

    template: str
    title: Text
    translations: Translations
    sections: Sequence[tuple[str, Text]]
    charts: Sequence[Chart]
    tables: Mapping[str, pd.DataFrame]
    about: Mapping[str, Any]
    file_stem: str
    terms: Sequence[str]
    choices: Sequence[str] = ()
    chosen: str | None = None
    chosen_by: str = "setting"
    styles: tuple[str, ...] = ()
    in_rows: Mapping[str, tuple[str, int, int] | None] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance | None = None


def rendered(page: Page) -> str:
    """The file's text; the same page gives the same text."""
    styles, script = source(STYLES + page.styles) + colours_in_css() + print_margins(page.provenance), source(SCRIPTS)
    library = vega()
    about = dict(page.about) | ({} if page.provenance is None else {"provenance": page.provenance.as_json()})
    data = embedded({"tables": tables_of(page.tables), "about": about, "stem": page.file_stem})
    ui = {key.removeprefix("ui."): words for key, words in _plains(page.translations, "ui.").items()}
    settings = {"ui": ui, "title": page.title.plains, "chosenBy": page.chosen_by, "chosen": page.chosen}
    template = environment().get_template(page.template)
    text = template.render(
        {
            "say": page.translations.say,
            "languages": LANGUAGES,
            "page": page,
            "charts": {chart.id: chart for chart in page.charts},
            "pictures": pictures(page),
            "entries": entries(page.translations, page.terms),
            "policy": policy(source_hash(styles), source_hash(script), library.hash),
            "styles": Markup(styles),
            "script": Markup(script),
            "library": Markup(library.body) if page.charts else None,
            "data": Markup(data.body),
            "data_is_packed": data.packed,
            "chart_specs": Markup(
                strict_json({chart.id: chart.drawing.for_page() for chart in page.charts if not chart.empty})
            ),
            "settings": Markup(strict_json(settings)),
            "in_rows": Markup(strict_json(page.in_rows)),
            **page.context,
        }
    )
    # A lone surrogate, which no file can hold, becomes a question mark.
    return text.encode("utf-8", "replace").decode("utf-8")


def pictures(page: Page) -> dict[str, Markup]:
    """Each chart as a picture in the first language, for who reads without scripts, for mail and for paper."""
    found = {}
    for chart in page.charts:
        if chart.empty is None:
            table = page.tables[chart.drawing.source] if chart.drawing.source else None
            if table is not None and page.chosen is not None:
                table = table[table[page.chosen_by] == page.chosen]
            spec = chart.drawing.specification(LANGUAGES[0], page.chosen, table)
            found[chart.id] = Markup(picture_of(spec, chart.id))
    return found


def print_margins(provenance: Provenance | None) -> str:
    """Style that prints the page number, and what the page comes from, at the foot of each sheet."""
    made = "Touchstone" if provenance is None else provenance.short
    left, right = f"content: {strict_json(made)}", 'content: counter(page) " / " counter(pages)'
    return f"\n@media print {{ @page {{ @bottom-left {{ {left}; }} @bottom-right {{ {right}; }} }} }}\n"


def policy(styles: str, script: str, library: str) -> str:
    """What the page may do: run the scripts that it carries, show the pictures that it carries, and nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {script} {library}",
            # Browsers that do not tell elements from attributes take the first line.
            "style-src 'unsafe-inline'",
            f"style-src-elem {styles}",
            "style-src-attr 'unsafe-inline'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


@lru_cache
def environment() -> Environment:
    """Jinja as all reports use it: what users wrote is escaped, and a misspelt name is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader([HERE, HERE.parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"phrase": phrase, "whole": whole}
    made.filters["attribute"] = attribute
    made.filters["json"] = lambda value: Markup(html.escape(strict_json(value)))
    return made


def attribute(text: Text, name: str) -> Markup:
    """An attribute in the first language, with what the page puts there in the others."""
    others = [Markup('data-{}="{}"').format(language, text.plain(language)) for language in LANGUAGES]
    first = Markup('{}="{}"').format(name, text.plain(LANGUAGES[0]))
    return Markup(" ").join([first, Markup('data-translated="{}"').format(name), *others])


@lru_cache
def source(names: tuple[str, ...]) -> str:
    """These files of ``static``, one after the other."""
    return "\n".join((HERE / "static" / name).read_text(encoding="utf-8") for name in names)


def _plains(translations: Translations, prefix: str) -> dict[str, dict[str, str]]:
    keys = [key for key in translations.texts[LANGUAGES[0]] if key.startswith(prefix)]
    return {key: {language: translations.texts[language][key] for language in LANGUAGES} for key in keys}
