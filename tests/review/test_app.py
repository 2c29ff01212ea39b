"""The review page without a browser, on both databases: what it shows when, and what it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from tests.made_disputes import add_disputes, add_query, add_validation, disputed, store_of
from tests.review.desk_messages import bodies, message, save, send, shown

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

pytestmark = pytest.mark.slow

APP = Path(__file__).resolve().parents[2] / "review" / "app.py"
EVIL = "<script>document.title = 'taken'</script> **bold** [x](javascript:alert(1)) $x^2$ :red[hi]"


def opened(reviewer: str | None = "ann") -> AppTest:
    from streamlit.testing.v1 import AppTest

    page = AppTest.from_file(str(APP), default_timeout=30)
    if reviewer is not None:
        page.query_params["reviewer"] = reviewer
    page.run()
    assert not page.exception
    return page


def texts(page: AppTest) -> list[str]:
    return [one.value for one in page.text]


def everything(page: AppTest) -> str:
    """Every word on the page and on its desk."""
    return " ".join([*texts(page), *(one.value for one in page.caption), json.dumps(shown(page))])


def press(page: AppTest, label: str, place: int = 0) -> AppTest:
    [one for one in page.button if one.label == label][place].click().run()
    assert not page.exception
    return page


@pytest.mark.parametrize("kept", [True, False])
def test_guidelines_stand_next_to_the_task_and_a_missing_file_is_named(
    study_on_sqlite: sa.Engine, tmp_path: Path, *, kept: bool
) -> None:
    add_disputes(study_on_sqlite, 1)
    [configuration] = tmp_path.rglob("touchstone.yaml")
    said = configuration.read_text()
    configuration.write_text(said.replace("  review:\n", "  review:\n    guidelines: rules.md\n"))
    if kept:
        (configuration.parent / "rules.md").write_text(f"\ufeffRelevant: it answers. {EVIL}", encoding="utf-8")
        page = opened()
        assert f"Relevant: it answers. {EVIL}" in texts(page)
        assert [one.label for one in page.expander][:1] == ["Guidelines"]
    else:
        [told] = [one for one in texts(opened()) if "rules.md" in one]
        assert told.startswith("reliability.review.guidelines: ")


def test_the_name_is_asked_first_and_stays_in_the_address(study: sa.Engine) -> None:
    add_disputes(study, 1)
    page = opened(reviewer=None)
    assert page.title[0].value == "Who is reviewing?"
    assert not page.get("bidi_component")
    page.text_input[0].set_value("  Ann  Lee ")
    press(page, "Begin")
    assert page.query_params["reviewer"] in ("Ann Lee", ["Ann Lee"])
    assert "text 0 of query 0" in bodies(page)


def test_an_empty_name_is_refused_in_words(study_on_sqlite: sa.Engine) -> None:
    page = press(opened(reviewer=None), "Begin")
    assert any("needs its reviewer's name" in one for one in texts(page))


def test_scores_and_kappa_are_hidden_until_the_vote_and_shown_after_it(study: sa.Engine) -> None:
    add_disputes(study, 1)
    add_validation(study, 0.52, 0.5, "contingency_triggered", 3)
    store_of(study).vote("ben", "b", {store_of(study).next_query("ben").documents[0].document_row: False})  # type: ignore[union-attr]
    page = opened()
    page.selectbox[0].set_value("all").run()
    assert "careful" not in everything(page)
    assert "kappa" not in everything(page).lower()
    save(page, True, False)
    said = texts(page)
    assert "d0\nyou: relevant; others: 0 relevant, 1 not\ncareful 0.90 · hasty 0.10" in said
    assert "d1\nyou: not relevant; no other vote yet\ncareful 0.80 · hasty 0.30" in said
    assert "Kappa of the query: -0.50" in said


def test_kappa_stays_hidden_while_documents_of_the_query_are_open(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 1)
    page = save(opened(), True)
    assert page.success[0].value == "Saved: 1 vote."
    assert "text 1 of query 0" in bodies(page)
    assert "kappa" not in everything(page).lower()


def test_the_switch_shows_the_scores(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 1)
    page = opened()
    page.toggle[0].set_value(True).run()
    assert shown(page)["documents"][0]["scores"] == "careful 0.90 · hasty 0.10"
    assert shown(page)["caption"] == "Disagreement 1 of 1 · 2 documents · kappa: -0.50"


def test_saved_is_said_with_votes_reason_and_note_in_the_database(study: sa.Engine) -> None:
    add_disputes(study, 6)
    page = save(opened(), True, False, reason="it says so", note="'; DROP TABLE tiebreaks; --")
    assert page.success[0].value == "Saved: 2 votes."
    votes = store_of(study).votes()
    assert votes["relevant"].tolist() == [True, False]
    assert votes["reason"].tolist() == ["it says so"] * 2
    assert votes["note"].tolist() == ["'; DROP TABLE tiebreaks; --"] * 2
    assert store_of(study).progress() == (1, 6, 2)
    assert "text 0 of query 1" in bodies(page)


def test_a_reason_of_more_than_200_characters_is_refused(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 1)
    page = save(opened(), True, False, reason="x" * 201)
    assert shown(page)["longest_reason"] == 200
    assert any("has 201 characters; 200 are allowed. Nothing was saved" in one for one in texts(page))
    assert len(store_of(study_on_sqlite).votes()) == 0


def test_what_could_not_be_saved_is_said_and_the_form_stays(study: sa.Engine) -> None:
    ((_row, documents),) = add_disputes(study, 1)
    page = opened()
    sent = message(page, "save", True, False)
    # The same form, from elsewhere, with other votes.
    store_of(study).vote("ann", sent["submission"], dict.fromkeys(documents, False))
    send(page, sent)
    assert any("Nothing was changed: reload the page" in one for one in texts(page))
    assert not page.success
    data = shown(page)
    assert (data["submission"], data["answered"], data["has_problem"]) == (sent["submission"], sent["number"], True)
    assert store_of(study).votes()["relevant"].tolist() == [False, False]


def test_saving_without_a_choice_says_what_to_do(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 1)
    page = save(opened())
    assert any("Nothing to save yet" in one for one in texts(page))
    assert len(store_of(study_on_sqlite).votes()) == 0


def test_choices_for_a_query_that_the_page_has_left_are_refused(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 3)
    page = opened()
    late = message(page, "save", True, True)
    page.selectbox[0].set_value("all").run()
    send(page, late)
    assert any("The page had gone on to another query. Nothing was saved" in one for one in texts(page))
    assert len(store_of(study_on_sqlite).votes()) == 0


def test_the_same_message_again_counts_once(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 3)
    page = opened()
    sent = message(page, "save", True, True)
    send(send(page, sent), sent)
    assert not any("Nothing was saved" in one for one in texts(page))
    assert len(store_of(study_on_sqlite).votes()) == 2


def test_a_choice_about_a_document_of_another_query_is_refused(study_on_sqlite: sa.Engine) -> None:
    _first, (_row, (other, _more)) = add_disputes(study_on_sqlite, 2)
    page = opened()
    send(page, message(page, "save", choices=[[other, True]]))
    assert any("about a document that is not on the page. Nothing was saved" in one for one in texts(page))
    assert len(store_of(study_on_sqlite).votes()) == 0


def test_a_message_that_no_page_sends_changes_nothing(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 1)
    page = opened()
    send(page, message(page, "save", choices=[["one", "perhaps"]]))
    assert any("cannot be read. Nothing was saved" in one for one in texts(page))
    assert len(store_of(study_on_sqlite).votes()) == 0


def test_what_colleagues_wrote_is_kept_back_until_ones_own_vote_and_shown_after_it(study: sa.Engine) -> None:
    ((row, documents),) = add_disputes(study, 1)
    store = store_of(study)
    store.vote("ben", "b", dict.fromkeys(documents, False), "off the point", EVIL)
    store.skip("carla", "c", row, "not my field")
    store.vote("dan", "d", dict.fromkeys(documents, True))
    page = opened()
    page.selectbox[0].set_value("all").run()
    page.toggle[0].set_value(True).run()  # the switch shows scores, and no more than these
    assert not any(word in everything(page) for word in ("carla", "off the point", "not my field", "javascript"))
    save(page, True)
    # The second document is still to be decided, and the words may be about it.
    assert not any(word in everything(page) for word in ("carla", "off the point", "not my field", "javascript"))
    save(page, True)
    said = texts(page)
    there = said[said.index("ben") :]
    assert there[:5] == ["ben", "Reason: off the point", f"Note: {EVIL}", "carla skipped", "Reason: not my field"]
    assert "dan" not in said  # wrote nothing
    assert not any(EVIL in one.value for one in page.markdown)


def test_what_colleagues_wrote_goes_again_while_a_skipped_query_is_on_the_desk(study_on_sqlite: sa.Engine) -> None:
    ((_row, documents),) = add_disputes(study_on_sqlite, 1)
    store_of(study_on_sqlite).vote("ben", "b", dict.fromkeys(documents, False), note="off the point")
    page = opened()
    page.selectbox[0].set_value("all").run()
    send(page, message(page, "skip", reason="tired"))
    assert "Note: off the point" in texts(page)
    page.selectbox[0].set_value("skipped").run()
    assert "text 0 of query 0" in bodies(page)
    assert "off the point" not in everything(page)


def test_a_skip_asks_for_a_reason_and_the_filter_brings_the_query_back(study: sa.Engine) -> None:
    add_disputes(study, 2)
    page = opened()
    send(page, message(page, "skip"))
    assert any("A skip needs a reason" in one for one in texts(page))
    send(page, message(page, "skip", reason="not my field"))
    assert "text 0 of query 1" in bodies(page)
    assert store_of(study).votes()["relevant"].isna().all()
    page.selectbox[0].set_value("skipped").run()
    assert "text 0 of query 0" in bodies(page)
    save(page, True, True)
    assert any("Nothing left under this filter" in one.value for one in page.info)
    assert store_of(study).progress().reviewed == 1


def test_undo_opens_the_query_again_also_after_a_reload(study: sa.Engine) -> None:
    add_disputes(study, 2)
    page = save(opened(), True, True)
    assert "text 0 of query 1" in bodies(page)
    again = opened()
    assert "query 0" in texts(again)
    press(again, "Undo (U)")
    assert "text 0 of query 0" in bodies(again)
    assert store_of(study).votes()["withdrawn_at"].notna().all()
    assert "1/2" not in str(store_of(study).progress())


def test_what_another_reviewer_saves_does_not_take_the_query_away(study: sa.Engine) -> None:
    add_disputes(study, 2)
    ann, ben = opened("ann"), opened("ben")
    ben.selectbox[0].set_value("all").run()
    save(ben, False, False)
    save(ann, True, True)
    assert store_of(study).progress().reviewed == 1
    (agreement,) = store_of(study).reviewer_agreement().to_dict("records")
    assert (agreement["n_documents"], agreement["percent_agreement"]) == (2, 0.0)
    assert any(one.startswith("ann and ben\n0% alike") for one in texts(ann))


def test_two_reviewers_at_once_are_offered_different_queries_and_none_is_out_of_reach(
    study_on_sqlite: sa.Engine,
) -> None:
    add_disputes(study_on_sqlite, 2)
    ann, ben = opened("ann"), opened("ben")
    assert "text 0 of query 0" in bodies(ann)
    assert "text 0 of query 1" in bodies(ben)
    save(ben, True, False)
    # Ann has it on the screen, but it is all that is left.
    assert "text 0 of query 0" in bodies(ben)
    save(ben, True, False)
    assert "Nothing left under this filter." in ben.info[0].value
    # What ann has on the screen is hers to save, and counts.
    save(ann, False, False)
    assert store_of(study_on_sqlite).progress().reviewed == 2
    assert any("on 2 documents of 1 query" in one for one in texts(ann))


def test_a_shared_query_is_offered_to_two_at_once_and_the_page_says_why(study_on_sqlite: sa.Engine) -> None:
    queries = add_disputes(study_on_sqlite, 23)
    # Of these the last one is shared, see `test_overlap.py`; the others are decided.
    for row, documents in queries[:22]:
        store_of(study_on_sqlite).vote("carla", f"c{row}", dict.fromkeys(documents, True))
    for name in ("ann", "ben"):
        page = opened(name)
        assert "text 0 of query 22" in bodies(page)
        [said] = [one.value for one in page.caption if "shared" in one.value]
        assert said.startswith("1 of 23 disagreements is shared: every reviewer is asked about it, so that agreement")


def test_a_tie_is_shown_and_a_click_leads_to_it(study: sa.Engine) -> None:
    (_row, documents), (_other, others) = add_disputes(study, 2)
    store = store_of(study)
    for name, relevant in (("ann", True), ("ben", False)):
        store.vote(name, name, dict.fromkeys(documents, relevant))
        store.vote(name, f"{name} too", dict.fromkeys(others, True))
    page = opened("ann")
    assert "2/2 disagreements reviewed" in page.get("progress")[0].proto.text
    press(page, "1 disagreement with tied votes, which decide nothing: show")
    assert page.selectbox[0].value == "tied"
    assert "text 0 of query 0" in bodies(page)
    store.vote("carla", "c", dict.fromkeys(documents, True))
    page = opened("ann")
    assert not [one.label for one in page.button if "tied" in one.label]


def test_hostile_words_are_shown_as_they_are_and_a_missing_text_is_said(study_on_sqlite: sa.Engine) -> None:
    query = add_query(study_on_sqlite, [EVIL, None, "long " * 20_000], EVIL)
    store_of(study_on_sqlite).replace_disputes(disputed([query]))
    page = opened()
    assert shown(page)["query"] == EVIL
    assert bodies(page) == [EVIL, None, "long " * 20_000]
    assert not any(EVIL in one.value for one in page.markdown)
    asides = [one["aside"] for one in shown(page)["documents"]]
    assert asides[0] == ""
    assert "No text known" in asides[1]
    assert "100,000 characters" in asides[2]


def test_the_history_of_kappa_is_drawn(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 1)
    add_validation(study_on_sqlite, 0.52, 0.5, "contingency_triggered", 3)
    add_validation(study_on_sqlite, 0.66, 0.69, "contingency_triggered", 9)
    page = opened()
    assert len(page.get("vega_lite_chart")) == 0  # blind until the first vote
    page.toggle[0].set_value(True).run()
    assert any("Validation 2, over 24 queries: macro 0.66, micro 0.69" in one.value for one in page.caption)
    assert len(page.get("vega_lite_chart")) == 1


def test_before_any_validation_the_page_says_so(study_on_sqlite: sa.Engine) -> None:
    assert "No validation yet" in opened().info[0].value


def test_without_disagreements_the_page_says_so(study_on_sqlite: sa.Engine) -> None:
    add_validation(study_on_sqlite, 0.9, 0.9, "passed", 3)
    assert "Nothing to review" in opened().info[0].value


def test_a_database_that_cannot_be_reached_is_said_and_nothing_else_is_shown(
    study_on_sqlite: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:1/none")
    page = opened()
    assert page.title[0].value == "The review cannot go on yet"
    assert "cannot be used" in texts(page)[0]
    assert "secret" not in texts(page)[0]
    assert [one.label for one in page.button] == ["Try again"]
