"""How the report grades its recommendation, and what it says next to it: use, provisionally, or no setting."""

from typing import Any

import pandas as pd
import pytest

from analysis.messages import message
from assets.fidelity.fidelity_report import BY_SETTING
from assets.fidelity.logic.current_plan import ANOTHER_JUDGE
from assets.fidelity.logic.recommendation_gates import grade_of
from reports.fidelity.contents import Contents
from reports.fidelity.facts import judge_in_words, notices
from reports.fidelity.recommendation import Recommendation, recommendation
from reports.fidelity.report import fidelity_page
from reports.fidelity.settings import cards, gates_of_focus
from tests.reports.fidelity.made_contents import contents_of_size, frames_of
from tests.reports.made_size import KEYS, Size

pytestmark = pytest.mark.usefixtures("drawn_once")

BEST = KEYS[1]
# The made thresholds: ICC 0.85, Spearman 0.7, JSON validity 0.98, median MAD 0.05.
SURE = {"icc_holm_low": 0.871, "spearman_holm_low": 0.7}


def contents_with(**columns: Any) -> Contents:
    frame = frames_of(Size())["recommended_setting"].assign(**columns)
    return contents_of_size(recommended_setting=frame)


def text_of(said: Recommendation, language: str = "en") -> str:
    return " ".join(sentence.plain(language) for sentence in said.sentences)


def test_a_judge_that_answers_everything_alike_is_said_in_the_first_sentence() -> None:
    frames = frames_of(Size())
    calls = frames["judge_calls"]
    alike = calls.assign(score=calls["score"].where(calls["setting"] != BEST, 0.63))
    said = recommendation(contents_of_size(judge_calls=alike))
    assert said.sentences[0].plain("en").startswith("The judge gives one and the same answer, 0.630, to all")
    assert f"({BEST}): it distinguishes nothing." in said.sentences[0].plain("en")
    assert "one and the same" not in text_of(recommendation(contents_of_size()))


def test_a_setting_that_holds_when_reported_and_with_both_bounds_is_to_be_used() -> None:
    said = recommendation(contents_with(**SURE))
    assert said.grade == "use"
    assert said.headline.plain("en") == f"Use the setting {BEST}: temperature 0.2, top_p 1."
    assert said.headline.plain("it") == f"Usare l'impostazione {BEST}: temperatura 0,2, top_p 1."
    assert "Not for sure" not in text_of(said)


@pytest.mark.parametrize(
    ("column", "seen", "english", "italian"),
    [
        # 0.7 - 0.6996 = 0.0004, which takes four decimals to be more than nothing.
        (
            "spearman_holm_low",
            0.6996,
            "of Spearman for 3 settings tried (Holm) is 0.6996, under 0.7 by 0.0004.",
            "di Spearman per 3 impostazioni provate (Holm) è 0,6996, cioè 0,0004 meno di 0,7.",
        ),
        (
            "icc_holm_low",
            None,
            "of ICC(1,k) for 3 settings tried (Holm) is undefined.",
            "di ICC(1,k) per 3 impostazioni provate (Holm) non è definito.",
        ),
    ],
)
def test_a_bound_that_does_not_reach_makes_it_provisional(
    column: str, seen: float | None, english: str, italian: str
) -> None:
    said = recommendation(contents_with(**(SURE | {column: seen})))
    assert said.grade == "provisionally"
    assert said.sentences[0].plain("en") == f"Not for sure: the lower bound {english}"
    assert said.sentences[0].plain("it") == f"Non certa: il limite inferiore {italian}"


def test_a_condition_missed_in_the_numbers_to_report_makes_it_provisional() -> None:
    missed = SURE | {"json_validity_reported": 0.963, "lacks_when_reported": "JSON validity is 0.963."}
    said = recommendation(contents_with(**missed))
    assert said.grade == "provisionally"
    assert said.sentences[0].plain("en").endswith("a condition is missed: JSON validity is 0.963, under 0.98 by 0.017.")
    # 0.98 - 0.963 = 0.017.
    assert (
        said.sentences[0]
        .plain("it")
        .endswith("una condizione non è soddisfatta: la validità JSON è 0,963, cioè 0,017 meno di 0,98.")
    )


@pytest.mark.parametrize(
    "columns",
    [
        SURE,
        {"recommended": False},
        SURE | {"spearman_holm_low": 0.6996},
        SURE | {"icc_holm_low": None},
        SURE | {"lacks_when_reported": "JSON validity is 0.963."},
        # A last bit below the threshold reaches it, as in every gate.
        SURE | {"spearman_holm_low": 0.7 - 1e-14},
    ],
)
def test_the_grade_is_that_of_the_terminal(columns: dict[str, Any]) -> None:
    contents = contents_with(**columns)
    told = grade_of(contents.tables["recommended_setting"], contents.plan.thresholds)
    assert recommendation(contents).grade == told.name


def test_a_number_corrected_for_the_choice_stands_beside_what_was_seen() -> None:
    changes = {"method": "optimism (few)", "json_validity_rate": 0.983, "json_validity_reported": 0.963}
    figures = {figure.term: figure for figure in recommendation(contents_with(**SURE, **changes)).figures}
    note = figures["json_validity"].note
    assert note is not None
    assert note.plain("en") == "0.983 seen, 0.963 after correcting for the choice"  # type: ignore[union-attr]
    split = {figure.term: figure for figure in recommendation(contents_with(**SURE)).figures}
    assert split["json_validity"].note is None


