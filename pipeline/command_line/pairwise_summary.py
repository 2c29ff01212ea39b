"""What the pairwise benchmark found, on the terminal: the ranking, what is unavailable, and where the files lie."""

from pathlib import Path
from typing import Any, Final

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text
from upath import UPath

from analysis.words import count_noun
from assets.pairwise.logic.photo_pair_counts import after_filter, missing_of, n_images
from pipeline.command_line.terminal import grid
from resources.configuration.pairwise import PairwiseStudy
from resources.study import Study
from resources.tables.pairwise_rows import chance_of, judged_pairs, letters_of, measured

STYLES: Final = {"better": "green", "worse": "red", "open": ""}
MARKS: Final = {"better": "*", "worse": "!", "open": ""}


def show_pairwise(study: Study, console: Console) -> bool:
    """The tables `method_metrics` and `method_significance`, and the places of export and report.

    Returns:
        Whether some method has an accuracy, or the study meant none to: every photo may be missing, and is.
    """
    tables = study.home.tables / "pairwise"
    pairs, metrics, couples, export = (
        _stored(tables, name) for name in ("photo_pairs", "method_metrics", "method_significance", "benchmark_export")
    )
    rows = measured(metrics)
    meant = rows.empty and _votes_only(pairs, study.pairwise)
    console.print()
    if rows.empty:
        console.print(why_nothing(pairs, metrics, study.pairwise), soft_wrap=True, highlight=False)
    else:
        console.print(ranking(rows, letters_of(couples), study.pairwise))
        console.print(in_words(rows.iloc[0], study.pairwise), highlight=False)
    for line in about_judges(_stored(tables, "pair_judges")) if study.pairwise.judge_methods else ():
        console.print(Text(line))
    for reason, names in _by_reason(metrics, "unavailable").items():
        console.print(Text.assemble(("Unavailable", "yellow"), f": {', '.join(names)}"), highlight=False)
        console.print(Text(f"  {reason}"), soft_wrap=True)
    for reason, names in _by_reason(metrics[metrics["accuracy"].isna()], "undefined").items():
        console.print(f"Without an accuracy: {', '.join(names)} ({reason})", highlight=False)
    console.print(f"Tables, as Parquet, in {tables}", soft_wrap=True, highlight=False)
    console.print(f"Benchmark files: {_folder(export)}", soft_wrap=True, highlight=False)
    console.print(f"Report: {study.home.report('pairwise')}", style="bold", soft_wrap=True, highlight=False)
    return meant or not rows.empty


def unavailable_in_short(tables: UPath) -> str:
    """How many methods were not tried and where it says why, in a sentence; empty where none."""
    n = sum(map(len, _by_reason(_stored(tables, "method_metrics"), "unavailable").values()))
    return f"{count_noun(n, 'method')} unavailable: `touchstone doctor` says what they need." if n else ""


def why_nothing(pairs: pd.DataFrame, metrics: pd.DataFrame, plan: PairwiseStudy) -> str:
    """Why no method has an accuracy."""
    if _votes_only(pairs, plan):
        return (
            f"None of the photos is in {plan.image_root}, which `max_missing_share: 1` allows: the votes are "
            "described, and no method is judged."
        )
    if judged_pairs(pairs).empty:
        causes = (f"{n} {cause}" for cause, n in pairs["excluded"].value_counts().items())
        return f"No method has an accuracy: of {len(pairs)} pairs none is left to judge ({', '.join(causes)})."
    if metrics["unavailable"].notna().all():
        return "No method has an accuracy: what they need is not on this machine."
    return "No method has an accuracy: no judged pair has a prediction."


def _votes_only(pairs: pd.DataFrame, plan: PairwiseStudy) -> bool:
    """Whether every photo that pairs need is missing, in a study that lets them be."""
    needed = n_images(after_filter(pairs))
    return plan.max_missing_share == 1.0 and 0 < needed == len(missing_of(pairs))


def ranking(rows: pd.DataFrame, letters: dict[str, str], plan: PairwiseStudy) -> Table:
    """Methods with an accuracy, the best first.

    Args:
        rows: Of `method_metrics`, ranked.
        letters: Of each method in the test over clusters; methods that share one are not distinguishable.
        plan: Its confidence is that of the intervals, and decides what is sure.
    """
    accuracy = f">accuracy [{100 * plan.confidence:g} % CI]"
    table = grid("method", accuracy, ">", "groups", ">ties", ">n", ">ms", wrapped=())
    for row in rows.to_dict("records"):
        against = chance_of(row, plan.level)
        table.add_row(
            str(row["method"]),
            Text(f"{row['accuracy']:.3f}{_bounds(row)}", style=STYLES[against]),
            # Of its own, so that accuracies without a mark stand below those with one.
            Text(MARKS[against], style=STYLES[against]),
            letters.get(str(row["method"]), "-"),
            f"{row['tie_rate']:.3f}",
            str(row["n"]),
            _number(row["avg_time_ms"]),
        )
    return table


def in_words(best: pd.Series, plan: PairwiseStudy) -> str:
    """What the numbers of the ranking are; `best` is its first row of `method_metrics`."""
    series = f"{best['n_series']} series"
    if plan.cluster_column:
        series += f" in {best['n_clusters']} {plan.units}"
    shared = "; here each photo was looked at once for all of them" if plan.pairs_of == "photos" else ""
    return (
        f"Accuracy: share of {best['n']} of {best['n_total']} judged pairs, of {series}, in which the method picks "
        f"what most people pick, a tie counting half; intervals over {plan.units}. * (green): significantly better "
        "than a coin, ! (red): significantly worse (after Holm). Groups: methods that share a letter are not "
        f"distinguishable. ms: what the method alone would take for a pair{shared}."
    )


def about_judges(judges: pd.DataFrame) -> list[str]:
    """What the order does to each judge of pairs, a sentence each; of one recorded in one order there is none."""
    return [
        f"Judge {row['judge']}: the same answer in both orders of {row['consistency']:.3f}"
        f"{_bounds(row, 'consistency')} of {row['n']} pairs; of its answers {row['first_shown_rate']:.3f}"
        f"{_bounds(row, 'first_shown_rate')} are for the one shown first."
        for row in judges[judges["first_shown_rate"].notna()].to_dict("records")
    ]


def _bounds(row: dict[Any, Any], name: str = "accuracy") -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "" if pd.isna(low) else f" [{low:.3f}, {high:.3f}]"


def _number(value: float) -> str:
    return "-" if pd.isna(value) else f"{value:.1f}"


def _by_reason(metrics: pd.DataFrame, column: str) -> dict[str, list[str]]:
    """Methods by the reason that the column gives."""
    said = metrics[metrics[column].notna()]
    return {str(reason): list(names) for reason, names in said.groupby(column, sort=False)["method"]}


def _folder(export: pd.DataFrame) -> Path | UPath:
    """Where the files of the export lie together."""
    first = export.iloc[0]
    return Path(str(first["path"]).removesuffix(str(first["file"])))


def _stored(tables: UPath, name: str) -> pd.DataFrame:
    return pd.read_parquet(str(tables / f"{name}.parquet"))
