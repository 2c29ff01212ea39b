"""Published numbers next to what the statistics give here: as rows, as JSON and as the page `docs/conformance.md`."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.conformance.all_cases import CASES
from analysis.conformance.case import Checked, check
from analysis.conformance.cases_of_tid2013 import PRINTED, tid2013_cases
from pipeline.interval_coverage import SECTION
from resources.errors import UserError

REGENERATE = "make conformance"
LIBRARIES = ("numpy", "scipy", "scikit-learn")
HEAD = f"""# Conformance

Published numbers, computed again by the functions that the studies use; the cases are
`analysis/conformance/cases_of_*.py`. `touchstone conformance` does it on any machine and ends with 1 where one is
missed; `{REGENERATE}` writes this page. A number passes where it rounds to what its source prints: `tolerance` is
half of the last printed digit. Formulas are in [Statistics](statistics.md).
"""
COLUMNS = ("statistic", "data", "expected", "got", "difference", "tolerance", "passes", "source")


def checked(tid2013: Path | None = None) -> list[Checked]:
    """Every case, computed.

    Args:
        tid2013: A file of TID2013's scores and metrics, whose published correlations are then checked too.

    Raises:
        UserError: The file is missing, or lacks a column.
    """
    cases = list(CASES)
    if tid2013 is not None:
        cases += tid2013_cases(*_read(tid2013))
    return [check(case) for case in cases]


def about() -> dict[str, str]:
    """When this was computed, by which version, and on what."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "version": version("touchstone"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "libraries": ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
    }


def as_json(found: Sequence[Checked]) -> dict[str, Any]:
    """All of it in plain values."""
    passed = sum(one.passed for one in found)
    return {**about(), "n": len(found), "n_passed": passed, "cases": [one._asdict() for one in found]}


def page(found: Sequence[Checked]) -> str:
    """The page: what was computed where, and a row per number."""
    facts = [f"- {name}: {words}" for name, words in about().items()]
    rows = ["| " + " | ".join(COLUMNS) + " |", "| " + " | ".join("---" for _ in COLUMNS) + " |"]
    rows += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells(one)) + " |" for one in found]
    return "\n".join([HEAD, *facts, f"- {summary(found)}", "", *rows, "", SECTION])


def cells(one: Checked) -> tuple[str, ...]:
    """A case as `COLUMNS` have it, in words and digits."""
    got = one.reason if one.got is None else f"{one.got:.9g}"
    difference = "" if one.difference is None else f"{one.difference:.1e}"
    passes = "yes" if one.passed else "NO"
    return (
        one.statistic,
        one.data,
        f"{one.expected:.9g}",
        str(got),
        difference,
        f"{one.tolerance:.0e}",
        passes,
        one.source,
    )


def summary(found: Sequence[Checked]) -> str:
    """How many numbers of how many functions are met."""
    passed, functions = sum(one.passed for one in found), len({one.function for one in found})
    return f"{passed} of {len(found)} published numbers are met, by {functions} functions"


def _read(file: Path) -> tuple[pd.Series, dict[str, pd.Series]]:
    try:
        table = pd.read_csv(file)
    except (OSError, ValueError) as problem:
        raise UserError(f"{file} cannot be read as a table of TID2013: {problem}. Name its CSV file.") from problem
    missing = [name for name in ("mos", *PRINTED) if name not in table]
    if missing:
        raise UserError(f"{file} has no column {', '.join(missing)}. Columns needed: mos, {', '.join(PRINTED)}.")
    return table["mos"], {name: table[name] for name in PRINTED}
