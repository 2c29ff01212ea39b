"""What the fidelity report says: the recommendation in plain words, gates, blind spots, and why a part is missing."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assets.fidelity.fidelity_report import contents_of
from reports.fidelity.contents import Contents
from reports.fidelity.facts import facts, notices
from reports.fidelity.people import said_of_annotators
from reports.fidelity.recommendation import recommendation
from reports.fidelity.report import about, downloads, fidelity_page
from reports.fidelity.sensitivity import example_pictures, said_of_golden_set
from reports.fidelity.settings import cards, gates_by_place, gates_of_all, gates_of_focus, said_of_gates
from reports.shared.gate_row import gates_as_data
from reports.shared.text import LANGUAGES
from resources.tables.fidelity.decision import EVERYBODY
from tests.reports.fidelity.made_contents import contents_of_size, frames_of, plan_of
from tests.reports.made_size import KEYS, Size

pytestmark = pytest.mark.usefixtures("drawn_once")

BEST = KEYS[1]


@pytest.fixture(scope="module")
def contents() -> Contents:
    return contents_of_size()


@pytest.fixture(scope="module")
def page(contents: Contents) -> str:
    return fidelity_page(contents)


def changed(table: str, **columns: Any) -> pd.DataFrame:
    return frames_of(Size())[table].assign(**columns)


def words(page: str, language: str = "en") -> str:
    """The page as its reader sees it, without markup."""
    shell = re.sub(r"<(script|style|title).*?</\1>", "", page, flags=re.DOTALL)
    other = "it" if language == "en" else "en"
    shell = re.sub(rf'<span class="t" lang="{other}">(?:(?!</?span).)*?</span>', "", shell, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", "", shell).split())


def test_the_recommended_setting_is_told_with_its_numbers_and_what_they_rest_on(contents: Contents) -> None:
    said = recommendation(contents)
    assert said.grade == "provisionally"
    assert said.headline.plain("en") == f"Provisionally, the setting {BEST}: temperature 0.2, top_p 1."
    assert said.headline.plain("it") == f"In via provvisoria, l'impostazione {BEST}: temperatura 0,2, top_p 1."
    assert [figure.value.plain("it") for figure in said.figures] == ["0,941", "0,832", "0,013", "0,984"]
    text = " ".join(sentence.plain("en") for sentence in said.sentences)
    assert "rest on 6 objects of 3 products, Spearman on 5 pairs of judge and people; 3 settings were tried" in text
    assert "0.871 for ICC(1,k) and 0.644 for Spearman" in text
    assert "the most demanding one needs 1,250" in text


def test_without_a_recommendation_the_nearest_is_named_with_what_it_lacks() -> None:
    nearest = [key == BEST for key in KEYS[:3]]
    flags = {"recommended": False, "passes": False, "nearest": nearest, "spearman_r": 0.6994, "mad": 0.071}
    said = recommendation(contents_of_size(recommended_setting=changed("recommended_setting", **flags)))
    assert said.grade == "none"
    # 0.7 - 0.6994 = 0.0006 and 0.071 - 0.05 = 0.021.
    lacks = "Spearman is 0.699, under 0.7 by 0.001; median MAD is 0.071, over 0.05 by 0.021"
    assert said.sentences[0].plain("en") == f"Nearest is {BEST}. What it lacks: {lacks}."
    assert "Spearman è 0,699, cioè 0,001 meno di 0,7" in said.sentences[0].plain("it")


@pytest.mark.parametrize("table", ["emptied", "nothing near"])
def test_no_recommendation_at_all_is_said(table: str) -> None:
    frame = None if table == "emptied" else changed("recommended_setting", recommended=False, nearest=False)
    said = recommendation(contents_of_size(recommended_setting=frame))
    assert said.grade == "none"
    assert said.headline.plain("it") != said.headline.plain("en")


def test_a_condition_that_the_reported_numbers_miss_is_not_hidden() -> None:
    missed = {"lacks_when_reported": "Spearman with people is 0.690 over 6 objects.", "spearman_reported": 0.69}
    said = recommendation(contents_of_size(recommended_setting=changed("recommended_setting", **missed)))
    text = " ".join(sentence.plain("en") for sentence in said.sentences)
    assert "a condition is missed: Spearman is 0.690, under 0.7 by 0.010" in text


def test_the_local_judge_is_named_as_a_baseline(contents: Contents) -> None:
    named = {name.plain("en"): value for name, value in facts(contents)}
    assert "a baseline, not a recommendation" in named["Judge"].plain("en")
    assert "un termine di confronto, non una raccomandazione" in named["Judge"].plain("it")
    assert any("baseline to beat" in one.plain("en") for one in notices(contents))


def test_what_a_background_means_is_said_once(contents: Contents) -> None:
    said = "is shown with a background that is neither black nor transparent"
    assert said not in words(fidelity_page(contents))
    objects = contents.tables["study_objects"].copy()
    objects["n_with_background"] = 0
    objects.loc[objects["excluded"].isna().idxmax(), "n_with_background"] = 2
    page = fidelity_page(replace(contents, tables={**contents.tables, "study_objects": objects}))
    assert words(page).count(f"1 object of 11 {said}. It stays as it is and counts as part of the object") == 1
    assert "1 oggetto su 11 è mostrato con uno sfondo che non è né nero né trasparente" in words(page, "it")


def test_the_date_is_that_of_the_newest_call(contents: Contents) -> None:
    named = {name.plain("en"): value for name, value in facts(contents)}
    assert named["Newest call (UTC)"].plain("en") == "28 November 2026"
    assert named["Objects judged"].plain("en") == "11 of 12"
    assert named["Annotators"].plain("en") == "2 (22 ratings)"
    assert named["Settings"].plain("it") == "3 su 10 previste"


def test_gates_that_count_and_advice_stand_apart(contents: Contents) -> None:
    counted, advice = gates_of_focus(contents)
    assert [row.name for row in counted[:3]] == ["repeatable", "repeats_agree", "orders_like_people"]
    assert {row.name for row in advice} >= {"means_are_precise", "no_large_errors", "more_costs_more"}
    # Every thirteenth of 60 calls is no JSON and every eleventh no answer: validity is far below 0.98.
    validity = next(row for row in counted if row.name == "answers_are_valid_json")
    assert not validity.passed


def test_a_deterministic_setting_is_shown_and_its_icc_does_not_count(contents: Contents) -> None:
    gate = contents.gates[KEYS[0]][0]
    assert (gate.passed, gate.applies, gate.seen, gate.reason) == (True, False, None, "deterministic")
    card = cards(contents)[0]
    assert [kind for kind, _ in card.badges] == ["baseline", "deterministic"]
    assert "by construction" in card.lacks[0].plain("en")
    assert cards(contents)[1].recommended


def test_the_gates_that_fail_are_said_over_all_settings_and_at_the_one_that_is_shown_by_code_name(
    contents: Contents, page: str
) -> None:
    over_all, at = said_of_gates(contents)
    # Every cell of the matrix that fails and counts is in the line, and none of those that do not apply.
    invalid = [row for rows in contents.gates.values() for row in rows if row.name == "answers_are_valid_json"]
    assert [row.passed for row in invalid] == [False] * 3
    assert "answers_are_valid_json at 3 of 3" in over_all.plain("en")
    assert "answers_are_valid_json in 3 su 3" in over_all.plain("it")
    assert "repeatable" not in over_all.plain("en")
    assert f"At the recommended setting {contents.recommended} and on the golden set" in at.plain("en")
    assert "answers_are_valid_json" in at.plain("en")
    fails = gates_as_data(gates_by_place(contents))["failing"]
    assert fails["answers_are_valid_json"] == list(contents.gates)
    assert over_all.plain("en") in words(page)
    assert '<code class="small">close_<wbr>to_<wbr>people</code>' in page
    assert about(contents)["failing"] == fails


def test_where_no_gate_fails_both_lines_say_so(contents: Contents) -> None:
    passing = {key: [replace(row, passed=True) for row in rows] for key, rows in contents.gates.items()}
    sound = replace(contents, gates=passing, golden_gates=())
    assert [one.plain("en") for one in said_of_gates(sound)] == [
        "Over all settings no gate fails.",
        f"At the recommended setting {contents.recommended} and on the golden set none fails.",
    ]
    assert said_of_gates(replace(contents, gates={})) == []


def test_alterations_that_the_judge_does_not_see_are_said_plainly(contents: Contents) -> None:
    said = " ".join(sentence.plain("en") for sentence in said_of_golden_set(contents))
    assert "The judge does not see one alteration: Hue shift 5°." in said
    assert "Untouched copy 0.000 (0/4)" in said


def test_examples_are_small_pictures_with_words(tmp_path: Path) -> None:
    frames = frames_of(Size(), tmp_path)
    title, pictures = example_pictures(contents_of_size(golden_images=frames["golden_images"]))
    assert title is not None
    assert len(pictures) == 6  # the original and five alterations
    assert all(one.url and one.url.startswith("data:image/jpeg;base64,") for one in pictures)
    assert {(one.width_px, one.height_px) for one in pictures} == {(256, 192)}
    assert pictures[1].alt.plain("it") == "Render dell'articolo 100, alterato: Strisce, opacità 0,3"


def test_the_page_says_which_kinds_move_another_sub_score_as_much_as_their_own(page: str) -> None:
    said = words(page)
    assert "One kind of alteration moves another sub-score as much as its own: Hue shift (Colour palette)." in said
    assert "Palette dei colori" in page


def test_a_picture_that_is_gone_is_said_to_be_gone(contents: Contents, page: str) -> None:
    _, pictures = example_pictures(contents)
    assert {one.url for one in pictures} == {None}
    assert "no longer where it was" in words(page)


EMPTY_PARTS = {
    "golden_images": "There is no golden set yet",
    "matched_scores": "no object has a score from both the judge and people",
    "few_labels": "too few objects were scored by both judge and people",
    "dose_response": "No kind of alteration has been judged at three or more doses",
    "subscore_sensitivity": "so nothing can be said of it",
    "retried_calls": "No call was tried again",
    "annotator_test": "The test of annotators has not been made at this setting",
    "human_agreement": "There are no categories or algorithms to tell apart",
}


def test_every_part_without_data_says_why(page: str) -> None:
    emptied = words(fidelity_page(contents_of_size(**dict.fromkeys(EMPTY_PARTS), sensitivity=None)))
    for table, said in EMPTY_PARTS.items():
        assert said in emptied, table
        assert said not in words(page), table


def test_nothing_at_all_is_a_page_that_says_so() -> None:
    frames = frames_of(Size())
    page = fidelity_page(contents_of_size(**dict.fromkeys(frames)))
    assert "No setting has been judged yet." in words(page)
    assert "Nessuna impostazione è stata ancora giudicata." in words(page, "it")


def test_one_annotator_cannot_be_tested_against() -> None:
    said = words(fidelity_page(contents_of_size(Size(annotators=("a1",)))))
    assert "How well people agree among themselves cannot be said" in said
    assert "cannot be tested" in said


def test_an_undefined_icc_is_a_dash_with_its_reason() -> None:
    reason = "every score equals every other: neither objects nor repeats differ"
    nothing = dict.fromkeys(["icc_1k", "icc_1k_low", "icc_1k_high", "lower_bound", "icc_11"])
    frame = changed("icc_by_setting", **nothing, deterministic=False, undefined=reason)
    page = fidelity_page(contents_of_size(icc_by_setting=frame))
    assert reason in words(page)
    assert "tutti i punteggi sono uguali: non differiscono né gli oggetti né le ripetizioni" in words(page, "it")


def test_both_languages_carry_the_same_numbers_in_the_same_order(page: str) -> None:
    values = {
        language: re.findall(r'<data value="([^"]+)"', without(page, "it" if language == "en" else "en"))
        for language in LANGUAGES
    }
    assert len(values["en"]) > 500
    assert sorted(values["en"]) == sorted(values["it"])


def without(page: str, language: str) -> str:
    return re.sub(rf'<span class="t" lang="{language}">(?:(?!</?span).)*?</span>', "", page, flags=re.DOTALL)


def test_downloads_hold_no_address_of_the_machine(contents: Contents) -> None:
    tables = downloads(contents)
    assert not [name for frame in tables.values() for name in frame.columns if "path" in str(name)]
    assert len(tables["matched_scores"]) == 36
    assert tables["judge_calls_by_state"]["n_attempts"].sum() == 180


def test_the_level_of_intervals_is_the_configured_one() -> None:
    frames = frames_of(Size())
    contents = contents_of("Made study", plan_of(Size(), confidence=0.9), frames)
    page = fidelity_page(contents)
    assert "90 % interval [0.890, 0.970]" in words(page)
    assert "intervallo di confidenza 90 % [0,890; 0,970]" in words(page, "it")
    named = {name.plain("en"): value for name, value in facts(contents)}
    assert named["Level of intervals"].plain("en") == "90 %"
    for language, said in (("en", "95 % interval"), ("it", "intervallo al 95 %")):
        assert said not in words(page, language).lower()


def test_an_omega_under_its_limit_is_not_rounded_up_to_it() -> None:
    frame = changed("annotator_test")
    whole = frame["annotator"] == EVERYBODY
    frame.loc[whole, "omega"] = 0.4951
    contents = contents_of_size(annotator_test=frame)
    said = " ".join(one.plain("en") for one in said_of_annotators(contents, BEST))
    assert "omega, the share of annotators against whom the judge wins, is 0.495 (needed at least 0.5)" in said
    # A last bit below the limit passes, as in every gate.
    frame.loc[whole, "omega"] = 0.5 - 1e-14
    contents = contents_of_size(annotator_test=frame)
    assert "may stand in" not in " ".join(one.plain("en") for one in said_of_annotators(contents, BEST))
    [gate] = [row for row in gates_of_focus(contents)[1] if row.name == "judge_can_stand_in"]
    assert (gate.passed, gate.n) == (True, 12)


def test_agreement_of_people_stands_with_its_n(contents: Contents) -> None:
    said = said_of_annotators(contents, BEST)[0]
    assert "0.820 for the mean of all, on 11 objects." in said.plain("en")
    assert "0,820 per la media di tutte, su 11 oggetti." in said.plain("it")


def test_alterations_of_which_nothing_is_known_are_not_counted_as_seen() -> None:
    frame = changed("sensitivity")
    frame["seen"] = frame["seen"].replace({"not seen": "unknown"})
    said = " ".join(one.plain("en") for one in said_of_golden_set(contents_of_size(sensitivity=frame)))
    assert "Whether it sees one more alteration is unknown, for too few pairs of scores: Hue shift 5\u00b0." in said
    assert "It sees each" not in said


def test_a_gate_that_a_setting_lacks_is_a_dash() -> None:
    frame = changed("annotator_test")
    table = gates_of_all(contents_of_size(annotator_test=frame[frame["setting"] != KEYS[0]]))
    assert table is not None
    assert [cell.plain("en") for cell in (row[-1] for row in table.rows)][0] == "\u2013"  # type: ignore[union-attr]
    assert len({len(row) for row in table.rows}) == 1


def test_cost_is_said_for_each_item(contents: Contents) -> None:
    text = " ".join(sentence.plain("en") for sentence in recommendation(contents).sentences)
    assert "Cost: 0.0065 USD for each item judged" in text


def test_prompts_that_are_not_listed_are_counted() -> None:
    frame = changed("judge_calls")
    frame["prompt_hash"] = [f"{place % 25:02d}" for place in range(len(frame))]
    said = about(contents_of_size(judge_calls=frame))
    assert said["n_prompt_hashes"] == 25
    assert said["first_prompt_hashes"] == [f"{place:02d}" for place in range(20)]
