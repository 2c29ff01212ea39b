"""The study's `blind`: scores and kappa are there at once where it is off, never before a vote where it is on."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.made_disputes import add_disputes, add_validation
from tests.review.conftest import CONFIGURATION
from tests.review.desk_messages import save, shown
from tests.review.test_app import everything, opened, texts

SCORES = "careful 0.90 · hasty 0.10"


def configured(engine: sa.Engine, blind: str) -> None:
    """The study's configuration with that line, and something to review."""
    home = Path(str(engine.url.database)).parent
    (home / "touchstone.yaml").write_text(f"{CONFIGURATION}{blind}", encoding="utf-8")
    add_disputes(engine, 2)
    add_validation(engine, 0.52, 0.5, "contingency_triggered", 3)


def test_a_study_that_is_not_blind_shows_scores_and_kappas_at_once(study_on_sqlite: sa.Engine) -> None:
    configured(study_on_sqlite, "    blind: false\n")
    page = opened()
    assert shown(page)["documents"][0]["scores"] == SCORES
    assert shown(page)["caption"].endswith("kappa: -0.50")
    assert len(page.get("vega_lite_chart")) == 1
    assert not page.toggle  # there is nothing to switch
    save(page, True, True)
    assert shown(page)["documents"][0]["scores"] == SCORES


@pytest.mark.parametrize("blind", ["", "    blind: true\n"])
def test_a_blind_study_shows_no_score_and_no_kappa_before_the_vote(study_on_sqlite: sa.Engine, blind: str) -> None:
    configured(study_on_sqlite, blind)
    page = opened()
    assert [one.value for one in page.toggle] == [False]
    assert [one["scores"] for one in shown(page)["documents"]] == [None, None]
    before = everything(page)
    assert "careful" not in before
    assert "0.90" not in before
    assert "kappa" not in before.lower()
    assert len(page.get("vega_lite_chart")) == 0
    save(page, True, True)
    # What is voted on shows its scores, what is on the desk now does not.
    assert any(SCORES in one for one in texts(page))
    assert [one["scores"] for one in shown(page)["documents"]] == [None, None]


def test_the_switch_turned_back_hides_the_scores_again(study_on_sqlite: sa.Engine) -> None:
    configured(study_on_sqlite, "")
    page = opened()
    page.toggle[0].set_value(True).run()
    assert shown(page)["documents"][0]["scores"] == SCORES
    page.toggle[0].set_value(False).run()
    assert shown(page)["documents"][0]["scores"] is None
    assert len(page.get("vega_lite_chart")) == 0
