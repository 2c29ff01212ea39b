"""Other columns of a file: numbers, groups, lengths of texts, and what tells nothing."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from resources.inputs.ratings.layout import RatingColumns
from resources.inputs.ratings.other_columns import OtherColumn, factor
from resources.inputs.ratings.table import read_ratings


def column(cells: Sequence[str | None]) -> OtherColumn:
    found = OtherColumn("c", [], [])
    for cell in cells:
        found.add(cell)
    return found


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", None, "-3"] * 10, "number"),
        (["en", "it", "en", None] * 10, "group"),
        ([f"{'word ' * n}end" for n in range(10, 50)], "length"),
        ([f"d{n}" for n in range(40)], None),
        ([str(n) for n in range(40)], None),
        (["same"] * 40, None),
        ([None] * 30 + ["a", "b"] * 5, None),
    ],
    ids=["numbers", "groups", "texts", "names", "row numbers", "constant", "mostly blank"],
)
def test_what_a_column_holds_says_what_it_is(cells: list[str | None], kind: str | None) -> None:
    found = factor(column(cells))
    assert (found and found.kind) == kind


def test_a_text_counts_by_its_length_and_is_not_kept_whole() -> None:
    texts = ["x" * n for n in (50, 100, 4000)]
    found = factor(column(texts))
    assert found is not None
    assert found.name == "length of 'c'"
    assert found.values.tolist() == [50, 100, 4000]
    assert max(len(text or "") for text in column(texts).texts) == 80


def test_a_group_in_two_spellings_is_one() -> None:
    found = factor(column(["Coherence", "COHERENCE", "fluent text", "Fluent  Text"] * 10))
    assert found is not None
    assert {*found.values} == {"Coherence", "fluent text"}
    # What `--where` chose is one value.
    assert factor(column(["Coherence", "COHERENCE "] * 10)) is None


def test_other_columns_are_written_as_the_ratings_are(tmp_path: Path) -> None:
    others = [("980", "0,25"), ("1.200", "0,5"), ("12.000", "1,75"), ("7", "2")]
    rows = [f"{i};{1 + i % 4},5;{2 + i % 3};{words};{share}" for i, (words, share) in enumerate(others)]
    path = tmp_path / "de.csv"
    path.write_text("\n".join(["id;gpt;human1;words;share", *rows]), encoding="utf-8")
    found = read_ratings(path, RatingColumns(("gpt",), ("human1",), item="id"))
    texts = {one.name: one.texts for one in found.others}
    assert texts == {"words": ["980", "1200", "12000", "7"], "share": ["0.25", "0.5", "1.75", "2"]}
