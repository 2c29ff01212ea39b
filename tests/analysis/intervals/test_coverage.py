"""The simulation: seeded cell by cell, resumable, and honest about an interval that is too narrow."""

import numpy as np
import pytest

from analysis.intervals.coverage import CLUSTERS, Cell, cells, condensed, covered, keeps_promise, measure
from analysis.intervals.jackknife import Bounds
from analysis.intervals.measured_rows import STATISTICS
from analysis.intervals.worlds import WORLDS, Design, answers_world, pairs_world, repeats_world

# Simulations take their time.
pytestmark = pytest.mark.slow


def test_coverage_and_misses_by_hand():
    found = covered(Bounds(np.array([0.0, 0.6, 0.1, np.nan]), np.array([0.4, 1.0, 0.9, 1.0])), 0.5)
    # Of three intervals one lies below 0.5, one above it, one contains it; the fourth is none.
    assert (found["n"], found["none"]) == (3, 0.25)
    assert [found[key] for key in ("coverage", "below", "above")] == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert found["width"] == pytest.approx(0.4)
    assert found["error"] == pytest.approx(np.sqrt(2 / 27))


def test_a_cell_is_the_same_whatever_else_was_run():
    cell = Cell(answers_world(0.75), Design(10, "3", 0.24))
    other = Cell(repeats_world("0.85", 0.85), Design(8, "1", 0.0))
    both = [*measure(other, seed=4, data_sets=60), *measure(cell, seed=4, data_sets=60)]
    assert both[-1] == measure(cell, seed=4, data_sets=60)[0]
    assert measure(cell, seed=4, data_sets=60) == both[-1:]
    assert measure(cell, seed=5, data_sets=60) != both[-1:]


def test_intervals_cover_what_they_promise_and_a_planted_error_shows(monkeypatch):
    cell = Cell(pairs_world("r 0.8", 0.8), Design(20, "3", 0.24))
    honest = {row["statistic"]: row for row in measure(cell, seed=1, data_sets=500)}
    assert all(0.91 < row["coverage"] < 0.98 for row in honest.values())
    monkeypatch.setattr("analysis.intervals.jackknife.standard_errors", lambda deleted: deleted.std(axis=-1) / 2)
    narrow = {row["statistic"]: row for row in measure(cell, seed=1, data_sets=500)}
    assert all(row["coverage"] < 0.5 for row in narrow.values())
    assert not any(keeps_promise(row) for row in narrow.values())


def test_the_grid_has_every_number_of_clusters_and_size_and_the_table_every_row():
    assert CLUSTERS == (5, 8, 10, 16, 20, 30, 50, 100)
    designs = {(cell.design.members, cell.design.share) for cell in cells(worlds=WORLDS[:1])}
    assert designs == {("1", 0.0)} | {(size, share) for size in ("3", "1-15") for share in (0.0, 0.24, 0.6)}
    assert all(tuple(row.clusters for row in rows) == CLUSTERS for rows in STATISTICS.values())


def test_the_table_names_the_worst_design():
    world, sizes = answers_world(0.95), ("1", "3")
    rows = [row for size in sizes for row in measure(Cell(world, Design(10, size, 0.0)), seed=1, data_sets=100)]
    [row] = condensed(rows)["share near an edge"]
    assert (row.clusters, row.cells) == (10, 2)
    assert row.worst == pytest.approx(min(one["coverage"] for one in rows), abs=1e-3)
    assert row.mean == pytest.approx(np.mean([one["coverage"] for one in rows]), abs=1e-3)


def test_the_measured_table_keeps_the_promise_from_10_clusters_on_where_the_project_gives_it():
    # Over all designs together, and in each of them within three Monte Carlo errors of 90 %.
    for kind in ("icc", "ccc", "pearson", "spearman", "kappa", "kappa_macro", "share", "cohens_d"):
        for row in STATISTICS[kind]:
            if row.clusters >= 10:
                assert 0.93 <= row.mean <= 0.97, (kind, row)
                assert row.worst >= 0.90, (kind, row)
                assert row.below <= 0.04, (kind, row)
                assert row.above <= 0.04, (kind, row)
