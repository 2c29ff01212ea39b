"""What a recording lacks of a plan is said before a run, with lines of the configuration that fit it."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from pipeline.command_line.recording_ahead import tell_of_recordings
from resources.configuration.fidelity import FidelityStudy
from tests.small_study import KEYS, OBJECTS, changed, write_study

ALL = len(OBJECTS) * len(KEYS) * 5


def said_of(study: FidelityStudy) -> list[str]:
    out = io.StringIO()
    tell_of_recordings(Console(file=out, width=80), study)
    return out.getvalue().splitlines()


def recorded(folder: Path, kept: Callable[[dict[str, Any]], bool]) -> FidelityStudy:
    """A study of ten settings and five repeats whose recording has these calls only."""
    study = write_study(folder)
    path = folder / "calls.jsonl"
    path.write_text("".join(f"{line}\n" for line in path.read_text().splitlines() if kept(json.loads(line))))
    return study.fidelity


def test_one_setting_with_three_repeats_is_named_with_the_lines_that_fit_it(tmp_path: Path) -> None:
    study = recorded(tmp_path, lambda row: row["setting"] == "t0.2_p0.95" and row["repeat"] <= 3)
    first, *lines = said_of(study)
    assert first.startswith(f"The recording has {3 * len(OBJECTS)} of these {ALL} calls; nothing at t0.0_p1.0, ")
    assert first.endswith("; 3 of 5 repeats; no altered image of the golden set.")
    assert lines == [
        "What fits it, in section `fidelity`:",
        "  settings: {baseline_temperature: 0.2, baseline_top_p: 0.95, temperatures: [0.2], top_ps: [0.95]}",
        "  repeats: 3",
        "  golden: {items: []}",
    ]
    # With these lines nothing is missing.
    fitting = FidelityStudy(**(dict(study) | yaml.safe_load("\n".join(lines[1:]).replace("  ", ""))))
    assert fitting.partition_keys == ["t0.2_p0.95"]
    assert not said_of(fitting)


def test_a_grid_with_its_baseline_apart_is_found(tmp_path: Path) -> None:
    kept = ("t0.0_p1.0", "t0.2_p1.0", "t0.2_p0.9", "t0.5_p1.0", "t0.5_p0.9")
    lines = said_of(recorded(tmp_path, lambda row: row["setting"] in kept))
    assert lines[2] == (
        "  settings: {baseline_temperature: 0.0, baseline_top_p: 1.0, temperatures: [0.2, 0.5], top_ps: [1.0, 0.9]}"
    )


def test_objects_that_are_not_recorded_are_named(tmp_path: Path) -> None:
    gone = OBJECTS[0][2]
    first, *_ = said_of(recorded(tmp_path, lambda row: row["object"] != gone))
    assert f"nothing of {gone}; no altered image" in first


def test_a_judge_that_is_no_recording_is_not_spoken_of(tmp_path: Path) -> None:
    assert not said_of(changed(write_study(tmp_path), judge={"kind": "local"}).fidelity)
