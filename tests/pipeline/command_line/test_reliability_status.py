"""`touchstone reliability status`: flags in words, the history and the block for a README, from rows of the store."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from upath import UPath

from analysis.intervals.measured import reliable_from
from assets.reliability.logic.verdict import CHOSEN_LOW
from pipeline.command_line.reliability_shown import (
    flags_in_words,
    ground_truth_in_words,
    history_table,
    markdown,
    show_kappa,
    show_status,
    show_verdict,
    steps_in_words,
)
from pipeline.command_line.reliability_summary import show_reliability
from resources.configuration.reliability import ReliabilityStudy
from resources.runtime.home import Home
from resources.study import Study
from tests.made_queries import STUDY, query_frame, truth, validated
from tests.small_relevance import AGREED, OPPOSED, relevance_study, validate_in, vote_on, write_queries

pytestmark = pytest.mark.slow

FLAGS: dict[str, Any] = {"not_proven": False, "depends_on_convention": False}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A study without tables in its home, whose store is new."""
    plan = ReliabilityStudy(queries=tmp_path / "none.csv")
    return Study(STUDY, None, Home(UPath(tmp_path), tmp_path), reliability_section=plan)


def told(what: Any, *arguments: Any) -> str:
    """What stands on a terminal of 80 columns, on one line."""
    console = Console(file=StringIO(), width=80)
    what(console, *arguments)
    assert isinstance(console.file, StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    return " ".join(" ".join(lines).split())


def test_a_study_that_was_not_run_says_so_and_what_to_do(study: Study) -> None:
    shown = told(show_status, study)
    assert "no validation yet. Due: The study was not run yet" in shown
    assert shown.endswith("Next: touchstone run reliability")
    assert markdown(study) == f"**Inter-rater reliability of {STUDY}: not enough data** (the study was not run)."


def test_judges_that_answer_everything_alike_are_said_in_the_first_line_without_a_verdict_too(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [((0.8, 0.8), (0.9, 0.9))] * 3)
    assert validate_in(study).succeeded
    first = (
        "Judge judge1 gives one and the same score, 0.800, to all 6 documents: it distinguishes nothing. Judge judge2"
    )
    status, after_a_run = StringIO(), StringIO()
    show_status(Console(file=status, width=500), study)
    show_reliability(study, Console(file=after_a_run, width=500))
    for shown in (status, after_a_run):
        assert " ".join(shown.getvalue().split()).startswith(first)
    assert "No verdict" in after_a_run.getvalue()


def test_a_validation_is_told_with_its_interval_its_band_and_its_numbers(study: Study) -> None:
    validated(study.validations, **FLAGS)
    last = study.validations.validations().iloc[-1].to_dict()
    shown = told(show_kappa, study, last)
    assert "Judges careful and hasty: 50 queries, 250 documents." in shown
    # The macro of this row has no upper bound, so it has no interval.
    assert "kappa macro 0.750 none substantial >= 0.7" in shown
    assert "kappa micro 0.720 [0.650, 0.900] substantial >= 0.7" in shown
    assert "queries below 0.4 10.0 % <= 30 %" in shown
    assert "(3 queries); without these it is 0.710" in shown
    assert told(show_verdict, last, study.reliability.gate) == "Status: passed. IRR Validation Passed (Kappa: 0.75)"


def test_where_macro_is_mostly_a_convention_micro_leads_and_macro_has_no_band(study: Study) -> None:
    validated(study.validations, **FLAGS, measures={"n_undefined": 30})
    last = study.validations.validations().iloc[-1].to_dict()
    shown = told(show_kappa, study, last)
    assert shown.index("kappa micro 0.720 [0.650, 0.900] substantial") < shown.index("kappa macro 0.750 none >= 0.7")
    assert "Micro leads: most queries have one label or one document" in shown
    block = markdown(study)
    assert block.index("Kappa micro") < block.index("Kappa macro")
    assert "0.75 (no interval) |" in block


def test_flags_are_words(study: Study) -> None:
    limits = study.reliability.gate
    assert flags_in_words(FLAGS, limits) == []
    numbers = {"total_queries": 50, "kappa_macro_low": None, "kappa_micro_low": 0.6999}
    [proven, convention] = flags_in_words({**dict.fromkeys(FLAGS, True), **numbers}, limits)
    assert proven == (
        "It is not proven: macro kappa has no interval; the lower bound of micro kappa is 0.6999, below 0.7. More "
        "queries would narrow the intervals."
    )
    assert "convention" in convention


def test_the_block_for_a_readme_has_what_a_reader_asks_for(study: Study) -> None:
    validated(study.validations, **FLAGS)
    lines = markdown(study).splitlines()
    day = f"{study.validations.validations()['timestamp'].iloc[0]:%Y-%m-%d}"
    assert lines == [
        "**IRR Validation Passed (Kappa: 0.75)**",
        "",
        "| Agreement of judges | |",
        "|---|---|",
        f"| Date | {day} |",
        "| Status | passed |",
        "| Kappa macro (95 % CI) | 0.75 (no interval), substantial |",
        "| Kappa micro (95 % CI) | 0.72 (0.65 to 0.90), substantial |",
        "| Queries | 50 (3 with one label, counted as 1 in macro) |",
        "| Documents | 250 |",
        "| Judges | careful and hasty |",
        "| Prompt versions | not known in this home |",
    ]


def test_intervals_of_few_queries_are_marked_by_what_was_measured_of_them(study: Study) -> None:
    # Kappa's intervals cover what they promise from 5 queries on (docs/coverage.md); fewer have none.
    assert reliable_from("kappa") == 5
    validated(study.validations, total_queries=6)
    last = study.validations.validations().iloc[-1].to_dict()
    assert "kappa micro 0.720 [0.650, 0.900] substantial" in told(show_kappa, study, last)
    assert "0.72 (0.65 to 0.90), substantial" in markdown(study)


def test_a_pass_that_rests_on_low_queries_alone_says_so_in_the_block(study: Study) -> None:
    validated(study.validations, notes=f"IRR Validation Passed (Kappa: 0.75). {CHOSEN_LOW}", **FLAGS)
    assert markdown(study).endswith(f"\n{CHOSEN_LOW}")


def test_a_contingency_is_no_passing_in_the_block(study: Study) -> None:
    validated(study.validations, status="contingency_triggered", kappa_macro=0.65)
    shown = markdown(study)
    assert shown.startswith("**IRR validation: contingency triggered**")
    assert "| Due | The tables of the latest validation are not in this home: validate again. `touchstone run" in shown
    assert "Passed" not in shown
    assert "It is not proven" in shown


def test_of_three_judges_it_is_said_which_pair_decides_and_why(study: Study) -> None:
    validated(study.validations, measures={"thresholds": {"careful": 0.5, "hasty": 0.5, "odd": 0.5}}, **FLAGS)
    last = study.validations.validations().iloc[-1].to_dict()
    why = "the pair that decides of 3: of the pairs that fail, else of all, the one with the lowest macro"
    assert f"They are {why}." in told(show_kappa, study, last)
    assert f"| Judges | careful and hasty, {why} |" in markdown(study)


def test_a_condition_that_is_missed_is_marked_and_never_looks_reached(study: Study) -> None:
    validated(study.validations, status="contingency_triggered", kappa_macro=0.6999999)
    last = study.validations.validations().iloc[-1].to_dict()
    shown = told(show_kappa, study, last)
    assert "kappa macro 0.6999999 none substantial >= 0.7 missed" in shown
    assert "kappa micro 0.720 [0.650, 0.900] substantial >= 0.7 queries" in shown
    # The table has the conditions: they do not come a second time.
    assert "Macro kappa is" not in told(show_verdict, last, study.reliability.gate)


def test_queries_that_are_left_out_of_ground_truth_are_counted(study: Study) -> None:
    study.queries.add_queries(query_frame({"q1": {"d1": "one", "d2": "two"}, "q2": {"d1": "one", "d2": "two"}}))
    allowed = validated(study.validations, "run1", "passed")
    study.validations.write_ground_truth([truth("q1", allowed)])
    said = ground_truth_in_words(study, study.validations.validations())
    assert said.startswith("Ground truth: 1 of 2 queries written, 0 of them with")
    assert "1 left out; the tables that say why are not in this home: `touchstone run reliability` makes them." in said


def test_queries_that_are_left_out_are_told_with_the_reason_of_each(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 20 + [OPPOSED] * 3)
    assert validate_in(study).succeeded

    def said() -> str:
        return ground_truth_in_words(study, study.validations.validations())

    assert "3 left out, because the judges differ on a document without a vote. `touchstone review`" in said()
    vote_on(study, 1, "ann", relevant=True)
    vote_on(study, 1, "bea", relevant=False)
    assert "3 left out: 2 because the judges differ on a document without a vote; 1 because the" in said()
    assert "people's votes on it are tied. `touchstone review` decides it" in said()
    vote_on(study, None, "cyd", relevant=True)
    assert "3 left out, because the last label came after ground truth was written" in said()
    assert "touchstone review" not in said()
    study.engine.dispose()


def test_a_query_that_the_input_has_no_more_is_not_said_to_be_in_dispute(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 20 + [OPPOSED])
    assert validate_in(study).succeeded
    write_queries(tmp_path / "queries.jsonl", [AGREED] * 20)
    assert validate_in(study).succeeded
    words = ground_truth_in_words(study, study.validations.validations())
    assert words.endswith("1 left out, because the input does not have the query now.")
    study.engine.dispose()


def test_names_of_judges_make_no_markup_in_the_block(study: Study) -> None:
    validated(study.validations, measures={"judge_1": "a|b", "judge_2": "<img src=x>"}, **FLAGS)
    assert "| Judges | a\\|b and &lt;img src=x&gt; |" in markdown(study)


def test_the_history_numbers_a_studys_own_validations(study: Study) -> None:
    study.queries.add_queries(query_frame({"q1": {"d1": "one", "d2": "two"}}))
    validated(study.validations, "run1", "contingency_triggered")
    other = Study("hats", None, study.home, reliability_section=study.reliability)
    validated(other.validations, "run2")
    allowed = validated(study.validations, "run3", "resolved_by_review")
    history = study.validations.validations()
    shown = told(lambda console: console.print(history_table(history)))
    assert " 1 " in shown
    assert " 2 " in shown
    assert " 3 " not in shown
    assert ground_truth_in_words(study, history) == "Ground truth: ready to be written."
    study.validations.write_ground_truth([truth("q1", allowed)])
    validated(study.validations, "run4", "contingency_triggered")
    assert ground_truth_in_words(study, study.validations.validations()) == (
        "Ground truth: 1 query written, 0 of them with documents that people decided (validation 2; the latest, 3, is "
        "contingency_triggered)."
    )


def test_steps_are_told_with_who_took_them() -> None:
    steps: list[dict[str, Any]] = [
        {"step": "disagreements", "n_queries": 3, "n_documents": 4},
        {"step": "tiebreaks", "n_votes": 1, "n_reviewed_queries": 1, "n_undecided_documents": 2},
        {"step": "bias_test", "biased_pairs": []},
        {"step": "thresholds_accepted", "who": "ann", "thresholds": {"judge2": 0.6912}},
        {
            "step": "recalibration_started",
            "who": "bob",
            "queries": ["q1", "q2"],
            "held_out": [],
            "prompt_version": "v3",
        },
        {"step": "manual_review_opened", "who": "cid"},
    ]
    assert steps_in_words(steps) == [
        "1 vote",
        "threshold judge2 0.691 accepted by ann",
        "2 queries judged again by bob",
        "manual review opened by cid",
    ]
