"""A run over photos: every stage once, only what is new or changed, finished shards kept, unreadable photos named."""

import os
from pathlib import Path

import numpy as np
import pytest
from upath import UPath

from analysis.images.photo_rules import ALL_BLACK, photo_measures
from resources.configuration.pairwise import VitModel
from resources.errors import UserError
from resources.photos.features import making, reading
from resources.photos.features.prepared import Photo, Prepared
from resources.photos.features.reading import NOT_COMPUTED, read_features
from resources.photos.features.shards import Shard, stored_shards
from resources.photos.features.stages import Stages
from resources.photos.images import load_image
from tests.resources.photos.features.made_photos import Counted, make, study_of, write_photo, write_photos, write_vit


def features(folder: Path) -> UPath:
    return UPath(folder / "features")


def test_each_photo_has_the_measures_of_its_pixels_and_the_times_that_it_took(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 6)
    made = make(tmp_path, paths, study_of(tmp_path))
    assert (made.n_computed, made.n_photos) == (6, 6)
    assert made.images_per_s is not None
    found = read_features(features(tmp_path), list(paths))
    assert list(found.index) == list(paths)
    for name, path in paths.items():
        expected = photo_measures(load_image(path)[..., :3])
        assert tuple(found.loc[name, ["sharpness", "contrast", "exposure", "colorfulness"]]) == expected[:4]
    assert (found["decode_ms"] > 0).all()
    assert (found["rules_ms"] > 0).all()
    assert set(found["undefined_rules"]) == {None}
    assert set(found["undefined_clip"]) == {NOT_COMPUTED}
    assert (found["width_px"] == 64).all()


def test_six_photos_at_four_a_shard_are_two_shards_one_row_each(tmp_path: Path) -> None:
    made = make(tmp_path, write_photos(tmp_path, 6), study_of(tmp_path))
    assert [(row["shard"], row["n_images"], row["n_computed"]) for row in made.rows] == [
        ("shard_000000.parquet", 4, 4),
        ("shard_000001.parquet", 2, 2),
    ]
    assert [row["stages"] for row in made.rows] == [["rules"]] * 2


def test_without_a_photo_one_row_of_no_shard_says_what_is_unavailable(tmp_path: Path) -> None:
    away = VitModel(repository="tiny/vit", weights=tmp_path / "away")
    made = make(tmp_path, {}, study_of(tmp_path, vit_model=away), ("rules", "vit"))
    [row] = made.rows
    assert (row.get("shard"), row["n_images"], row["stages"]) == (None, 0, [])
    [lacking] = row["unavailable"]
    assert lacking.startswith("vit: vit_model.weights: there is no folder")
    assert stored_shards(features(tmp_path)) == []


def test_a_second_run_decodes_nothing_and_reports_the_same_times(tmp_path: Path) -> None:
    paths, study = write_photos(tmp_path, 6), study_of(tmp_path)
    make(tmp_path, paths, study)
    before = read_features(features(tmp_path), list(paths))
    files = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "features").iterdir()}
    progress = Counted()
    made = make(tmp_path, paths, study, progress=progress)
    assert made.n_computed == 0
    assert made.images_per_s is None
    assert progress.totals == {"photo files looked at": 6}
    assert {
        file.name: file.stat().st_mtime_ns for file in (tmp_path / "features").glob("shard*")
    }.items() <= files.items()
    assert read_features(features(tmp_path), list(paths)).equals(before)


def test_a_new_photo_fills_the_last_shard_up_and_a_changed_one_is_computed_anew(tmp_path: Path) -> None:
    paths, study = write_photos(tmp_path, 6), study_of(tmp_path)
    make(tmp_path, paths, study)
    before = read_features(features(tmp_path), list(paths))
    write_photo(Path(paths["p0"]), seed=77)
    paths["new"] = str(write_photo(tmp_path / "new.png", seed=78))
    made = make(tmp_path, paths, study)
    assert made.n_computed == 2
    # 4 + 2 were there; both new ones fit into the second shard.
    assert [row["n_images"] for row in made.rows] == [4, 4]
    after = read_features(features(tmp_path), list(paths))
    assert after.loc["p1":"p5", "sharpness"].equals(before.loc["p1":"p5", "sharpness"])
    assert after.loc["p0", "sharpness"] != before.loc["p0", "sharpness"]
    assert after.loc["new", "sharpness"] > 0


def test_the_same_content_under_two_names_is_computed_once(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 2)
    (tmp_path / "copy.png").write_bytes(Path(paths["p0"]).read_bytes())
    paths["copy"] = str(tmp_path / "copy.png")
    made = make(tmp_path, paths, study_of(tmp_path))
    assert (made.n_names, made.n_photos, made.n_computed) == (3, 2, 2)
    found = read_features(features(tmp_path), ["copy", "p1", "p0"])
    assert found.loc["copy", "sharpness"] == found.loc["p0", "sharpness"] != found.loc["p1", "sharpness"]


