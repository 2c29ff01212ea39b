"""Cells that are probably no rating: zeros and texts, each refused as a question that one option answers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from resources.errors import UserError
from resources.inputs.ratings.layout import RatingColumns
from resources.inputs.ratings.table import read_ratings

WIDE = RatingColumns(judges=("gpt",), people=("ann", "bob"))


def csv(folder: Path, text: str) -> Path:
    path = folder / "r.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_zeros_where_the_others_rate_as_high_as_elsewhere_are_a_question_that_scale_settles(tmp_path: Path) -> None:
    rows = [f"o{n},{n % 5 + 1},{n % 5 + 1},{n % 5 + 1}" for n in range(40)]
    path = csv(tmp_path, "\n".join(["id,gpt,ann,bob", *rows, "x,3,0,3", "y,3,0,3", "z,4,0,3", ""]))
    said = r"row 42: 'ann' has a 0 \(3 in all\) next to ratings of 1 to 5.*`--blank 0` .*`--scale ordinal` if it is one"
    with pytest.raises(UserError, match=said):
        read_ratings(path, WIDE)
    assert read_ratings(path, replace(WIDE, scale="ordinal")).people["ann"][-1] == 0.0
    assert np.isnan(read_ratings(path, replace(WIDE, blank=("0",))).people["ann"][-1])


def test_a_zero_that_no_one_else_rated_is_a_rating_with_a_note_and_one_that_others_rate_low_needs_none(
    tmp_path: Path,
) -> None:
    rows = [f"o{n},{n % 5 + 1},{n % 5 + 1},{n % 5 + 1}" for n in range(40)]
    alone = csv(tmp_path, "\n".join(["id,gpt,ann,bob", *rows, "x,0,,", "y,0,,", ""]))
    note = "0 is read as a rating in gpt (2 times). If it stands for no rating, add `--blank 0`."
    assert note in read_ratings(alone, WIDE).notes
    low = csv(tmp_path, "\n".join(["id,gpt,ann,bob", *rows, *[f"x{n},0,1,1" for n in range(9)], ""]))
    assert read_ratings(low, WIDE).notes == ()


def test_a_zero_of_qrels_is_a_grade(tmp_path: Path) -> None:
    for name, add in (("person", 0), ("llm", 1)):
        # The judge gives 0 where the person gives 3.
        lines = [f"{i // 9} 0 d{i} {(i % 3 + 1 + add) % 4}\n" for i in range(90)]
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    found = read_ratings([str(tmp_path / f"{name}.qrels") for name in ("person", "llm")], RatingColumns(("llm",), ()))
    assert (found.judges["llm"] == 0.0).sum() == 30
    assert found.notes == ()


@pytest.mark.parametrize(
    "text",
    ["ERROR: rate limit", "RateLimitError(429)", "Traceback (most recent call last)", "request timed out", "skip",
     "Skipped", "timeout", "refused", "None provided", "I'm sorry", "json error", "could not parse answer"],
)  # fmt: skip
def test_what_a_failed_call_leaves_is_no_label_until_the_user_says_so(tmp_path: Path, text: str) -> None:
    path = csv(
        tmp_path, f"id,gpt,ann,bob\na,pass,pass,fail\nb,fail,fail,fail\nc,{text},pass,pass\nd,{text},pass,pass\n"
    )
    with pytest.raises(UserError) as refused:
        read_ratings(path, WIDE)
    said = (
        f"row 4: '{text}' of 'gpt' is probably no rating (2 in all). Nothing was loaded. Correct it, or add `--blank "
    )
    assert said in str(refused.value)
    assert "`--scale nominal` if it is a label" in str(refused.value)
    assert read_ratings(path, replace(WIDE, scale="nominal")).labels == tuple(
        sorted(["fail", "pass", text], key=str.casefold)
    )
    assert text in read_ratings(path, replace(WIDE, labels=("fail", "pass", text))).labels
    assert read_ratings(path, replace(WIDE, blank=(text,))).labels == ("fail", "pass")


@pytest.mark.parametrize(
    "text", ["refused", "none", "error", "unsure", "type error", "no error", "minor error", "failed"]
)
def test_a_label_of_both_sides_that_could_be_a_failure_is_a_label(tmp_path: Path, text: str) -> None:
    path = csv(tmp_path, f"id,gpt,ann,bob\na,pass,pass,{text}\nb,{text},fail,fail\nc,{text},pass,pass\n")
    assert text in read_ratings(path, WIDE).labels


def test_a_text_too_long_for_an_option_is_to_be_emptied(tmp_path: Path) -> None:
    path = csv(tmp_path, f"id,gpt,ann,bob\na,pass,pass,fail\nb,Traceback{' in line' * 10},fail,fail\n")
    with pytest.raises(UserError, match=r"Correct it, or empty the cell if it stands for no rating, `--scale nominal`"):
        read_ratings(path, WIDE)


@pytest.mark.parametrize("date", ["12-May", "May-12", "12-mag", "2026-05-12"])
def test_a_rating_that_a_spreadsheet_took_for_a_date_is_named(tmp_path: Path, date: str) -> None:
    rows = "\n".join(["2,3,4"] * 9)
    with pytest.raises(UserError, match=f"'{date}' of 'gpt' is no number.* A spreadsheet made a date"):
        read_ratings(csv(tmp_path, f"gpt,ann,bob\n{rows}\n{date},3,4\n"), WIDE)
