"""What the reliability report says: the verdict, what is due, and the same numbers in both languages."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.agreement.judge_bias import ASSUMES_INDEPENDENCE
from analysis.agreement.kappa import ONE_LABEL
from analysis.messages import labelled, message_list, none_because
from analysis.significance.signed_rank import EXACT, NORMAL
from analysis.undefined import UndefinedStatistic
from reports.reliability import bias, coefficients, history, queries, recalibration, report
from reports.reliability.contents import WORDS, Contents
from reports.reliability.report import TERMS, advice, downloads, facts, gates, reliability_page
from reports.reliability.summary import summary
from reports.shared.embedded import strict_json
from reports.shared.phrases import phrase
from reports.shared.text import LANGUAGES, read_words
from tests.reports.fidelity.test_fidelity_page import without, words
from tests.reports.reliability.made_reliability import contents_in
from tests.small_relevance import relevance_study, validate_in

pytestmark = pytest.mark.usefixtures("drawn_once")


@pytest.fixture(scope="module")
def page(passed: Contents) -> str:
    return reliability_page(passed)


def with_last(contents: Contents, **columns: Any) -> Contents:
    """The contents with these values in every validation's row."""
    tables = dict(contents.tables) | {"kappa_validation": contents.tables["kappa_validation"].assign(**columns)}
    return replace(contents, tables=tables)


def plain(sentences: list[Any], language: str = "en") -> str:
    return " ".join(sentence.plain(language) for sentence in sentences)


def test_a_contingency_is_told_with_the_step_that_is_due_and_its_command(failed: Contents) -> None:
    said = summary(failed)
    # Macro: 8 of kappa 1, 8 of kappa 0, and 2 that count as 1: 10 / 18. Micro: n_11 16 + 8 + 8, n_10 and n_01 8, n_00
    # 16 + 8: 2 (32 * 24 - 64) / (40 * 32 + 32 * 40) = 0.55.
    headline = said.headline.plain("en")
    assert headline.startswith("The judges do not agree well enough. Kappa of judge1 and judge2 is 0.556")
    assert "on average over 18 queries" in headline
    assert said.grade == "none"
    assert said.due is not None
    assert said.due.plain("en") == "Review 2 of 8 disputed queries."
    assert said.due.plain("it").startswith("Rivedere 2 di 8 domande contese")
    assert said.command == "touchstone review"
    assert [figure.value.plain("it") for figure in said.figures] == [  # type: ignore[union-attr]
        "0,556",
        "0,550",
        "0,500",
        "50,0 %",
        "0 su 8",
    ]
    text = plain(said.sentences)
    assert "3 conditions are missed: Macro kappa, Micro kappa, Share of queries with a low kappa." in text
    assert "In 2 queries both judges give every document the same label." in text


def test_a_pass_is_told_and_a_pass_that_is_not_proven_is_told_apart(passed: Contents) -> None:
    proven, open_ = (with_last(passed, status="passed", not_proven=flag) for flag in (False, True))
    assert summary(proven).headline.plain("en").startswith("The judges agree well enough to make ground truth.")
    assert summary(proven).grade == ""
    assert summary(open_).headline.plain("en").startswith("The judges pass, but it is not proven.")
    assert summary(open_).grade == "provisionally"
    low = with_last(passed, status="passed", not_proven=True, kappa_macro_low=0.6, kappa_micro_low=None)
    said = plain(summary(low).sentences)
    assert "Macro kappa: the value passes, and its lower bound 0.600 lies below 0.700." in said
    assert "Micro kappa: the value passes, and of these" in said
    assert "It depends" not in plain(summary(open_).sentences)
    flips = summary(with_last(passed, depends_on_convention=True))
    assert "dipende da questa convenzione" in plain(flips.sentences, "it")


def test_resolved_by_review_says_that_people_decided(passed: Contents) -> None:
    said = summary(with_last(passed, status="resolved_by_review"))
    assert said.headline.plain("en").startswith("Resolved by review:")
    assert said.headline.plain("it").startswith("Risolto con la revisione:")


@pytest.mark.slow
def test_without_a_verdict_the_page_says_why_in_both_languages(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [((0.9, 0.8), (0.8, 0.9))] * 3)
    assert validate_in(study).succeeded
    contents = contents_in(study)
    said = summary(contents)
    assert said.headline.plain("en").startswith("There is no verdict, because these scores do not define kappa:")
    assert "nessuna domanda ha un kappa definito" in said.headline.plain("it")
    assert (said.due, said.figures, gates(contents), advice(contents)) == (None, [], [], [])
    made = reliability_page(contents)
    assert "There is no validation yet." in words(made)
    assert "ancora nessuna convalida." in words(made, "it")


def test_gates_are_by_their_code_name_on_the_page_and_in_its_data(passed: Contents, failed: Contents) -> None:
    # All three conditions of the one gate are missed: it fails once.
    data = report.about(failed)
    assert data["failing"] == {"judges_agree": ["study"]}
    of_study = data["gates"]["study"]
    conditions = dict.fromkeys(("kappa_macro", "kappa_micro", "low_share"), ("judges_agree", False, False))
    assert {name: (row["check"], row["passed"], row["advice"]) for name, row in of_study.items()} == conditions
    assert of_study["kappa_macro"]["seen"] == pytest.approx(10 / 18)
    assert reliability_page(failed).count('<br><code class="small">judges_<wbr>agree</code>') == 3
    data = report.about(passed)
    assert data["failing"] == {}
    advised = {row["check"] for row in data["gates"]["study"].values() if row["advice"]}
    assert advised == {"agreement_is_proven", "convention_does_not_decide"}