def test_stand_in_and_blind_spots_have_a_line_each() -> None:
    text = text_of(recommendation(contents_with(**SURE)))
    assert "Alternative annotator test: omega, the share of annotators against whom it wins, is" in text
    assert "stand in for an annotator" not in text
    # Of the four alterations that should lower the score the hue shift is not seen.
    assert "Of the 4 alterations of the golden set, judged at" in text
    assert "it does not see 1, and sees 0 in part only." in text
    nothing = contents_of_size(sensitivity=None, dose_response=None, golden_scores=None, annotator_test=None)
    text = text_of(recommendation(nothing))
    assert "could not be tested" in text
    assert "What it does not see is unknown" in text


def test_intervals_over_few_products_are_said_to_be_unreliable_and_those_over_more_are_not() -> None:
    few, enough = recommendation(contents_with(**SURE)), recommendation(contents_with(**SURE, n_products_reporting=10))
    assert "Few products: the intervals are over 3 of them and, under 5, unreliable." in text_of(few)
    assert "Few products" not in text_of(enough)
    assert "unreliable" in few.figures[0].note.plain("en")  # type: ignore[union-attr]
    assert "unreliable" not in enough.figures[0].note.plain("en")  # type: ignore[union-attr]


def test_repeats_needed_are_whole_and_rounded_up() -> None:
    assert "need at most 5 repeats" in text_of(recommendation(contents_with(repeats_needed_median=4.5)))


def with_mae(value: float) -> Contents:
    frame = frames_of(Size())["human_agreement"].copy()
    frame.loc[(frame["statistic"] == "mae") & (frame["grouped_by"] == "overall"), "value"] = value
    best = frames_of(Size())["recommended_setting"].assign(passes=True, failed=None, as_good_as_best=True)
    calls = frames_of(Size())["judge_calls"].assign(state="valid")
    frame.loc[(frame["statistic"] == "spearman_r") & (frame["grouped_by"] == "overall"), "value"] = 0.9
    return contents_of_size(human_agreement=frame, recommended_setting=best, judge_calls=calls)


def test_a_gate_that_is_no_condition_is_named_where_a_setting_keeps_the_conditions() -> None:
    contents = with_mae(0.112)
    card = cards(contents)[1]
    assert not card.lacks
    wanted = "Keeps the four conditions (ICC, JSON validity, Spearman, MAD), but misses the gate MAE."
    assert card.keeps.plain("en") == wanted
    text = text_of(recommendation(contents))
    assert "On all objects that are valid at this setting it misses: MAE 0.112 (\u2264 0.1)." in text
    assert f"{KEYS[2]} (misses MAE)" in text
    kept = with_mae(0.09)
    assert cards(kept)[1].keeps.plain("en") == "Keeps the four conditions (ICC, JSON validity, Spearman, MAD)."
    assert "misses: MAE" not in text_of(recommendation(kept))


def test_only_the_card_to_read_first_is_open() -> None:
    assert [card.setting for card in cards(contents_with()) if card.open] == [BEST]


def test_all_advice_is_listed() -> None:
    _, advice = gates_of_focus(contents_with(**SURE))
    assert {row.name: row.passed for row in advice}.items() >= {
        "recommendation_confirmed": True,
        "icc_for_sure": True,
        "spearman_for_sure": True,
        "same_model_answered": True,
        "stripes_are_seen_for_sure": True,
        "golden_items_are_held_out": True,
        "golden_pairs_are_complete": True,
    }.items()
    assert {"repeatable_for_sure", "orders_like_people_for_sure"} <= {row.name for row in advice}


def test_a_setting_of_a_former_judge_is_named_once_and_has_no_part() -> None:
    former, frames = KEYS[0], frames_of(Size())
    changed = message("{why}, or of the judge with other parameters", why=ANOTHER_JUDGE)
    obstacle = message("{changed}. Run the setting again.", changed=changed)
    why = message("not compared: {obstacle}", obstacle=obstacle)
    summary = frames["setting_summary"].copy()
    summary.loc[summary["setting"] == former, "undefined"] = why
    calls = frames["judge_calls"].copy()
    calls.loc[calls["setting"] == former, ["judge", "model_asked", "judge_identity"]] = ["openai", "gpt-4o", "2"]
    chosen = frames["recommended_setting"].copy()
    chosen.loc[chosen["setting"] == former, ["passes", "n_settings_tried"]] = [False, 0]
    contents = contents_of_size(setting_summary=summary, judge_calls=calls, recommended_setting=chosen)
    assert contents.settings == list(KEYS[1:3])
    assert former not in contents.gates
    assert former not in contents.advice
    assert not any((frame["setting"] == former).any() for frame in by_setting(contents))
    assert "gpt-4o" not in judge_in_words(contents).plain("en")
    [notice] = [one for one in notices(contents) if former in one.plain("en")]
    assert notice.plain("en").startswith("1 setting that was run is not compared and stands nowhere else")
    assert "le sue chiamate sono di un altro giudice" in notice.plain("it")
    page = fidelity_page(contents)
    shown = page[page.index("<main") : page.index("</main")]
    # Once a language.
    assert shown.count(former) == 2
    specs = page[page.index('id="page-charts"') :]
    assert f'"{former}"' not in specs[: specs.index("</script>")]


def by_setting(contents: Contents) -> list[pd.DataFrame]:
    return [contents.tables[name] for name in BY_SETTING]
