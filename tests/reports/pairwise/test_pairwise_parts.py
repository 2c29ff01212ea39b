"""The parts of the pairwise report: people among themselves, charts, the matrix, speed, what was left out."""

from typing import Any

import numpy as np
import pytest

from analysis.messages import labelled, message
from analysis.preference.significance import SAME_CREDIT
from assets.pairwise.pairwise_report import accuracy_bound, contents_of, people_of
from reports.pairwise import people, ranking, significance, speed, strengths
from reports.pairwise.contents import Contents
from reports.pairwise.exclusions import exclusions_table, said_of_photos, unpredicted_table
from reports.pairwise.summary import summary
from reports.shared.colours import MAIN, OTHER, PALE
from reports.shared.phrases import phrase
from reports.shared.text import Text
from tests.assets.pairwise.made_photo_pairs import photo_pairs_of, plan, results_of
from tests.reports.pairwise.made_pairwise import contents_of_votes, frames_of_study
from tests.reports.specifications import lines_at, names_of, rows_of


@pytest.fixture(scope="module")
def contents() -> Contents:
    return contents_of_votes()


def plain(sentences: list[Text], language: str = "en") -> str:
    return " ".join(sentence.plain(language) for sentence in sentences)


def changed(contents: Contents, table: str, **columns: Any) -> Contents:
    frames = dict(contents.tables) | {table: contents.tables[table].assign(**columns)}
    return contents_of(contents.study, contents.plan, frames)


def test_votes_agree_as_far_as_their_majorities() -> None:
    # 4 + 3 + 2 of 5 + 3 + 4 votes went with the majority, of the tie half: 9 / 12. Judged: 4 + 3 of 5 + 3.
    pairs = photo_pairs_of([(1, 0, 1, 4, 1), (2, 0, 1, 0, 3), (3, 0, 1, 2, 2)])
    found = people_of(pairs, plan())
    assert (found.majority, found.majority_judged) == (pytest.approx(9 / 12), pytest.approx(7 / 8))
    assert found.accuracy_bound == 1.0


def test_opposite_rows_of_one_pair_bound_every_accuracy() -> None:
    # The pair of series 1 is listed in both orders: photo 2 wins 4 to 0 and photo 1 wins 5 to 0. Two of three rows.
    pairs = photo_pairs_of([(1, 0, 1, 0, 4), (1, 1, 0, 0, 5), (2, 0, 1, 3, 0)])
    assert accuracy_bound(pairs) == pytest.approx(2 / 3)
    same = photo_pairs_of([(1, 0, 1, 0, 4), (1, 1, 0, 5, 0)])
    assert accuracy_bound(same) == 1.0
    assert accuracy_bound(pairs.iloc[:0]) is None
    # 1 over 2, 2 over 3, 3 over 1: no order has all three right. It is a bound that nothing need reach.
    assert accuracy_bound(photo_pairs_of([(1, 0, 1, 3, 0), (1, 1, 2, 3, 0), (1, 0, 2, 0, 3)])) == 1.0


def test_listed_orders_are_said_to_bound_the_accuracy() -> None:
    study = plan(orders="as_listed")
    contents = contents_of(
        "listed", study, frames_of_study(study, None, [(1, 0, 1, 0, 4), (1, 1, 0, 0, 5), (2, 0, 1, 3, 0)])
    )
    # Four of the five judged rows: one of the two opposite ones is missed.
    assert "no accuracy here can exceed 80.0 %" in plain(summary(contents).sentences)
    assert "no accuracy can exceed 80.0 %" in plain(people.said_of_people(contents))


def test_the_matrix_has_the_letters_and_mirrors_itself(contents: Contents) -> None:
    view = significance.matrix(contents)
    assert view is not None
    assert [row[1] for row in view.rows] == ["a", "a", "b", "c"]
    first, last = view.rows[0], view.rows[3]
    rows = contents.tables["method_significance"].set_index(["method_1", "method_2"])
    gap = rows.loc[("composite_balanced", "exposure_only"), "difference"]
    assert first[5].value == pytest.approx(100 * gap)  # type: ignore[union-attr]
    assert last[2].value == pytest.approx(-100 * gap)  # type: ignore[union-attr]
    assert 'class="ahead"' in first[5].html["en"]  # type: ignore[union-attr]
    assert 'class="behind"' in last[2].html["it"]  # type: ignore[union-attr]
    assert 'class="alike"' in first[3].html["en"]  # type: ignore[union-attr]


def test_the_accuracy_chart_has_the_line_of_chance_and_the_intervals(contents: Contents) -> None:
    spec = ranking.accuracy_chart(contents).specification
    [bars] = [rows for rows in rows_of(spec, "rule") if "low" in rows[0]]
    best = contents.tables["method_metrics"].set_index("method").loc["composite_balanced"]
    assert (bars[0]["x"], bars[0]["low"]) == (best["accuracy"], best["accuracy_low"])
    assert lines_at(spec) == [0.5]
    assert names_of(spec) == ["composite_balanced", "sharpness_only", "own", "exposure_only"]


def test_the_likelihood_stands_beside_log_a_half(contents: Contents) -> None:
    for chart in strengths.likelihood_charts(contents):
        assert lines_at(chart.specification) == [pytest.approx(np.log(0.5))]
    last = strengths.likelihood_table(contents).rows[-1]
    assert last[1].plain("it") == "\u22120,693"  # type: ignore[union-attr]


