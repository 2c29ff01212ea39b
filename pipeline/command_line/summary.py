"""What a run found, on the terminal: gates, the settings side by side, and where the tables lie."""

from typing import Any

import dagster as dg
import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.correlation import correlation
from pipeline.runs import Outcome
from resources.configuration.load import load_configuration
from resources.home import Home

SHOWN_SETTING = "t0.2_p1.0"
COLUMNS = (
    ("icc", "ICC(1,k)"),
    ("mad", "MAD"),
    ("half_width", "CI ±"),
    ("spearman_r", "Spearman"),
    ("mae", "MAE"),
    ("rmse", "RMSE"),
    ("json_validity_rate", "JSON"),
    ("n_evaluations", "calls"),
    ("cost_usd", "USD"),
)


def show_outcome(outcome: Outcome, console: Console) -> None:
    """Every gate in one line: pass, FAIL, STOP (blocking) or note (advice)."""
    console.print(f"\nMade {len(set(outcome.tables))} tables. Gates:")
    for check in sorted(outcome.checks, key=_order):
        word, style = _verdict(check)
        line = Text("  ").append(f"{word:5}", style=style)
        console.print(line.append(f"{check.asset_key.to_user_string()}.{check.check_name}: {check.description}"))


def _order(check: dg.AssetCheckEvaluation) -> int:
    return ("pass", "note", "FAIL", "STOP").index(_verdict(check)[0])


def _verdict(check: dg.AssetCheckEvaluation) -> tuple[str, str]:
    if check.passed:
        return "pass", "green"
    if check.severity == dg.AssetCheckSeverity.WARN:
        return "note", "yellow"
    return ("STOP", "bold red") if check.blocking else ("FAIL", "red")


def show_summary(home: Home, console: Console) -> None:
    """The table `setting_summary`, and the paths of what was made."""
    tables = home.tables / "fidelity"
    summary = pd.read_parquet(str(tables / "setting_summary.parquet"))
    console.print()
    console.print(_as_table(summary))
    first = summary.iloc[0]
    console.print(
        f"Compared on {first['n_objects']} objects that are valid in every setting, {first['n_matched']} of them "
        "scored by people. Scores are 0-1; ICC(1,k) and its interval are of the mean of the planned repeats.",
        soft_wrap=True,
    )
    _show_truth(home, console)
    console.print(f"Tables: {tables}", soft_wrap=True, highlight=False)
    for path in sorted(str(path.relative_to(tables)) for path in tables.iterdir()):
        console.print(f"  {path}", highlight=False)


def _as_table(summary: pd.DataFrame) -> Table:
    table = Table(title="Settings side by side", title_justify="left")
    table.add_column("setting", no_wrap=True)
    for _, heading in COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    for _, row in summary.iterrows():
        name = f"{row['setting']} (baseline)" if row["baseline"] else str(row["setting"])
        table.add_row(name, *[_shown(column, row) for column, _ in COLUMNS])
    return table


def _shown(column: str, row: Any) -> str:
    value = row[column]
    if pd.isna(value):
        return "-"
    if column == "icc" and row["deterministic"]:
        return "deterministic"
    if column == "icc" and not pd.isna(row["icc_low"]):
        return f"{value:.3f} [{row['icc_low']:.3f}, {row['icc_high']:.3f}]"
    return f"{value:d}" if column == "n_evaluations" else f"{value:.2f}" if column == "cost_usd" else f"{value:.3f}"


def _show_truth(home: Home, console: Console) -> None:
    """On the sample study the right answer is known: print how near the judge came to it."""
    if load_configuration(home).study != "sample":
        return
    truth = pd.read_csv(home.samples / "fidelity" / "truth.csv", dtype={"object": str})
    path = home.tables / "fidelity" / "matched_scores" / f"{SHOWN_SETTING}.parquet"
    if not path.exists():
        return
    both = pd.read_parquet(str(path)).merge(truth, left_on="match_key", right_on="object", validate="one_to_one")
    found = correlation(both["judge_score"], both["grade"], "spearman", both["product_id"], seed=0)
    console.print(
        f"The samples' true grades are known: at {SHOWN_SETTING} the judge's Spearman correlation with them is "
        f"{found.value:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}] "
        f"(n = {found.n} objects of {found.n_clusters} products).",
        soft_wrap=True,
    )
