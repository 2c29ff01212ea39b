"""The selection says which object people scored and which one the render shows."""

from pathlib import Path

import pytest

from resources.configuration.fidelity import ALGORITHMS
from resources.errors import UserError
from resources.inputs.fidelity.study_objects import read_selected_objects
from tests.resources.inputs.made_files import glb, written

HEADER = "product_id,3D Object filename,output_glb_relpath,variant"


def test_six_of_the_nine_real_rows_judge_another_object(shared_data: Path) -> None:
    selected = read_selected_objects(shared_data / "fidelity" / "selected_objects.csv", ALGORITHMS)
    assert len(selected) == 9
    different = selected[selected["object"] != selected["judged_object"]]
    assert different["row"].tolist() == [2, 3, 4, 6, 9, 10]
    assert tuple(different.iloc[0])[1:3] == ("10f792a6", "a967a257")


def test_windows_paths_give_the_judged_object(tmp_path: Path) -> None:
    path = written(tmp_path / "selected.csv", HEADER, rf"100,{glb('a')},runs\x\{glb('b')},")
    row = read_selected_objects(path, ALGORITHMS).iloc[0]
    assert tuple(row) == (2, "0000000a", "0000000b", glb("a"), glb("b"))


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ([f"100,{glb('a')},x.glb,"], ["row 2", "in column 'output_glb_relpath'", "'x.glb' is not of the form"]),
        ([f"100,y.glb,{glb('a')},"], ["row 2", "in column '3D Object filename'", "'y.glb'"]),
        ([f"100,{glb('a')},{glb('a')},"] * 2, ["row 3", "'0000000a'", "rows 2, 3", "Keep one"]),
        ([], ["no row below the header", "leave `selected_objects` out"]),
    ],
)
def test_a_selection_that_is_wrong_is_refused(tmp_path: Path, rows: list[str], parts: list[str]) -> None:
    path = written(tmp_path / "selected.csv", HEADER, *rows)
    with pytest.raises(UserError) as caught:
        read_selected_objects(path, ALGORITHMS)
    assert [part for part in ["selected.csv", *parts] if part not in str(caught.value)] == []
