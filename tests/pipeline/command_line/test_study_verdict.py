"""What a study prints first: its verdicts, and of several judges how they compare on the same objects."""

import io
from pathlib import Path

import dagster as dg
import pandas as pd
from rich.console import Console
from upath import UPath

from pipeline.command_line.study_verdict import show_verdict_first
from resources.runtime.home import Home
from resources.tables.fidelity.decision import JUDGE_COMPARISON

BASIS = "all objects: each judge has one setting"


def shown(home: Path, rows: list[dict[str, object]]) -> str:
    folder = home / "tables" / "fidelity"
    folder.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(rows).reindex(columns=[column.name for column in JUDGE_COMPARISON.columns])
    frame.assign(basis=BASIS).to_parquet(folder / "judge_comparison.parquet")
    out = io.StringIO()
    show_verdict_first(Home(UPath(home), home), "fidelity", Console(file=out, width=80))
    return out.getvalue()


def row(
    judge: str, statistic: str, value: float | None, letters: str | None = None, **more: object
) -> dict[str, object]:
    return {"judge": judge, "statistic": statistic, "value": value, "letters": letters, "n": 40} | more


def test_several_judges_are_side_by_side_with_their_letters(tmp_path: Path) -> None:
    said = shown(
        tmp_path,
        [
            row("gpt", "spearman", 0.91, "a", value_low=0.83, value_high=0.957),
            row("gpt", "mae", 0.05, "a"),
            row("gpt", "cost_per_object_usd", 0.00123),
            row("claude", "spearman", 0.7, "b", value_low=0.5, value_high=0.85),
            row("claude", "mae", 0.06, "a"),
            row("gpt", "mae", -0.01, other="claude"),
            row("mistral", "mae", None, undefined="it was not run"),
        ],
    )
    lines = said.splitlines()
    assert lines[0] == f"The judges on the same 40 objects ({BASIS}); a letter in common: not distinguishable (Holm)"
    assert lines[1].split() == ["judge", "Spearman", "with", "people", "MAE", "ICC(1,k)", "USD", "an", "object"]
    assert lines[2].split() == ["gpt", "0.910", "[0.830,", "0.957]", "a", "0.050", "a", "-", "0.0012"]
    assert lines[3].split() == ["claude", "0.700", "[0.500,", "0.850]", "b", "0.060", "a", "-", "-"]
    assert lines[4].split() == ["mistral", "-", "-", "-", "-"]


def test_the_reason_of_a_gate_that_stops_is_not_cut_at_the_edge_of_the_terminal(tmp_path: Path) -> None:
    words = "1 of 10 settings pass. Worst is t0.0_p1.0: Share of objects with fewer than 3 valid repeats is 1.000."
    check = dg.AssetCheckEvaluation(
        check_name="enough_repeats", asset_key=dg.AssetKey("score_matrix"), passed=False, metadata={}, description=words
    )
    out = io.StringIO()
    show_verdict_first(Home(UPath(tmp_path), tmp_path), "fidelity", Console(file=out, width=80), [check])
    assert out.getvalue() == f"Verdict: cannot say\n  enough_repeats: {words}\n"


def test_one_judge_alone_is_compared_with_none(tmp_path: Path) -> None:
    assert not shown(tmp_path, [row("gpt", "mae", 0.05)])
