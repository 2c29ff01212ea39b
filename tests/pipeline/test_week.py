"""A week of an installation that nobody looks after: new files, bad files, a crash, other judges, votes, the history.

The week is lived by `tests.pipeline.week_days`, once on SQLite and to its Wednesday on Postgres, in a process of its
own that finds all four studies in one configuration and writes a diary. What is expected stands here, written by hand.
A week takes minutes where little else runs on two cores; `pytest -rP` prints the minutes of each.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from tests.pipeline.week_inputs import FIRST_ITEM, true_score
from tests.pipeline.week_lived import DATABASES, WHOLE, Lived, weeks_below
from tests.pipeline.week_tables import (
    AFTER_VOTES,
    ANCHOR,
    BY_SETTING,
    CHECKS,
    DATA_SET,
    DRIFT,
    OF_THE_PAST,
    OVERVIEW,
    RUNS,
    STUDY_A,
    STUDY_A_MISSES,
    STUDY_B,
    STUDY_D,
    TRUTH,
    TWO_SETS,
    Note,
    differing,
    is_as_named,
    named_files,
)
from tests.small_datasets import SRCC

pytestmark = pytest.mark.slow
Weeks = Callable[[str], Lived]
Read = Callable[[str], Note]


@pytest.fixture(scope="module")
def week_on(tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]) -> Iterator[Weeks]:
    """The week on this kind of database; each is lived once."""
    with weeks_below(tmp_path_factory.mktemp("weeks"), new_database) as weeks:
        yield weeks


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    """The kind of database."""
    return str(request.param)


@pytest.fixture
def week(database: str, week_on: Weeks) -> Lived:
    """The week on this database."""
    return week_on(database)


@pytest.fixture
def note(week: Lived) -> Read:
    """An entry of this database's week."""
    return lambda name: Note(week.diary[name])


@pytest.fixture
def whole_week(week_on: Weeks) -> Lived:
    """The week that is lived to its Sunday."""
    return week_on(WHOLE)


@pytest.fixture
def whole_note(whole_week: Lived) -> Read:
    """An entry of that week."""
    return lambda name: Note(whole_week.diary[name])


def test_the_week_is_lived_to_its_end(week: Lived) -> None:
    assert week.exit_code == 0, week.words


def test_on_monday_every_table_of_every_study_is_made_once(note: Read) -> None:
    first = note("first run")
    assert first.made == STUDY_A + STUDY_B + TWO_SETS + OVERVIEW + STUDY_D + TRUTH
    assert sorted(first.runs) == [
        ("allowed_ground_truth", "write_ground_truth"),
        ("changed_inputs", "fidelity"),
        ("changed_inputs", "pairwise"),
        ("changed_inputs", "reliability"),
        ("new_datasets", "evaluation"),
        ("new_datasets", "evaluation"),
        ("new_datasets", "evaluation_overview"),
    ]
    assert (first.errors, first.gates) == ([], STUDY_A_MISSES)
    # 8 objects at 2 settings, 3 repeats each; 12 pictures of the golden set, 3 repeats each.
    assert first.calls == {"judge-1": 8 * 2 * 3 + 12 * 3}
    assert note("ticks after it").is_quiet


def test_on_monday_the_anchor_is_pinned_and_sets_nothing_off(note: Read) -> None:
    pinned = note("anchor pinned")
    assert pinned.runs == [("weekly_anchor", "watch_drift")]
    assert pinned.made == ANCHOR + DRIFT
    assert pinned.calls == {"judge-1": 4 * 3}


def test_on_tuesday_touched_files_start_nothing(note: Read) -> None:
    assert note("touched").is_quiet


def test_on_tuesday_a_file_that_still_grows_is_left_alone_until_it_rests(note: Read) -> None:
    assert note("half written").is_quiet
    rests = note("at rest")
    assert rests.runs == [("new_datasets", "evaluation"), ("new_datasets", "evaluation_overview")]
    assert rests.made == DATA_SET + OVERVIEW


