"""Before a judge of pairs is asked: two calls a pair, what they cost, and that nothing is sent."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from pipeline.command_line.pairs_ahead import pairs_ahead, tell_the_price
from resources.errors import UserError
from tests.assets.pairwise.test_pair_judging import study_of


def test_both_orders_are_counted_and_what_is_answered_is_not_counted_again(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    [ahead] = pairs_ahead(study)
    assert (ahead.n_open, ahead.n_documents) == (160, 80)
    assert ahead.estimate is not None
    assert (ahead.estimate.row.usd, ahead.estimate.n_answered) == (0.0, 0)
    assert ahead.estimate.row.tokens_in > 160 * 20
    assert pairs_ahead(study, ["longer_text"]) == []
    console = Console(file=StringIO(), width=120)
    tell_the_price(console, study, (), dry_run=True, yes=False)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "gpt, both orders of 80 pairs: 160 calls to make, 0 answered." in said


def test_a_pair_that_is_listed_in_both_orders_is_counted_once(tmp_path: Path) -> None:
    [ahead] = pairs_ahead(study_of(tmp_path, orders="as_listed", min_agreement=0.0))
    # Three people, two of whom saw the pair in one order and one in the other.
    assert (ahead.n_open, ahead.n_documents) == (160, 80)


def test_methods_without_a_judge_cost_nothing(tmp_path: Path) -> None:
    console = Console(file=StringIO(), width=120)
    tell_the_price(console, study_of(tmp_path), ("longer_text",), dry_run=True, yes=False)
    assert console.file.getvalue().strip() == (  # type: ignore[attr-defined]
        "No judge is among these methods, so nothing costs money."
    )


def test_a_study_without_judges_of_pairs_asks_none(tmp_path: Path) -> None:
    study = study_of(tmp_path, judges={})
    with pytest.raises(UserError, match="Study pairwise asks no judge"):
        tell_the_price(Console(file=StringIO()), study, (), dry_run=True, yes=False)
    tell_the_price(Console(file=StringIO()), study, (), dry_run=False, yes=False)