def test_photos_of_one_unreadable_content_are_all_counted_each_with_its_own_path(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 1) | {name: str(tmp_path / name) for name in ("a.jpg", "b.jpg", "c.jpg")}
    for name in ("a.jpg", "b.jpg", "c.jpg"):
        (tmp_path / name).write_bytes(b"")
    [row] = make(tmp_path, paths, study_of(tmp_path)).rows
    assert (row["n_images"], row["n_names"], row["n_unreadable"]) == (2, 4, 3)
    said = read_features(features(tmp_path), list(paths))["unreadable"]
    assert said[1:].tolist() == [
        f"{paths[name]}: the file is empty (0 bytes). Export or copy the image again."
        for name in ("a.jpg", "b.jpg", "c.jpg")
    ]


def test_another_size_of_the_rules_computes_them_anew_in_the_same_shards(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 6)
    full = make(tmp_path, paths, study_of(tmp_path, rules_long_side=None))
    big = {"big": str(write_photo(tmp_path / "big.png", 9, height=150, width=200))}
    fast = make(tmp_path, paths | big, study_of(tmp_path, rules_long_side=64))
    assert fast.n_computed == 7
    assert [row["shard"] for row in fast.rows] == [*(row["shard"] for row in full.rows), "shard_000002.parquet"]
    assert fast.rows[0]["recipe"] != full.rows[0]["recipe"]
    assert len({row["recipe"] for row in fast.rows}) == 1
    found = read_features(features(tmp_path), ["big"])
    # The pixels' size is the file's, whatever size the rules measure at.
    assert found.loc["big", "width_px"] == 200


def test_a_stage_that_comes_later_completes_the_shards_and_leaves_the_others_numbers(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 6)
    make(tmp_path, paths, study_of(tmp_path))
    before = read_features(features(tmp_path), list(paths))
    with_vit = study_of(tmp_path, vit_model=write_vit(tmp_path / "vit"))
    made = make(tmp_path, paths, with_vit, ("rules", "vit"))
    assert made.n_computed == 6
    assert [row["stages"] for row in made.rows] == [["rules", "vit"]] * 2
    after = read_features(features(tmp_path), list(paths))
    assert after["sharpness"].equals(before["sharpness"])
    assert after["rules_ms"].equals(before["rules_ms"])
    assert np.stack(after["vit"]).shape == (6, 12)
    assert make(tmp_path, paths, with_vit, ("rules", "vit")).n_computed == 0


def test_a_study_of_some_of_the_photos_leaves_the_others_what_was_computed(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 6)
    make(tmp_path, paths, study_of(tmp_path))
    before = read_features(features(tmp_path), list(paths))
    with_vit = study_of(tmp_path, vit_model=write_vit(tmp_path / "vit"))
    some = {name: paths[name] for name in ("p1", "p4")}
    assert make(tmp_path, some, with_vit, ("rules", "vit")).n_computed == 2
    after = read_features(features(tmp_path), list(paths))
    assert after[["sharpness", "rules_ms", "grey_ms"]].equals(before[["sharpness", "rules_ms", "grey_ms"]])
    assert [vector is not None for vector in after["vit"]] == [name in some for name in paths]
    # The whole study decodes the others once more, for the stage that they lack.
    assert make(tmp_path, paths, with_vit, ("rules", "vit")).n_computed == 4
    assert read_features(features(tmp_path), list(paths))["sharpness"].equals(before["sharpness"])


def test_a_shard_that_another_run_completes_while_it_is_read_gives_each_photo_its_own_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = write_photos(tmp_path, 4)
    make(tmp_path, paths, study_of(tmp_path))
    before = read_features(features(tmp_path), list(paths))
    listed = reading.stored_shards

    def then_completed(folder: UPath) -> list[Shard]:
        found = listed(folder)
        monkeypatch.setattr(reading, "stored_shards", listed)
        some = {name: paths[name] for name in ("p2", "p3")}
        make(tmp_path, some, study_of(tmp_path, vit_model=write_vit(tmp_path / "vit")), ("rules", "vit"))
        return found

    monkeypatch.setattr(reading, "stored_shards", then_completed)
    seen = read_features(features(tmp_path), ["p3", "p2"])
    assert seen["sharpness"].tolist() == before.loc[["p3", "p2"], "sharpness"].tolist()
    monkeypatch.setattr(reading, "stored_shards", lambda folder: listed(folder)[:1])
    # Photos that were set aside meanwhile are missed, not mistaken for others.
    with pytest.raises(UserError, match="Features of 1 photos are gone"):
        read_features(features(tmp_path), ["p0"])


