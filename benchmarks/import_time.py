"""Time to import `pipeline.definitions` against the libraries that it cannot do without, best of several processes."""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = "import dagster, pandas, pandera.pandas, scipy.stats, cv2, sqlalchemy.orm"
RUNS = 7


def seconds(program: str) -> float:
    """Wall time of one fresh process."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
    return time.perf_counter() - started


def main() -> None:
    """Print both times and their ratio."""
    pairs = [(seconds(LIBRARIES), seconds("import pipeline.definitions")) for _ in range(RUNS)]
    libraries, definitions = (min(column) for column in zip(*pairs, strict=True))
    print(f"libraries alone        {libraries:.2f} s")
    print(f"pipeline.definitions   {definitions:.2f} s")
    print(f"ratio                  {definitions / libraries:.2f} (limit 1.3)")


if __name__ == "__main__":
    main()
