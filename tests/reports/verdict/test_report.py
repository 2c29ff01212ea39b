"""The page of `touchstone verdict` over a file of the examples, and its table that sorts and filters in a browser."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from analysis.messages import message
from pipeline.command_line.verdict_report import report_text
from pipeline.command_line.verdict_result import Answer, Question, answer, verdict_values
from reports.shared.text import read_words
from reports.verdict.report import terms_of
from resources.inputs.ratings.layout import RatingColumns
from tests.reports.browser import read_in_the_dark

SCORES = Path(__file__).resolve().parents[3] / "examples/ratings/scores.csv"


@pytest.fixture(scope="module")
def said() -> Answer:
    columns = RatingColumns(judges=("gpt4_score",), people=("human1", "human2", "human3"), item="id")
    return answer(Question((str(SCORES),), columns))


@pytest.fixture(scope="module")
def page_file(said: Answer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(report_text(said, verdict_values(said)), encoding="utf-8")
    return path


def test_the_page_names_what_errors_depend_on_and_what_is_corrected(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert "Its errors depend on &#39;words&#39;" in text
    assert "length bias" in text
    assert "PPI++" in text
    assert "Does it agree with people?" in text
    assert "Concorda con le persone?" in text


def test_reasons_of_the_rule_are_said_in_italian_too(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    body = text[text.index("<main") : text.index("<h2")]
    assert "It agrees with the others at 0." in body
    assert re.search(r"Concorda con gli altri a 0,\d{3} \[0,\d{3}; 0,\d{3}\], una persona a 0,\d{3}", body)
    assert re.search(r"Oggetto per oggetto è vicino agli altri quanto \d persone su 3, entro epsilon 0,2\.", body)


def test_every_reason_is_there_in_italian_where_it_is_a_message_and_a_p_of_zero_counts(said: Answer) -> None:
    result = verdict_values(said)
    [judge] = result["judges"]
    few = message("both scored {n} of the same objects, fewer than {fewest}", n=7, fewest=30)
    own = "the test and the estimate of the difference decide: its interval may reach beyond the margin"
    judge["verdict"] |= {"word": "agrees", "reasons": ["one", "two", few, own]}
    for one in judge["errors"]["tried"]:
        one["p_holm"] = 0.0 if one["column"] == "language" else None
    text = report_text(said, result)
    body = text[text.index("<main") : text.index("<h2")]
    assert "Its errors depend on &#39;language&#39;" in body
    assert "Both scored 7 of the same objects, fewer than 30." in body
    assert "Entrambi hanno valutato" in body
    assert "The test and the estimate of the difference decide" in body
    # The colour that the word has everywhere.
    assert '<div class="answer answer-in_part">' in body


def test_of_many_judges_the_first_verdicts_are_open_and_the_others_folded(said: Answer) -> None:
    result = verdict_values(said)
    [judge] = result["judges"]
    result["judges"] = [judge | {"name": f"judge_{place}"} for place in range(8)]
    text = report_text(said, result)
    body = text[text.index("<main") : text.index("<h2")]
    before, after = body.split('<details class="fold">')
    assert (before.count('<p class="word">'), after.count('<p class="word">')) == (6, 2)
    assert "2 more verdicts" in after
    assert "Altri 2 verdetti" in after
    assert after.count("</details>") == 1


def said_of(name: str, judge: str, *people: str) -> Answer:
    columns = RatingColumns(judges=(judge,), people=people)
    return answer(Question((str(SCORES.with_name(name)),), columns))


def test_the_help_explains_what_the_page_shows_and_the_captions_fit_the_case(said: Answer) -> None:
    scores = verdict_values(said)
    of_scores = terms_of(scores)
    assert {"spearman", "alpha", "weighted_kappa", "alternative_annotator", "holm", "prediction_powered"} <= {
        *of_scores
    }
    assert not {"kappa", "sensitivity", "marginal_homogeneity", "limits"} & {*of_scores}
    labels = said_of("labels.csv", "llm_label", "ann", "bob")
    of_labels = terms_of(verdict_values(labels))
    assert {"kappa", "ac1_ac2", "alpha", "sensitivity", "precision", "marginal_homogeneity"} <= {*of_labels}
    assert not {"spearman", "icc_agreement", "absolute_error", "bias"} & {*of_labels}
    known = {key.split(".")[1] for key in read_words("verdict/glossary", "en")}
    assert known == {key.split(".")[1] for key in read_words("verdict/glossary", "it")}
    one = said_of("scores.csv", "gpt4_score", "human1")
    text = report_text(one, verdict_values(one))
    assert "a line its 95 % interval. The dashed line is what the interval has to be above" in text
    assert "The lower dot of each judge" not in text
    assert "The lower dot of each judge" in report_text(said, scores)


def test_what_could_not_be_made_is_on_the_page_in_both_languages(said: Answer) -> None:
    result = verdict_values(said)
    [judge] = result["judges"]
    result["comparison"] = {"not_made": message("the sign of {judges} looks reversed", judges="gpt4_score")}
    why = message("calibrated scores are of scores and of two labels (`--positive` makes two)")
    judge["unrated"] |= {"corrected": [], "shifts": [], "why": why}
    text = report_text(said, result)
    for words in (
        "The judges are not compared: the sign of gpt4_score looks reversed.",
        "I giudici non sono confrontati: il segno di gpt4_score sembra invertito.",
        "Of gpt4_score nothing can be corrected: calibrated scores are of scores",
        "Per gpt4_score non si può correggere nulla: i punteggi calibrati richiedono",
    ):
        assert words in text


def words_of(text: str, language: str) -> str:
    """What the main part of a page says in one language, without markup."""
    body = text[text.index("<main") : text.index("</main>")]
    other = "it" if language == "en" else "en"
    body = re.sub(rf'<span class="t" lang="{other}">(?:(?!<span).)*?</span>', "", body, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", body)).split())


def test_the_page_says_what_the_terminal_says_against_the_judge(said: Answer) -> None:
    result = verdict_values(said)
    [judge] = result["judges"]
    assert judge["with_other_people"]
    judge["statistics"][0]["unreliable"] = True
    page = report_text(said, result | {"judges": [judge | {"lower_is_better": True, "same_scale": False}]})
    english, italian = words_of(page, "en"), words_of(page, "it")
    for words in (
        "Other people like these: gpt4_score [",
        "The verdict is on the people who are here.",
        "An interval that is called unreliable is too narrow: it is of too few objects or clusters, or no error of one "
        "kind was seen.",
        "gpt4_score (turned: lower is better): Spearman with the other people",
        "objects that only it rated, next to 200 that people did",
        "in people's unit",
        "200 objects rated by people. Read as ratings with an order.",
        "for each ",
    ):
        assert words in english
    for words in (
        "Altre persone come queste: gpt4_score [",
        "Un intervallo detto inaffidabile è troppo stretto",
        "gpt4_score (invertito: più basso è migliore): Spearman",
        "nell'unità delle persone",
        "per ogni ",
    ):
        assert words in italian


def test_the_italian_page_has_no_english_statistic_reference_or_part(said: Answer) -> None:
    for one in (said, said_of("labels.csv", "llm_label", "ann", "bob")):
        page = report_text(one, verdict_values(one))
        body = page[page.index("<main") : page.index('<section id="objects"')]
        assert re.findall('<span lang="en">([^<]*)</span>', body) == []
    assert "stessa etichetta" in body
    assert "a confronto con ogni persona, una alla volta" in words_of(page, "it")


def test_notes_on_how_a_file_was_read_are_in_italian_too(tmp_path: Path) -> None:
    rows = [
        ["gpt", "ann", "bob", "id"],
        *([str(n % 5 + 1), str(n % 4 + 1), "N/A" if n % 9 == 0 else "2,0", n] for n in range(60)),
    ]
    rows += [["3", "3", "3", "Average"]]
    path = tmp_path / "messy.csv"
    path.write_text("\n".join(";".join(map(str, row)) for row in rows), encoding="utf-8")
    answered = answer(Question((str(path),), RatingColumns(judges=("gpt",), people=("ann", "bob"), item="id")))
    result = verdict_values(answered)
    assert len(result["notes"]) >= 4
    page = report_text(answered, result)
    made = page[page.index('<section id="made"') :]
    assert '<span lang="en">' not in made[: made.index("</section>")]
    assert "Letto come nessuna valutazione: 'N/A' (7 volte)." in words_of(page, "it")


@pytest.fixture
def opened(page_file: Path, context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(page_file.as_uri())
    page.click("#objects summary")
    page.wait_for_selector("#objects table")
    yield page
    page.close()


@pytest.mark.slow
def test_every_word_is_read_in_the_dark(browser: Browser, page_file: Path) -> None:
    read_in_the_dark(browser, page_file)


@pytest.mark.slow
def test_objects_are_filtered_by_words_and_sorted_by_heads(opened: Page) -> None:
    assert opened.evaluate("document.documentElement.scrollWidth") == 390
    opened.fill("#objects input[type=search]", "answer-00 it")
    opened.wait_for_function("document.querySelectorAll('#objects tbody tr').length < 9")
    names = opened.locator("#objects tbody th").all_inner_texts()
    assert names
    assert all(name.startswith("answer-00") for name in names)
    opened.click("#objects thead button >> nth=0")
    opened.wait_for_selector("#objects th[aria-sort=ascending]")
    assert opened.locator("#objects tbody th").all_inner_texts() == sorted(names)
    opened.click("#objects thead button >> nth=0")
    opened.wait_for_selector("#objects th[aria-sort=descending]")
    assert opened.locator("#objects tbody th").all_inner_texts() == sorted(names, reverse=True)
