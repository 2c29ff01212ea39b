"""Ratings of people and judges from files of every kind, wide and long, and what is refused by name."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from resources.errors import UserError
from resources.inputs.any_file import Opening
from resources.inputs.column_names import SpelledNames
from resources.inputs.ratings.layout import RatingColumns
from resources.inputs.ratings.table import Ratings, read_ratings
from tools.samples.workbooks import excel

NAN = float("nan")
WIDE = RatingColumns(judges=("gpt",), people=("ann", "bob"))


def csv(folder: Path, text: str, name: str = "r.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def values(found: Ratings) -> dict[str, list[float]]:
    return {name: column.tolist() for name, column in {**found.judges, **found.people}.items()}


def same(found: dict[str, list[float]], expected: dict[str, Sequence[float]]) -> None:
    assert found.keys() == expected.keys()
    for name, column in expected.items():
        np.testing.assert_array_equal(found[name], column)


def test_a_wide_file_has_a_column_a_rater_and_blanks_stay_blank(tmp_path: Path) -> None:
    found = read_ratings(csv(tmp_path, "id,gpt,ann,bob\na,1,2,3\nb,4,,NA\nc,5,4,5\n"), WIDE)
    same(values(found), {"gpt": [1, 4, 5], "ann": [2, NAN, 4], "bob": [3, NAN, 5]})
    assert (found.scale, found.labels, found.n_rows, found.name) == ("ordinal", (), 3, "r.csv")
    # Without `--item` every row is an object and a source of its own.
    assert list(found.objects) == ["2", "3", "4"]


def test_every_kind_of_file_gives_the_same(tmp_path: Path) -> None:
    rows = [{"id": "a", "gpt": 1, "ann": 2, "bob": 3}, {"id": "b", "gpt": 4, "ann": 4, "bob": 5}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "r.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    pd.DataFrame(rows).to_parquet(tmp_path / "r.parquet")
    csv(tmp_path, "id;gpt;ann;bob\na;1;2;3\nb;4;4;5\n")
    csv(tmp_path, "id\tgpt\tann\tbob\na\t1\t2\t3\nb\t4\t4\t5\n", "r.tsv")
    excel(tmp_path / "r.xlsx", Ratings=[["id", "gpt", "ann", "bob"], ["a", 1, 2, 3], ["b", 4, 4, 5]])
    expected = {"gpt": [1, 4], "ann": [2, 4], "bob": [3, 5]}
    for ending in ("jsonl", "json", "parquet", "csv", "tsv", "xlsx"):
        same(values(read_ratings(tmp_path / f"r.{ending}", WIDE)), expected)


def test_a_long_file_has_a_row_a_rating(tmp_path: Path) -> None:
    text = "doc,who,stars\na,GPT,1\na,ann,2\nb,gpt ,4\nb,ann,5\nb,bob,5\n"
    columns = RatingColumns(judges=("gpt",), people=(), item="doc", rater="who", score="stars")
    found = read_ratings(csv(tmp_path, text), columns)
    same(values(found), {"GPT": [1, 4], "ann": [2, 5], "bob": [NAN, 5]})
    assert list(found.objects) == ["a", "b"]
    assert "differ in spelling only" in found.notes[0]


def test_decimal_commas_and_percentages_are_read_where_a_column_is_so(tmp_path: Path) -> None:
    found = read_ratings(csv(tmp_path, "gpt;ann;bob\n0,5;40 %;1\n0,75;60 %;0\n0,9;80 %;1\n"), WIDE)
    same(values(found), {"gpt": [0.5, 0.75, 0.9], "ann": [0.4, 0.6, 0.8], "bob": [1, 0, 1]})
    assert any("comma is the decimal sign" in note for note in found.notes)


def test_a_rating_with_its_scales_end_is_its_number(tmp_path: Path) -> None:
    path = csv(tmp_path, "id,gpt,ann,bob\na,4/5,4 out of 5,4\nb,3/5,3 / 5,2\nc,5/5,4.5/5,5\n")
    found = read_ratings(path, WIDE)
    same(values(found), {"gpt": [4, 3, 5], "ann": [4, 3, 4.5], "bob": [4, 2, 5]})
    assert "Ratings of gpt, ann such as 5/5 are numbers of a scale up to 5." in found.notes


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a,4/5,8/10,4/5\nb,3/5,6/10,3/5", "'gpt' rates out of 5, 'ann' rates out of 10, 'bob' rates out of 5"),
        ("a,4/5,4/5,4/5\nb,3/5,8/10,3/5\nc,3/5,2/5,3/5", "'ann' rates out of 5 and 10"),
        ("a,4/5,4,4/5\nb,3,2,3/5\nc,3/5,2,3/5", "'4/5' of 'gpt' is no number"),
        # No scale ends below its ratings: a date.
        ("a,12/5,4,4\nb,3/5,2,3\nc,3/5,2,3", "no rating of 'gpt' is a number (the first is '12/5')"),
    ],
)
def test_ratings_of_several_scales_are_refused(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        read_ratings(csv(tmp_path, f"id,gpt,ann,bob\n{rows}\n"), WIDE)


def test_words_are_labels_in_one_spelling_and_what_one_side_gives_is_said(tmp_path: Path) -> None:
    found = read_ratings(csv(tmp_path, "gpt,ann,bob\nPass,pass,fail\nfail,Fail,pass\nunsure,pass,pass\n"), WIDE)
    assert (found.scale, found.labels) == ("nominal", ("fail", "Pass", "unsure"))
    same(values(found), {"gpt": [1, 0, 2], "ann": [1, 0, 1], "bob": [0, 1, 1]})
    assert "Only judges give 'unsure' (once)." in found.notes


def test_labels_in_order_are_ordinal_and_another_one_is_refused(tmp_path: Path) -> None:
    path = csv(tmp_path, "gpt,ann,bob\ngood,poor,fair\npoor,good,great\n")
    ordered = RatingColumns(("gpt",), ("ann", "bob"), labels=("poor", "fair", "good", "great"))
    found = read_ratings(path, ordered)
    assert found.scale == "ordinal"
    same(values(found), {"gpt": [2, 0], "ann": [0, 2], "bob": [1, 3]})
    with pytest.raises(UserError, match=r"r.csv, row 3: 'great' of 'bob' is none of the labels poor, fair, good"):
        read_ratings(path, RatingColumns(("gpt",), ("ann", "bob"), labels=("poor", "fair", "good")))


def test_numbers_are_labels_where_two_occur_or_it_is_said(tmp_path: Path) -> None:
    two = read_ratings(csv(tmp_path, "gpt,ann,bob\n1,0,1\n0,1.0,0\n"), WIDE)
    assert (two.scale, two.labels) == ("nominal", ("0", "1"))
    said = RatingColumns(("gpt",), ("ann", "bob"), scale="nominal")
    three = read_ratings(csv(tmp_path, "gpt,ann,bob\n2.0,10,1\n1,1,2\n"), said)
    assert three.labels == ("1", "2", "10")
    same(values(three), {"gpt": [1, 0], "ann": [2, 0], "bob": [0, 1]})


@pytest.mark.parametrize(
    ("text", "columns", "parts"),
    [
        ("gpt,ann,bob\n1,2,3\n", RatingColumns(("gbt",), ("ann",)), ["no field 'gbt'", "did you mean 'gpt'"]),
        ("gpt,ann,bob\n1,2,3\n", RatingColumns(("gpt",), ("GPT",)), ["as a judge and as a person"]),
        ("gpt,ann,bob\n1,2,3\n2,bad,3\n", WIDE, ["row 3", "'bad' of 'ann' is no number", "--blank", "--scale nominal"]),
        ("gpt,ann,bob\n1,,3\n2,,3\n", WIDE, ["'ann' has no rating at all"]),
        ("gpt,ann,bob\n", WIDE, ["no row"]),
        (
            "id,gpt,ann\na,1,2\na,2,3\n",
            RatingColumns(("gpt",), ("ann",), item="id"),
            ["row 3", "'a' in column 'id' is in row 2 already", "--rater"],
        ),
        (
            "id,who,s\na,gpt,1\na,ann,2\na,ann,3\n",
            RatingColumns(("gpt",), (), item="id", rater="who", score="s"),
            ["row 4", "'ann' rated 'a' in row 3 already"],
        ),
        (
            "id,who,s\na,gpt,1\na,ann,2\n",
            RatingColumns(("gtp",), (), item="id", rater="who", score="s"),
            ["column 'who' holds no 'gtp'", "did you mean 'gpt'"],
        ),
        ("id,who,s\na,gpt,1\n", RatingColumns(("gpt",), (), rater="who", score="s"), ["--item"]),
        (
            "gpt,ann,bob\np,f,p\n",
            RatingColumns(("gpt",), ("ann", "bob"), scale="ordinal"),
            ["row 2", "'p' is no number", "no order of their own", "--labels"],
        ),
        ("gpt,ann,bob\ninf,2,3\n1,2,3\n", WIDE, ["'inf' of 'gpt'"]),
    ],
)
def test_what_cannot_be_read_is_said_by_name(
    tmp_path: Path, text: str, columns: RatingColumns, parts: list[str]
) -> None:
    with pytest.raises(UserError) as refused:
        read_ratings(csv(tmp_path, text), columns)
    assert [part for part in parts if part not in str(refused.value)] == []


@pytest.mark.parametrize(
    ("text", "columns", "parts"),
    [
        (
            "gpt,ann,bob\n" + "1,2,3\n2,3,4\n4,5,1\n3,4,5\n" * 3 + "1,99,2\n",
            WIDE,
            ["row 14", "'ann' has a 99 (1 in all)", "are 1 to 5", "--blank 99"],
        ),
        # Nearer to the others than they are to each other, and a code for all that.
        (
            "gpt,ann,bob\n" + "1,2,3\n2,3,4\n4,5,1\n3,4,5\n" * 3 + "1,2,-1\n",
            WIDE,
            ["row 14", "'bob' has a -1 (1 in all)", "are 1 to 5", "--blank -1"],
        ),
        (
            "gpt,ann,bob\n" + "0,20,40\n20,30,40\n10,0,10\n50,40,50\n" * 3 + "10,99,20\n",
            WIDE,
            ["row 14", "'ann' has a 99 (1 in all)", "are 0 to 50"],
        ),
        (
            "gpt,ann,bob\n" + "1,2,3\n2,3,4\n5,5,1\n3,4,5\n" * 3 + "-1,2,1\n",
            WIDE,
            ["row 14", "'gpt' has a -1 (1 in all), and its other ratings are 1 to 5", "--blank -1"],
        ),
        (
            "gpt,ann,bob\n" + "0.1,0.22,0.3\n0.2,0.33,0.4\n0.4,0.5,0.61\n" * 3 + "0.1,-1,0.1\n",
            WIDE,
            ["row 11", "'ann' has a -1 (1 in all)", "are 0.1 to 0.61", "--blank -1", "--scale interval"],
        ),
        ("gpt,ann,bob,c\n1,2,3,\n2,3,4,\n", replace(WIDE, cluster="c"), ["'c' is blank in every row"]),
        ("gpt,ann,bob\np,q,r\n", replace(WIDE, labels=("p", "", "q")), ["empty label"]),
    ],
)
def test_what_would_flatter_a_judge_is_a_question(
    tmp_path: Path, text: str, columns: RatingColumns, parts: list[str]
) -> None:
    with pytest.raises(UserError) as refused:
        read_ratings(csv(tmp_path, text), columns)
    assert [part for part in parts if part not in str(refused.value)] == []


@pytest.mark.parametrize(
    ("text", "columns", "parts"),
    [
        ("True,1,0\nFalse,0,1\n", WIDE, ["row 2", "no rating of 'gpt' is a number (the first is 'True')", "is '1')"]),
        ("2 of 5,2,3\n4 of 5,4,5\n", WIDE, ["no rating of 'gpt' is a number (the first is '2 of 5')", "--positive"]),
        ("2/5,2,3\n4/5,4,5\n", replace(WIDE, scale="nominal"), ["'gpt' and people share no label", "'2/5'", "'2'"]),
        ("Pass.,pass,fail\nFail.,fail,fail\n", WIDE, ["it gives 'Fail.', 'Pass.', people give 'fail', 'pass'"]),
        ("Pass.,pass,fail\nFail.,fail,fail\n", replace(WIDE, positive=("pass",)), ["share no label", "--positive"]),
    ],
)
def test_a_judge_that_writes_no_label_of_peoples_is_refused_with_both(
    tmp_path: Path, text: str, columns: RatingColumns, parts: list[str]
) -> None:
    with pytest.raises(UserError) as refused:
        read_ratings(csv(tmp_path, f"gpt,ann,bob\n{text}"), columns)
    assert [part for part in parts if part not in str(refused.value)] == []


def test_good_labels_of_both_bring_them_together(tmp_path: Path) -> None:
    path = csv(tmp_path, "gpt,ann,bob\nTrue,1,0\nFalse,0,1\n")
    same(
        values(read_ratings(path, replace(WIDE, positive=("true", "1")))), {"gpt": [1, 0], "ann": [1, 0], "bob": [0, 1]}
    )


def test_a_scale_with_numbers_below_nothing_is_none_of_that(tmp_path: Path) -> None:
    comparisons = csv(tmp_path, "gpt,ann,bob\n" + "0,1,2\n1,0,-1\n2,2,0\n1,0,1\n" * 4 + "-2,-2,-2\n")
    assert read_ratings(comparisons, WIDE).n_rows == 17
    # What people give is no code of a judge's.
    tens = csv(tmp_path, "gpt,ann,bob\n" + "1,2,10\n2,3,7\n3,4,5\n2,8,9\n" * 3 + "10,6,9\n")
    assert read_ratings(tens, WIDE).scale == "ordinal"


def test_words_for_no_rating_are_no_label_and_are_counted(tmp_path: Path) -> None:
    path = csv(tmp_path, "gpt,ann,bob\npass,None,fail\nfail,pass,-\npass,fail,null\nfail,fail,pass\n")
    found = read_ratings(path, WIDE)
    assert found.labels == ("fail", "pass")
    assert found.notes[0].startswith("Read as no rating: 'None' (once), '-' (once), 'null' (once)")
    assert "None" in read_ratings(path, replace(WIDE, labels=("fail", "pass", "None"))).labels


def test_a_blank_of_ones_own_is_no_rating(tmp_path: Path) -> None:
    path = csv(tmp_path, "gpt,ann,bob\n1,2,3\n2,skip,3\n4,Skip,5\n")
    found = read_ratings(path, RatingColumns(("gpt",), ("ann", "bob"), blank=("skip",)))
    same(values(found), {"gpt": [1, 2, 4], "ann": [2, NAN, NAN], "bob": [3, 3, 5]})


def test_a_number_that_stands_for_no_rating_is_blank_however_it_is_written(tmp_path: Path) -> None:
    path = csv(tmp_path, "gpt,ann,bob\n0.5,-1.00,0.2\n0.4,0.5,-1\n")
    found = values(read_ratings(path, replace(WIDE, blank=("-1",))))
    same(found, {"gpt": [0.5, 0.4], "ann": [NAN, 0.5], "bob": [0.2, NAN]})


@pytest.mark.parametrize(
    ("labels", "order"),
    [(["10 - best", "2: fair", "1 - poor"], "1 - poor|2: fair|10 - best"), (["1 - no", "2 - yes"], None)],
)
def test_numbered_labels_are_said_to_show_an_order(tmp_path: Path, labels: list[str], order: str | None) -> None:
    rows = "".join(f"{label},{label},{label}\n" for label in labels)
    found = read_ratings(csv(tmp_path, f"gpt,ann,bob\n{rows}"), WIDE)
    said = [note for note in found.notes if "look numbered" in note]
    assert (found.scale, bool(said)) == ("nominal", order is not None)
    assert all(f"--labels '{order}'" in note for note in said)


def test_a_title_above_a_sheets_table_is_no_header(tmp_path: Path) -> None:
    rows = [["Ratings of May"], [], ["gpt", "ann", "bob"], [1, 2, 3], [2.5, 3, 4]]
    found = read_ratings(excel(tmp_path / "t.xlsx", sheet=rows), WIDE)
    same(values(found), {"gpt": [1, 2.5], "ann": [2, 3], "bob": [3, 4]})
    assert found.notes == ("Left out, as titles above the table: row 1 ('Ratings of May').",)


def test_a_workbook_of_several_sheets_asks_which(tmp_path: Path) -> None:
    rows = [["gpt", "ann", "bob"], [1, 2, 3], [2.5, 3, 4]]
    path = excel(tmp_path / "two.xlsx", first=rows, second=rows, empty=[])
    with pytest.raises(UserError, match="several sheets hold something: 'first', 'second'"):
        read_ratings(path, WIDE)
    same(values(read_ratings(path, WIDE, Opening("second"))), {"gpt": [1, 2.5], "ann": [2, 3], "bob": [3, 4]})
    assert read_ratings(path, WIDE, Opening(sheet="  SECOND ")).n_rows == 2
    with pytest.raises(UserError, match=r"no sheet 'secnd' \(did you mean 'second'\?\)"):
        read_ratings(path, WIDE, Opening("secnd"))
    with pytest.raises(UserError, match="it is no workbook, and a sheet is named"):
        read_ratings(csv(tmp_path, "gpt,ann,bob\n1,2,3\n"), WIDE, Opening("first"))


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.xlsx"
    path.write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(UserError, match="it is no workbook"):
        read_ratings(path, WIDE)


def test_a_csv_file_of_another_encoding_is_read_when_it_is_named_and_never_guessed(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes("gpt,añn\n1,2\n3,4\n".encode("latin-1"))
    columns = RatingColumns(("gpt",), ("añn",))
    with pytest.raises(UserError, match="byte 0xf1 is not UTF-8"):
        read_ratings(path, columns)
    same(values(read_ratings(path, columns, Opening(encoding="latin-1"))), {"gpt": [1, 3], "añn": [2, 4]})
    with pytest.raises(UserError, match=r"no encoding 'latin-l' \(did you mean 'latin-1'\?\)"):
        read_ratings(path, columns, Opening(encoding="latin-l"))
    path.write_bytes("gpt\tañn\n1\t2\n3\t4\n".encode("utf-16"))
    same(values(read_ratings(path, columns)), {"gpt": [1, 3], "añn": [2, 4]})


def test_files_of_trec_are_a_rater_each_and_topics_are_sources(tmp_path: Path) -> None:
    (tmp_path / "people.qrels").write_text("101 0 d1 2\n101 0 d2 0\n102 0 d1 1\n")
    (tmp_path / "gpt.qrels").write_text("101 0 d2 1\n101\t0\td1\t2\n\n102 0 d1 0\n")
    paths = [str(tmp_path / "people.qrels"), str(tmp_path / "gpt.qrels")]
    found = read_ratings(paths, RatingColumns(judges=("gpt",), people=()))
    same(values(found), {"gpt": [2, 1, 0], "people": [2, 0, 1]})
    assert list(found.objects) == ["101 d1", "101 d2", "102 d1"]
    assert found.clusters.tolist() == ["101", "101", "102"]


@pytest.mark.parametrize("line", ["101 d1 0 2", "101 0 2 d1"])
def test_judgments_of_trec_in_another_order_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(UserError, match=r"row 1: '101 .*' has its columns in another order.* 101 0 DOCUMENT GRADE"):
        read_ratings([str(csv(tmp_path, line, "people.qrels"))], RatingColumns(judges=("gpt",), people=()))


def test_a_run_of_trec_rates_by_its_scores(tmp_path: Path) -> None:
    (tmp_path / "people.qrels").write_text("1 0 a 2\n1 0 b 0\n")
    (tmp_path / "bm25.run").write_text("1 Q0 a 1 12.5 tag\n1 Q0 b 2 7.25 tag\n")
    found = read_ratings([str(tmp_path / name) for name in ("people.qrels", "bm25.run")], RatingColumns(("bm25",), ()))
    same(values(found), {"bm25": [12.5, 7.25], "people": [2, 0]})


def test_a_line_of_another_form_is_refused_with_its_row(tmp_path: Path) -> None:
    (tmp_path / "people.qrels").write_text("1 0 a 2\n1 a 2\n")
    with pytest.raises(UserError, match="row 2: people.qrels has 3 parts here"):
        read_ratings([str(tmp_path / "people.qrels")], RatingColumns(("x",), ()))
    with pytest.raises(UserError, match="put all ratings into one file"):
        read_ratings(["a.csv", "b.csv"], WIDE)


def test_label_studios_export_has_a_person_an_annotation_and_a_judge_a_prediction(tmp_path: Path) -> None:
    def said(who: object, label: str) -> dict[str, object]:
        result = [{"from_name": "quality", "type": "choices", "value": {"choices": [label]}}]
        return {"completed_by": who, "result": result} if who else {"model_version": "gpt-5", "result": result}

    tasks = [
        {"id": 7, "data": {"text": "a"}, "annotations": [said(1, "good"), said({"id": 2, "email": "b@c.de"}, "bad")],
         "predictions": [said(None, "good")]},
        {"id": 8, "data": {"text": "b"}, "annotations": [said(1, "bad"), {"was_cancelled": True, "completed_by": 1}],
         "predictions": [said(None, "bad")]},
    ]  # fmt: skip
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    found = read_ratings(path, RatingColumns(judges=("gpt-5",), people=()))
    assert found.labels == ("bad", "good")
    # A second model is no person either.
    assert "gpt-5" not in read_ratings(path, RatingColumns(judges=("b@c.de",), people=())).people
    same(values(found), {"gpt-5": [1, 0], "annotator 1": [1, 0], "b@c.de": [0, NAN]})
    assert list(found.objects) == ["7", "8"]


def test_all_that_is_wrong_with_a_file_is_said_at_once(tmp_path: Path) -> None:
    good = "".join(f"d{i},{1 + i % 5},{1 + i % 4}.5,{1 + i % 3}\n" for i in range(60))
    path = csv(tmp_path, f'id,gpt,ann,bob\n{good}x,1,"4,0",k.A.\ny,2,3.5,44\nd1,4,2.5,1\nz,-1,1.5,k.A.\n')
    with pytest.raises(UserError) as refused:
        read_ratings(path, replace(WIDE, item="id"))
    lines = str(refused.value).splitlines()
    assert [line.split("Correct")[0].strip() for line in lines[:2] + lines[3:]] == [
        "r.csv: 5 faults. Nothing was loaded.",
        "row 62: '4,0' in column 'ann' is written in another way than the column's other numbers. "
        "Write it like 1234.5; or, where commas are decimal signs too, `touchstone verdict` takes `--decimal ,`.",
        "row 63: 'bob' has a 44 (1 in all), and people's other ratings are 1 to 4.5.",
        "row 64: 'd1' in column 'id' is in row 3 already, with other values in 'gpt', 'bob'. "
        "Keep the row that is right.",
        "row 65: 'gpt' has a -1 (1 in all), and its other ratings are 1 to 5.",
    ]
    assert "row 62: 'k.A.' of 'bob' is no number. 2 cells are so. Correct it, or add `--blank k.A.`" in lines[2]


def test_a_column_of_commas_among_points_names_its_first_cell_and_counts_them(tmp_path: Path) -> None:
    path = csv(tmp_path, "gpt;ann;bob\n7.2;3;4\n7,123;3;4\n7.218;5;3\n6,9;4;4\n8.1;4;5\n")
    with pytest.raises(UserError, match=r"row 3: '7,123' in column 'gpt' .* 2 cells are so\..*`--decimal ,`"):
        read_ratings(path, WIDE)
    found = read_ratings(path, WIDE, Opening(decimal=","))
    assert found.judges["gpt"].tolist() == [7.2, 7.123, 7.218, 6.9, 8.1]


def test_one_value_far_from_all_of_peoples_is_named_by_its_row(tmp_path: Path) -> None:
    good = "".join(f"{i / 10},{60 + i * 7 % 38},{55 + i * 5 % 41}\n" for i in range(40))
    with pytest.raises(UserError, match=r"row 42: 'ann' has a 780 \(1 in all\), and .* are 55 to 97"):
        read_ratings(csv(tmp_path, f"gpt,ann,bob\n{good}0.4,780,75\n"), WIDE)
    # What a judge computes may be far from all else.
    assert read_ratings(csv(tmp_path, f"gpt,ann,bob\n{good}400,78,75\n"), WIDE).n_rows == 41


def test_a_value_that_would_be_another_scale_is_none_by_an_option(tmp_path: Path) -> None:
    good = "".join(f"{1 + i % 5},{1 + i % 4},{1 + i % 5}\n" for i in range(40))
    with pytest.raises(UserError, match=r"'bob' has a 44 .*`--blank 44` if it stands for no rating\.$"):
        read_ratings(csv(tmp_path, f"gpt,ann,bob\n{good}1,4,44\n"), WIDE)
    one = "".join(f"{1 + i % 5},{1 + i % 4}\n" for i in range(40))
    with pytest.raises(UserError, match="`--scale ordinal` if it is one"):
        read_ratings(csv(tmp_path, f"gpt,ann\n{one}1,9\n"), RatingColumns(("gpt",), ("ann",)))


def test_a_model_that_is_not_named_is_no_person_of_a_long_file(tmp_path: Path) -> None:
    path = csv(tmp_path, "id,who,s\na,gpt-4o,1\na,claude-3,2\na,ann,3\nb,gpt-4o,2\nb,claude-3,2\nb,ann,1\n")
    columns = RatingColumns(("gpt-4o",), (), item="id", rater="who", score="s")
    found = read_ratings(path, columns)
    assert (tuple(found.judges), tuple(found.people)) == (("gpt-4o",), ("ann",))
    assert "Not used, as models are no people: claude-3. Name them by `--judge`." in found.notes
    assert tuple(read_ratings(path, replace(columns, people=("claude-3", "ann"))).people) == ("claude-3", "ann")


@pytest.mark.parametrize("space", ["  ", "\u00a0", "\u2009 ", " \u200b"])
def test_white_space_within_a_label_makes_no_other_label(tmp_path: Path, space: str) -> None:
    rows = f"a,not{space}good,not good,good\nb,good,no{space}rating,not good\nc,good,x,y y\n"
    path = csv(tmp_path, f"id,gpt,ann,bob\n{rows}")
    asked = replace(WIDE, blank=("No rating", f"X{space}", "y  y"), labels=("not good", f"{space}Good"))
    found = read_ratings(path, asked)
    assert found.labels == ("not good", "Good")
    same(values(found), {"gpt": [0, 1, 1], "ann": [0, NAN, NAN], "bob": [1, 0, NAN]})
    assert found.notes[0].startswith("Labels that differ in spelling only are one: ")
    good = read_ratings(path, replace(WIDE, blank=("no rating", "x", "y y"), positive=(f"NOT{space}good",)))
    assert good.labels == ("good", "not good")
    assert read_ratings(path, replace(WIDE, where=(("GPT", f"Not{space}good"),))).n_rows == 1


def test_objects_in_two_spellings_are_one_unless_one_rater_rated_both(tmp_path: Path) -> None:
    columns = RatingColumns(("gpt",), (), item="id", rater="who", score="s")
    text = "id,who,s\nItem 1,gpt,1\nitem\u00a0 1,ann b,2\nItem 2,gpt,3\nitem 2,ann  b,4\nItem 2,bob,4\n"
    found = read_ratings(csv(tmp_path, text), columns)
    assert found.objects == ("Item 1", "Item 2")
    same(values(found), {"gpt": [1, 3], "ann b": [2, 4], "bob": [NAN, 4]})
    assert any("column 'id' that differ in spelling only are one" in note for note in found.notes)
    # One who rated both spellings keeps that object's apart, and says so; a row without a rating does not.
    found = read_ratings(csv(tmp_path, text + "item 1,gpt,5\nITEM 2,gpt,\n"), columns)
    assert found.objects == ("Item 1", "item\u00a0 1", "Item 2", "item 1")
    same(values(found), {"gpt": [1, NAN, 3, 5], "ann b": [NAN, 2, 4, NAN], "bob": [NAN, NAN, 4, NAN]})
    assert (
        "Names in column 'id' that stay apart, as one rater rated several spellings: 'Item 1', 'item\\xa0 1', 'item 1'."
    ) in found.notes
    assert "Names in column 'id' that differ in spelling only are one: 'item 2' is 'Item 2', 'ITEM 2' is 'Item 2'." in (
        found.notes
    )


@pytest.mark.parametrize(
    ("texts", "note"),
    [
        (["very\u00a0good", "bad", "very\u00a0good"], []),
        (["very\u00a0good", "bad", "very good"], ["'very\\xa0good' is 'very good'"]),
        (["bad  one", "good", "Bad one", "bad one"], ["'bad  one' is 'bad one'", "'Bad one' is 'bad one'"]),
    ],
)
def test_a_spelling_is_said_where_another_one_came(texts: list[str], note: list[str]) -> None:
    names = SpelledNames()
    assert {names.first(text) for text in texts} == {" ".join(texts[0].split()), texts[1]}
    assert names.notes("Labels") == [
        f"Labels that differ in spelling only are one: {', '.join(note)}." for _ in note[:1]
    ]


@pytest.mark.parametrize(
    ("header", "rows", "ann"),
    [
        # gpt is on 0-100; scores below 0 or on 1 to 5 say nothing.
        ("gpt;other;ann", ["81;-3.2;87 %", "29;120;60 %"], [87, 60]),
        ("gpt;other;ann", ["81;5;87 %", "29;1;60 %"], [87, 60]),
        # Nor do decibels.
        ("gpt_psnr;other;ann", ["31;5;87 %", "29;1;60 %"], [0.87, 0.6]),
        # One judge on each scale leaves shares.
        ("gpt;other;ann", ["81;0.8;87 %", "29;0.3;60 %"], [0.87, 0.6]),
    ],
)
def test_a_judge_on_neither_scale_says_nothing_of_peoples_percentages(
    tmp_path: Path, header: str, rows: Sequence[str], ann: Sequence[float]
) -> None:
    judge, other, _ = header.split(";")
    found = read_ratings(csv(tmp_path, "\n".join([header, *rows])), RatingColumns((judge, other), ("ann",)))
    assert found.people["ann"].tolist() == ann


def test_percentages_have_the_unit_of_the_numbers_next_to_them(tmp_path: Path) -> None:
    head = "gpt;ann;bob\n"
    # 29 / 100 * 100 is not 29.
    found = read_ratings(csv(tmp_path, head + "81%;87;76\n29%;60;72\n7%;9;10\n"), WIDE)
    same(values(found), {"gpt": [81, 29, 7], "ann": [87, 60, 9], "bob": [76, 72, 10]})
    assert "Column 'gpt': % makes points of 100, as other columns are (50 % is 50)." in found.notes
    found = read_ratings(csv(tmp_path, head + "81;87 %;76 %\n29;60 %;72 %\n"), WIDE)
    same(values(found), {"gpt": [81, 29], "ann": [87, 60], "bob": [76, 72]})
    found = read_ratings(csv(tmp_path, head + "81%;0.87;1\n29%;0.6;0.72\n"), WIDE)
    same(values(found), {"gpt": [0.81, 0.29], "ann": [0.87, 0.6], "bob": [1, 0.72]})
    # A measure on neither says nothing; people on 1 to 5 leave it open.
    found = read_ratings(csv(tmp_path, head + "-3.2;87%;76%\n120;60%;72%\n"), WIDE)
    same(values(found), {"gpt": [-3.2, 120], "ann": [0.87, 0.6], "bob": [0.76, 0.72]})
    with pytest.raises(
        UserError, match=r"r.csv, row 2: '81%' in column 'gpt' is a percentage, and people's numbers are 2"
    ):
        read_ratings(csv(tmp_path, head + "81%;5;4\n29%;2;3\n"), WIDE)
