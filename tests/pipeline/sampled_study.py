"""A program for tests: judges the shipped samples with the local judge in a home of its own and prints the gates."""

import json
import sys
from pathlib import Path

from upath import UPath

from resources.configuration.fidelity import FidelityStudy, GoldenSet
from resources.runtime.home import Home
from resources.study import Study
from tests.small_study import errors, run, sqlite_instance_in, without_drawing


def sampled(samples: Path, home: Path) -> Study:
    """Study A on samples that `write_fidelity_samples` left in a folder."""
    plan = FidelityStudy(
        human_scores=samples / "subjective.csv",
        catalogue=samples / "database.csv",
        references=samples / "references",
        candidates=samples / "candidates",
        repeats=3,
        bootstrap_resamples=200,
        golden=GoldenSet(n_items=2),
    )
    return Study("samples", plan, Home(UPath(home), home))


def main(samples: Path, home: Path) -> None:
    """Run it whole; the last line is JSON: whether each gate holds, by name and partition."""
    study = sampled(samples, home)
    with without_drawing(), sqlite_instance_in(home / "dagster") as instance:
        done = run(study, instance)
    assert not errors(done), errors(done)
    found = [
        (one.check_name, one.partition, one.severity.value, one.passed) for one in done.get_asset_check_evaluations()
    ]
    print(json.dumps(sorted(map(list, found), key=str)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