def test_photos_that_cannot_be_read_say_why_and_hold_up_no_other(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 3)
    whole = Path(paths["p0"]).read_bytes()
    bad = {"cut": whole[: len(whole) // 2], "empty": b"", "words": b"not a photo at all"}
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
        paths[name] = str(tmp_path / name)
    paths["gone"] = str(tmp_path / "gone.jpg")
    study = study_of(tmp_path, vit_model=write_vit(tmp_path / "vit"))
    made = make(tmp_path, paths, study, ("rules", "vit"))
    assert made.n_computed == 6
    assert sum(row["n_unreadable"] for row in made.rows) == 3
    found = read_features(features(tmp_path), list(paths))
    assert found["unreadable"].isna().tolist() == [True] * 3 + [False] * 4
    for name, words in {"cut": "truncated", "empty": "0 bytes", "words": "no image", "gone": "cannot be read"}.items():
        assert words in found.loc[name, "unreadable"]
        assert found.loc[name, "undefined_vit"] == found.loc[name, "undefined_rules"] == found.loc[name, "unreadable"]
        assert found.loc[name, "vit"] is None
        assert np.isnan(found.loc[name, "sharpness"])
    assert make(tmp_path, paths, study, ("rules", "vit")).n_computed == 0


def test_an_all_black_photo_has_no_contrast_and_says_so(tmp_path: Path) -> None:
    import cv2

    cv2.imwrite(str(tmp_path / "black.png"), np.zeros((20, 20, 3), np.uint8))
    make(tmp_path, {"black": str(tmp_path / "black.png")}, study_of(tmp_path))
    found = read_features(features(tmp_path), ["black"]).loc["black"]
    assert np.isnan(found["contrast"])
    assert found["undefined_rules"] == ALL_BLACK
    assert found["sharpness"] == 0.0


def test_a_run_that_dies_keeps_finished_shards_and_leaves_no_half_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, study = write_photos(tmp_path, 6), study_of(tmp_path)
    prepare = making.prepared

    def dies_at_the_sixth(photo: Photo, stages: Stages) -> Prepared:
        if photo.path == paths["p5"]:
            raise KeyboardInterrupt
        return prepare(photo, stages)

    with monkeypatch.context() as patch:
        patch.setattr(making, "prepared", dies_at_the_sixth)
        with pytest.raises(KeyboardInterrupt):
            make(tmp_path, paths, study)
    assert sorted(file.name for file in (tmp_path / "features").iterdir()) == ["photos.parquet", "shard_000000.parquet"]
    assert make(tmp_path, paths, study).n_computed == 2


def test_a_file_that_changes_under_the_run_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = write_photos(tmp_path, 2)
    plan_of = making.FeatureMaker.make_shard

    def change_first(maker: making.FeatureMaker, *arguments: object) -> object:
        write_photo(Path(paths["p1"]), seed=99)
        return plan_of(maker, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(making.FeatureMaker, "make_shard", change_first)
    with pytest.raises(UserError, match="p1.png was changed while its features were being computed. Run again."):
        make(tmp_path, paths, study_of(tmp_path))
    assert stored_shards(features(tmp_path)) == []


def test_a_damaged_shard_is_an_error_that_names_it(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 2)
    make(tmp_path, paths, study_of(tmp_path))
    shard = tmp_path / "features" / "shard_000000.parquet"
    shard.write_bytes(shard.read_bytes()[:100])
    with pytest.raises(UserError, match="shard_000000.parquet is empty, cut off or damaged .* Delete it"):
        make(tmp_path, paths, study_of(tmp_path))


def test_a_shard_that_is_gone_is_computed_again(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 6)
    make(tmp_path, paths, study_of(tmp_path))
    (tmp_path / "features" / "shard_000000.parquet").unlink()
    with pytest.raises(UserError, match="Features of 4 photos are gone"):
        read_features(features(tmp_path), list(paths))
    assert make(tmp_path, paths, study_of(tmp_path)).n_computed == 4
    assert len(read_features(features(tmp_path), list(paths))) == 6


def test_a_name_that_was_never_looked_at_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, write_photos(tmp_path, 1), study_of(tmp_path))
    with pytest.raises(UserError, match=r"nothing about 1 of 2 photos \(q\)"):
        read_features(features(tmp_path), ["p0", "q"])


def test_a_settled_file_is_not_read_again_until_its_time_or_size_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from resources.photos.features import index

    paths, study = write_photos(tmp_path, 2), study_of(tmp_path)
    for path in paths.values():
        os.utime(path, (1_000_000, 1_000_000))
    make(tmp_path, paths, study)
    hashed: list[str] = []
    whole_hash = index.sha256_of_file
    monkeypatch.setattr(index, "sha256_of_file", lambda path: hashed.append(str(path)) or whole_hash(path))
    make(tmp_path, paths, study)
    assert hashed == []
    os.utime(paths["p1"], (2_000_000, 2_000_000))
    make(tmp_path, paths, study)
    assert hashed == [paths["p1"]]
