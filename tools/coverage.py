"""Measures the headline intervals over the grid of `analysis.intervals.coverage` and writes the package's table.

python -m tools.coverage RESULTS.jsonl     goes on where an earlier run stopped
"""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from analysis.intervals.coverage import COSTLY_DATA_SETS, DATA_SETS, cells, condensed, run
from analysis.intervals.measured import TABLE

SEED = 18


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
    found = {
        "date": datetime.now(UTC).date().isoformat(),
        "seed": SEED,
        "data_sets": DATA_SETS,
        "costly_data_sets": COSTLY_DATA_SETS,
        "statistics": condensed(rows),
    }
    TABLE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
