"""Table `golden_images`: what is made, skipped and counted, and the gate that keeps out images of another render."""

from pathlib import Path
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd
import pytest
from upath import UPath

from assets.fidelity.golden_images import (
    current_renders_gate,
    golden_images,
    golden_images_are_of_the_judged_renders,
)
from resources.photos.golden_set import png_of
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.home import Home
from resources.runtime.progress import LoggedProgress
from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked
from tests.assets.shared.made_tables import objects_of, plan, ratings_of

FEW = {"hue_degrees": (20,), "saturation": (), "brightness": (), "blur_px": (), "texture_scale": (), "logo_share": ()}
N_ALTERATIONS = 8  # four of stripes, one of hue, three sentinels
ITEMS = {"a": "p-a", "b": "p-b", "c": "p-c", "d": "p-d"}


def render(path: Path, seed: int) -> str:
    picture = np.zeros((64, 64, 4), np.uint8)
    picture[..., 3] = 255
    picture[6:-6, 6:-6, :3] = np.random.default_rng(seed).integers(60, 220, (52, 52, 3))
    path.write_bytes(png_of(picture))
    return str(path)


def with_renders(folder: Path, **columns: Any) -> pd.DataFrame:
    """Four objects of four products, each with its render on the disk."""
    paths = {name: render(folder / f"{name}.png", seed) for seed, name in enumerate(ITEMS)}
    hashes = {name: sha256_of_file(path) for name, path in paths.items()}
    return objects_of(ITEMS, candidate_path=paths, candidate_sha256=hashes, **columns)


def run(
    folder: Path, objects: pd.DataFrame, items: tuple[str, ...] | None = None, **changed: Any
) -> dg.ExecuteInProcessResult:
    """The asset and its check on these objects, in a home below the folder."""
    golden = {**FEW, "n_items": 3, "items": items, **changed}
    study = Study("small", plan(golden=golden, max_missing_share=0.5), Home(UPath(folder / "home"), folder))

    @dg.asset
    def study_objects() -> pd.DataFrame:
        return objects

    @dg.asset
    def human_scores() -> pd.DataFrame:
        return ratings_of({name: [0.5] for name in objects["object"]}, objects)

    return dg.materialize(
        [study_objects, human_scores, golden_images, golden_images_are_of_the_judged_renders],
        resources={"study": study, "progress": LoggedProgress()},
        raise_on_error=False,
    )


def manifest(result: dg.ExecuteInProcessResult) -> pd.DataFrame:
    return checked(TABLES["golden_images"], result.output_for_node("golden_images"))


