"""Rows that repeat another count once, and rows of one object that differ are refused with what differs."""

from dataclasses import replace
from pathlib import Path

import pytest

from resources.errors import UserError
from resources.inputs.ratings.layout import RatingColumns
from resources.inputs.ratings.table import read_ratings
from tests.resources.inputs.ratings.test_table import WIDE, csv, same, values


def test_a_row_that_repeats_another_in_every_column_counts_once(tmp_path: Path) -> None:
    wide = csv(tmp_path, "id,note,gpt,ann,bob\na,x,1,2,3\nb,y,2,3,4\na,x,1,2,3\nc,,5,4,5\n")
    found = read_ratings(wide, replace(WIDE, item="id"))
    same(values(found), {"gpt": [1, 2, 5], "ann": [2, 3, 4], "bob": [3, 4, 5]})
    assert found.notes == ("Counted once, as they repeat a row in every column: row 4 (as row 2).",)
    assert [len(one.texts) for one in found.others] == [3]
    long = csv(tmp_path, "id,who,s\na,gpt,1\na,ann,2\na,ann,2\n", "long.csv")
    columns = RatingColumns(("gpt",), (), item="id", rater="who", score="s")
    assert "row 4 (as row 3)" in read_ratings(long, columns).notes[0]
    # A column that is not read may be what makes it another row.
    other = csv(tmp_path, "id,criterion,gpt,ann,bob\na,x,1,2,3\nb,x,2,3,4\na,y,1,2,3\nc,x,5,4,5\n", "other.csv")
    with pytest.raises(UserError, match=r"row 4: 'a' in column 'id' is in row 2 already, with other values in 'crit"):
        read_ratings(other, replace(WIDE, item="id", by=("bob",)))


def test_one_row_that_comes_twice_is_no_source(tmp_path: Path) -> None:
    path = csv(tmp_path, "id,gpt,ann,bob\na,1,2,3\nb,2,3,4\nc,2,3,4\na,1,2,4\n")
    with pytest.raises(UserError, match=r"with other values in 'bob'\..* Keep the row that is right"):
        read_ratings(path, replace(WIDE, item="id"))