def test_on_wednesday_no_finished_call_is_repeated_after_the_kill(note: Read) -> None:
    killed = note("killed")
    assert (killed.entry["signal"], killed.entry["status"]) == (9, "FAILURE")
    # 96 calls of Monday, and those that were answered of the 12 that two more objects need.
    assert killed.entry["n_recorded_at_the_kill"] == 96 + killed.entry["n_answers"] < 108
    assert killed.entry["n_recorded_and_asked_again"] == 0
    # What was under way is asked again: the judge's concurrency is 8.
    assert killed.entry["n_asked_again"] <= 8
    assert killed.calls == {"judge-1": 12 + killed.entry["n_asked_again"]}


def test_on_wednesday_the_rule_goes_on_and_the_night_makes_what_stands_on_a_check_that_was_cut_off(note: Read) -> None:
    killed = note("killed")
    assert ({asked_by for asked_by, _ in killed.runs}, killed.errors) == ({"refresh"}, [])
    # The kill came before the gate on `golden_images` had looked at it.
    # The verdict reads what the golden set said before, and is made again when it says something new.
    cut_off = {"golden_scores", "sensitivity", "dose_response", "subscore_sensitivity", "fidelity_report"}
    assert set(killed.made) - {"drift"} == set(STUDY_A) - cut_off
    assert killed.made.items() >= BY_SETTING.items()
    night = note("night after the crash")
    assert night.runs == [("nightly_fidelity", "fidelity"), ("refresh", "")]
    assert night.made == STUDY_A + DRIFT
    # The golden picture of another item is of one of the new ones: 3 repeats.
    assert night.calls == {"judge-1": 3}


def test_on_wednesday_study_a_is_as_in_a_fresh_home_where_one_undisturbed_run_made_it(whole_note: Read) -> None:
    undisturbed = whole_note("undisturbed")
    assert (undisturbed.made, undisturbed.errors) == (STUDY_A, [])
    assert undisturbed.entry["differ"] == []


def test_on_thursday_from_bad_files_nothing_is_made_but_the_table_whose_gate_says_so(whole_note: Read) -> None:
    bad = whole_note("bad files")
    assert (bad.made, bad.entry["changed"], bad.calls) == ({"photo_pairs": 1}, ["photo_pairs"], {})
    assert bad.gates == [("photo_pairs", "photos_are_there")]
    # The sensor tries a bad file once, and the refresh rule once.
    assert Counter(bad.runs) == {
        ("changed_inputs", "fidelity"): 1,
        ("changed_inputs", "pairwise"): 1,
        ("changed_inputs", "reliability"): 1,
        ("new_datasets", "evaluation"): 1,
        ("refresh", ""): 3,
    }


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("human_scores", "subjective.csv: 2 faults. Nothing was loaded."),
        ("human_scores", "row 5: score 1.27 is outside 0-1 in column 'Visual Fidelity'. Divide by the scale's maximum"),
        ("human_scores", "is scored 2 times by annotator 'a1', in rows 6, 22. Keep one of the rows"),
        ("evaluation_samples", "wrong.csv: it holds neither scores nor answers"),
        ("query_documents", "queries.jsonl, row 6: the line is no JSON"),
        ("evaluation_samples", "the fields there are: 'picture', 'value'. Nothing was loaded. Name the fields"),
    ],
)
def test_on_thursday_the_message_names_file_row_column_and_remedy(whole_note: Read, step: str, words: str) -> None:
    said = [error[step] for error in whole_note("bad files").errors if step in error]
    assert len(said) == 2
    assert all(words in one for one in said)


def test_on_thursday_the_gate_names_the_photos_and_the_remedy(whole_note: Read) -> None:
    [words] = whole_note("bad files").gate_words
    assert "Share of photos that are missing is 0.125 over 24 photos; needed: at most 0.05." in words
    assert "000001-01.JPG, 000001-02.JPG, 000002-01.JPG. Put them there" in words


def test_on_thursday_mended_files_are_taken_up_by_themselves(whole_note: Read) -> None:
    fixed = whole_note("fixed")
    # A score of study A is a new one. What the anchor was held against changed as well; the anchor itself is asked on
    # its own days.
    assert fixed.made == STUDY_A + DRIFT + STUDY_B + DATA_SET + OVERVIEW + STUDY_D + TRUTH
    assert fixed.errors == []


