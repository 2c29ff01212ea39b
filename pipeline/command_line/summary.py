"""What a run found, on the terminal: gates, the settings side by side, and where the tables lie."""

from typing import Any

import dagster as dg
import pandas as pd
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from analysis.correlation import correlation
from assets.checks import NOT_ASKED
from pipeline.runs import Outcome
from resources.configuration.load import SAMPLE, load_configuration
from resources.home import Home

SHOWN_SETTING = "t0.2_p1.0"
COLUMNS = (
    ("icc", "ICC(1,k) [95 % CI]"),
    ("mad", "MAD"),
    ("half_width", "CI ±"),
    ("spearman_r", "Spearman"),
    ("mae", "MAE"),
    ("rmse", "RMSE"),
    ("json_validity_rate", "JSON"),
)


def show_outcome(outcome: Outcome, console: Console) -> None:
    """Every gate with what was seen and needed: pass, note (advice), FAIL or STOP (blocking)."""
    console.print(f"\n{len(set(outcome.tables))} tables made. Gates (docs/fidelity.md says how to read them):")
    grid = Table.grid(padding=(0, 2, 0, 0))
    for check in sorted(outcome.checks, key=_order):
        if check.description == NOT_ASKED:
            continue
        word, style = _verdict(check)
        name = check.check_name if check.partition is None else f"{check.check_name} ({check.partition})"
        grid.add_row(Text(f"  {word}", style=style), Text.assemble((name, "bold"), f": {check.description}"))
    console.print(grid)


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
    answered, faults = int(summary["n_evaluations"].sum()), int(summary["n_faults"].sum())
    console.print(
        f"* baseline. {answered} answers and {faults} faults in the ledger, {summary['cost_usd'].sum():.2f} USD.",
        highlight=False,
    )
    console.print(
        f"Compared on {first['n_objects']} objects that are valid in every setting, {first['n_matched']} of them "
        "scored by people. Scores are 0-1; ICC(1,k) and its F interval are of the mean of the planned repeats; "
        "icc_by_setting has the interval over products beside it.",
        highlight=False,
    )
    _show_truth(home, console)
    console.print(f"Tables, as Parquet, in {tables}:", soft_wrap=True, highlight=False)
    names = [path.name if path.is_file() else f"{path.name}/" for path in tables.iterdir()]
    console.print(Padding(", ".join(sorted(names)), (0, 0, 0, 2)), highlight=False)


def _as_table(summary: pd.DataFrame) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("setting", no_wrap=True)
    for _, heading in COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    for _, row in summary.iterrows():
        name = f"{row['setting']} *" if row["baseline"] else str(row["setting"])
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
    return f"{value:.3f}"


def _show_truth(home: Home, console: Console) -> None:
    """On the sample study the right answer is known: print how near the judge came to it."""
    if load_configuration(home).study != SAMPLE:
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
        highlight=False,
    )
