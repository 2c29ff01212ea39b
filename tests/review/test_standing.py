"""What the page says of how far the review is, what is due, and what comes after."""

from pathlib import Path

import dagster as dg
import pandas as pd
import pytest
import sqlalchemy as sa

from analysis.agreement.contingency import Status
from assets.reliability.logic.recalibration_plan import recalibration_plan
from pipeline.command_line.reliability_steps import open_manual_review, start_recalibration
from resources.study import Study
from review.judges_shown import pair_of_kappa
from review.state import Standing, standing
from tests.made_disputes import add_disputes, add_query, add_validation, disputed, store_of
from tests.review.desk_messages import message, save, send, shown
from tests.review.test_app import opened, texts
from tests.small_relevance import AGREED, OPPOSED, relevance_study, validate, vote_on

pytestmark = pytest.mark.slow

TRIGGERED: Status = "contingency_triggered"


def now(study: Study) -> Standing:
    return standing(study, study.reviews.progress(), study.validations.validations()["status"].iloc[-1])


def test_the_page_names_the_step_that_is_due_and_how_many_documents_it_asks_for(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    kinds = [AGREED] * 10 + [OPPOSED] * 10
    study = relevance_study(tmp_path, kinds, kinds)
    validate(study, instance)
    # Ten queries in dispute with two documents each; 20 % of ten are two.
    assert now(study).asked == "2 more needed before the next step"
    vote_on(study, 2)
    enough = "enough for the next step, which `touchstone reliability status` names; 16 documents whose labels differ"
    assert now(study).asked == f"{enough} are undecided"
    start_recalibration(study, recalibration_plan(study).again, "ann")
    validate(study, instance)
    assert now(study).asked == f"{enough} are undecided"
    open_manual_review(study, "ann")
    assert now(study).asked == "the manual review is due: 16 documents left to decide"
    vote_on(study, 7)
    assert now(study).asked == "the manual review is due: 2 documents left to decide"
    vote_on(study)
    assert now(study).all_decided
    assert now(study).after == "Next, for the person who runs the study: `touchstone run reliability`."
    validate(study, instance)
    found = now(study)
    assert found.asked == "resolved by review: no more votes are needed"
    assert str(study.reviews.progress()) == "10/10 disagreements reviewed"


@pytest.mark.parametrize(
    ("status", "asked"),
    [
        ("passed", "the latest validation passed: no more votes are needed"),
        ("resolved_by_review", "resolved by review: no more votes are needed"),
    ],
)
def test_nothing_is_needed_once_the_latest_validation_asks_for_nothing(
    study: sa.Engine, status: str, asked: str
) -> None:
    add_disputes(study, 6)
    add_validation(study, 0.5, 0.5, TRIGGERED, 3)
    assert str(store_of(study).progress()) == "0/6 disagreements reviewed, 2 needed"
    add_validation(study, 0.9, 0.9, status, 4)
    assert str(store_of(study).progress()) == "0/6 disagreements reviewed"
    store_of(study).require_quota()
    assert opened().get("progress")[0].proto.text == f"0/6 disagreements reviewed · {asked}"
    add_validation(study, 0.5, 0.5, TRIGGERED, 5)
    assert store_of(study).progress().needed == 2


def test_where_the_tables_are_elsewhere_the_page_counts_by_the_database_alone(study: sa.Engine) -> None:
    queries = add_disputes(study, 2)
    add_validation(study, 0.5, 0.5, TRIGGERED, 3)
    store_of(study).vote("ann", "a", dict.fromkeys(queries[0][1], True))
    text = opened().get("progress")[0].proto.text
    assert text.endswith(
        "enough for the next step, which `touchstone reliability status` names; "
        "2 documents whose labels differ are undecided"
    )
    store_of(study).vote("ben", "b", {queries[0][1][0]: False})
    assert store_of(study).n_undecided() == 3  # one is tied now
    store_of(study).undo("ben")
    store_of(study).vote("ann", "c", {queries[1][1][0]: True})
    text = opened().get("progress")[0].proto.text
    assert text.endswith(
        "enough for the next step, which `touchstone reliability status` names; "
        "1 document whose labels differ is undecided"
    )


def test_the_end_says_that_all_is_decided_and_what_is_next(study_on_sqlite: sa.Engine) -> None:
    add_disputes(study_on_sqlite, 1)
    add_validation(study_on_sqlite, 0.5, 0.5, TRIGGERED, 3)
    page = save(opened(), True, False)
    (_saved, end) = (one.value for one in page.success)
    assert end.startswith("All is decided: people decided every document on which the judges' labels differ.")
    assert "`touchstone run reliability`" in end
    assert not page.info
    # The last vote can still be taken back by its key, which the desk listens to.
    data = shown(page)
    assert (data["query_row"], data["documents"]) == (None, [])
    send(page, message(page, "undo"))
    assert store_of(study_on_sqlite).n_undecided() == 2


def test_an_end_that_is_not_the_end_says_what_is_left(study_on_sqlite: sa.Engine) -> None:
    ((_row, documents),) = add_disputes(study_on_sqlite, 1)
    add_validation(study_on_sqlite, 0.5, 0.5, TRIGGERED, 3)
    store_of(study_on_sqlite).vote("ben", "b", dict.fromkeys(documents, True))
    page = opened()
    page.selectbox[0].set_value("all").run()
    save(page, True, False)
    assert page.info[0].value.endswith("Thank you. 1 document whose labels differ is undecided.")


def test_one_of_a_thing_is_told_as_one(study_on_sqlite: sa.Engine) -> None:
    made = [add_query(study_on_sqlite, ["one"], "alone"), add_query(study_on_sqlite, list("abcdef"), "six")]
    store_of(study_on_sqlite).replace_disputes(disputed(made[:1]))
    page = opened()
    assert shown(page)["caption"] == "Disagreement 1 of 1 · 1 document"
    assert page.get("progress")[0].proto.text.startswith("0/1 disagreement reviewed")
    store_of(study_on_sqlite).replace_disputes(disputed(made[1:]))
    assert shown(opened())["caption"] == "Disagreement 1 of 1 · 4 documents, 2 more after these"


def test_with_three_judges_the_kappa_of_a_query_names_its_pair(study_on_sqlite: sa.Engine) -> None:
    query = add_query(study_on_sqlite, ["text"], "three")
    rows = [one._replace(scores={"a": 0.9, "b": 0.1, "c": 0.2}) for one in disputed([query])]
    store_of(study_on_sqlite).replace_disputes(rows)
    page = save(opened(), True)
    # The table of kappas is not in this home.
    assert "Kappa of the query (the lowest of the pairs of judges): -0.50" in texts(page)
    table = pd.DataFrame(
        {
            "query_id": ["q0", "q0", "q1"],
            "judge_1": ["a", "a", "b"],
            "judge_2": ["b", "c", "c"],
            "kappa": [0.2, -0.5, -0.5],
        }
    )
    assert pair_of_kappa(table, "q0", -0.5, 3) == ", a and c (the lowest of the pairs of judges)"
    assert pair_of_kappa(table, "q0", -0.4, 3) == " (the lowest of the pairs of judges)"
    assert pair_of_kappa(table, "q0", -0.5, 2) == ""
    assert pair_of_kappa(table, "q0", None, 3) == ""
