"""A study gives the same numbers where a processor lacks what this one has: vector units and fused sums."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from analysis.images.appearance.comparison import compare, patches_in_view
from analysis.images.appearance.descriptors import described
from pipeline.samples.fidelity import FidelitySamples
from resources.configuration.settings import Setting
from resources.judges.contract import Attempt, JudgedObject
from resources.judges.local import LocalJudge
from resources.judges.prompt import build_call
from resources.runtime.home import CHECKOUT
from resources.tables.call_states import SUBSCORES
from tests.chaos.forked import ForkedProgram
from tests.pipeline.sampled_study import SETTINGS, sampled

PROGRAM, PATIENCE_S = "tests.pipeline.sampled_study", 900
# Names of a time, a place or a hash of what holds one.
NEVER_ALIKE = {"started_at", "latency_ms", "altered_path", "raw_answer", "path", "n_bytes"}
DECIDED = ("score", "score_stated", "score_recomputed", *SUBSCORES)
NEAR_A_HALF = 1e-3
TOLERANCE = 1e-6
MOST_LISTED = 5  # of 144 answers


def lacking() -> dict[str, str]:
    """Variables with which NumPy, OpenCV and their linear algebra run as on an old processor."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name)),
        "OPENCV_CPU_DISABLE": "AVX512-SKX,AVX2,FP16,AVX,SSE4.2,SSE4.1",
        "OPENCV_IPP": "disabled",
        "OPENBLAS_CORETYPE": "Prescott",
        "JSIMD_FORCENONE": "1",
    }


@pytest.fixture(scope="module")
def homes(fidelity_samples: FidelitySamples, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: tmp_path_factory.mktemp(name) for name in ("this", "old")}


@pytest.fixture(scope="module")
def gates(fidelity_samples: FidelitySamples, homes: dict[str, Path]) -> dict[str, Any]:
    """What the gates said, by home; both studies run at once."""
    samples = fidelity_samples.truth.parent
    for home in homes.values():
        # Which settings there are is read when assets are imported.
        named = {name: str(home / name) for name in ("human_scores", "references", "candidates")}
        (home / "touchstone.yaml").write_text(
            yaml.safe_dump({"study": "samples", "fidelity": named | {"settings": SETTINGS}})
        )
    said = {name: home / "said.txt" for name, home in homes.items()}
    # What NumPy has taken a processor for stays: a process that has it already is of this one.
    this = ForkedProgram(
        PROGRAM, [str(samples), str(homes["this"])], said["this"], os.environ | {"TOUCHSTONE_HOME": str(homes["this"])}
    )
    with said["old"].open("wb") as words:
        old = subprocess.run(
            [sys.executable, "-m", PROGRAM, samples, homes["old"]],
            env=os.environ | {"TOUCHSTONE_HOME": str(homes["old"])} | lacking(),
            cwd=CHECKOUT,
            stdout=words,
            stderr=words,
            timeout=PATIENCE_S,
        )
    texts = {name: path.read_text() for name, path in said.items()}
    assert (this.wait(PATIENCE_S), old.returncode) == (0, 0), texts
    return {name: json.loads(text.splitlines()[-1]) for name, text in texts.items()}


@pytest.mark.slow
def test_gates_names_recommendation_and_numbers_are_those_of_an_old_processor(
    fidelity_samples: FidelitySamples, homes: dict[str, Path], gates: dict[str, Any]
) -> None:
    assert gates["this"] == gates["old"]
    assert len(gates["this"]) > 60
    tables = {name: home / "tables" for name, home in homes.items()}
    files = {name: {path.relative_to(folder) for path in folder.rglob("*.parquet")} for name, folder in tables.items()}
    assert files["this"] == files["old"]
    pairs = {path: tuple(pd.read_parquet(folder / path) for folder in tables.values()) for path in files["this"]}
    [recommended] = (both for path, both in pairs.items() if path.stem == "recommended_setting")
    assert recommended[0]["setting"].tolist() == recommended[1]["setting"].tolist()

    near_half = rounded_otherwise(pairs, sampled(fidelity_samples.truth.parent, homes["this"]))
    print("answers of which a sub-score is so near a half that it rounds either way:", near_half)
    assert len(near_half) <= MOST_LISTED
    settings = {setting for setting, _, _ in near_half}
    wrong = [found for path, both in pairs.items() for found in differences(path, *both, settings)]
    assert not wrong


