"""Rows that sum up a spreadsheet are no objects; rows that are named so and do not sum up are said to count."""

from pathlib import Path

import pytest

from reports.shared.phrases import phrase
from resources.errors import UserError
from resources.inputs.ratings.layout import RatingColumns
from resources.inputs.ratings.summary_rows import kind_of
from resources.inputs.ratings.table import Ratings, read_ratings

# Means 3 and 2, sums 12 and 8; sample deviations sqrt(10/3) = 1.83 and sqrt(2/3) = 0.82, of all 1.58 and 0.71.
ROWS = ["a,1,1", "b,2,2", "c,4,2", "d,5,3"]


def of(tmp_path: Path, *last: str, item: str | None = None, header: str = "id,judge,ann") -> Ratings:
    path = tmp_path / "r.csv"
    path.write_text("\n".join([header, *ROWS, *last]) + "\n", encoding="utf-8")
    return read_ratings(path, RatingColumns(("judge",), ("ann",), item=item))


@pytest.mark.parametrize("item", ["id", None])
@pytest.mark.parametrize(
    "last",
    [["mean,3,2"], ["Average,3.00,2.00"], ["TOTAL,12,8"], ["totale:,12,8"], ["media,3,2", "std,1.83,0.82"],
     ["mean,3,2", "sd,1.58,0.71"], ["mean,3,"], ["", "Grand total,12,8"], ["count,4,4"], ["max,5,3"], ["overall,3,2"]],
)  # fmt: skip
def test_a_summary_of_the_rows_above_is_left_out_and_said(tmp_path: Path, last: list[str], item: str | None) -> None:
    found = of(tmp_path, *last, item=item)
    assert len(found.objects) == 4
    assert list(found.judges["judge"]) == [1, 2, 4, 5]
    [note] = [note for note in found.notes if "sum" in note]
    assert note.startswith("Left out, as its numbers sum up the rows above it: row ")


def test_a_remark_below_a_summary_leaves_it_one(tmp_path: Path) -> None:
    found = of(tmp_path, "mean,3,2", '"1 = bad, 5 = good",,', item="id")
    assert [code for code in found.judges["judge"] if code == code] == [1, 2, 4, 5]


def test_an_object_that_is_named_like_a_summary_counts_and_is_said_to(tmp_path: Path) -> None:
    found = of(tmp_path, "total,4,3")
    assert len(found.objects) == 5
    [note] = [note for note in found.notes if "sum" in note]
    assert note == "Row 6 is named 'total' and counts as an object: if it sums up the rows above, remove it."
    # Whose numbers are a mean by chance, whose name is another.
    assert len(of(tmp_path, "e,3,2").objects) == 5
    assert not [note for note in of(tmp_path, "e,3,2").notes if "sum" in note]


@pytest.mark.parametrize(
    "first", [["mean,3,2"], ["totale:,12,8"], ["media,3,2", "std,1.83,0.82"], ["", "Average,3.00,"]]
)
def test_a_first_row_that_sums_up_those_below_is_left_out_and_said(tmp_path: Path, first: list[str]) -> None:
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["id,judge,ann", *first, *ROWS, "mean,3,2"]) + "\n", encoding="utf-8")
    for item in ("id", None):
        found = read_ratings(path, RatingColumns(("judge",), ("ann",), item=item))
        assert (list(found.judges["judge"]), found.scale) == ([1, 2, 4, 5], "ordinal")
        notes = [note for note in found.notes if "sum" in note]
        n = 2 + len(first)
        assert notes[1] == f"Left out, as its numbers sum up the rows above it: row {n + len(ROWS)} ('mean')."
        assert notes[0].startswith("Left out, as its numbers sum up the rows below it: row ")
        assert all(phrase(note).plains["it"].startswith("Lasciata fuori, perché i suoi numeri") for note in notes)


def test_a_row_that_is_named_like_a_summary_and_would_change_the_scale_is_a_question(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"row 6: it is named 'SD', does not sum up the rows above it, and has fractions"
    ):
        of(tmp_path, "SD,1.4,0.9")
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["id,judge,ann", "Average,3.1,2", *ROWS]), encoding="utf-8")
    with pytest.raises(UserError, match=r"row 2: it is named 'Average', does not sum up the rows below it"):
        read_ratings(path, RatingColumns(("judge",), ("ann",)))
    # Where others have fractions it changes nothing.
    assert len(of(tmp_path, "e,1.5,2.5", "SD,1.4,0.9").objects) == 6


def test_a_row_without_a_name_that_has_means_which_no_object_has_is_left_out(tmp_path: Path) -> None:
    # With 5 and 4: means 3.4 and 2.4.
    found = of(tmp_path, "e,5,4", ",3.4,2.4", ",1.82,1.14")
    assert len(found.objects) == 5
    [note] = [note for note in found.notes if "sum" in note]
    assert note.endswith("row 7, row 8.")
    # 3 and 2 may be what an object without a name got.
    assert len(of(tmp_path, "e,5,4", ",4,2").objects) == 6


def test_the_name_of_a_summary_may_be_in_another_column_than_the_first(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    rows = [f"{n},title {row}" for n, row in enumerate(ROWS)]
    path.write_text("\n".join(["nr,title,judge,ann", *rows, ",Totale,12,8"]).replace("title a", "a"), encoding="utf-8")
    found = read_ratings(path, RatingColumns(("judge",), ("ann",)))
    assert len(found.objects) == 4


def test_below_labels_a_share_is_no_label(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text(
        "id,judge,ann\n" + "".join(f"d{i},{'pass' if i % 3 else 'fail'},pass\n" for i in range(9)) + "total,67%,100%\n"
    )
    found = read_ratings(path, RatingColumns(("judge",), ("ann",)))
    assert (found.labels, len(found.objects)) == (("fail", "pass"), 9)


@pytest.mark.parametrize("where", [(), (("criterion", "overall"),)])
def test_rows_of_a_criterion_that_is_called_like_a_summary_are_objects(
    tmp_path: Path, where: tuple[tuple[str, str], ...]
) -> None:
    # Both means are 3, which each of d0 to d29 has.
    rows = [f"d{i},{one},{3 + i // 30 * (i % 2 * 2 - 1)},3" for one in ("fluency", "overall") for i in range(40)]
    path = tmp_path / "c.csv"
    path.write_text("\n".join(["id,criterion,judge,ann", *rows[::-1]]), encoding="utf-8")
    found = read_ratings(path, RatingColumns(("judge",), ("ann",), where=where))
    assert (len(found.objects), found.judges["judge"].mean()) == (40 if where else 80, 3)
    assert not [note for note in found.notes if "sum" in note]


def test_a_summary_of_the_rows_that_are_chosen_is_one_however_many_blocks_there_are(tmp_path: Path) -> None:
    blocks = [f"{row.replace(',', f',{block},', 1)}" for block in "pqrst" for row in (*ROWS, "mean,3,2")]
    path = tmp_path / "b.csv"
    path.write_text("\n".join(["id,block,judge,ann", *blocks]), encoding="utf-8")
    found = read_ratings(path, RatingColumns(("judge",), ("ann",), where=(("block", "q"),)))
    assert list(found.judges["judge"]) == [1, 2, 4, 5]


@pytest.mark.parametrize("name", ["mean girls", "Maximilian", "n12", "doc-total", "sum of all fears", None])
def test_other_names_are_no_summaries(name: str | None) -> None:
    assert kind_of(name) is None
