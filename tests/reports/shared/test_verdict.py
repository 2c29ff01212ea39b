"""The verdict as people read it: each word in both languages with its colour, and the same lines everywhere."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from analysis.messages import message
from analysis.verdict.people import People, standing
from analysis.verdict.rule import (
    HOLDS_BY_BOUND,
    TEST,
    Condition,
    Verdict,
    Word,
    by_conditions,
    decided,
    needed_at_least,
)
from analysis.verdict.stated import COPIES, RANKS, Stated
from reports.shared.colours import VERDICTS, verdict_state
from reports.shared.phrases import phrase
from reports.shared.verdict import (
    answer_of,
    colours_in_css,
    full_word,
    lines_in_short,
    lines_of,
    needed_text,
    next_step,
    step_of,
    style_of,
    word_text,
)
from tests.analysis.verdict.test_people import made

ORDER = Condition("agreement next to people's own", "passes", True, -0.02, -0.2, 0.1, "above -0.1", 40, 20, limit=-0.1)
ICC = Condition("repeatability (ICC)", "fails", True, 0.8, 0.7, 0.9, "at least 0.85", 24, 12, "repeatable", "", 0.85)


def stated(word: Word, *conditions: Condition, n_needed: int | None = None, n_for: Word | None = None) -> Stated:
    said = Verdict(word, ("the reason in words",), conditions, 0.1, n_needed, n_for)
    return Stated("model", "t0.2_p1.0", "people", said, things=("objects", "products"))


@pytest.mark.parametrize("word", get_args(Word))
def test_every_word_has_words_in_both_languages_a_rank_and_one_of_five_colours(word: Word) -> None:
    assert word_text(word).plain("en") == word
    assert word_text(word).plain("it") not in ("", word) or word == "no"
    assert word in RANKS
    assert verdict_state(word) in VERDICTS
    assert f".answer-{verdict_state(word)} {{ --answer: {VERDICTS[verdict_state(word)].ink}" in colours_in_css()


def test_the_five_states_look_different_on_the_page_and_on_the_terminal() -> None:
    words: tuple[Word, ...] = ("yes", "only for ranking", "not proven", "no", "cannot say")
    assert len({verdict_state(word) for word in words}) == len({style_of(word) for word in words}) == 5
    assert verdict_state("agrees with these means") == "in_part"
    assert verdict_state("do not agree with each other") == "no"


def test_what_decides_comes_first() -> None:
    fails = "Repeatability, ICC(1,k): 0.800 [0.700, 0.900], needed at least 0.85: fails."
    assert lines_of(stated("no", ORDER, ICC)) == [fails, "On 40 objects of 20 products."]
    assert lines_of(stated("cannot say", ORDER, ICC))[1:3] == [
        fails,
        "Its agreement with people, less people's own: -0.020 [-0.200, 0.100], needed above -0.1: holds by the "
        "estimate, not proven.",
    ]
    proven = ICC._replace(state="proven")
    assert lines_of(stated("not proven", proven, ORDER, n_needed=90, n_for="yes"))[0].startswith("Its agreement")


def test_a_reason_is_said_in_italian_with_its_condition_and_numbers() -> None:
    [failed] = by_conditions("agree with each other", "do not agree with each other", [ICC], 24).reasons
    assert failed == "repeatability (ICC) fails: 0.800 [0.700, 0.900], needed at least 0.85"
    # What it needs is a message where it is made.
    needed = ICC._replace(state="passes", needed=needed_at_least(0.75), limit=0.75)
    [waiting, _] = by_conditions("agree with each other", "no", [needed], 24).reasons
    assert waiting == "repeatability (ICC) is not proven: 0.800 [0.700, 0.900], needed at least 0.75"
    italian = "ripetibilità (ICC), condizione non dimostrata: 0,800 [0,700; 0,900], richiesto almeno 0,75"
    assert phrase(waiting).plain("it") == italian
    assert phrase(failed).plain("it").startswith("ripetibilità (ICC), condizione mancata: 0,800 [0,700; 0,900]")


def test_a_judge_without_an_interval_says_why_in_italian_too() -> None:
    people, judge = made(n=40)
    seen = standing(People(people, np.arange(40) // 14), judge)
    reason = decided(replace(seen, people=seen.people._replace(low=0.5))).reasons[0]
    assert reason == "agreement of the judge has no interval: 3 clusters, fewer than 5"
    assert phrase(reason).plain("it") == "la concordanza del giudice non ha un intervallo: 3 gruppi, meno di 5"


def test_next_to_one_column_of_people_page_and_terminal_say_with_whom_and_what_would_prove_it() -> None:
    assert full_word("agrees", ["MOS"]) == "agrees with these means"
    assert full_word("does not agree", ["ann"]) == "does not agree with this person"
    assert full_word("yes", ["ann", "bob"]) == "yes"
    open_ = {"word": "not proven", "margin": None, "n_needed": 90, "n_for": "agrees"}
    step = step_of({"verdict": open_, "n": 40}, ["ann"])
    assert step is not None
    assert step.plain("en") == "If these numbers held, 90 objects in all would make it 'agrees with this person'."
    # Ten times as many are a number, more are not.
    ten, more = (step_of({"verdict": open_ | {"n_needed": n}, "n": 100}, ["ann"]) for n in (1000, 1010))
    assert ten is not None
    assert "held, 1,000 objects in all" in ten.plain("en")
    assert more is not None
    assert "it would take more than 1,000 objects" in more.plain("en")
    assert step_of({"verdict": open_ | {"n_needed": None, "n_for": None}, "n": 40}, ["ann"]) is None


def test_a_judge_clearly_behind_people_leans_to_a_no_and_why_it_is_none_yet_is_said() -> None:
    # What pass, fail and unsure of a noisy judge gave: -0.211 [-0.324, -0.098] with a margin of 0.1.
    behind = ORDER._replace(state="fails", estimate=-0.211, low=-0.324, high=-0.098)
    said = Verdict("not proven", (), (behind,), 0.1)
    english = next_step(said, 209, "objects")
    assert english is not None
    assert english.plain("en").replace("\u2212", "-") == (
        "The data lean to a no: the whole interval of the difference is below 0, and more objects alone would not "
        "prove a yes. It is not a no yet: that needs the interval below -0.100 (it ends at -0.098), or the difference "
        "and the test both past their limits by the estimate."
    )
    assert "propendono per un no" in english.plain("it")
    # Of a judge on another scale there is no test, and its interval is the one way to a no.
    untested = Condition(
        TEST, "not measured", True, None, None, None, "at least 0.5", None, None, None, "another scale"
    )
    by_order = next_step(said._replace(conditions=(behind, untested)), 209, "objects")
    assert by_order is not None
    assert by_order.plain("en").replace("\u2212", "-").endswith("the interval below -0.100 (it ends at -0.098).")
    assert by_order.plain("it").replace("\u2212", "-").endswith("un intervallo sotto -0,100 (arriva a -0,098).")
    judge = {"verdict": said._asdict(), "conditions": [behind._asdict()], "n": 209}
    assert step_of(judge, ["ann", "bob"]) == english
    # A study's lines have it too; an interval that reaches 0, or a difference within the margin, leans to nothing.
    assert "The data lean to a no" in " ".join(lines_of(stated("not proven", behind)))
    for other in (behind._replace(high=0.01), behind._replace(state="proven")):
        open_ = next_step(said._replace(conditions=(other,)), 209, "objects")
        assert open_ is not None
        assert open_.plain("en") == "At these numbers more objects alone would not prove a yes."


def test_what_fails_comes_first_where_nothing_is_proven_too() -> None:
    short = ICC._replace(required=True)
    missing = ICC._replace(name="validity of answers", state="not measured", estimate=None, why="nobody asked")
    first, second, third, *_ = lines_of(stated("not proven", ORDER, missing, short))
    assert first.endswith("needed at least 0.85: fails.")
    assert second == "Valid answers: nobody asked."
    assert third.startswith("Its agreement with people")


@pytest.mark.parametrize("word", ["yes", "not proven", "no"])
def test_a_judge_that_is_a_copy_of_people_is_said_to_be_before_all_else(word: Word) -> None:
    why = "it equals human1 on all 40 objects that both have"
    copy = Condition(COPIES, "does not apply", False, None, None, None, "", None, None, None, why)
    assert lines_in_short(stated(word, ORDER, ICC, copy), 3)[0].startswith(f"{COPIES.capitalize()}: {why}.")


def test_a_copy_leaves_nothing_to_compare_and_only_the_way_out_is_said() -> None:
    why = "it equals a on all 60 objects: leave a out of the people"
    copied = Condition(COPIES, "does not apply", False, None, None, None, "", None, None, None, why)
    own = Condition("agreement with people", "proven", True, 1.0, 0.99, 1.0, "interval above 0", 60, 60)
    said = Stated("gpt", "", "people", Verdict("cannot say", (why,), (own, copied)))
    assert lines_of(said) == [f"I{why[1:]}.", "On 60 objects."]


def test_more_objects_are_said_and_far_more_are_not_counted() -> None:
    said = lines_of(stated("not proven", ORDER, n_needed=90, n_for="yes"))
    assert "If these numbers held, 90 objects in all would make it 'yes'." in said
    said = lines_of(stated("not proven", ORDER, n_needed=900, n_for="yes"))
    assert "If these numbers held, it would take more than 400 objects to make it 'yes'." in said


def test_what_cannot_be_said_says_why_first() -> None:
    said = lines_of(stated("cannot say", ORDER))
    assert said[0] == "The reason in words."
    assert lines_of(stated("cannot say"))[0] == "The reason in words."


def test_a_crowd_is_held_against_epsilon_in_both_languages() -> None:
    crowd = Condition("alternative annotator test of a crowd", "proven", True, 0.01, None, None, "below 0.1", 600, 60)
    [reason, *_] = answer_of(stated("yes", crowd)).reasons
    assert reason.plain("en").startswith("Share of votes where a person is nearer to the others than it is, less")
    assert reason.plain("en").endswith("0.010, needed below 0.1: proven")
    assert "Quota di voti" in reason.plain("it")
    assert "sotto 0,1" in reason.plain("it")


def test_a_test_that_is_open_has_the_state_of_its_table_and_what_has_no_interval_comes_after_what_is_open() -> None:
    test = Condition(TEST, "passes", True, -0.067, None, None, "below 0.2", 30, 12, limit=0.2)
    mad = Condition("spread of repeats (MAD)", "passes", True, 0.01, None, None, "at most 0.05", 24, 12, limit=0.05)
    valid = ICC._replace(name="validity of answers", state="passes", estimate=1.0, low=0.948, high=1.0)
    one = stated("not proven", mad, test, valid)
    said = [reason.plain("en") for reason in answer_of(one).reasons]
    assert said[0].startswith("Share of objects where a person is nearer to the others than it is, less the share")
    assert said[0].endswith("−0.067, needed below 0.2: holds by the estimate, not proven")
    assert said[1].startswith("Valid answers")
    assert said[2].endswith("at most 0.05: holds (it has no interval)")
    assert [line.partition(":")[0] for line in lines_in_short(one, 4)][1] == "Holds by the estimate, not proven"


def test_two_judges_have_an_and_of_each_language_between_them() -> None:
    pair = replace(stated("agree with each other", ICC), judge="a and b", place="", against="each other")
    assert answer_of(pair).question.plains["it"] == "a e b: concordano tra loro?"
    assert answer_of(replace(pair, against="people")).question.plains["it"].startswith("Può a and b sostituire")


def test_alterations_have_their_units_and_a_users_own_their_names() -> None:
    kept = "my_hue_5, crop, texture_125_dark"
    one = replace(stated("no", ICC), not_covered=(f"alterations: hue (5, 10), blur_1, {kept}",))
    [said] = answer_of(one).not_covered
    assert said.plains == {
        "en": f"Not for what it does not see: hue shift (5, 10 degrees), blur (1 px), {kept}.",
        "it": f"Non per ciò che non vede: tinta spostata (5, 10 gradi), sfocatura (1 px), {kept}.",
    }


def test_in_short_what_fails_has_its_number_and_all_else_that_decides_is_named_before_what_to_do_next() -> None:
    mad = Condition("spread of repeats (MAD)", "passes", True, 0.01, None, None, "at most 0.05", 24, 12, limit=0.05)
    one = stated("not proven", ORDER, mad, ICC, ICC._replace(name="kappa macro"), n_needed=90, n_for="yes")
    one = replace(one, not_covered=("golden: none", "alterations: hue_5"))
    assert lines_in_short(one, 4) == [
        "Repeatability, ICC(1,k): 0.800 [0.700, 0.900], needed at least 0.85: fails.",
        "Fails: Kappa, mean over queries. Holds by the estimate, not proven: Its agreement with people, less people's "
        "own.",
        "If these numbers held, 90 objects in all would make it 'yes'.",
        "Not for changes that it was never shown: no golden set was judged.",
    ]
    short = lines_in_short(replace(one, verdict=one.verdict._replace(word="no", n_needed=None, n_for=None)), 3)
    assert [line[:12] for line in short] == ["Repeatabilit", "Fails: Kappa", "Not for chan"]
    proven = stated("yes", ICC._replace(state="proven"), ORDER._replace(state="proven"))
    assert lines_in_short(proven, 3)[0].startswith("Its agreement with people, less people's own: -0.020")
    assert lines_in_short(proven, 3)[1] == "Proven: Repeatability, ICC(1,k)."


def test_a_condition_that_holds_by_the_bound_labels_go_by_is_not_called_open() -> None:
    why = message(HOLDS_BY_BOUND, share=90.0, bound=-0.085)
    order = ORDER._replace(state="passes", why=why)
    said = lines_of(stated("not proven", order, ICC))
    assert not any("people's own" in line for line in said)
    [line, *_] = lines_of(stated("yes", order))
    assert line.endswith("holds by the one-sided bound.")


def test_numbers_are_written_in_the_languages_way() -> None:
    [reason, *_] = answer_of(stated("no", ICC)).reasons
    assert "0,800 [0,700; 0,900], richiesto almeno 0,85" in reason.plain("it")
    assert needed_text("interval above 0").plain("it") == "un intervallo sopra 0"
