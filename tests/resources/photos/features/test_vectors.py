"""A model's features read back as one matrix: each photo once, in 32 bits, whichever shard and name it stands under."""

from pathlib import Path

import numpy as np
import pytest
from upath import UPath

from resources.errors import UserError
from resources.photos.features.reading import read_features, read_vectors
from tests.resources.photos.features.made_photos import make, study_of, write_photos, write_vit


def test_the_matrix_has_the_arrays_of_the_table(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 6)  # two shards of at most four
    (tmp_path / "copy.png").write_bytes(Path(paths["p1"]).read_bytes())
    (tmp_path / "torn.png").write_bytes(b"no picture")
    paths |= {"copy": str(tmp_path / "copy.png"), "torn": str(tmp_path / "torn.png")}
    study = study_of(tmp_path, vit_model=write_vit(tmp_path / "vit"))
    make(tmp_path, paths, study, ("vit",))
    folder, names = UPath(tmp_path / "features"), ["torn", "p5", "copy", "p1", "p0"]
    vectors = read_vectors(folder, names, "vit")
    assert vectors.dtype == np.float32
    assert np.isnan(vectors[0]).all()
    stored = read_features(folder, names, ("vit",))["vit"]
    for place, name in enumerate(names[1:], start=1):
        np.testing.assert_array_equal(vectors[place], stored[name])
    np.testing.assert_array_equal(vectors[2], vectors[3])


def test_a_model_that_was_not_run_has_vectors_of_no_length(tmp_path: Path) -> None:
    paths = write_photos(tmp_path, 2)
    make(tmp_path, paths, study_of(tmp_path))
    assert read_vectors(UPath(tmp_path / "features"), list(paths), "clip").shape == (2, 0)


def test_a_photo_that_was_never_looked_at_is_named(tmp_path: Path) -> None:
    make(tmp_path, write_photos(tmp_path, 2), study_of(tmp_path))
    with pytest.raises(UserError, match="has nothing about 1 of 1 photos"):
        read_vectors(UPath(tmp_path / "features"), ["stranger"], "vit")
