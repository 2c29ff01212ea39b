"""Golden pairs of the user's own: read by name, looked at before a call is paid, and every fault said where it is."""

from pathlib import Path

import pandas as pd
import pytest

from resources.configuration.fidelity import FidelityStudy
from resources.errors import UserError
from resources.inputs.fidelity.golden_pairs import OwnAltered, own_altered, refuse_unknown_subscores, with_altered_texts
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.fidelity.study_objects import find_study_objects
from resources.inputs.fidelity.texts import object_of, read_texts
from resources.runtime.file_hash import sha256_of_file
from tests.assets.shared.made_tables import objects_of, plan
from tests.small_study import write_image
from tests.text_study import text_study, write_texts

HASH = "0a1b2c3d"
HEAD = "object,altered,kind,magnitude,unit,expected,moves"


def read(folder: Path, *rows: str, head: str = HEAD) -> list[OwnAltered]:
    """The pairs of a study of two objects, with one altered image on the disk."""
    (folder / "altered").mkdir(exist_ok=True)
    write_image(folder / "altered" / "one.png", 1)
    write_image(folder / "altered" / "two.png", 2)
    write_image(folder / "own.png", 3)
    (folder / "pairs.csv").write_text("\n".join([head, *rows]) + "\n")
    objects = objects_of({HASH: "p", "b": "q"}, candidate_sha256={"b": sha256_of_file(folder / "own.png")})
    study = plan(golden={"pairs": folder / "pairs.csv"})
    found = own_altered(objects, study)
    refuse_unknown_subscores(study)
    return found


def fault(folder: Path, *rows: str, head: str = HEAD) -> str:
    with pytest.raises(UserError) as error:
        read(folder, *rows, head=head)
    return str(error.value)


def test_a_pair_has_what_the_file_says_and_worse_is_expected_where_it_says_nothing(tmp_path: Path) -> None:
    first, second = read(
        tmp_path,
        f"{HASH},altered/one.png,deep scratch,2.5,mm,,texture_identity",
        f"p__rodin_multi_N1_a_2025-08-17_v1_h{HASH}.glb,altered\\two.png,polished,,,Better,",
    )
    assert (first.object, first.pair.alteration, first.pair.expected) == (HASH, "deep-scratch_2.5", "worse")
    assert (first.pair.unit, first.pair.moves) == ("mm", "texture_identity")
    assert first.path == str(tmp_path / "altered" / "one.png")
    assert first.sha256 == sha256_of_file(tmp_path / "altered" / "one.png")
    assert (second.object, second.pair.alteration, second.pair.expected) == (HASH, "polished", "better")
    assert (second.pair.magnitude, second.pair.unit, second.pair.moves) == (None, "none", None)


def test_a_study_without_a_file_has_no_pairs() -> None:
    assert own_altered(objects_of({"b": "q"}), plan()) == []


