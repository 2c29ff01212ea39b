"""Columns that are likely to be what objects share: when `--cluster` is proposed, and what is said without it."""

from pathlib import Path

import pytest

from resources.inputs.any_file import record_file
from resources.inputs.ratings.layout import RatingColumns
from resources.inputs.ratings.likely import likely_columns
from resources.inputs.ratings.likely_command import likely_command
from resources.inputs.ratings.table import read_ratings

COLUMNS = RatingColumns(judges=("judge",), people=("human1",), item="id")


def rated(folder: Path, name: str, values: list[str]) -> Path:
    path = folder / "r.csv"
    rows = [f"o{n},{value},{1 + n % 5},{1 + n % 4}" for n, value in enumerate(values)]
    path.write_text("\n".join([f"id,{name},judge,human1", *rows, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "different", "is_cluster"),
    # An interval needs 5 clusters. Twelve documents are sources, twelve days are not known to be.
    [("topic", 4, False), ("topic", 5, True), ("doc_id", 12, True), ("document", 4, False), ("day", 12, False)],
)
def test_a_column_is_a_cluster_for_the_first_look_and_for_the_verdict_alike(
    tmp_path: Path, name: str, different: int, is_cluster: bool
) -> None:
    path = rated(tmp_path, name, [f"v{n % different}" for n in range(60)])
    assert (f"--cluster {name}" in likely_command(likely_columns(record_file(path)), ["r.csv"])) is is_cluster
    said = read_ratings(path, COLUMNS).dependence
    assert bool(said) is is_cluster
    if is_cluster:
        assert said.startswith(
            f"objects are taken as independent, and 60 of them share a '{name}' with others ({different} "
        )
        assert f"add `--cluster {name}`" in said
    clustered = RatingColumns(judges=("judge",), people=("human1",), item="id", cluster=name)
    assert read_ratings(path, clustered).dependence == ""


def test_texts_of_which_a_tenth_are_copies_are_said_to_be_so(tmp_path: Path) -> None:
    def texts(n_copies: int) -> list[str]:
        return [
            f"A text that is long enough to be a text of an object {'again' if n < n_copies else n}" for n in range(60)
        ]

    assert "6 of them share a 'body' with others" in read_ratings(rated(tmp_path, "body", texts(6)), COLUMNS).dependence
    assert read_ratings(rated(tmp_path, "body", texts(5)), COLUMNS).dependence == ""


def test_a_source_with_enough_values_comes_before_one_with_few(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    rows = [f"o{n},t{n % 3},p{n // 4},{1 + n % 5},{1 + n % 4}" for n in range(60)]
    path.write_text("\n".join(["id,topic,product,judge,human1", *rows, ""]), encoding="utf-8")
    assert likely_columns(record_file(path)).options("source") == ["product"]


def test_in_a_file_of_a_row_a_rating_objects_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    rows = [f"o{n},q{n},{who},{1 + n % 5}" for n in range(40) for who in ("gpt", "ann", "bob")]
    path.write_text("\n".join(["item,query,rater,score", *rows, ""]), encoding="utf-8")
    columns = RatingColumns(("gpt",), (), item="item", rater="rater", score="score")
    assert read_ratings(path, columns).dependence == ""
    path.write_text(path.read_text().replace("q1,", "q0,"), encoding="utf-8")
    assert "2 of them share a 'query' with others" in read_ratings(path, columns).dependence
