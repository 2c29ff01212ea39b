"""People's scores are read whole, joined with the catalogue, and refused with row, column, value and remedy."""

from pathlib import Path

import pytest

from resources.errors import UserError
from resources.inputs.fidelity.human_scores import COLUMNS, read_human_scores
from resources.tables.fidelity.scores import HUMAN_SCORES
from tests.resources.inputs.made_files import CATALOGUE_HEADER, SCORE_HEADER, catalogue_row, glb, study, written

SCORE = "Visual Fidelity"


def test_the_real_file_loads_whole(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "fidelity"
    read = read_human_scores(study(tmp_path, human_scores=folder / "subjective.csv", catalogue=folder / "database.csv"))
    frame = read.frame
    assert (read.n_rows_in_file, len(frame), read.exclusions) == (801, 801, ())
    assert (read.n_catalogue_jobs, read.n_catalogue_duplicates) == (801, 1)
    assert frame["product_id"].nunique() == 113
    assert frame["item_id"].nunique() == 136
    assert frame["variant"].notna().sum() == 301
    assert frame["score"].mean() == pytest.approx(0.528215, abs=5e-7)
    assert frame["score"].std() == pytest.approx(0.186359, abs=5e-7)
    assert (frame["score"].min(), frame["score"].max()) == (0.0, 0.95)
    assert set(frame["algorithm"]) >= {"tripoSR_single"}
    HUMAN_SCORES.validated(frame)


def test_without_a_catalogue_the_file_names_say_the_same_items(shared_data: Path, tmp_path: Path) -> None:
    scores = shared_data / "fidelity" / "subjective.csv"
    read = read_human_scores(study(tmp_path, human_scores=scores))
    assert (len(read.frame), read.frame["item_id"].nunique(), read.n_catalogue_jobs) == (801, 136, None)
    assert read.frame["category_l1"].isna().all()
    assert "triposr_single" in set(read.frame["algorithm"])
    HUMAN_SCORES.validated(read.frame)


def test_variant_category_and_spelling_are_the_catalogues(tmp_path: Path) -> None:
    written(tmp_path / "subjective.csv", SCORE_HEADER, f"{glb('a', '100_curved-back', 'triposr_single')},0.5")
    row = catalogue_row("a", "100", "Curved back", "tripoSR_single")
    catalogue = written(tmp_path / "database.csv", CATALOGUE_HEADER, row, encoding="utf-8-sig")
    frame = read_human_scores(study(tmp_path, catalogue=catalogue)).frame
    assert tuple(frame.columns) == COLUMNS
    expected = ("0000000a", "100_curved-back", "100", "Curved back", "tripoSR_single", "a1", 0.5)
    assert tuple(frame.loc[0].iloc[1:8]) == expected
    assert tuple(frame.loc[0].iloc[8:]) == ("Home", "Chairs", "Stools")


def test_annotators_may_score_the_same_object(tmp_path: Path) -> None:
    lines = [f"{SCORE_HEADER},annotator", f"{glb('a')},0.5,ann", f"{glb('a')},0.7,bob"]
    written(tmp_path / "subjective.csv", *lines)
    assert read_human_scores(study(tmp_path)).frame["annotator"].tolist() == ["ann", "bob"]


def test_a_blank_score_is_counted_not_read_as_zero(tmp_path: Path) -> None:
    written(tmp_path / "subjective.csv", SCORE_HEADER, f"{glb('a')},", f"{glb('b')},0")
    read = read_human_scores(study(tmp_path))
    assert (read.n_rows_in_file, read.frame["score"].tolist()) == (2, [0.0])
    (left_out,) = read.exclusions
    assert (left_out.file, left_out.row, left_out.column, left_out.value, left_out.cause) == (
        "subjective.csv",
        2,
        SCORE,
        "",
        "blank_score",
    )


def test_a_decimal_comma_and_a_scale_of_ten_are_read(tmp_path: Path) -> None:
    written(tmp_path / "subjective.csv", SCORE_HEADER.replace(",", ";"), f"{glb('a')};7,5", encoding="utf-8-sig")
    assert read_human_scores(study(tmp_path, score_max=10)).frame["score"].tolist() == [0.75]


def test_windows_paths_and_upper_case_extensions_are_read(tmp_path: Path) -> None:
    written(tmp_path / "subjective.csv", SCORE_HEADER, rf"C:\out\{glb('a')[:-4]}.GLB,0.5")
    frame = read_human_scores(study(tmp_path)).frame
    assert frame.loc[0, "filename"] == f"{glb('a')[:-4]}.GLB"
    assert frame.loc[0, "object"] == "0000000a"


BAD_ROWS = {
    "too_high": (
        [f"{glb('a')},1.2"],
        [
            "row 2",
            "score 1.2 is outside 0-1 in column 'Visual Fidelity'",
            "Divide by the scale's maximum",
            "`score_max`",
        ],
    ),
    "negative": ([f"{glb('a')},-0.1"], ["row 2", "score -0.1 is outside 0-1", f"'{SCORE}'"]),
    "no_number": ([f"{glb('a')},good"], ["row 2", "'good' is no number", f"'{SCORE}'", "leave the cell blank"]),
    "nan": ([f"{glb('a')},NaN"], ["row 2", "'NaN' is no number"]),
    "unquoted_decimal_comma": ([f"{glb('a')},0,5"], ["row 2", "3 cells", "point"]),
    "twice": (
        [f"{glb('a')},0.5", f"{glb('b')},0.5", f"{glb('a')},0.6"],
        ["'0000000a' is scored 2 times by annotator 'a1'", "rows 2, 4", "Keep one", "'annotator'"],
    ),
    "twice_without_the_column": (
        [f"{glb('a')},0.5", f"{glb('a')},0.6"],
        ["rows 2, 3", "column 'annotator', which is missing", "`columns.annotator`", f"'{SCORE}'"],
    ),
    "one_hash_two_products": (
        [f"{glb('a')},0.5", f"{glb('b')},0.5", f"{glb('a', '200')},0.6"],
        [f"row 4: object '0000000a' has two file names: '{glb('a')}' in row 2 and '{glb('a', '200')}' in row 4"]
        + ["Correct the name", "leave one out"],
    ),
    "one_hash_two_variants": (
        [f"{glb('a', '100_tall')},0.5", f"{glb('a', '100_low')},0.6"],
        ["two file names", "'100_tall_", "'100_low_"],
    ),
    "one_hash_two_algorithms": (
        [f"{glb('a')},0.5", f"{glb('a', algorithm='rodin_multi')},0.6"],
        ["two file names", "trellis_single", "rodin_multi"],
    ),
    "one_hash_two_versions": (
        [f"{glb('a')},0.5", f"{glb('a').replace('_v1_', '_v2_')},0.6"],
        ["two file names", "_v1_", "_v2_"],
    ),
    "unknown_algorithm": (
        [f"{glb('a', algorithm='trelis_single')},0.5"],
        ["row 2", "did you mean 'trellis_single'?", "`algorithms` in touchstone.yaml"],
    ),
    "no_object": (["chair.glb,0.5"], ["row 2", "'chair.glb' is not of the form", "Correct the file name"]),
    "only_blanks": ([f"{glb('a')},"], ["no score in column", f"'{SCORE}'"]),
    "no_rows": ([], ["no score in column", "Give at least one"]),
}


@pytest.mark.parametrize(("rows", "parts"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_row_that_is_wrong_stops_the_reading_with_a_remedy(tmp_path: Path, rows: list[str], parts: list[str]) -> None:
    written(tmp_path / "subjective.csv", SCORE_HEADER, *rows)
    with pytest.raises(UserError) as caught:
        read_human_scores(study(tmp_path))
    expected = ["subjective.csv", "Nothing was loaded.", *parts]
    assert [part for part in expected if part not in str(caught.value)] == []


def test_the_message_reads_as_the_style_asks(tmp_path: Path) -> None:
    written(
        tmp_path / "subjective.csv", SCORE_HEADER, *[f"{glb(str(row))},0.5" for row in range(2, 31)], f"{glb('a')},1.2"
    )
    with pytest.raises(UserError) as caught:
        read_human_scores(study(tmp_path))
    assert str(caught.value) == (
        "subjective.csv, row 31: score 1.2 is outside 0-1 in column 'Visual Fidelity'. Nothing was loaded. "
        "Divide by the scale's maximum, or set `score_max`."
    )


@pytest.mark.parametrize("name", ["all annotators", "All annotators"])
def test_an_annotator_with_the_name_of_all_of_them_is_refused(tmp_path: Path, name: str) -> None:
    written(tmp_path / "subjective.csv", f"{SCORE_HEADER},annotator", f"{glb('a')},0.5,ann", f"{glb('a')},0.5,{name}")
    with pytest.raises(
        UserError, match=f"row 3: annotator '{name}' in column 'annotator' is the name of all"
    ) as refused:
        read_human_scores(study(tmp_path))
    assert "Call this one something else" in str(refused.value)


def test_a_blank_annotator_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "subjective.csv", f"{SCORE_HEADER},annotator", f"{glb('a')},0.5,")
    with pytest.raises(UserError, match="row 2: column 'annotator' is blank"):
        read_human_scores(study(tmp_path))


@pytest.mark.parametrize("column", ["anotator", "annotators", "annotator_id"])
@pytest.mark.parametrize("rows", [["a"], ["a", "a"]], ids=["one_rating_each", "several"])
def test_a_column_that_looks_like_the_annotators_is_refused(tmp_path: Path, column: str, rows: list[str]) -> None:
    lines = [f"{glb(digits)},0.5,person {number}" for number, digits in enumerate(rows)]
    written(tmp_path / "subjective.csv", f"{SCORE_HEADER},{column}", *lines)
    with pytest.raises(UserError) as caught:
        read_human_scores(study(tmp_path))
    for part in (
        "subjective.csv, row 1: there is no column 'annotator'",
        f"column '{column.strip()}' looks like it",
        f"Rename it, or set `columns.annotator` to '{column.strip()}'",
    ):
        assert part in str(caught.value)


@pytest.mark.parametrize("column", ["Annotator", "ANNOTATOR "])
def test_the_annotators_are_found_in_any_letter_case(tmp_path: Path, column: str) -> None:
    written(tmp_path / "subjective.csv", f"{SCORE_HEADER.upper()},{column}", f"{glb('a')},0.5,ann")
    assert read_human_scores(study(tmp_path)).frame["annotator"].tolist() == ["ann"]


@pytest.mark.parametrize("column", ["notes", "annotations", "rotation"])
def test_a_column_of_remarks_is_not_taken_for_the_annotators(tmp_path: Path, column: str) -> None:
    written(tmp_path / "subjective.csv", f"{SCORE_HEADER},{column}", f"{glb('a')},0.5,fine")
    assert read_human_scores(study(tmp_path)).frame["annotator"].tolist() == ["a1"]


def test_a_column_of_annotators_that_the_study_names_must_be_there(tmp_path: Path) -> None:
    columns = {"annotator": "rater"}
    written(tmp_path / "subjective.csv", f"{SCORE_HEADER},rater", f"{glb('a')},0.5,ann")
    assert read_human_scores(study(tmp_path, columns=columns)).frame["annotator"].tolist() == ["ann"]
    written(tmp_path / "subjective.csv", f"{SCORE_HEADER},Raters", f"{glb('a')},0.5,ann")
    with pytest.raises(UserError, match=r"column 'rater' \(there is 'Raters'\) is missing"):
        read_human_scores(study(tmp_path, columns=columns))


def test_a_name_in_another_letter_case_or_folder_is_the_same_object(tmp_path: Path) -> None:
    lines = [f"{SCORE_HEADER},annotator", f"{glb('a')},0.5,ann", f"out/{glb('a').upper()},0.7,bob"]
    written(tmp_path / "subjective.csv", *lines)
    assert read_human_scores(study(tmp_path)).frame["object"].tolist() == ["0000000a", "0000000a"]


def test_a_missing_column_names_those_there_are(tmp_path: Path) -> None:
    written(tmp_path / "subjective.csv", "3D Object filename,Visual fidelities", f"{glb('a')},0.5")
    with pytest.raises(UserError, match=r"row 1: column 'Visual Fidelity' \(there is 'Visual fidelities'\)"):
        read_human_scores(study(tmp_path))


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        (catalogue_row("b"), ["row 2", "object '0000000a'", "not in the catalogue database.csv", "Add its job"]),
        (
            catalogue_row("a", "200"),
            ["row 2", "says item 100", "as item 200", "Correct the file name or the catalogue"],
        ),
        (catalogue_row("a", algorithm="rodin_multi"), ["by trellis_single", "by rodin_multi"]),
        (catalogue_row("a", variant="Tall"), ["says item 100 ", "as item 100_tall"]),
    ],
)
def test_a_catalogue_without_the_job_or_with_another_is_refused(tmp_path: Path, row: str, parts: list[str]) -> None:
    written(tmp_path / "subjective.csv", SCORE_HEADER, f"{glb('a')},0.5")
    catalogue = written(tmp_path / "database.csv", CATALOGUE_HEADER, row)
    with pytest.raises(UserError) as caught:
        read_human_scores(study(tmp_path, catalogue=catalogue))
    assert [part for part in ["subjective.csv", *parts] if part not in str(caught.value)] == []


def test_all_faults_of_the_file_come_in_one_message(tmp_path: Path) -> None:
    written(
        tmp_path / "subjective.csv", SCORE_HEADER, "chair.glb,0.5", f"{glb('a')},2", f"{glb('b')},x", f"{glb('c')},1"
    )
    with pytest.raises(UserError) as caught:
        read_human_scores(study(tmp_path))
    lines = str(caught.value).splitlines()
    assert lines[0] == "subjective.csv: 3 faults. Nothing was loaded."
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["row 2", "row 3", "row 4"]
