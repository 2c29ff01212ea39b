"""Words in every language: escaped, numbers written the language's way, nothing left untranslated."""

import re
import string

import numpy as np
import pytest
from markupsafe import escape

from analysis.gates import at_least
from analysis.messages import message
from analysis.resampling.bootstrap import Interval, method_words
from analysis.resampling.pairs import varying
from analysis.undefined import UndefinedStatistic
from assets.shared.intervals import interval_words
from reports.fidelity.contents import WORDS
from reports.shared.numbers import number, whole
from reports.shared.page import HERE
from reports.shared.phrases import phrase
from reports.shared.text import FOLDER, LANGUAGES, Translations, in_english, joined, read_words, same

# Names and symbols that every language writes alike.
NAMES = {
    "ICC(1,k)", "ICC(1,1)", "Spearman", "Pearson", "MAE", "RMSE", "AUC", "R²", "d_z", "× {n}", "{n}°", "{n} px",
    "{n} %", "{icc} {bounds}", "kappa", "Kappa", "macro", "Macro", "micro", "Micro", "Kappa, macro", "Kappa, micro",
    "PABAK", "p", "p, Holm", "Kappa macro {macro} ({band}), micro {micro}.", "{step}", "no",
}  # fmt: skip


def names() -> list[str]:
    return sorted(f"{path.parent.name}/{path.name.split('.')[0]}" for path in FOLDER.glob("*/*.en.yaml"))


@pytest.mark.parametrize("name", names())
def test_both_languages_have_the_same_keys(name: str) -> None:
    english, italian = (read_words(name, language) for language in LANGUAGES)
    assert english.keys() == italian.keys()


@pytest.mark.parametrize("name", names())
def test_both_languages_name_the_same_parts_in_as_many_forms(name: str) -> None:
    english, italian = (read_words(name, language) for language in LANGUAGES)
    for key, words in english.items():
        assert words.count("|") == italian[key].count("|"), key
        for one, other in zip(words.split("|"), italian[key].split("|"), strict=True):
            assert parts_of(one) == parts_of(other), key


def parts_of(words: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(words) if name}


@pytest.mark.parametrize("name", sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.it.yaml")))
def test_no_italian_article_stands_before_a_number(name: str) -> None:
    # Il 5 % but l'8, l'11 and l'80 %, i 5 voti but gli 8: what is written before the number is known cannot agree.
    article = r"\b(?:il|lo|i|gli|(?:de|ne|a|da|su)(?:l|llo|i|gli)) \{|\b(?:de|ne|a|da|su)?l+'\{"
    assert re.findall(article, (FOLDER / name).read_text(encoding="utf-8"), flags=re.IGNORECASE) == []


@pytest.mark.parametrize("name", names())
def test_nothing_is_left_untranslated(name: str) -> None:
    english, italian = (read_words(name, language) for language in LANGUAGES)
    alike = {key: words for key, words in english.items() if words == italian[key] and words not in NAMES}
    assert {key for key in alike if not key.endswith(".source")} == set()
    for key in alike:
        # A source without a word of its own: authors, journal and pages only. Journals are called what they are called.
        assert " and " not in re.sub(r"(Educational|Mathematical) and (Psych|Stat)\w+", "", alike[key]), key
    assert all(words for words in [*english.values(), *italian.values()])


def test_templates_hold_no_words_of_their_own() -> None:
    for path in HERE.parent.rglob("*.j2"):
        text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<!doctype html>", "", path.read_text(), flags=re.DOTALL)
        text = re.sub(r"&\w+;|&#\d+;", "", re.sub(r"<[^>]*>", "", text))
        left = set(re.findall(r"[A-Za-z]{2,}", text)) - {"Touchstone", "English", "Italiano", "CSV"}
        assert not left, f"{path.name}: {left}"


def test_every_statistic_of_the_help_has_meaning_reading_and_source() -> None:
    for term in WORDS.names_below("glossary"):
        for part in ("name", "meaning", "reading", "source"):
            assert all(len(WORDS.say(f"glossary.{term}.{part}").plain(language)) > 2 for language in LANGUAGES)


def test_a_part_is_escaped_and_a_number_written_in_its_language() -> None:
    said = WORDS.say("agreement.error", judge=number(0.5), people=number(1234.5), difference='<b>"&')
    assert "0.500" in said.html["en"]
    assert "1,234.500" in said.html["en"]
    assert "0,500" in said.html["it"]
    assert "1.234,500" in said.html["it"]
    assert "&lt;b&gt;&#34;&amp;" in said.html["it"]
    assert "<b>" not in said.html["en"]


def test_one_and_many_have_forms_of_their_own() -> None:
    assert WORDS.say("notice.settings_missing", n=whole(1)).plain("en").startswith("1 planned setting has")
    assert WORDS.say("notice.settings_missing", n=whole(2)).plain("it").startswith("2 impostazioni previste")


def test_a_missing_key_or_part_is_an_error_not_a_blank() -> None:
    with pytest.raises(KeyError):
        WORDS.say("no.such.key")
    with pytest.raises(KeyError):
        WORDS.say("agreement.error", judge=number(0.5))
    with pytest.raises(FileNotFoundError):
        Translations("no_such_file").has("title")


def test_a_text_that_is_the_same_in_both_languages_stands_once() -> None:
    assert same("t0.2_p0.95").__html__() == "t0.2_p0.95"
    assert str(escape(joined(["a", "<b>"]))) == "a, &lt;b&gt;"
    assert WORDS.say("section.gates").__html__().count('class="t"') == 2


def test_plain_text_gives_back_what_was_escaped() -> None:
    assert same('<script>alert("1")</script> & co').plain("it") == '<script>alert("1")</script> & co'


def test_known_reasons_are_translated_part_by_part() -> None:
    # "percentile bootstrap", "200 resamples", "6 clusters", "unreliable" and "too few clusters" are five parts.
    made = Interval(0.1, 0.9, method_words(message("percentile bootstrap"), 200, 6, 0), 6, unreliable=True, n_dropped=0)
    words = phrase(interval_words(made))
    assert words.plain("en") == "percentile bootstrap, 200 resamples, 6 clusters, unreliable: too few clusters"
    expected = "bootstrap percentile, 200 ricampionamenti, 6 gruppi, inaffidabile: troppo pochi gruppi"
    assert words.plain("it") == expected
    with pytest.raises(UndefinedStatistic) as constant:
        varying(np.ones(12), "judge")
    assert phrase(constant.value.reason).plain("it") == "i punteggi del giudice (12) sono tutti uguali"
    short = at_least("icc", 0.8, 0.85, n=5, what="ICC(1,k)", counted=message("objects"))
    assert phrase(short.sentence).plain("it") == "ICC(1,k): 0,800 su 5 oggetti; richiesto: almeno 0,85."


def test_an_unknown_reason_stays_english_and_says_so() -> None:
    words = phrase("the moon was full; <b>needed</b>")
    assert words.html["it"] == '<span lang="en">the moon was full; &lt;b&gt;needed&lt;/b&gt;</span>'
    assert words.html == in_english("the moon was full; <b>needed</b>").html
