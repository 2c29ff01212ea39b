"""Study B through Dagster with a method of the user's own: from photos and votes to significance."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest

from tests.assets.shared.made_tables import keeps_to_its_declaration

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
WARMTH = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "new-method.md").read_text(), flags=re.DOTALL)[0]
METHODS = ("sharpness_only", "crisp", "vit_base", "warmth")
N_SERIES = 20
CONFIGURATION = """
study: small
pairwise:
  pairs_csv: pairs.csv
  image_root: photos
  clip_attributes: []
  rule_based_methods: [sharpness_only]
  composites: {crisp: {sharpness: 1, exposure: 1}}
  dl_methods: [vit_base]
  own_methods: {warmth: warmth.py}
  vit_model: {weights: no-such-folder}
  clip_model: {weights: no-such-file.safetensors}
  bootstrap_resamples: 200
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Twenty series of a sharp blue and a blurred red photo; people choose the sharp one in seventeen of them."""
    folder = tmp_path_factory.mktemp("pairwise")
    (folder / "photos").mkdir()
    (folder / "touchstone.yaml").write_text(CONFIGURATION)
    (folder / "warmth.py").write_text(WARMTH)
    random = np.random.default_rng(1)
    lines = ["series_id,compareID1,compareID2,compareFile1,compareFile2,LEFT,RIGHT,Agreement,MaxVote,num_reviewers"]
    for series in range(1, N_SERIES + 1):
        photo = random.integers(60, 200, (48, 64, 3)).astype(np.uint8)
        blurred = cv2.GaussianBlur(photo, (0, 0), 3)
        photo[..., 2] //= 2
        blurred[..., 0] //= 2
        for place, pixels in enumerate((photo, blurred), start=1):
            assert cv2.imwrite(str(folder / "photos" / f"{series:06d}-{place:02d}.JPG"), pixels)
        left, right, best = (4, 1, 0) if series > 3 else (1, 4, 1)
        lines.append(f"{series:06d},0,1,{series}-1.JPG,{series}-2.JPG,{left},{right},0.8,{best},5")
    (folder / "pairs.csv").write_text("\n".join(lines) + "\n")
    places = {"TOUCHSTONE_CONFIG": str(folder / "touchstone.yaml"), "TOUCHSTONE_HOME": str(folder / "home")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.assets.pairwise.pairwise_run"],
        cwd=ROOT,
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert not said["failures"], said["failures"]
    return folder / "home" / "tables" / "pairwise", said


def stored(folder: Path, table: str, method: str = "") -> pd.DataFrame:
    path = folder / table / f"{method}.parquet" if method else folder / f"{table}.parquet"
    return keeps_to_its_declaration(table, pd.read_parquet(path))


def test_each_method_of_the_configuration_is_a_partition(made: tuple[Path, dict[str, Any]]) -> None:
    assert {path.stem for path in (made[0] / "pairwise_results").iterdir()} == set(METHODS)
    assert list(stored(made[0], "method_metrics")["method"]) == list(METHODS)


def test_a_rule_and_a_mixture_of_the_configuration_pick_the_sharp_photos(made: tuple[Path, dict[str, Any]]) -> None:
    for method in ("sharpness_only", "crisp"):
        rows = stored(made[0], "pairwise_results", method)
        assert rows["predicted_winner"].tolist() == [1] * N_SERIES
        assert rows["credit"].sum() == 17
        assert (rows["time_ms"] > 0).all()


def test_the_users_own_file_picks_the_warm_photos_and_is_named(made: tuple[Path, dict[str, Any]]) -> None:
    rows = stored(made[0], "pairwise_results", "warmth")
    assert rows["predicted_winner"].tolist() == [2] * N_SERIES
    assert made[1]["notes"]["warmth"]["file"].endswith("warmth.py")


def test_a_method_without_weights_has_no_rows_and_says_why(made: tuple[Path, dict[str, Any]]) -> None:
    assert stored(made[0], "pairwise_results", "vit_base").empty
    row = stored(made[0], "method_metrics").set_index("method").loc["vit_base"]
    assert "no-such-folder" in row["unavailable"]
    assert made[1]["notes"]["vit_base"]["unavailable"] == row["unavailable"]
    assert pd.isna(row["accuracy"])


def test_metrics_and_significance_tell_the_methods_apart(made: tuple[Path, dict[str, Any]]) -> None:
    metrics = stored(made[0], "method_metrics").set_index("method")
    assert metrics["accuracy"].dropna().tolist() == [0.85, 0.85, 0.15]
    assert (metrics["shared_time_ms"].dropna() > 0).sum() == 3
    couples = stored(made[0], "method_significance").set_index(["method_1", "method_2"])
    assert couples["separated"].to_dict() == {
        ("crisp", "sharpness_only"): False,
        ("crisp", "warmth"): True,
        ("sharpness_only", "warmth"): True,
    }


def test_strengths_rest_on_the_votes_and_advice_names_what_to_look_at(made: tuple[Path, dict[str, Any]]) -> None:
    strengths = stored(made[0], "bradley_terry").set_index("image")["strength"]
    # 4 votes to 1: half of log 4 for the better one.
    assert strengths["000009-01"] == pytest.approx(np.log(4) / 2, abs=1e-6)
    assert set(made[1]["checks"]) == {"accuracies_are_plausible", "all_methods_are_available"}


def test_one_method_can_be_run_by_itself(made: tuple[Path, dict[str, Any]]) -> None:
    assert made[1]["one_succeeds"]