def test_on_thursday_a_new_score_makes_study_a_again_and_asks_no_call_again(whole_note: Read) -> None:
    fixed = whole_note("fixed")
    # The rule makes no more than what follows the anchor.
    assert [(asked_by, job) for asked_by, job in fixed.runs if job in ("fidelity", "")] == [
        ("changed_inputs", "fidelity"),
        ("refresh", ""),
    ]
    assert fixed.calls == {}


def test_on_friday_no_automation_asks_a_paid_judge_without_a_budget(whole_note: Read) -> None:
    assert whole_note("paid judge").is_quiet
    night = whole_note("its night")
    assert (night.runs, night.calls) == ([("nightly_fidelity", "fidelity")], {})
    [said] = night.errors
    assert set(said) == {"judge_calls"}
    assert "No person started this run, and the judge costs money." in said["judge_calls"]


def test_on_friday_a_person_starts_the_paid_judge(whole_note: Read) -> None:
    person = whole_note("a person")
    assert person.runs == [("a person", "fidelity"), ("refresh", "")]
    assert person.made == STUDY_A + DRIFT
    # 10 objects at 2 settings, 3 repeats each; 12 pictures of the golden set, 3 repeats each.
    assert person.calls == {"judge-2": 10 * 2 * 3 + 12 * 3}
    assert whole_note("a budget").is_quiet


def test_on_friday_within_a_budget_another_judge_makes_what_its_answers_decide(whole_note: Read) -> None:
    other = whole_note("another judge within it")
    assert ({asked_by for asked_by, _ in other.runs}, other.errors) == ({"refresh"}, [])
    assert set(other.made) == set(STUDY_A) - {"human_scores", "study_objects", "golden_images"}
    assert {table: other.made[table] for table in BY_SETTING} == BY_SETTING
    assert other.calls == {"judge-3": 10 * 2 * 3 + 12 * 3}


def test_on_friday_another_threshold_makes_what_it_decides_and_fails_its_gate(whole_note: Read) -> None:
    threshold = whole_note("another threshold")
    assert threshold.runs == [("new_datasets", "evaluation"), ("new_datasets", "evaluation_overview")]
    assert threshold.made == DATA_SET + OVERVIEW
    assert threshold.gates == [("correlation", "srcc_is_high_enough")]
    # Of eight ranks two neighbours are swapped: 1 - 6 * 2 / (8 * 63).
    assert "SRCC is 0.976 over 8 samples; needed: at least 0.99." in threshold.gate_words[0]
    assert threshold.calls == {}


def test_on_saturday_judges_that_differ_withhold_ground_truth_until_people_decided(whole_note: Read) -> None:
    differ = whole_note("they differ")
    assert differ.runs == [("changed_inputs", "reliability")]
    assert (differ.made, differ.gates) == (STUDY_D, [("kappa_validation", "judges_agree")])
    # One of ten disputed queries is below the quota of a fifth, two are at it, and ten are all.
    assert whole_note("one vote").is_quiet
    enough = whole_note("enough votes")
    assert enough.runs == [("finished_tiebreaks", "revalidation")]
    assert (enough.made, enough.gates) == (AFTER_VOTES, [("kappa_validation", "judges_agree")])
    decided = whole_note("all votes")
    assert decided.runs == [("finished_tiebreaks", "revalidation"), ("allowed_ground_truth", "write_ground_truth")]
    assert decided.made == AFTER_VOTES + TRUTH
    # Monday's six queries and Thursday's one until then, all seventeen after.
    assert [whole_note(name).entry["truth"] for name in ("they differ", "enough votes", "all votes")] == [7, 7, 17]


def test_on_sunday_the_anchor_is_judged_again_by_the_judge_in_force(whole_note: Read) -> None:
    again = whole_note("anchor again")
    assert again.runs == [("weekly_anchor", "watch_drift")]
    assert again.made == ANCHOR + DRIFT
    assert again.calls == {"judge-3": 4 * 3}
    assert whole_note("ticks at the end").is_quiet


