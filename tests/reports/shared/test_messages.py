"""Sentences of tables in Italian: every template of the code has one, with the same values."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.messages import Name, labelled, message, message_list
from reports.shared.phrases import catalogue, phrase
from reports.shared.text import FOLDER, read_words
from resources.errors import listing

ROOT = Path(__file__).resolve().parents[3]
MAKERS = {"message", "UndefinedStatistic", "no_interval", "none_because"}
# Templates that are put together from few words: of whom the scores are, what was done with objects, and what is left
# out together.
PUT_TOGETHER = {
    *(f"all {{n}} {side} scores are equal" for side in ("judge", "human", "measure", "prediction", "truth")),
    *(f"all {{n}} {side} scores are equal" for side in ("mapped prediction", "first metric's", "second metric's")),
    "no object is judged",
    *(f"all objects are of one {noun}, at least 2 {noun}s needed" for noun in ("product", "cluster")),
    *(f"leave one {noun} out" for noun in ("product", "object", "cluster")),
    *(f"{{n}} folds over {noun}s" for noun in ("product", "object", "cluster")),
    *(f"{{by}}, {{n}} {noun}s, held-out predictions pooled" for noun in ("product", "object", "cluster")),
}


def templates() -> dict[str, str]:
    """Where each template is said, by template."""
    found = {}
    for room in ("analysis", "assets", "pipeline", "reports", "resources"):
        for path in sorted((ROOT / room).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            # Every worker comes here: most files make no message.
            if any(f"{maker}(" in text for maker in MAKERS):
                for line, template in templates_in(ast.parse(text)):
                    found[template] = f"{path.relative_to(ROOT)}:{line}"
    return found


def templates_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    constants = {
        target.id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS and node.args:
            for said in said_by(node.args[0]):
                if isinstance(said, ast.Constant):
                    yield node.lineno, said.value
                elif isinstance(said, ast.Name) and said.id in constants:
                    yield node.lineno, constants[said.id]


def said_by(argument: ast.expr) -> Iterator[ast.expr]:
    if isinstance(argument, ast.IfExp):
        yield from said_by(argument.body)
        yield from said_by(argument.orelse)
    else:
        yield argument


TEMPLATES = templates()


ITALIAN = catalogue("it")


def values_of(template: str) -> list[tuple[str, str]]:
    return sorted({(name, form or "") for _, name, form, _ in string.Formatter().parse(template) if name})


def test_every_template_of_the_code_has_its_italian_and_none_is_left_over() -> None:
    # What joins messages holds no word and is the same in both languages.
    lacking = {template: where for template, where in TEMPLATES.items() if template not in ITALIAN}
    assert {template: where for template, where in lacking.items() if template != "{name}: {words}"} == {}
    assert set(ITALIAN) - set(TEMPLATES) - PUT_TOGETHER == set()


@pytest.mark.parametrize("template", sorted(ITALIAN))
def test_the_italian_names_the_same_values_in_as_many_forms(template: str) -> None:
    english, italian = template.split("|"), ITALIAN[template].split("|")
    assert len(english) == len(italian)
    for one, other in zip(english, italian, strict=True):
        assert values_of(one) == values_of(other)


def test_a_message_is_said_in_italian_with_the_same_numbers_in_its_marks() -> None:
    few = message("{n} cluster, fewer than {fewest}|{n} clusters, fewer than {fewest}", n=1, fewest=5)
    assert phrase(labelled("mae", message("none: {reason}", reason=few))).plains == {
        "en": "mae: none: 1 cluster, fewer than 5",
        "it": "mae: nessuno: 1 gruppo, meno di 5",
    }
    bounds = message("t({freedom:.3g})", freedom=3.456)
    many = message("{n:,} product|{n:,} products", n=1234)
    assert phrase(message_list([bounds, many, "user's own words"], ", ")).plains == {
        "en": "t(3.46), 1,234 products, user's own words",
        "it": "t(3,46), 1.234 prodotti, user's own words",
    }


def test_a_page_has_one_sign_for_minus_in_sentences_too_and_their_text_stays_as_it_was() -> None:
    said = message("difference {seen} [{low:.3f}, {high:.3f}]", seen=message("{x:+.3f}", x=-0.5), low=-1.0, high=2.0)
    assert said == "difference -0.500 [-1.000, 2.000]"
    assert phrase(said).plains["en"] == "difference \u22120.500 [\u22121.000, 2.000]"


def test_words_of_pages_have_no_hyphen_for_a_minus() -> None:
    hyphens = {
        f"{name}.{language}: {key}"
        for language in ("en", "it")
        for study in ("shared", "fidelity", "pairwise", "evaluation", "reliability", "verdict")
        for name in (f"{study}/words", f"{study}/glossary")
        if (FOLDER / f"{name}.{language}.yaml").exists()
        for key, words in read_words(name, language).items()
        if re.search(r"(^|[\s(\[=])-(\d|\s\w_)|\w - [\dA-Za-z]_?", words) and not key.endswith(".source")
    }
    assert hyphens == set()


def test_what_a_list_leaves_out_is_said_in_italian_of_sentences_too() -> None:
    said = listing(["One is wrong.", "Two is wrong."], 1)
    assert phrase(said).plains == {"en": "One is wrong. and 1 more.", "it": "One is wrong. e altri 1."}


def test_a_name_is_never_looked_up_alone_or_in_a_list() -> None:
    # "people" and "once" are sentences of the catalogue, "le persone" and "una volta".
    rows = message(
        "Not used, as models are no people: {which}. Name them by `--judge`.", which=listing([Name("people")])
    )
    assert phrase(rows).plains["it"].startswith("Non usati, perché i modelli non sono persone: people. Si")
    given = message("Only {which} give '{label}' ({often}).", which=message("people"), label=Name("once"), often="once")
    assert phrase(given).plains["it"] == "Danno 'once' soltanto le persone (una volta)."
    assert phrase(listing([Name("once"), Name("people")], 1)).plains["it"] == "once e altri 1"
    assert phrase(Name("people")).plains == {"en": "people", "it": "people"}


def test_within_a_sentence_the_full_stop_is_left_out() -> None:
    said = message("{changed}. Run the setting again.", changed=message("its calls are of another judge"))
    assert phrase(said, inside=True).plains == {
        "en": "its calls are of another judge. Run the setting again",
        "it": "le sue chiamate sono di un altro giudice. Eseguire di nuovo l'impostazione",
    }


def test_a_sentence_of_an_older_table_stays_english_and_says_so() -> None:
    words = phrase("3 clusters of an older table; <b>needed</b>")
    assert words.html["it"] == '<span lang="en">3 clusters of an older table; &lt;b&gt;needed&lt;/b&gt;</span>'