def test_the_bars_of_agreement_hold_every_pair_once(contents: Contents) -> None:
    [bars] = rows_of(people.agreement_chart(contents).specification, "rect")
    counts = np.zeros((2, 7), dtype=int)
    for bar in bars:
        counts[int(bar["fill"] == PALE), round((bar["x"] + bar["x2"]) / 2)] = bar["y2"] - bar["y"]
    pairs = contents.tables["photo_pairs"]
    assert counts.sum(axis=1).tolist() == [pairs["excluded"].isna().sum(), pairs["excluded"].notna().sum()]
    # Ties are in the first bar and none of them is judged; the last bar is the unanimous pairs.
    ties, unanimous = (pairs["agreement"] == 0.5).sum(), (pairs["agreement"] == 1.0).sum()
    assert counts[:, 0].tolist() == [0, ties]
    assert counts[:, -1].sum() == unanimous


def test_the_histogram_of_strengths_holds_every_photo_once(contents: Contents) -> None:
    frame = contents.tables["bradley_terry"]
    [bars] = rows_of(strengths.strengths_chart(contents).specification, "rect")
    drawn = [sum(bar["y2"] - bar["y"] for bar in bars if bar["fill"] == color) for color in (MAIN, OTHER)]
    held = int(frame["regularised"].sum())
    assert drawn == [len(frame) - held, held]


def test_speed_names_the_methods_that_no_other_beats(contents: Contents) -> None:
    # Three methods take 22 ms, `own` too; of equal times only the most accurate is on the front.
    assert speed.said_of_speed(contents)[0].plain("en") == (
        "No other method is both faster and more accurate than this one: composite_balanced."
    )
    slower = contents.tables["method_metrics"].assign(avg_time_ms=[40.0, 20.0, 20.0, 30.0, np.nan, np.nan])
    said = speed.said_of_speed(changed(contents, "method_metrics", avg_time_ms=slower["avg_time_ms"]))[0].plain("en")
    assert said.endswith("these 2: composite_balanced, sharpness_only.")
    # 100 photos at 50 a second.
    assert "100 photos were computed, at 50 a second" in plain(speed.said_of_speed(contents))


def test_left_out_pairs_are_counted_by_cause(contents: Contents) -> None:
    view = exclusions_table(contents)
    assert view is not None
    pairs = contents.tables["photo_pairs"]
    counts = {row[0].plain("en"): row[1].value for row in view.rows}  # type: ignore[union-attr]
    assert counts["agreement under 0.7"] == (pairs["excluded"] == "low_agreement").sum()
    assert counts["votes tied, so there is no winner"] == (pairs["excluded"] == "tie").sum()
    assert counts["judged"] == pairs["excluded"].isna().sum()


def test_missing_and_unreadable_photos_are_named_and_counted() -> None:
    pairs = photo_pairs_of([(1, 0, 1, 4, 0), (2, 0, 1, 4, 0)], absent_images=[["000001-02"], []])
    pairs = pairs.assign(excluded=["missing_image", None])
    base = contents_of_votes()
    shard = base.tables["image_features"].assign(n_unreadable=2)
    contents = contents_of("m", plan(), dict(base.tables) | {"photo_pairs": pairs, "image_features": shard})
    said = plain(said_of_photos(contents))
    assert said == "1 photo that pairs need is missing: 000001-02. 2 of 124 photos cannot be read."


def test_pairs_without_a_prediction_say_why_and_not_where_files_lie() -> None:
    pairs = photo_pairs_of([(1, 0, 1, 4, 0), (2, 0, 1, 4, 0)])
    results = results_of(pairs, "a", {"000001-01": 1.0, "000001-02": 0.0})
    results = results.assign(undefined=[None, "images/000002-01.JPG: is empty. Copy it again."])
    tables = dict(contents_of_votes().tables) | {"photo_pairs": pairs, "pairwise_results": {"a": results}}
    view = unpredicted_table(contents_of("u", plan(), tables))
    assert view is not None
    [[method, n, reason]] = view.rows
    assert (method, n.value) == ("a", 1.0)  # type: ignore[union-attr]
    assert reason.plain("en") == "000002-01.JPG: is empty. Copy it again."  # type: ignore[union-attr]


def test_the_reasons_of_the_tables_are_said_in_italian() -> None:
    few = "{n} cluster, fewer than {fewest}|{n} clusters, fewer than {fewest}"
    folds = "{n} cluster, fewer than the {folds} folds|{n} clusters, fewer than the {folds} folds"
    said = {
        labelled("z, p", SAME_CREDIT): "z, p: i due hanno lo stesso credito in ogni gruppo",
        message("{n} clusters differ, under 10: unreliable", n=7): "differiscono 7 gruppi, meno di 10: inaffidabile",
        labelled("accuracy", "the same in every resample"): "accuracy: uguale in ogni ricampionamento",
        labelled(
            "accuracy_70_80", "no pair with such agreement"
        ): "accuracy_70_80: nessuna coppia con tale concordanza",
        labelled(
            "precision", message("image {image} is never predicted", image=1)
        ): "precision: la foto 1 non è mai prevista",
        labelled("all tests", message(few, n=1, fewest=5)): "tutti i test: 1 gruppo, meno di 5",
        labelled("log_likelihood", message(folds, n=4, folds=5)): "log_likelihood: 4 gruppi, meno dei blocchi (5)",
    }
    assert {english: phrase(english).plain("it") for english in said} == said