def rounded_otherwise(
    pairs: dict[Path, tuple[pd.DataFrame, pd.DataFrame]], study: Any
) -> dict[tuple[str, str, int], dict[str, float]]:
    """Answers that differ, each with the sub-scores before rounding, which are shown to be next to a half."""
    listed = {}
    judge = LocalJudge(study.fidelity.judge, study.fidelity.rubric_weights)
    [objects] = (this.set_index("object") for path, (this, _) in pairs.items() if path.stem == "study_objects")
    for path, (this, old) in pairs.items():
        if path.parent.name != "judge_calls":
            continue
        for place in np.flatnonzero((this[list(DECIDED)] != old[list(DECIDED)]).any(axis=1)):
            row, other = this.iloc[place], old.iloc[place]
            before = unrounded(judge, objects.loc[row["object"]], row, study)
            moved = {name: before[name] for name in SUBSCORES if row[name] != other[name]}
            assert moved, (path, place)
            assert all(abs(value % 1 - 0.5) < NEAR_A_HALF for value in moved.values()), (path, place, moved)
            listed[row["setting"], row["object"], int(row["repeat"])] = moved
    return listed


def unrounded(judge: LocalJudge, shown: pd.Series, row: pd.Series, study: Any) -> dict[str, float]:
    """The judge's sub-scores of one call, 0-100, before it rounds them to whole numbers."""
    judged = JudgedObject(
        row["object"],
        shown["item_id"],
        shown["candidate_path"],
        shown["candidate_sha256"],
        tuple(shown["reference_paths"]),
        tuple(shown["reference_sha256"]),
        tuple(shown[f"category_l{level}"] for level in (1, 2, 3)),
    )
    setting = Setting(float(row["temperature"]), float(row["top_p"]))
    call = build_call(
        judged, Attempt(study.name, setting, judge.identity, int(row["repeat"])), study.fidelity.rubric_weights
    )
    assert call.seed == row["seed"]
    candidate = judge._patches(judged.candidate_path, judged.candidate_sha256)
    chosen = patches_in_view(candidate, setting.temperature, setting.top_p, np.random.default_rng(call.seed))
    return dict(compare(described(candidate, chosen), judge._photos(judged)).subscores)


def differences(path: Path, this: pd.DataFrame, old: pd.DataFrame, settings: set[str]) -> list[str]:
    """Cells that differ beyond the tolerance, but those that follow from an answer that was rounded otherwise."""
    assert list(this.columns) == list(old.columns), path
    assert len(this) == len(old), path
    if path.stem in settings:
        return []  # names and gates are compared above
    follows = this["setting"].isin(settings) if "setting" in this else pd.Series(data=False, index=this.index)
    found = []
    for column in [name for name in this.columns if name not in NEVER_ALIKE]:
        one, other = this.loc[~follows, column], old.loc[~follows, column]
        if pd.api.types.is_numeric_dtype(one) and not pd.api.types.is_bool_dtype(one):
            gap = (one.astype("float64") - other.astype("float64")).abs()
            wrong = (gap > TOLERANCE) | (one.isna() != other.isna())
        else:
            wrong = one.map(str) != other.map(str)
        if column in DECIDED and path.parent.name == "judge_calls":
            continue  # `rounded_otherwise` looked at each
        found += [f"{path} {column}: {one[row]} and {other[row]}" for row in wrong.index[wrong]]
    return found


def test_the_old_processor_lacks_something() -> None:
    program = "from numpy._core._multiarray_umath import __cpu_features__ as f; print(sorted(k for k in f if f[k]))"
    has = [
        subprocess.run(
            [sys.executable, "-c", program], env=os.environ | more, capture_output=True, text=True, check=True
        ).stdout
        for more in ({}, lacking())
    ]
    assert len(re.findall(r"'", has[0])) >= len(re.findall(r"'", has[1]))
    assert not lacking()["NPY_DISABLE_CPU_FEATURES"] or has[0] != has[1]
