"""Bias between judges: found where it is, not where it is not, and of every pair."""

import numpy as np
import pandas as pd
import pytest

from assets.reliability.bias_test import headline
from assets.reliability.logic.judge_bias import bias_rows, biased_pairs
from assets.reliability.logic.judge_pairs import pairs_of_judges
from resources.tables.all_tables import TABLES
from tests.assets.reliability.made_judgments import THREE, TWO, Scores, at, pair_of, plan, scored_of

TABLE = TABLES["bias_test"]
NAMES = [column.name for column in TABLE.columns]
random = np.random.default_rng(3)
BASIS = random.uniform(0.2, 0.8, (20, 5))
NOISE = random.normal(0, 0.02, (20, 5))


def apart(shift: float) -> Scores:
    """Twenty queries of which the first judge scores higher by the shift, give or take."""
    return {
        f"q{q}": {f"d{d}": (float(BASIS[q, d] + shift + NOISE[q, d]), float(BASIS[q, d])) for d in range(5)}
        for q in range(20)
    }


def table(scores: Scores) -> pd.DataFrame:
    return TABLE.validated(pd.DataFrame(bias_rows(pair_of(scores), plan()), columns=NAMES))


def test_a_bias_of_a_tenth_is_found_with_its_size() -> None:
    frame = table(apart(0.1))
    assert frame["test"].tolist() == ["query_medians", "pooled", "bins"]
    decides, pooled, bins = (row for _, row in frame.iterrows())
    assert decides["biased"]
    assert decides["shift"] == pytest.approx(0.1, abs=0.01)
    assert decides["shift_low"] < 0.1 < decides["shift_high"]
    assert (decides["n"], pooled["n"]) == (20, 100)
    assert pd.isna(pooled["biased"])
    assert "assumes independent documents" in pooled["method"]
    # Judges a tenth apart use the bins in other shares.
    assert bins["p"] < 1e-6
    assert bins["method"].startswith("Bhapkar, ")
    assert pd.isna(bins["biased"])
    assert biased_pairs(frame) == {TWO}
    assert headline(frame)["n_biased_pairs"] == 1


def test_the_table_names_the_higher_judge_at_a_shift_of_0_and_marks_few_queries() -> None:
    # 20 queries without a difference and 8 in which hasty is .1 higher.
    flat = {f"q{q}": {"d": (0.3, 0.3 if q < 20 else 0.4)} for q in range(28)}
    row = table(flat).iloc[0]
    assert (row["shift"], row["higher_judge"], bool(row["biased"])) == (0.0, "hasty", True)
    few = table({query: docs for query, docs in apart(0.1).items() if int(query[1:]) < 6})
    of_ranks = few["test"] != "bins"
    assert few.loc[of_ranks, "interval_method"].str.endswith("unreliable: too few clusters").all()
    assert not table(apart(0.1))["interval_method"].str.contains("unreliable").any()


def test_judges_without_a_bias_have_none() -> None:
    frame = table(apart(0.0))
    assert not frame["biased"].iloc[0]
    assert biased_pairs(frame) == set()


def test_five_queries_cannot_show_a_bias() -> None:
    # Five signs alike: two-sided p 2 / 2^5 = 0.0625.
    frame = table({query: docs for query, docs in apart(0.1).items() if query in ("q0", "q1", "q2", "q3", "q4")})
    assert frame["p"].iloc[0] == 0.0625
    assert not frame["biased"].iloc[0]


def test_judges_that_never_differ_have_no_p_and_say_why() -> None:
    frame = table({"q": {"d": (0.2, 0.2), "e": (0.7, 0.7)}})
    assert frame["p"].isna().all()
    assert frame["undefined"].notna().all()
    assert frame["n_zero"].tolist() == [1, 2, 2]
    assert not frame["biased"].iloc[0]
    assert headline(frame)["n_biased_pairs"] == 0


def test_a_pair_without_a_common_document_has_rows_and_the_reason() -> None:
    scored = scored_of({"q": {"d": (0.9, None, 0.1), "e": (None, 0.2, 0.3)}}, THREE)
    rows = [row for pair in pairs_of_judges(scored, at(THREE)) for row in bias_rows(pair, plan())]
    frame = TABLE.validated(pd.DataFrame(rows, columns=NAMES))
    assert len(frame) == 9
    first = frame[(frame["judge_1"] == "careful") & (frame["judge_2"] == "hasty")]
    assert first["undefined"].tolist() == ["no document that both judges scored"] * 3
    assert first["n"].tolist() == [0, 0, 0]
    assert biased_pairs(frame) == set()


def test_of_three_judges_only_the_pairs_with_the_odd_one_are_biased() -> None:
    scores = {query: {doc: (two, two, one) for doc, (one, two) in docs.items()} for query, docs in apart(0.1).items()}
    pairs = pairs_of_judges(scored_of(scores, THREE), at(THREE))
    frame = TABLE.validated(pd.DataFrame([row for pair in pairs for row in bias_rows(pair, plan())], columns=NAMES))
    assert biased_pairs(frame) == {("careful", "odd"), ("hasty", "odd")}
    assert frame.loc[(frame["judge_2"] == "odd") & (frame["test"] != "bins"), "shift"].lt(0).all()


def test_bins_are_tested_by_the_table_of_both_judges() -> None:
    # Careful says 0.5 where hasty says 0.3 (6 documents) or 0.7 (2), else the same: of the middle bin 8 and 0.
    scores = {"q": {f"d{n}": (0.5, 0.3 if n < 6 else 0.7) for n in range(8)} | {f"e{n}": (0.0, 0.0) for n in range(12)}}
    row = table(scores).set_index("test").loc["bins"]
    # d 8, -6, -2 of variances 8, 6, 2: 6²/6 + 2²/2 = 8; 8 / (1 - 8/20).
    assert (row["statistic"], row["n"], row["n_zero"]) == (pytest.approx(8 / 0.6), 20, 12)
    assert row["method"] == "Bhapkar, 2 df, assumes independent documents"


def test_without_a_pair_there_is_no_headline() -> None:
    assert headline(pd.DataFrame(columns=NAMES)) == {}
