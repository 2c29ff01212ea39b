"""The pairwise report where series share something, where few clusters bear a number, and at another confidence."""

from pathlib import Path
from typing import Any

import pytest

from assets.pairwise.pairwise_report import contents_of
from reports.pairwise.contents import Contents
from reports.pairwise.ranking import bands_chart, ranking_table
from reports.pairwise.report import facts, pairwise_page
from reports.pairwise.summary import summary
from reports.shared.table_view import TableView
from tests.assets.pairwise.made_photo_pairs import plan
from tests.reports.fidelity.test_fidelity_page import words
from tests.reports.pairwise.made_pairwise import contents_of_votes, frames_of_study, votes_drawn

pytestmark = pytest.mark.usefixtures("drawn_once")


def contents_with(n_series: int, series_a_scene: int, **changes: Any) -> Contents:
    votes = votes_drawn(n_series)
    study = plan(own_methods={"own": Path("own.py")}, cluster_column="scene", **changes)
    scenes = [f"scene {(vote[0] - 1) // series_a_scene:02d}" for vote in votes] + ["fooled", "almost"]
    return contents_of("Made study", study, frames_of_study(study, votes=votes, cluster=scenes))


@pytest.fixture(scope="module")
def contents() -> Contents:
    return contents_with(40, 3)


def cells(table: TableView, row: int) -> list[str]:
    return [str(cell) if isinstance(cell, str | int) else cell.plain("en") for cell in table.rows[row]]


def test_the_page_says_over_which_clusters_its_intervals_are(contents: Contents) -> None:
    page = pairwise_page(contents)
    # Forty series in scenes of three are 14 scenes, and the two pairs made by hand have one each.
    named = {name.plain("en"): value for name, value in facts(contents)}
    assert named["Kept together"].plain("en") == "clusters (scene): 16"  # type: ignore[union-attr]
    english, italian = words(page), words(page, "it")
    assert "96 pairs, 16 clusters (scene)" in english
    assert "clusters (scene) drawn again as wholes" in english
    assert "pairs of 16 clusters (scene) that all methods predict" in english
    assert "96 coppie, 16 gruppi (scene)" in italian
    assert "{" not in english + italian


def test_without_a_cluster_column_it_speaks_of_series() -> None:
    english = words(pairwise_page(contents_of_votes()))
    assert "96 pairs, 42 series" in english
    assert "series drawn again as wholes" in english
    assert "clusters (" not in english


def test_intervals_on_few_clusters_are_marked_and_lacking_ones_have_a_reason() -> None:
    few = contents_with(18, 3)
    assert len(few.measured) == 4
    ranked = cells(ranking_table(few), 0)
    assert ranked[2].endswith("] unreliable")
    table = bands_chart(few).table
    assert table is not None
    assert any("unreliable" in cell for cell in cells(table, 0))
    fewer = contents_with(6, 3)
    assert "accuracy: 4 clusters, fewer than 5" in cells(ranking_table(fewer), 0)[-1]
    table = bands_chart(fewer).table
    assert table is not None
    assert "accuracy_90_100: 4 clusters, fewer than 5" in cells(table, 0)[-1]


def test_nothing_is_sure_where_under_ten_clusters_differ(contents: Contents) -> None:
    assert summary(contents).found
    metrics = contents.tables["method_metrics"].assign(p_chance_unreliable=True)
    said = summary(contents_of("u", contents.plan, dict(contents.tables) | {"method_metrics": metrics}))
    assert not said.found
    assert said.headline.plain("en").startswith("No method is significantly better than a coin.")


@pytest.mark.parametrize(("confidence", "found"), [(0.95, True), (0.99, False)])
def test_what_is_sure_follows_the_confidence_of_the_study(contents: Contents, confidence: float, found: bool) -> None:
    metrics = contents.tables["method_metrics"].assign(p_chance_holm=0.03)
    study = contents.plan.model_copy(update={"confidence": confidence})
    said = summary(contents_of("u", study, dict(contents.tables) | {"method_metrics": metrics}))
    assert said.found is found
