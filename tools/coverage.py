"""Measures the headline intervals over the grid of `analysis.intervals.coverage`; writes their table and a page.

python -m tools.coverage RESULTS.jsonl     goes on where an earlier run stopped; format the table afterwards
"""

import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from analysis.intervals.coverage import COSTLY_DATA_SETS, DATA_SETS
from analysis.intervals.headline import METHODS
from analysis.intervals.measured import reliable_from
from analysis.intervals.measured_row import Row
from analysis.intervals.measured_rows import SEED
from pipeline.interval_coverage import measured
from tools.gate_rates import (
    DOCUMENTS,
    MEMBERS,
    SD_OF_CHANGE,
    SHARE,
    annotator_gates,
    drift_gates,
    low_share_gates,
    number_gates,
    steadiness_gates,
    validity_gates,
)

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "analysis" / "intervals" / "measured_rows.py"
PAGE = ROOT / "docs" / "coverage.md"
HEAD = '''"""What `tools/coverage.py` measured; it writes this file."""

from analysis.intervals.measured_row import Row

'''
NAMES = {
    "icc": "ICC(1,k)",
    "ccc": "Lin's CCC",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall tau-b",
    "correlation_difference": "Difference of two correlations",
    "kappa": "Kappa over documents (micro)",
    "kappa_macro": "Kappa, mean over queries (macro)",
    "share": "Accuracy, hit rate, percent agreement",
    "share near an edge": "The same within 0.1 of 0 or 1",
    "auc": "AUC",
    "mean": "Bias and other means",
    "size": "MAE and RMSE",
    "cohens_d": "Cohen's d and Hedges' g",
    "d_z": "d_z of several pairs an item",
    "limit_of_agreement": "Limits of agreement",
}


def main(results: Path) -> None:
    """Appends a line per statistic and design to the results, condenses all of them into the table, writes the page."""
    statistics = measured(results, full=True, done=lambda n, of: None).table
    today = datetime.now(UTC).date().isoformat()
    facts = {"MEASURED_ON": today, "SEED": SEED, "DATA_SETS": DATA_SETS, "COSTLY_DATA_SETS": COSTLY_DATA_SETS}
    lines = [f"{name} = {value!r}" for name, value in facts.items()]
    lines.append("STATISTICS: dict[str, tuple[Row, ...]] = {")
    for kind, found in statistics.items():
        lines += [f"    {kind!r}: (", *(f"        Row{tuple(row)!r}," for row in found), "    ),"]
    TABLE.write_text(HEAD + "\n".join([*lines, "}"]) + "\n")
    PAGE.write_text("\n".join(page(statistics, today)) + "\n")


def page(statistics: dict[str, tuple[Row, ...]], today: str) -> Iterable[str]:
    """The lines of docs/coverage.md."""
    yield "# How often intervals and gates are right"
    yield ""
    yield (
        f"Made by `python -m tools.coverage` on {today} with seed {SEED}, version {version('touchstone')}, "
        f"{platform.machine()}, Python {platform.python_version()}: {DATA_SETS:,} made data sets a design "
        f"({COSTLY_DATA_SETS} for rank statistics), so one design has a Monte Carlo error of 0.5 to 1 point."
    )
    yield ""
    yield (
        "A 95 % interval promises to contain the truth in 93 to 97 % of data sets and to miss it on either side in 1 "
        "to 4 %. Designs: clusters of 1, of 3, and of 1 to 15 observations; 0, 0.24 and 0.6 of the variance between "
        "clusters; truths in the middle and near the edge; normal scores, and whole numbers 1 to 5 with their ties. "
        "**kept**: designs that keep the promise, give or take two Monte Carlo errors. **below**, **above**: the truth "
        "lies below or above the interval. **none**: data sets without an interval. **width**: mean over the designs. "
        "An interval is marked `unreliable` below the number of clusters from which the mean stays at 93 % and each "
        "design at 90 %. Which method makes which interval: [statistics](statistics.md#intervals)."
    )
    for kind, name in NAMES.items():
        statistic = kind.removesuffix(" near an edge")
        yield from ("", f"## {name}", "")
        enough = reliable_from(statistic, near_edge=statistic != kind)
        method = METHODS[statistic]  # type: ignore[index]
        scale = "score interval" if method.limits else f"jackknife, scale: {method.scale.name or 'as it is'}"
        yield f"Reliable from {enough} clusters on; {scale}."
        yield ""
        yield "| clusters | mean coverage | below | above | none | width | kept | worst design |"
        yield "|---|---|---|---|---|---|---|---|"
        for row in statistics[kind]:
            yield (
                f"| {row.clusters} | {row.mean:.1%} | {row.below:.1%} | {row.above:.1%} | {row.none:.1%} | "
                f"{row.width:.3f} | {row.kept} of {row.cells} | {row.worst:.1%} ± {row.error:.1%}: {row.design} |"
            )
    yield from gates()


def gates() -> Iterable[str]:
    """How often gates pass at and around their thresholds."""
    yield from ("", "## Gates", "")
    yield (
        f"The share of made studies in which a gate passes, on the number itself and on the bound next to what is "
        f"needed (no number: no gate reads a bound of it); clusters of {MEMBERS} objects, {SHARE} of the variance "
        "between clusters, 1,000 studies each. Where the truth is worse than needed, passing is a false alarm; "
        "elsewhere not passing is a miss. At the threshold a gate on the number is a coin; one on the bound passes "
        "seldom by chance, and the price is that it misses good judges in small studies. Valid answers are exact "
        f"(binomial), their clusters are calls; the anchor's shift is exact (normal, {SD_OF_CHANGE:g} the standard "
        f"deviation of an object's change); of low kappas clusters are queries of {DOCUMENTS} documents. A data set's "
        "own minimum of SRCC or accuracy (study C) is a gate on Spearman or a share like these."
    )
    yield ""
    yield "| gate | needed | truth | clusters | passes by the number | passes by the bound |"
    yield "|---|---|---|---|---|---|"
    on_bounds = [*number_gates(seed=SEED), *validity_gates()]
    on_numbers = [*steadiness_gates(seed=SEED), *low_share_gates(seed=SEED), *drift_gates()]
    for row in [*on_bounds, *on_numbers]:
        needed = f"at most {row.needed:g}" if row.at_most else f"{row.needed:g}"
        bound = "" if row.by_bound is None else f"{row.by_bound:.1%}"
        yield f"| {row.gate} | {needed} | {row.truth:.3g} | {row.clusters} | {row.by_number:.0%} | {bound} |"
    yield from ("", "### Alternative annotator test", "")
    yield (
        "Three people, scores 1 to 5, reliability of one rating 0.75, epsilon of experts, 200 studies each: the share "
        "in which the judge wins against at least half of the people."
    )
    yield ""
    yield "| judge | 40 objects | 80 objects | 200 objects |"
    yield "|---|---|---|---|"
    rates: dict[str, list[str]] = {}
    for judge, _, rate in annotator_gates(seed=SEED):
        rates.setdefault(judge, []).append(f"{rate:.0%}")
    for judge, shares in rates.items():
        yield f"| {judge} | {' | '.join(shares)} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
