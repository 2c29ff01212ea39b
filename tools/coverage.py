"""Measures the headline intervals over the grid of `analysis.intervals.coverage` and writes the package's table.

python -m tools.coverage RESULTS.jsonl     goes on where an earlier run stopped; format the table afterwards
"""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from analysis.intervals.coverage import COSTLY_DATA_SETS, DATA_SETS, cells, condensed, run

SEED = 18
TABLE = Path(__file__).resolve().parents[1] / "analysis" / "intervals" / "measured_rows.py"
HEAD = '''"""What `tools/coverage.py` measured; it writes this file."""

from analysis.intervals.measured_row import Row

'''


def main(results: Path) -> None:
    """Appends a line per statistic and design to the results, then condenses all of them into the table."""
    rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    done = {row["cell"] for row in rows}
    started = time.process_time()
    with results.open("a") as file:
        for row in run(cells(), done, seed=SEED):
            file.write(json.dumps(row) + "\n")
            file.flush()
            rows.append(row)
    print(f"{len(rows)} rows, {time.process_time() - started:.0f} s of processor time")
    facts = {
        "MEASURED_ON": datetime.now(UTC).date().isoformat(),
        "SEED": SEED,
        "DATA_SETS": DATA_SETS,
        "COSTLY_DATA_SETS": COSTLY_DATA_SETS,
    }
    lines = [f"{name} = {value!r}" for name, value in facts.items()]
    lines.append("STATISTICS: dict[str, tuple[Row, ...]] = {")
    for kind, found in condensed(rows).items():
        lines += [f"    {kind!r}: (", *(f"        Row{tuple(row)!r}," for row in found), "    ),"]
    TABLE.write_text(HEAD + "\n".join([*lines, "}"]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