def test_without_a_verdict_the_gate_fails_in_the_data_too(failed: Contents) -> None:
    nothing = replace(failed, standing=replace(failed.standing, gate=None, reason="no query has a defined kappa"))
    data = report.about(nothing)
    assert data["failing"] == {"judges_agree": ["study"]}
    assert data["gates"]["study"]["judges_agree"]["seen"] is None


def test_nothing_at_all_is_a_page_that_says_so(failed: Contents) -> None:
    empty = {name: frame.iloc[:0] for name, frame in failed.tables.items()}
    nothing = replace(failed.standing, gate=None, reason=None)
    contents = replace(failed, tables=empty, standing=nothing, thresholds={}, differences=np.empty(0))
    text = words(reliability_page(contents))
    assert "no two judges scored the same documents" in text
    assert "No document is in dispute." in text


def test_both_languages_carry_the_same_numbers(page: str) -> None:
    values = {
        language: re.findall(r'<data value="([^"]+)"', without(page, "it" if language == "en" else "en"))
        for language in LANGUAGES
    }
    assert len(values["en"]) > 250
    assert sorted(values["en"]) == sorted(values["it"])


def test_the_same_tables_give_the_same_bytes(passed: Contents, page: str) -> None:
    assert reliability_page(passed) == page


def test_every_identifier_is_there_once_and_every_link_leads_somewhere(page: str) -> None:
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    targets = set(re.findall(r'href="#([^"]+)"', page)) | set(re.findall(r'aria-labelledby="([^"]+)"', page))
    assert targets <= set(ids)


def test_every_chart_is_strict_json_and_every_term_is_in_the_help(passed: Contents) -> None:
    for chart in (
        history.history_chart(passed),
        queries.kappa_histogram(passed),
        coefficients.coefficients_chart(passed),
        bias.differences_chart(passed),
        recalibration.recalibration_chart(passed),
        recalibration.change_chart(passed),
    ):
        assert strict_json(chart.drawing.for_page())
        assert chart.empty is None
    for term in TERMS:
        assert all(WORDS.has(f"glossary.{term}.{part}") for part in ("name", "meaning", "reading", "source"))
    own = {key.split(".")[1] for key in read_words("reliability/glossary", "en")}
    assert own == set(TERMS) - {"interval", "undefined"}


def test_both_languages_have_the_same_keys_with_the_same_parts() -> None:
    for name in ("reliability/words", "reliability/glossary"):
        english, italian = (read_words(name, language) for language in LANGUAGES)
        assert english.keys() == italian.keys()
        for key in english:
            parts = [set(re.findall(r"\{(\w+)\}", one[key])) for one in (english, italian)]
            assert parts[0] == parts[1], key


def test_reasons_of_this_study_are_said_in_italian() -> None:
    for reason in (
        ONE_LABEL,
        message_list([NORMAL, ASSUMES_INDEPENDENCE], ", "),
        EXACT,
        none_because(UndefinedStatistic("all of {n} differences are 0", n=12).reason),
        labelled("kappa", ONE_LABEL),
        "the same for every query",
        "point value only",
    ):
        assert phrase(reason).plain("it") != reason, reason


def test_tables_that_are_too_long_are_left_out_and_named(passed: Contents, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MOST_ROWS", 10)
    assert "query_kappa" not in downloads(passed)
    assert "tables: query_kappa." in words(reliability_page(passed))


def test_facts_count_queries_documents_and_validations(passed: Contents) -> None:
    named = {name.plain("en"): value for name, value in facts(passed)}
    assert named["Queries"].plain("en") == "18"  # type: ignore[union-attr]
    assert named["Documents"].plain("en") == "72"  # type: ignore[union-attr]
    assert named["Validations"].plain("it") == "2"  # type: ignore[union-attr]
    assert named["Relevant above"].plain("it") == "0,5"  # type: ignore[union-attr]


def test_every_document_is_there_to_search_with_each_judges_score_and_the_difference(passed: Contents) -> None:
    rows = downloads(passed)["scores"]
    judged = passed.tables["judgments"]
    counting = judged[judged["counts"].astype(bool)]
    assert len(rows) == len(counting[["query_id", "doc_id"]].drop_duplicates())
    first = rows.iloc[0]
    of_first = counting[(counting["query_id"] == first["query_id"]) & (counting["doc_id"] == first["doc_id"])]
    assert sorted(first[list(of_first["judge"])]) == sorted(of_first["score"])
    assert first["difference"] == of_first["score"].max() - of_first["score"].min()
    # q09, q11, q13 and q15 were held out, and q15 alone is still in dispute.
    hidden = rows["query_id"].isin(["q09", "q11", "q13", "q15"])
    assert rows["query"].isna().equals(hidden)
    assert rows["document"].isna().equals(hidden)
    assert rows[rows["query_id"] == "q16"].iloc[0][["query", "document"]].tolist() == [
        "What is number 16?",
        "Document 1 of query 16.",
    ]
    specs = [json.loads(html.unescape(one)) for one in re.findall(r'data-table="([^"]+)"', reliability_page(passed))]
    [spec] = [one for one in specs if one["source"] == "scores"]
    assert spec["searchable"]
    assert [column["name"] for column in spec["columns"]] == list(rows.columns)
