"""Time until the code location of all four studies stands: import, definitions and repository, in fresh processes."""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS, LIMIT_S = 5, 3.0
PROGRAM = """
from pipeline.definitions import touchstone
repository = touchstone().get_repository_def()
repository.load_all_definitions()
print(len(repository.asset_graph.get_all_asset_keys()), len(repository.get_all_jobs()), flush=True)
"""


def load() -> tuple[float, str]:
    """Time from the start of one fresh process until it says the number of assets and jobs that it found."""
    started = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise RuntimeError("the process has no output")
        found = process.stdout.readline().strip()
        seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError("the code location did not load")
    return seconds, found


def main() -> None:
    """Print the best time and the limit; fail above it."""
    seconds, found = min(load() for _ in range(RUNS))
    assets, jobs = found.split()
    print(f"graph load: {seconds:.2f} s, best of {RUNS} (limit {LIMIT_S:g}); {assets} assets, {jobs} jobs")
    if seconds > LIMIT_S:
        sys.exit("the limit is exceeded")


if __name__ == "__main__":
    main()
