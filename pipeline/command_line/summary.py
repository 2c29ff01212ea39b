"""What a run found, on the terminal: gates, the settings side by side, and where the tables lie."""

from collections.abc import Callable
from typing import Any

import dagster as dg
import pandas as pd
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from upath import UPath

from analysis.correlation import correlation
from analysis.gates import Gate, at_least, at_most
from assets.checks import NOT_ASKED
from assets.fidelity.recommended_setting import as_good_as_best, chosen_setting
from pipeline.runs import Outcome
from resources.configuration.fidelity import FidelityThresholds
from resources.configuration.load import SAMPLE, load_configuration
from resources.home import Home

SHOWN_SETTING = "t0.2_p1.0"
COLUMNS = (
    ("icc", "ICC(1,k) [95 % CI]"),
    ("mad", "MAD"),
    ("half_width", "CI ±"),
    ("spearman_r", "Spearman"),
    ("mae", "MAE"),
    ("json_validity_rate", "JSON"),
)


def show_outcome(outcome: Outcome, console: Console) -> None:
    """Gates that do not hold with what was seen and needed, what stops or fails first; those that hold by name."""
    if not outcome.tables and not outcome.checks:
        return
    console.print(
        f"\n{len(set(outcome.tables))} tables made. Gates: STOP blocks what follows, FAIL is a threshold missed, "
        "note is advice."
    )
    grid = Table.grid(padding=(0, 2, 0, 0))
    asked = [check for check in outcome.checks if check.description != NOT_ASKED]
    for check in sorted(asked, key=_order):
        word, style = _verdict(check)
        if not check.passed:
            grid.add_row(
                Text(f"  {word}", style=style), Text.assemble((_name(check), "bold"), f": {check.description}")
            )
    if held := [_name(check) for check in asked if check.passed]:
        grid.add_row(Text("  pass", style="green"), Text(f"{len(held)} hold: {', '.join(held)}."))
    console.print(grid)


def _name(check: dg.AssetCheckEvaluation) -> str:
    return check.check_name if check.partition is None else f"{check.check_name} ({check.partition})"


def _order(check: dg.AssetCheckEvaluation) -> int:
    return ("STOP", "FAIL", "note", "pass").index(_verdict(check)[0])


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
    plan = load_configuration(home).fidelity
    thresholds = plan.thresholds if plan else FidelityThresholds()
    console.print(_as_table(summary, thresholds))
    first = summary.iloc[0]
    answered, faults = int(summary["n_evaluations"].sum()), int(summary["n_faults"].sum())
    console.print(
        "ICC(1,k): repeatability of the mean of the repeats, F interval (icc_by_setting has the one over products). "
        "MAD: median spread of an object's repeats. CI ±: half-width of an object's mean. Spearman, MAE: against "
        "people. JSON: valid answers. Scores are 0-1, * is the baseline; docs/statistics.md defines each number.",
        highlight=False,
    )
    console.print(
        f"Compared on {first['n_objects']} objects that are valid in every setting, {first['n_matched']} of them "
        f"scored by people. {answered} answers and {faults} faults in the ledger, {summary['cost_usd'].sum():.2f} USD.",
        highlight=False,
    )
    _show_verdict(tables, summary, thresholds, console)
    _show_truth(home, console)
    console.print(f"Tables, as Parquet, in {tables}:", soft_wrap=True, highlight=False)
    names = [path.name if path.is_file() else f"{path.name}/" for path in tables.iterdir()]
    console.print(Padding(", ".join(sorted(names)), (0, 0, 0, 2)), highlight=False)


