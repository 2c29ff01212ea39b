"""A program for tests: judges the shipped samples with the local judge in a home of its own and prints the gates.

It takes the settings of `SETTINGS` alone: its environment names a configuration with them.
"""

import json
import sys
from pathlib import Path

from upath import UPath

from resources.configuration.fidelity import FidelityStudy, GoldenSet, LocalJudge
from resources.configuration.settings import SettingsGrid
from resources.runtime.home import Home
from resources.study import Study
from tests.small_study import TABLES, errors, run, sqlite_instance_in, without_drawing

# The baseline, and the settings of which one was recommended here and another there.
SETTINGS = {"temperatures": [0.2], "top_ps": [1.0, 0.95, 0.9]}
# Of 48 objects and 512 pixels: the judge's work is by the pixel.
N_OBJECTS, N_ANNOTATORS, SIDE_PX = 12, 3, 96
# A page repeats the numbers of tables, which are compared.
MADE = [name for name in TABLES if name != "fidelity_report"]


def sampled(samples: Path, home: Path) -> Study:
    """Study A on the first objects of the samples that `write_fidelity_samples` left in a folder."""
    scores = home / "subjective.csv"
    rows = (samples / scores.name).read_text(encoding="utf-8-sig").splitlines(keepends=True)
    scores.write_text("".join(rows[: 1 + N_OBJECTS * N_ANNOTATORS]))
    plan = FidelityStudy(
        human_scores=scores,
        catalogue=samples / "database.csv",
        references=samples / "references",
        candidates=samples / "candidates",
        judge=LocalJudge(image_side_px=SIDE_PX),
        repeats=3,
        settings=SettingsGrid.model_validate(SETTINGS),
        bootstrap_resamples=100,
        # Every kind of alteration, and doses of one kind: a dose is a number that the same code takes.
        golden=GoldenSet(
            n_items=2,
            saturation=(0.25,),
            brightness=(0.6,),
            blur_px=(4,),
            texture_scale=(2,),
            logo_share=(0.2,),
        ),
    )
    return Study("samples", plan, Home(UPath(home), home))


def main(samples: Path, home: Path) -> None:
    """Run all of it but the page; the last line is JSON: whether each gate holds, by name and partition."""
    study = sampled(samples, home)
    with without_drawing(), sqlite_instance_in(home / "dagster") as instance:
        done = run(study, instance, only=MADE)
    assert not errors(done), errors(done)
    found = [
        (one.check_name, one.partition, one.severity.value, one.passed) for one in done.get_asset_check_evaluations()
    ]
    print(json.dumps(sorted(map(list, found), key=str)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
