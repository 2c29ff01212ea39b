"""What judging again did: before and after of each part, and nothing while it is half done."""

import math

import pandas as pd
import pytest

from assets.reliability.logic.judge_pairs import scored_documents
from assets.reliability.recalibration import changes_of, deciding_pair, headline
from resources.database.reliability.recalibrations import Recalibrated
from tests.assets.reliability.made_judgments import BASE, TWO, Scores, at, judgments_of, plan

# q4 judged again: labels 1 0 and 1 0, kappa 1.
AGAIN: Scores = {"q4": {"d1": (0.9, 0.8), "d2": (0.2, 0.3)}}
STARTED = Recalibrated("recalibrated_v2", frozenset({"q4"}), frozenset())


def both(again_counts: bool = True) -> pd.DataFrame:
    """Both rounds; q4 counts in one of them."""
    first = judgments_of(BASE)
    first["counts"] = first["counts"] & ((first["query_id"] != "q4") | (not again_counts))
    return pd.concat([first, judgments_of(AGAIN, version="recalibrated_v2", counts=again_counts)], ignore_index=True)


def changes(started: Recalibrated = STARTED, again_counts: bool = True) -> pd.DataFrame:
    rows = both(again_counts)
    before, after = scored_documents(rows, plan(), "v1"), scored_documents(rows, plan())
    found = changes_of(before, after, at(TWO), started, plan())
    return pd.DataFrame([one._asdict() for one in found]).set_index(["part", "statistic"])


def test_kappa_before_and_after_by_hand() -> None:
    found = changes()
    # Macro: 0.5, 1, 1, -1 before; 0.5, 1, 1, 1 after.
    macro = found.loc[("all", "kappa_macro")]
    assert macro[["before", "after", "change", "n_queries"]].tolist() == [0.375, 0.875, 0.5, 4]
    # Micro before 0.4; after n_11 5, n_10 1, n_01 0, n_00 4: 2 * 20 / (6*5 + 4*5).
    micro = found.loc[("all", "kappa_micro")]
    assert micro[["before", "after"]].tolist() == pytest.approx([0.4, 0.8])
    assert found.loc[("judged_again", "kappa_macro"), ["before", "after", "n_queries"]].tolist() == [-1.0, 1.0, 1]


def test_untouched_queries_do_not_change() -> None:
    found = changes().loc["untouched"]
    assert found["change"].tolist() == [0.0, 0.0]
    assert found["n_queries"].tolist() == [3, 3]


def test_a_held_out_part_is_reported_by_itself_and_only_where_there_is_one() -> None:
    assert "held_out" not in changes().index
    found = changes(Recalibrated("recalibrated_v2", frozenset({"q1", "q4"}), frozenset({"q4"})))
    assert found.loc[("held_out", "kappa_macro"), ["before", "after", "n_queries"]].tolist() == [-1.0, 1.0, 1]
    assert found.loc[("judged_again", "kappa_macro"), "n_queries"] == 2


def test_while_the_new_round_does_not_count_nothing_changes() -> None:
    found = changes(again_counts=False)
    assert found["change"].tolist() == [0.0] * len(found)


def test_a_part_of_one_label_has_a_macro_and_no_micro_and_says_why() -> None:
    found = changes(Recalibrated("recalibrated_v2", frozenset({"q3"}), frozenset()))
    row = found.loc[("judged_again", "kappa_micro")]
    assert math.isnan(row["before"])
    assert "0/0" in row["undefined"]


def test_the_deciding_pair_is_the_latest_validations_where_its_judges_are_still_there() -> None:
    history = pd.DataFrame([("a", "b"), ("careful", "odd")], columns=["judge_1", "judge_2"])
    assert deciding_pair(history, ("careful", "hasty", "odd")) == ("careful", "odd")
    assert deciding_pair(history, TWO) is None
    assert deciding_pair(history.iloc[:0], TWO) is None


def test_the_headline_is_of_what_was_judged_again() -> None:
    found = headline(changes().reset_index())
    assert found == {"before": -1.0, "after": 1.0, "change": 2.0, "n_queries": 1}
    assert headline(changes().reset_index().iloc[:2]) == {}
