"""The table of a study's verdicts: what goes in comes out again, and what is worse than before is said."""

import pandas as pd

from analysis.gates import Gate
from analysis.verdict.rule import Condition, Verdict, Word
from analysis.verdict.stated import Row, Stated
from assets.shared.verdicts import not_worse_gate, verdict_metadata, verdict_table
from reports.shared.verdict import stated_of
from resources.tables.fidelity.decision import FIDELITY_TRUST_VERDICT
from resources.tables.parquet import checked

ICC = Condition("repeatability (ICC)", "fails", True, 0.8, 0.7, 0.9, "at least 0.85", 40, 20, "repeatable", "", 0.85)
BLANK = Condition("sensitivity to stripes", "not measured", False, None, None, None, "at least 0.8", None, None,
                  "stripes_are_seen", "no golden set")  # fmt: skip


def stated(word: Word = "no", place: str = "t0.2_p1.0", *, leading: bool = True) -> Stated:
    verdict = Verdict(word, ("it fails", "and more"), (ICC, BLANK), 0.1, 120, "yes")
    people = (Row("ann", 40, 0.7, 0.5), Row("", 40, 0.72, 0.5, 0.6, 0.8))
    return Stated("model", place, "people", verdict, leading, people, ("alterations: hue_5",), ("objects", "products"))


def table(*every: Stated) -> pd.DataFrame:
    return checked(FIDELITY_TRUST_VERDICT, verdict_table(every, FIDELITY_TRUST_VERDICT))


def after(first: pd.DataFrame | None, then: pd.DataFrame) -> Gate:
    before = None if first is None else {name: one.value for name, one in verdict_metadata(first).items()}
    return not_worse_gate(then, before)


def test_verdicts_conditions_and_people_are_rows_and_read_back_as_they_were() -> None:
    other = stated("not proven", "t0.5_p1.0", leading=False)
    found = table(other, stated())
    assert found["row"].tolist() == ["verdict", "condition", "condition", "person", "person"] * 2
    # What answers the question comes first.
    assert stated_of(found, leading=False) == [stated(), other]
    assert stated_of(found) == [stated()]


def test_the_first_verdict_passes_and_a_worse_one_does_not() -> None:
    first = table(stated("yes"))
    assert after(None, first).passed
    assert after(first, first).sentence == "The verdict is no worse than before: model at t0.2_p1.0 'yes'."
    worse = after(first, table(stated("only for ranking")))
    assert not worse.passed
    assert worse.sentence.startswith("model at t0.2_p1.0 was 'yes' and is 'only for ranking'; needed: no worse")
    assert after(table(stated("no")), first).passed


def test_the_answer_before_counts_whatever_setting_it_was_of_and_other_settings_do_not() -> None:
    first = table(stated("yes"), stated("no", "t0.5_p1.0", leading=False))
    assert not after(first, table(stated("no", "t0.5_p1.0"), stated("yes", leading=False))).passed
    assert after(first, table(stated("yes"), stated("cannot say", "t0.8_p1.0", leading=False))).passed


def test_another_judges_word_before_is_not_that_of_a_new_one_next_to_it() -> None:
    first = table(stated("yes"))
    other = Stated("another", "", "people", stated("no").verdict)
    # One took the place of the other.
    assert not after(first, table(other)).passed
    # Next to the one that was there, the new one has no word before.
    both = after(first, table(stated("yes"), other))
    assert both.passed
    assert both.n == 1
    new = after(first, table(Stated("b", "", "people", stated("no").verdict), other))
    assert new.passed
    assert new.sentence == "This is the first verdict: there is none before it."


def test_dagster_shows_the_answer_first_and_no_name_makes_a_link() -> None:
    named = stated()
    shown = verdict_metadata(table(Stated("[x](http://a)", "", "people", named.verdict)))
    assert next(iter(shown)) == "verdict"
    text = str(shown["verdict"].value)
    assert text.startswith("May \\[x\\](http://a) stand in for people? **no**\n\n- Repeatability, ICC(1,k): 0.800")
    assert shown["answers"].value == [{"judge": "[x](http://a)", "place": "", "word": "no"}]


def test_the_number_that_the_ui_draws_is_that_of_the_first_condition_with_one() -> None:
    shown = verdict_metadata(table(stated("no", "t0.5_p1.0", leading=False), stated()))
    assert (shown["verdict_estimate"].value, shown["verdict_n"].value) == (0.8, 40)
    undefined = Stated("model", "", "people", Verdict("cannot say", ("too few",), (BLANK,)))
    assert verdict_metadata(table(undefined))["verdict_n"].value == 0
