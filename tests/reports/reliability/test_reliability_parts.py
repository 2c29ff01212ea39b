"""The parts of the reliability report: what is due, gates, history, queries, bias, recalibration, ground truth."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.agreement.consensus import NO_DOCUMENT, NO_VOTE, TIED
from analysis.agreement.contingency import ContingencyFacts, StepName, step_due
from reports.reliability import bias, coefficients, history, queries, recalibration
from reports.reliability.contents import Contents
from reports.reliability.disagreements import MOST_SIGNS, shortened, worst_queries
from reports.reliability.people import said_of_truth
from reports.reliability.plots import EDGES, bins
from reports.reliability.report import advice, downloads, gates, reliability_page
from reports.reliability.summary import step_in_words, summary
from reports.shared.colours import MAIN, PAPER
from tests.reports.fidelity.test_fidelity_page import words
from tests.reports.reliability.made_reliability import three_judges
from tests.reports.specifications import names_of, rows_of

pytestmark = pytest.mark.usefixtures("drawn_once")


def plain(sentences: list[Any], language: str = "en") -> str:
    return " ".join(sentence.plain(language) for sentence in sentences)


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("none", ContingencyFacts("passed", 4, 0, 1, False, False, False, 0, 2)),
        ("none", ContingencyFacts("resolved_by_review", 4, 1, 1, False, False, True, 0, 0)),
        ("more_data", ContingencyFacts(None, 0, 0, 0, False, False, False, 0, 0)),
        ("validate", ContingencyFacts("passed", 4, 1, 1, False, False, False, 1, 2, changed=True)),
        ("validate", ContingencyFacts("contingency_triggered", 4, 4, 1, False, False, True, 0, 0)),
        ("review", ContingencyFacts("contingency_triggered", 4, 0, 1, False, False, False, 0, 2)),
        ("review", ContingencyFacts("contingency_triggered", 40, 1, 8, False, False, False, 0, 2)),
        ("review", ContingencyFacts("contingency_triggered", 4, 0, 1, False, False, False, 0, 2, moved=True)),
        ("accept_thresholds", ContingencyFacts("contingency_triggered", 4, 1, 1, True, True, False, 2, 2)),
        ("recalibrate", ContingencyFacts("contingency_triggered", 4, 1, 1, True, False, False, 1, 2)),
        ("recalibrate", ContingencyFacts("contingency_triggered", 4, 1, 1, False, False, False, 2, 2)),
        ("manual_review", ContingencyFacts("contingency_triggered", 4, 1, 1, False, False, True, 2, 1)),
        ("manual_review", ContingencyFacts("contingency_triggered", 4, 1, 1, False, False, False, 0, 2)),
    ],
)
def test_every_step_has_words_in_both_languages(failed: Contents, name: StepName, facts: ContingencyFacts) -> None:
    step = step_due(facts)
    assert step.name == name
    said = step_in_words(replace(failed, standing=replace(failed.standing, facts=facts, step=step)))
    assert said.plain("en") != said.plain("it")


def test_gates_stand_with_what_was_seen_and_what_is_needed(failed: Contents) -> None:
    rows = {row.name: row for row in gates(failed)}
    assert [row.passed for row in rows.values()] == [False, False, False]
    assert (rows["low_share"].seen, rows["low_share"].needed, rows["low_share"].n) == (0.5, 0.3, 16)
    assert rows["kappa_macro"].low is not None
    assert all(row.advice for row in advice(failed))


def test_the_history_has_every_validation_with_its_steps_in_words(passed: Contents) -> None:
    first, second = history.events(passed)
    assert (first.kind, second.kind) == ("contingency_triggered", "passed")
    text = plain(second.steps)
    assert "Tiebreaks: 10 new votes" in text
    assert "8 queries judged again under recalibrated_v2, started by ann; 4 held out." in text
    assert "8 domande giudicate di nuovo con recalibrated_v2" in plain(second.steps, "it")
    macro, micro = rows_of(history.history_chart(passed).specification, "point")
    assert [[row["x"] for row in rows] for rows in (macro, micro)] == [[0.97, 1.97], [1.03, 2.03]]
    assert [row["fill"] for row in macro] == [PAPER, MAIN]


def test_every_step_on_record_has_words() -> None:
    steps: list[dict[str, Any]] = [
        {"step": "thresholds_accepted", "thresholds": {"a": 0.625}, "who": "ann"},
        {"step": "manual_review_opened", "who": "<b>"},
        {"step": "bias_test", "biased_pairs": [["a", "b"]]},
        {"step": "later"},
    ]
    said = [one for step in steps for one in history.step_on_record(step)]
    assert "Thresholds accepted by ann: a 0.625." in plain(said)
    assert "a 0,625" in plain(said, "it")
    assert "<b>" not in str(said[1].html["en"])
    assert said[-1].plain("en") == "later"


def test_queries_fall_into_tenths_of_kappa_and_one_on_an_edge_counts_above_it() -> None:
    counts = bins([-1.0, 0.0, 0.39, 0.4, 0.3 + 0.1, 0.99, 1.0], EDGES)
    assert counts.sum() == 7
    assert (counts[0], counts[10], counts[13], counts[14], counts[19]) == (1, 1, 1, 2, 2)


def test_worst_queries_hide_what_is_held_out(passed: Contents) -> None:
    rows = passed.tables["disagreements"]
    # Two queries are left in dispute after judging again: q15, which is held out, and q16.
    assert rows["query_id"].tolist() == ["q15", "q16"]
    hidden, shown = worst_queries(passed)
    assert (hidden.hidden, shown.hidden) == (True, False)
    assert shown.query == "What is number 16?"
    assert [one.doc_id for one in shown.documents] == ["d1", "d3"]
    assert shown.documents[0].text == "Document 1 of query 16."
    assert [(score.judge, score.relevant, score.filled_percent) for score in shown.documents[0].scores] == [
        ("judge1", True, "90.0"),
        ("judge2", False, "10.0"),
    ]
    text = words(reliability_page(passed))
    assert "What is number 15?" not in text
    assert "Document 1 of query 15." not in text
    assert downloads(passed)["disagreements"]["query"].isna().tolist() == [True, False]


def test_a_long_text_is_shortened_and_a_short_one_is_not() -> None:
    assert shortened("x" * MOST_SIGNS, MOST_SIGNS) == "x" * MOST_SIGNS
    assert shortened("x" * 100_000, MOST_SIGNS) == "x" * (MOST_SIGNS - 1) + "\u2026"


def test_the_bias_and_the_advice_are_told_in_words(failed: Contents) -> None:
    # In each query as many differences are above 0 as below: all medians are 0.
    assert "could not be tested (all of 18 differences are 0)" in plain(bias.said_of_bias(failed))
    row = failed.tables["threshold_advice"].iloc[[0]]
    for columns, expected in (
        ({"higher_judge": "judge2", "threshold_advised": 0.625}, "would move micro kappa from 0.4"),
        ({"higher_judge": "judge2", "threshold_advised": None}, "No further threshold helps: 0.5 for judge2"),
        (
            {"higher_judge": "judge2", "threshold_advised": None, "kappa_advised": 0.3},
            "No threshold helps: moving that of judge2",
        ),
        ({"higher_judge": None, "threshold_advised": None}, "the median shift of the documents is 0"),
    ):
        numbers = {"threshold_now": 0.5, "kappa_now": 0.4, "kappa_advised": 0.5}
        advised = row.assign(**numbers).assign(**columns)
        contents = replace(failed, tables=dict(failed.tables) | {"threshold_advice": advised})
        assert expected in plain(bias.said_of_bias(contents))
    for called, expected in (
        ({}, "judge2 scores higher than judge1, by 0.100"),
        ({"shift": 0.0}, "judge2 scores higher than judge1 where they differ; the median shift is 0.000"),
        ({"biased": False}, "neither is shown to score"),
        (
            {"shift_low": -0.2, "shift_high": -0.1, "interval_method": "bootstrap, unreliable: too few clusters"},
            "unreliable (p",
        ),
    ):
        seen = {"biased": True, "higher_judge": "judge2", "shift": -0.1, "p": 0.04, "undefined": None}
        tested = failed.tables["bias_test"].assign(**seen | called)
        contents = replace(failed, tables=dict(failed.tables) | {"bias_test": tested})
        assert expected in plain(bias.said_of_bias(contents))


def test_the_interval_of_a_shift_turns_with_the_judge_that_is_named_first(failed: Contents) -> None:
    seen = {"p": 0.04, "undefined": None, "shift": -0.15, "shift_low": -0.19, "shift_high": -0.105}
    for called, expected in (
        ({"higher_judge": "judge2"}, "judge2 scores higher than judge1, by 0.150 [0.105, 0.190]"),
        ({"higher_judge": "judge1"}, "where they differ; the median shift is \u22120.150 [\u22120.190, \u22120.105]"),
        ({"biased": False}, "shift of judge1 less judge2: \u22120.150 [\u22120.190, \u22120.105]"),
    ):
        tested = failed.tables["bias_test"].assign(**{"biased": True, "higher_judge": "judge2"} | seen | called)
        contents = replace(failed, tables=dict(failed.tables) | {"bias_test": tested})
        assert expected in plain(bias.said_of_bias(contents))


def test_advice_stands_only_beside_a_verdict_that_passes(passed: Contents, failed: Contents) -> None:
    assert advice(failed) == []
    assert "they do not apply here" in words(reliability_page(failed))
    assert [row.name for row in advice(passed)] == ["macro_for_sure", "micro_for_sure", "macro_without_convention"]
    # The mark says what the asset check says.
    assert passed.last is not None
    assert advice(passed)[2].passed is not passed.last["depends_on_convention"]


def test_what_a_number_rests_on_has_its_unit(failed: Contents) -> None:
    shown = words(reliability_page(failed))
    for rests in ("18 queries", "72 documents", "16 queries with a kappa"):
        assert rests in shown


def test_only_the_kappas_of_the_gate_are_blue(failed: Contents) -> None:
    [dots] = rows_of(coefficients.coefficients_chart(failed).specification, "point")
    assert [row["stroke"] for row in dots].count(MAIN) == 2


def test_a_prompt_version_in_the_profile_is_no_finding(passed: Contents, failed: Contents) -> None:
    said = queries.caution_of_profile(passed)
    assert said is not None
    assert "queries were judged again because their kappa was low" in said.plain("en")
    assert said.plain("en") in words(reliability_page(passed))
    assert queries.caution_of_profile(failed) is None
    told = passed.tables["low_kappa_profile"].assign(p_holm=0.001)
    of_all = queries.said_of_profile(replace(passed, tables=dict(passed.tables) | {"low_kappa_profile": told}))
    assert "words in the query" in of_all.plain("en")
    assert "judged under" not in of_all.plain("en")


def test_of_several_pairs_the_kappa_of_a_query_names_its_pair(failed: Contents) -> None:
    contents = three_judges(failed)
    rows = contents.tables["query_kappa"]
    of_pair = (rows["judge_1"] == "judge1") & (rows["judge_2"] == "judge3")
    lower = rows.assign(kappa=rows["kappa"].mask(of_pair, -0.5))
    worst = contents.tables["disagreements"].assign(kappa=-0.5)
    tables = dict(contents.tables) | {"query_kappa": lower, "disagreements": worst}
    about = worst_queries(replace(contents, tables=tables))[0].about
    assert "kappa \u22120.500 (the lowest, judge1 and judge3)" in about.plain("en")
    assert "lowest" not in worst_queries(failed)[0].about.plain("en")


def test_three_judges_have_all_pairs_and_fleiss(failed: Contents) -> None:
    contents = three_judges(failed)
    table = coefficients.pairs_table(contents)
    assert table is not None
    assert len(table.rows) == 3
    assert table.emphasised == frozenset({0})
    of_all = coefficients.all_judges_table(contents)
    assert of_all is not None
    assert [row[0].plain("en") for row in of_all.rows] == ["Gwet's AC1", "Fleiss' kappa"]  # type: ignore[union-attr]
    assert "Fleiss" in words(reliability_page(contents))
    assert coefficients.pairs_table(failed) is None


def test_recalibration_stands_before_and_after_with_the_warning(passed: Contents, failed: Contents) -> None:
    chart = recalibration.recalibration_chart(passed)
    assert chart.empty is None
    before, after = rows_of(chart.specification, "point")
    assert len(before) == 8
    rows = passed.tables["recalibration"]
    labels = names_of(chart.specification)
    assert labels[0].replace("\u00a0", " ") == f"all queries, macro, n = {rows['n_queries'].iloc[0]}"
    # Kappa itself has no bar there, which passed 1: the interval is of the change, and has an axis of its own.
    assert after[0].get("high") is None
    changes = recalibration.change_chart(passed)
    (points,) = rows_of(changes.specification, "point")
    first = rows.iloc[0]
    assert points[0]["x"] == pytest.approx(first["change"])
    assert points[0]["high"] == pytest.approx(first["change_high"])
    assert points[0]["low"] == pytest.approx(first["change_low"])
    assert "[" in points[0]["hover"]
    assert recalibration.change_chart(failed).empty is not None
    said = plain(recalibration.said_of_recalibration(passed))
    assert "regression to the mean" in said
    assert "That holds for the held-out part" in said
    assert "Only queries of low kappa were judged again" in plain(summary(passed).sentences)
    assert "Only queries of low kappa" not in plain(summary(failed).sentences)
    rows = passed.tables["recalibration"]
    every = replace(passed, tables=dict(passed.tables) | {"recalibration": rows[rows["part"] != "untouched"]})
    assert "free of regression to the mean" in plain(recalibration.said_of_recalibration(every))
    assert "Only queries of low kappa" not in plain(summary(every).sentences)
    assert recalibration.recalibration_chart(failed).empty is not None
    assert "Hollow is before" not in words(reliability_page(failed))


def test_ground_truth_says_how_many_are_left_out_and_what_is_written(passed: Contents, failed: Contents) -> None:
    # q15 has a majority of nobody: ann for, bob against; q16 of ann alone.
    assert passed.truth.n_queries + sum(passed.truth.unresolved.values()) == 18
    told = plain(said_of_truth(replace(passed, truth=replace(passed.truth, unresolved={TIED: 1, NO_DOCUMENT: 2}))))
    assert "1 query is left out, because the judges differ on a document and as many people call it" in told
    assert "2 queries are left out, because no document of theirs has a score of every judge" in told
    assert "The latest validation allows ground truth" in plain(said_of_truth(passed))
    assert "would have a label" in plain(said_of_truth(failed))
    assert failed.truth.unresolved == {NO_VOTE: 8}
    assert "8 queries are left out, because the judges differ on a document of each without a vote" in plain(
        said_of_truth(failed)
    )
    assert failed.truth.n_validation is None


def test_a_judge_that_answers_everything_alike_is_said_in_the_first_sentence(failed: Contents) -> None:
    judgments = failed.tables["judgments"]
    alike = judgments.assign(score=judgments["score"].where(judgments["judge"] != "judge2", 0.8))
    first = summary(replace(failed, tables={**failed.tables, "judgments": alike})).sentences[0].plain("en")
    assert first.startswith("Judge judge2 gives one and the same score, 0.800, to all")
    assert "one and the same" not in plain(summary(failed).sentences)
