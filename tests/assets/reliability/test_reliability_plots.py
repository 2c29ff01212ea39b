"""The plots that the Dagster UI shows of study D: they are there, and what is drawn is what the tables say."""

from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd
import pytest

from reports.reliability.plots import EDGES
from reports.shared.figure import figure_metadata
from resources.study import Study
from tests.small_relevance import AGREED, LENIENT, OPPOSED, Scores, relevance_study, stored, validate

pytestmark = pytest.mark.slow

# Kappas 1, 0 and 0, and 0/0.
ONE_LABEL: Scores = ((0.9, 0.8, 0.7, 0.9), (0.8, 0.9, 0.9, 0.6))
KINDS = [AGREED] * 5 + [OPPOSED] * 3 + [LENIENT] * 4 + [ONE_LABEL] * 2
NAMES = ("query_kappa", "bias_test", "kappa_validation")


class Drawn:
    """A study validated twice, with the figure and the metadata of each asset's last plot."""

    def __init__(self, study: Study, figures: dict[str, Any], shown: dict[str, Any]) -> None:
        self.study, self.figures, self.shown = study, figures, shown


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drawn]:
    figures: dict[str, Any] = {}

    def remembering(name: str) -> Callable[..., dg.MetadataValue]:
        def remember(draw: Callable[[Any], None], *size: float, **more: float) -> dg.MetadataValue:
            def keep(figure: Any) -> None:
                draw(figure)
                figures[name] = figure

            return figure_metadata(keep, *size, **more)

        return remember

    study = relevance_study(tmp_path_factory.mktemp("plots"), KINDS)
    with pytest.MonkeyPatch.context() as patch, dg.DagsterInstance.ephemeral() as instance:
        for name in NAMES:
            patch.setattr(f"assets.reliability.{name}.figure_metadata", remembering(name))
        for _ in range(2):
            assert validate(study, instance).succeeded
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
    assert str(plot.value).startswith("![plot](data:image/png;base64,")


def heights(container: Any) -> list[float]:
    return [bar.get_height() for bar in container]


def test_the_plot_of_kappas_counts_the_rows_of_the_table(drawn: Drawn) -> None:
    table = stored(drawn.study, "query_kappa")
    low = table["is_low"].to_numpy(dtype=bool)
    kappa = table["kappa"].to_numpy(dtype=np.float64)
    [axes] = drawn.figures["query_kappa"].axes
    of_low, of_others, of_none = axes.containers[:3]
    assert heights(of_low) == np.histogram(kappa[low], EDGES)[0].tolist()
    assert heights(of_others) == np.histogram(kappa[np.isfinite(kappa) & ~low], EDGES)[0].tolist()
    assert heights(of_none) == [table["kappa"].isna().sum()]
    # Three opposed and four lenient at kappa 0, five of kappa 1, two with one label.
    assert [sum(heights(one)) for one in (of_low, of_others, of_none)] == [7, 5, 2]
    assert axes.get_title() == "judge1 and judge2"
    [limit] = axes.lines
    assert limit.get_xdata() == [drawn.study.reliability.gate.low_kappa] * 2


def test_the_plot_of_differences_has_every_document_and_the_shift_of_the_table(drawn: Drawn) -> None:
    pooled = stored(drawn.study, "bias_test").set_index("test").loc["pooled"]
    [axes] = drawn.figures["bias_test"].axes
    judgments = stored(drawn.study, "judgments").pivot_table(
        index=["query_id", "doc_id"], columns="judge", values="score", sort=False
    )
    apart = (judgments["judge1"] - judgments["judge2"]).round(12)
    assert heights(axes.containers[0]) == np.histogram(apart, np.linspace(-1.0, 1.0, 41).round(12))[0].tolist()
    assert sum(heights(axes.containers[0])) == 4 * len(KINDS)
    zero, shift = axes.lines
    assert zero.get_xdata() == [0.0, 0.0]
    assert shift.get_xdata() == [pooled["shift"]] * 2
    assert shift.get_label() == f"shift {pooled['shift']:+.3f}"


def test_the_history_plot_has_both_kappas_of_every_validation_with_bounds_and_limit(drawn: Drawn) -> None:
    table = stored(drawn.study, "kappa_validation")
    assert len(table) == 2
    [axes] = drawn.figures["kappa_validation"].axes
    by_label = {line.get_label(): line for line in axes.lines}
    for name in ("macro", "micro"):
        assert by_label[f"kappa {name}"].get_ydata().tolist() == table[f"kappa_{name}"].tolist()
    assert by_label["needed 0.7"].get_ydata() == [0.7, 0.7]
    bounds = [[part[:, 1].tolist() for part in bars.get_segments()] for bars in axes.collections]
    assert bounds == [of(table, "kappa_macro"), of(table, "kappa_micro")]
    assert axes.get_xticks().tolist() == [1, 2]


def of(table: pd.DataFrame, name: str) -> list[list[float]]:
    """Lower and upper bound of each validation."""
    return table[[f"{name}_low", f"{name}_high"]].to_numpy(dtype=np.float64).tolist()