def test_the_week_ends_with_the_tables_of_a_fresh_home_where_each_study_ran_once(week_on: Weeks) -> None:
    once = Note(week_on(WHOLE).diary["at once"])
    assert once.errors == []
    # Of the four data sets; study D a second time from everybody's votes.
    assert once.made == STUDY_A + STUDY_B + TWO_SETS + TWO_SETS + OVERVIEW + STUDY_D + AFTER_VOTES + TRUTH
    assert once.entry["differ"] == OF_THE_PAST


def test_the_week_ends_with_what_its_inputs_were_written_to_show(whole_week: Lived) -> None:
    summary = whole_week.tables["evaluation/evaluation_summary"].set_index(["statistic", "dataset"])["value"]
    # Two neighbours of eight are swapped: 1 - 6 * 2 / (8 * 63). What came later says the opposite.
    assert list(summary["srcc"]) == pytest.approx([SRCC, -SRCC, -SRCC])
    assert summary["accuracy", "questions"] == 0.7
    # In each series people want the sharp photo, which is the one with more contrast as well.
    metrics = whole_week.tables["pairwise/method_metrics"].set_index("method")
    assert metrics["accuracy"].to_dict() == {"sharpness_only": 1.0, "contrast_only": 1.0}
    # Where both judges agree, and where each took one document that the other did not: people took both.
    documents = [list(known) for known in whole_week.tables["reliability/ground_truth"]["expected_docs"]]
    assert documents == [["d1", "d2"]] * 7 + [["d1", "d2", "d3"]] * 10


def test_the_anchor_shows_the_judge_that_says_three_hundredths_more(whole_week: Lived) -> None:
    anchor = whole_week.tables["fidelity/anchor_scores"]
    assert list(anchor["occasion"] + anchor["model_asked"]) == ["2026-03-02judge-1"] * 4 + ["2026-03-08judge-3"] * 4
    truth = [true_score(int(known, 16) - FIRST_ITEM) for known in anchor["object"]]
    # Three repeats with a ripple of 0.02.
    assert (anchor["judge_score"] - truth - [0.0, 0.0, 0.0, 0.0, 0.03, 0.03, 0.03, 0.03]).abs().max() < 0.0201
    drift = whole_week.tables["fidelity/drift"].set_index("occasion")
    assert drift["same_identity"].to_dict() == {"2026-03-02": True, "2026-03-08": False}


def test_every_file_that_a_table_names_is_there_with_the_content_that_it_names(whole_week: Lived) -> None:
    named = {name: list(named_files(table)) for name, table in whole_week.tables.items()}
    # Ten objects with a render and a photo each; six alterations of two items, from a render and a photo each.
    assert (len(named["fidelity/study_objects"]), len(named["fidelity/golden_images"])) == (10 * 2, 12 * 3)
    assert [len(files) for name, files in named.items() if name.endswith("_report")] == [1, 1, 1, 1]
    assert [file for files in named.values() for file, known in files if not is_as_named(file, known)] == []


def test_the_history_of_the_week_is_whole(whole_week: Lived) -> None:
    end = whole_week.diary["end"]
    assert end["validations"] == ["passed"] * 2 + ["contingency_triggered"] * 2 + ["resolved_by_review"]
    # Of each judge every call once: study, golden set; of the first Wednesday's, of the first and the last the anchor.
    assert end["calls"] == {"judge-1": 48 + 36 + 12 + 3 + 12, "judge-2": 96, "judge-3": 96 + 12}
    assert end["calls made twice"] == 0
    assert {name: n for name, n in end["runs"].items() if not name.startswith("__")} == RUNS
    assert [end["made"][name] for name in ("anchor_scores", "ground_truth", "kappa_validation")] == [2, 3, 5]
    assert {name: end["checks"][name] for name in CHECKS} == CHECKS
    assert end["checks"]["drift.same_judge_as_pinned"][""][-1] == "FAILED"


def test_on_wednesday_both_databases_have_the_same_tables_checks_and_history(week_on: Weeks) -> None:
    ours, others = map(week_on, DATABASES)
    assert ours.diary["end of wednesday"] == others.diary["end of wednesday"]
    assert differing(ours.on_wednesday, others.on_wednesday) == []
