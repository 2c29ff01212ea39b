"""The plots that the Dagster UI shows of study D: they are there, and what is drawn is what the tables say."""

from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd
import pytest

from reports.reliability.plots import APART_EDGES, EDGES
from reports.shared.colours import LIMIT, MAIN, PALE
from reports.shared.figure import figure_metadata
from resources.study import Study
from tests.reports.specifications import axis_of, lines_at, rows_of, texts, titles
from tests.small_relevance import AGREED, LENIENT, OPPOSED, Scores, relevance_study, stored, validate

pytestmark = pytest.mark.slow

# Kappas 1, 0 and 0, and 0/0.
ONE_LABEL: Scores = ((0.9, 0.8, 0.7, 0.9), (0.8, 0.9, 0.9, 0.6))
KINDS = [AGREED] * 5 + [OPPOSED] * 3 + [LENIENT] * 4 + [ONE_LABEL] * 2
NAMES = ("query_kappa", "bias_test", "kappa_validation")


class Drawn:
    """A study validated twice, with the specification and the metadata of each asset's last plot."""

    def __init__(self, study: Study, figures: dict[str, Any], shown: dict[str, Any]) -> None:
        self.study, self.figures, self.shown = study, figures, shown


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drawn]:
    figures: dict[str, Any] = {}

    def remembering(name: str) -> Callable[..., dg.MetadataValue]:
        def remember(spec: dict[str, Any]) -> dg.MetadataValue:
            figures[name] = spec
            return figure_metadata(spec)

        return remember

    study = relevance_study(tmp_path_factory.mktemp("plots"), KINDS)
    with pytest.MonkeyPatch.context() as patch, dg.DagsterInstance.ephemeral() as instance:
        for name in NAMES:
            patch.setattr(f"assets.reliability.{name}.figure_metadata", remembering(name))
        for _ in range(2):
            assert validate(study, instance, drawn=True).succeeded
        shown = {}
        for name in NAMES:
            event = instance.get_latest_materialization_event(dg.AssetKey(name))
            assert event is not None
            assert event.asset_materialization is not None
            shown[name] = event.asset_materialization.metadata
        yield Drawn(study, figures, shown)


@pytest.mark.parametrize("name", NAMES)
def test_the_plot_stands_in_the_metadata(drawn: Drawn, name: str) -> None:
    plot = drawn.shown[name]["plot"]
    assert isinstance(plot, dg.MarkdownMetadataValue)
    assert str(plot.value).startswith("![plot](data:image/webp;base64,")


def test_the_plot_of_kappas_counts_the_rows_of_the_table(drawn: Drawn) -> None:
    table = stored(drawn.study, "query_kappa")
    low = table["is_low"].to_numpy(dtype=bool)
    kappa = table["kappa"].to_numpy(dtype=np.float64)
    spec = drawn.figures["query_kappa"]
    [bars] = rows_of(spec, "rect")
    counted = {name: np.zeros(len(EDGES) - 1, dtype=int) for name in (LIMIT, MAIN)}
    for bar in bars:
        if bar["fill"] != PALE:
            counted[bar["fill"]][np.searchsorted(EDGES, bar["x"]) - 1] += bar["y2"] - bar["y"]
    assert counted[LIMIT].tolist() == np.histogram(kappa[low], EDGES)[0].tolist()
    assert counted[MAIN].tolist() == np.histogram(kappa[np.isfinite(kappa) & ~low], EDGES)[0].tolist()
    [of_none] = [bar["y2"] for bar in bars if bar["fill"] == PALE]
    assert of_none == table["kappa"].isna().sum()
    # Three opposed and four lenient at kappa 0, five of kappa 1, two with one label.
    assert [counted[LIMIT].sum(), counted[MAIN].sum(), of_none] == [7, 5, 2]
    assert titles(spec) == ["judge1 and judge2"]
    assert lines_at(spec) == [drawn.study.reliability.gate.low_kappa]


def test_the_plot_of_differences_has_every_document_and_the_shift_of_the_table(drawn: Drawn) -> None:
    pooled = stored(drawn.study, "bias_test").set_index("test").loc["pooled"]
    spec = drawn.figures["bias_test"]
    judgments = stored(drawn.study, "judgments").pivot_table(
        index=["query_id", "doc_id"], columns="judge", values="score", sort=False
    )
    apart = (judgments["judge1"] - judgments["judge2"]).round(12)
    [bars] = rows_of(spec, "rect")
    counted = np.zeros(len(APART_EDGES) - 1, dtype=int)
    for bar in bars:
        counted[np.searchsorted(APART_EDGES, bar["x"]) - 1] = bar["y2"]
    assert counted.tolist() == np.histogram(apart, APART_EDGES)[0].tolist()
    assert counted.sum() == 4 * len(KINDS)
    assert lines_at(spec) == [0.0, pooled["shift"]]
    assert texts(spec) == [f"shift {pooled['shift']:.3f}".replace("-", "\u2212")]


def test_the_history_plot_has_both_kappas_of_every_validation_with_bounds_and_limit(drawn: Drawn) -> None:
    table = stored(drawn.study, "kappa_validation")
    assert len(table) == 2
    spec = drawn.figures["kappa_validation"]
    lines = rows_of(spec, "line")
    bounds = [rows for rows in rows_of(spec, "rule") if "low" in rows[0]]
    for name, line, bars in zip(("macro", "micro"), lines, bounds, strict=True):
        assert [row["y"] for row in line] == table[f"kappa_{name}"].tolist()
        assert [[row["low"], row["high"]] for row in bars] == of(table, f"kappa_{name}")
    assert lines_at(spec) == [0.7]
    assert axis_of(spec, "x")["axis"]["values"] == [1, 2]


def of(table: pd.DataFrame, name: str) -> list[list[float]]:
    """Lower and upper bound of each validation."""
    return table[[f"{name}_low", f"{name}_high"]].to_numpy(dtype=np.float64).tolist()