def _as_table(summary: pd.DataFrame, thresholds: FidelityThresholds) -> Table:
    """Every setting; a number that misses its threshold is red, and the last column says whether all keep theirs."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("setting", no_wrap=True)
    for _, heading in COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("gates", no_wrap=True)
    for _, row in summary.iterrows():
        name = f"{row['setting']} *" if row["baseline"] else str(row["setting"])
        missed = missed_gates(row, thresholds)
        cells = [Text(_shown(column, row), style="red" if column in missed else "") for column, _ in COLUMNS]
        table.add_row(name, *cells, Text("fail", style="red") if missed else Text("pass", style="green"))
    return table


def missed_gates(row: Any, thresholds: FidelityThresholds) -> list[str]:
    """The columns of `setting_summary` whose quality gate a setting misses; an undefined number misses its gate."""

    def gate(compare: Callable[..., Gate], column: str, needed: float) -> Gate:
        uncounted = pd.isna(row[column]) or (column == "icc" and row["deterministic"])
        seen = None if uncounted else float(row[column])
        return compare(column, seen, needed, n=int(row["n_objects"]), what=column)

    gates = (
        gate(at_least, "icc", thresholds.icc),
        gate(at_most, "mad", thresholds.median_mad),
        gate(at_least, "spearman_r", thresholds.spearman),
        gate(at_most, "mae", thresholds.mae),
        gate(at_least, "json_validity_rate", thresholds.json_validity),
    )
    return [one.name for one in gates if not one.passed]


def _show_verdict(tables: UPath, summary: pd.DataFrame, thresholds: FidelityThresholds, console: Console) -> None:
    path = tables / "recommended_setting.parquet"
    if not path.exists():
        console.print("Verdict: none, the table recommended_setting was not made.", highlight=False)
        return
    recommended = pd.read_parquet(str(path))
    words = verdict(recommended)
    chosen = summary[summary["setting"] == chosen_setting(recommended).setting]
    if missed := [column for _, row in chosen.iterrows() for column in missed_gates(row, thresholds)]:
        words += f" Gates that it misses on all objects: {', '.join(missed)}."
    console.print(Text.assemble(("Verdict: ", "bold"), words))


def verdict(recommended: pd.DataFrame) -> str:
    """The setting to use, its numbers to report and what cannot be told from it; or none, and what the nearest lacks.

    Args:
        recommended: Table `recommended_setting`.
    """
    chosen = chosen_setting(recommended)
    tried = int(recommended["n_settings_tried"].max()) if len(recommended) else 0
    if chosen.setting is None:
        words = f"no setting is recommended: none of {tried} that were compared keeps every condition."
        if chosen.nearest is None:
            return f"{words} None is near: no setting was compared whose repeats vary."
        lacks = recommended.loc[recommended["setting"] == chosen.nearest, "failed"].iloc[0]
        return f"{words} Nearest is {chosen.nearest}: {lacks}"
    row = recommended[recommended["setting"] == chosen.setting].iloc[0]
    equals = [key for key in as_good_as_best(recommended) if key != chosen.setting]
    told = f" Cannot be told from it: {', '.join(equals)}." if equals else ""
    passing = int(recommended["passes"].astype(bool).sum())
    best = f"the best of {passing} settings that keep every condition, {tried} tried"
    if passing == 1:
        best = f"the only one of {tried} settings tried that keeps every condition"
    confirmed = "" if pd.isna(row["lacks_when_reported"]) else f" Not confirmed: {row['lacks_when_reported']}"
    return (
        f"use {chosen.setting}, {best}. {_where(row)}: ICC(1,k) {_with_bounds(row, 'icc_reported')}, Spearman "
        f"{_with_bounds(row, 'spearman_reported')}{_scored(row)}, median MAD {_number(row['mad_reported'])}, "
        f"JSON validity {_number(row['json_validity_reported'])}.{confirmed}{told}"
    )


def _where(row: Any) -> str:
    """Which objects the reported numbers are of."""
    n = f"n = {row['n_reporting']} objects of {row['n_products_reporting']} products"
    return f"On products that did not choose it ({n})" if row["method"].startswith("split") else f"Corrected ({n})"


def _scored(row: Any) -> str:
    """How many of these objects people scored, where that is not all of them."""
    if row["n_matched_reporting"] == row["n_reporting"]:
        return ""
    n_products = row["n_matched_products_reporting"]
    return f" (n = {row['n_matched_reporting']} objects of {n_products} products that people scored)"


def _with_bounds(row: Any, column: str) -> str:
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    bounds = "" if pd.isna(low) or pd.isna(high) else f" [{low:.3f}, {high:.3f}]"
    return f"{_number(row[column])}{bounds}"


def _number(value: Any) -> str:
    return "undefined" if pd.isna(value) else f"{value:.3f}"


def _shown(column: str, row: Any) -> str:
    value = row[column]
    if pd.isna(value):
        return "-"
    if column == "icc" and row["deterministic"]:
        return "determ."
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