GOOD = f"{HASH},altered/one.png,scratch,1,mm,worse,"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("0a1b2c3e,altered/one.png,scratch,1,mm,,", "'0a1b2c3e' in column 'object' is none of the study's objects"),
        ("b,altered/none.png,scratch,1,mm,,", "'altered/none.png' in column 'altered' is no file in "),
        ("b,../one.png,scratch,1,mm,,", "'../one.png' in column 'altered' leads out of the folder"),
        ("b,pairs.csv,scratch,1,mm,,", "'pairs.csv' in column 'altered' cannot be used: "),
        ("b,own.png,scratch,1,mm,,", "'own.png' in column 'altered' is the object as it was."),
        (
            "b,altered/one.png,dent,1,mm,wors,",
            "'wors' in column 'expected' is not worse, same or better (did you mean ",
        ),
        ("b,altered/one.png,hue,1,mm,,", "'hue' in column 'kind' is a kind of the built-in alterations."),
        ("b,altered/one.png,hue_5,,,,", "'hue_5' in column 'kind' makes 'hue_5', which is a built-in alteration."),
        ("b,altered/one.png,dent,deep,mm,,", "'deep' in column 'magnitude' is no number."),
        ("b,altered/one.png,dent,1,mm,,colour", "'colour' in column 'moves' is none of the judge's sub-scores"),
        ("b,altered/one.png,,1,mm,,", "there is no value in column 'kind'."),
        ("b,altered/one.png,scratch,2,cm,,", "kind 'scratch' has 'cm' in column 'unit', and 'mm' in row 2."),
        ("b,altered/one.png,scratch,2,,,", "kind 'scratch' has nothing in column 'unit', and 'mm' in row 2."),
        ("b,altered/one.png,scratch,,,,", "kind 'scratch' has nothing in column 'magnitude', and '1' in row 2."),
        (
            "b,altered/one.png,scratch,2,mm,,color_palette",
            "kind 'scratch' has 'color_palette' in column 'moves', and nothing in row 2.",
        ),
        (f"{HASH},altered/two.png,scratch,1.0,mm,,", "has kind 'scratch' with this magnitude in row 2 too."),
    ],
)
def test_each_fault_is_said_with_its_file_row_column_value_and_remedy(tmp_path: Path, row: str, said: str) -> None:
    message = fault(tmp_path, GOOD, row)
    assert message.startswith("pairs.csv, row 3: ")
    assert said in message
    assert message.endswith(".")
    assert "\n" not in message


def test_several_faults_are_said_at_once(tmp_path: Path) -> None:
    message = fault(tmp_path, "x,altered/one.png,scratch,1,mm,,", "b,altered/none.png,scratch,1,mm,,")
    assert "2 faults" in message
    assert "row 2: 'x'" in message
    assert "row 3: 'altered/none.png'" in message


def test_a_file_that_is_missing_or_lacks_a_column_or_rows_is_said(tmp_path: Path) -> None:
    assert "there is no field 'kind'" in fault(tmp_path, f"{HASH},altered/one.png", head="object,altered")
    assert "there is no row" in fault(tmp_path)
    with pytest.raises(UserError, match=r"Correct `golden.pairs`"):
        own_altered(objects_of({"b": "q"}), plan(golden={"pairs": tmp_path / "none.csv"}))


@pytest.fixture
def texts(tmp_path: Path) -> FidelityStudy:
    write_texts(tmp_path)
    rows = ["object,altered,kind,expected,moves", "a00,a wrong answer,falsified,,right", "a01,fuller,completed,better,"]
    (tmp_path / "pairs.csv").write_text("\n".join(rows) + "\n")
    return text_study(tmp_path, "http://127.0.0.1:1/v1", golden={"pairs": tmp_path / "pairs.csv"}).fidelity


def test_altered_texts_are_read_under_the_ledgers_name_of_each(texts: FidelityStudy) -> None:
    assert texts.golden.items == ()
    assert texts.texts is not None
    read_by = with_altered_texts(read_texts(texts.texts), texts)
    original, altered = read_by[object_of("a00")], read_by[f"{object_of('a00')}~falsified"]
    assert altered == original._replace(document="a wrong answer")
    objects = find_study_objects(read_human_scores(texts).frame, None, texts)
    first, second = own_altered(objects, texts)
    assert (first.object, first.path, first.sha256) == (object_of("a00"), None, altered.sha256)
    assert (second.pair.expected, first.pair.moves) == ("better", "right")


def test_a_text_that_is_as_it_was_is_no_pair(texts: FidelityStudy, tmp_path: Path) -> None:
    objects = find_study_objects(read_human_scores(texts).frame, None, texts)
    same = "answer of grade 1, number 0"
    (tmp_path / "pairs.csv").write_text(f'object,altered,kind\na00,"{same}",falsified\n')
    with pytest.raises(UserError, match="is the object as it was"):
        own_altered(objects, texts)
    # A copy may be expected to score the same.
    (tmp_path / "pairs.csv").write_text(f'object,altered,kind,expected\na00,"{same}",copied,same\n')
    assert isinstance(own_altered(objects, texts)[0].sha256, str)
    assert pd.notna(objects["candidate_sha256"]).all()