def metadata(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    [made] = result.asset_materializations_for_node("golden_images")
    return {name: value.value for name, value in made.metadata.items()}


def said(result: dg.ExecuteInProcessResult) -> tuple[bool, str]:
    [evaluation] = result.get_asset_check_evaluations()
    assert evaluation.blocking
    return evaluation.passed, str(evaluation.description)


def test_every_item_has_every_alteration_in_the_declared_table_and_the_gate_passes(tmp_path: Path) -> None:
    result = run(tmp_path, with_renders(tmp_path))
    frame = manifest(result)
    assert len(frame) == 3 * N_ALTERATIONS
    assert frame["skipped"].isna().all()
    for row in frame.to_dict("records"):
        assert sha256_of_file(row["altered_path"]) == row["altered_sha256"]
        assert sha256_of_file(row["original_path"]) == row["original_sha256"]
        assert Path(row["altered_path"]).parent == tmp_path / "home" / "golden_set" / row["item_id"]
    assert said(result) == (True, "All 24 golden images are on the disk and of the renders that are judged now.")


def test_own_pairs_stay_where_they_are_and_are_in_the_manifest_after_the_built_in_alterations(tmp_path: Path) -> None:
    objects = with_renders(tmp_path, excluded={"d": "no_photos"}, exclusion_detail={"d": "p-d: put photos there."})
    render(tmp_path / "scratched.png", 9)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(
        "object,altered,kind,magnitude,unit,expected,moves\n"
        "a,scratched.png,scratch,2,mm,,texture_identity\nd,scratched.png,polish,,,better,\n"
    )
    result = run(tmp_path, objects, ("p-b",), pairs=pairs)
    frame = manifest(result)
    assert len(frame) == N_ALTERATIONS + 2
    assert frame.loc[frame["item_id"] == "p-b", "moves"].isna().all()
    own, left_out = frame.iloc[-2], frame.iloc[-1]
    assert (own["alteration"], own["kind"], own["magnitude"], own["expected"]) == ("scratch_2", "scratch", 2, "worse")
    assert (own["altered_path"], own["moves"]) == (str(tmp_path / "scratched.png"), "texture_identity")
    assert (left_out["expected"], left_out["skipped"][:28]) == ("better", "p-d: the object is not judge")
    assert said(result)[0]
    render(tmp_path / "scratched.png", 10)
    gate = current_renders_gate(frame, objects)
    assert (gate.passed, gate.seen) == (False, 1)
    assert "p-a scratch_2: its file was changed." in gate.sentence


def test_a_manifest_without_own_pairs_has_the_columns_that_it_always_had(tmp_path: Path) -> None:
    assert "moves" not in manifest(run(tmp_path, with_renders(tmp_path), ("p-b",)))


def test_the_headline_counts_and_shows_one_item(tmp_path: Path) -> None:
    objects = with_renders(tmp_path)
    numbers = metadata(run(tmp_path, objects))
    assert (numbers["n_items"], numbers["n_alterations"], numbers["n_images"]) == (3, N_ALTERATIONS, 24)
    assert (numbers["n_skipped"], numbers["n_kept"], numbers["skipped"]) == (0, 0, "none")
    assert numbers["folder"] == str(tmp_path / "home" / "golden_set")
    assert "data:image/webp;base64," in numbers["plot"]
    assert metadata(run(tmp_path, objects))["n_kept"] == 24


def test_a_render_that_is_gone_or_broken_is_skipped_and_counted_with_its_reason(tmp_path: Path) -> None:
    objects = with_renders(tmp_path)
    (tmp_path / "a.png").unlink()
    (tmp_path / "b.png").write_bytes(b"no picture")
    result = run(tmp_path, objects, ("p-a", "p-b", "p-c"))
    frame = manifest(result)
    reasons = frame[frame["item_id"] == "p-a"]["skipped"]
    assert len(reasons) == N_ALTERATIONS
    assert reasons.str.contains("a.png: there is no such file").all()
    assert frame[frame["item_id"] == "p-b"]["skipped"].str.contains("image").all()
    assert (
        frame[frame["item_id"] == "p-b"]["skipped"].str.contains("b.png: this is no image").sum() >= N_ALTERATIONS - 1
    )
    # Of c all can be made unless its other item is one of the two.
    assert metadata(result)["n_skipped"] in (2 * N_ALTERATIONS, 2 * N_ALTERATIONS + 1)
    assert "there is no such file" in metadata(result)["skipped"]


def test_a_named_item_that_is_not_judged_is_skipped_with_the_studys_reason(tmp_path: Path) -> None:
    objects = with_renders(tmp_path, excluded={"a": "no_photos"}, exclusion_detail={"a": "p-a: put photos there."})
    frame = manifest(run(tmp_path, objects, ("p-a", "p-b")))
    assert frame[frame["item_id"] == "p-a"]["skipped"].str.contains("p-a: put photos there").all()
    assert frame[frame["item_id"] == "p-b"]["skipped"].isna().all()


def test_nothing_is_altered_while_a_render_is_of_another_object(tmp_path: Path) -> None:
    result = run(tmp_path, with_renders(tmp_path, judged_object={"b": "f00"}))
    assert not result.success
    assert not (tmp_path / "home" / "golden_set").exists()


def test_images_made_of_another_render_than_the_one_judged_now_fail_and_are_named(tmp_path: Path) -> None:
    objects = with_renders(tmp_path)
    frame = manifest(run(tmp_path, objects, ("p-a", "p-b")))
    new = {"a": sha256_of_file(render(tmp_path / "a.png", 77))}
    now = with_changed(objects, "candidate_sha256", new)
    gate = current_renders_gate(frame, now)
    assert not gate.passed
    assert gate.seen == N_ALTERATIONS
    assert "p-a stripes7_o30: made of another render than the one that is judged." in gate.sentence
    assert "p-b" not in gate.sentence
    assert "Make `study_objects` and then `golden_images` again." in gate.sentence
    # Made again they are of the new render.
    assert current_renders_gate(manifest(run(tmp_path, now, ("p-a", "p-b"))), now).passed


def with_changed(objects: pd.DataFrame, column: str, values: dict[str, Any]) -> pd.DataFrame:
    changed = [values.get(name, old) for name, old in zip(objects["object"], objects[column], strict=True)]
    return objects.assign(**{column: changed})


def test_a_render_replaced_on_the_disk_since_study_objects_was_made_fails_in_the_same_run(tmp_path: Path) -> None:
    objects = with_renders(tmp_path)
    render(tmp_path / "a.png", 77)
    passed, sentence = said(run(tmp_path, objects, ("p-a", "p-b")))
    assert not passed
    assert "p-a stripes7_o30: made of another render than the one that is judged." in sentence


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.unlink(), "its file is gone"),
        (lambda path: path.write_bytes(b"other"), "its file was changed"),
    ],
)
def test_a_golden_image_that_is_gone_or_changed_fails(tmp_path: Path, spoil: Any, words: str) -> None:
    objects = with_renders(tmp_path)
    frame = manifest(run(tmp_path, objects))
    spoil(Path(frame["altered_path"].iloc[2]))
    gate = current_renders_gate(frame, objects)
    assert gate.seen == 1
    assert f"{frame['item_id'].iloc[2]} {frame['alteration'].iloc[2]}: {words}." in gate.sentence


def test_photos_that_changed_an_object_no_longer_judged_and_a_lost_render_fail(tmp_path: Path) -> None:
    objects = with_renders(tmp_path)
    frame = manifest(run(tmp_path, objects, ("p-a",)))
    photos = with_changed(objects, "reference_sha256", {"a": ["another photo"]})
    assert "the item's photos changed" in current_renders_gate(frame, photos).sentence
    left_out = with_changed(objects, "excluded", {"a": "no_photos"})
    assert "the object is judged no more" in current_renders_gate(frame, left_out).sentence
    (tmp_path / "a.png").unlink()
    assert "the render on the disk changed or is gone" in current_renders_gate(frame, objects).sentence


def test_a_golden_set_without_any_image_fails_and_says_why(tmp_path: Path) -> None:
    objects = with_renders(tmp_path)
    (tmp_path / "a.png").unlink()
    passed, sentence = said(run(tmp_path, objects, ("p-a",)))
    assert not passed
    assert "there is no such file" in sentence
    assert "names no item" in said(run(tmp_path, objects, ()))[1]
