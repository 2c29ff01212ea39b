"""Study A by a manifest: any file names, any common image format, any scale, backgrounds as they are."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pydantic import ValidationError

from assets.fidelity.logic.judge_answers import judged_objects
from resources.configuration.fidelity import FidelityStudy, LocalJudge, Manifest
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.settings import Setting
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.fidelity.manifest import read_manifest
from resources.inputs.fidelity.study_objects import find_study_objects
from resources.judges.contract import Attempt
from resources.judges.openai.access import Access
from resources.judges.openai_judge import model_judge_of
from resources.judges.question import question_of
from tests.openai_server import answered, openai_server
from tests.small_study import write_image

ROWS = (
    "Render;Photos;Scene;Who;Grade",
    "out/Chair 1 (final).png;in/chair.jpg | in/chair side.webp;living room;ann;7,5",
    "out/Chair 1 (final).png;in/chair.jpg | in/chair side.webp;living room;ben;10",
    "out/lamp.bmp;in/lamps;living room;ann;1",
    "out/pot.tiff;in/pot.jpg;kitchen;ann;3,25",
)
COLUMNS = {"candidate": "Render", "references": "Photos", "group": "Scene", "rater": "Who", "score": "Grade"}


def written(folder: Path, rows: tuple[str, ...] = ROWS) -> Path:
    """The manifest with its images; the pot is photographed on white."""
    for seed, name in enumerate(
        ("out/Chair 1 (final).png", "in/chair.jpg", "in/chair side.webp", "out/lamp.bmp", "in/lamps/10.png",
         "in/lamps/2.png", "out/pot.tiff")
    ):  # fmt: skip
        write_image(folder / name, seed)
    assert cv2.imwrite(str(folder / "in" / "pot.jpg"), np.full((32, 32, 3), 250, np.uint8))
    path = folder / "renders.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    return path


# Of two rows of one render one may leave the text out.
CAPTIONS = ("Caption", "a red chair", "", "a desk lamp", "a pot, {with} a lid")
CAPTIONED = tuple(f"{row};{caption}" for row, caption in zip(ROWS, CAPTIONS, strict=True))


def of_both(path: Path, base_url: str = "http://127.0.0.1:1/v1", **task: Any) -> FidelityStudy:
    """A study whose judge sees the images and the caption."""
    prompt = path.parent / "prompt.txt"
    prompt.write_text("You compare renders.\n{images}\nIt was made from: {document}. Rate it from 1 to 10.\n")
    shown = {"prompt": prompt, "scale": (1, 10), "shows": "both"} | task
    judge = ModelJudge(kind="model", model="m", base_url=base_url, price={"input": 1, "output": 2}, task=shown)
    return study(path, manifest=Manifest(file=path, columns=COLUMNS | {"text": "Caption"}), judge=judge)


def study(path: Path, **changed: Any) -> FidelityStudy:
    plan: dict[str, Any] = {"manifest": Manifest(file=path, columns=COLUMNS), "scale": (1, 10)}
    return FidelityStudy(**(plan | changed))


def test_scores_of_any_range_and_the_names_are_read_from_one_file(tmp_path: Path) -> None:
    read = read_human_scores(study(written(tmp_path)))
    frame = read.frame
    # (7.5 - 1) / 9, (10 - 1) / 9, (1 - 1) / 9 and (3.25 - 1) / 9.
    assert frame["score"].round(4).tolist() == [0.7222, 1.0, 0.0, 0.25]
    assert frame["annotator"].tolist() == ["ann", "ben", "ann", "ann"]
    assert frame["item_id"].tolist() == ["chair", "chair", "lamps", "pot"]
    assert frame["product_id"].tolist() == ["living room"] * 3 + ["kitchen"]
    assert frame["object"].nunique() == 3
    assert read.notes == ("Column 'Grade': a comma is the decimal sign.",)


def test_images_are_found_by_their_names_in_any_common_format(tmp_path: Path) -> None:
    plan = study(written(tmp_path))
    frame = find_study_objects(read_human_scores(plan).frame, None, plan).set_index("item_id")
    assert frame["excluded"].isna().all()
    assert [Path(photo).name for photo in frame.loc["chair", "reference_paths"]] == ["chair.jpg", "chair side.webp"]
    # The images of a folder, 2 before 10.
    assert [Path(photo).name for photo in frame.loc["lamps", "reference_paths"]] == ["2.png", "10.png"]
    # The pot's photo has a white background, its render a black one.
    assert frame["n_with_background"].to_dict() == {"chair": 0, "lamps": 0, "pot": 1}


def test_the_same_rows_as_a_list_in_json_say_the_same(tmp_path: Path) -> None:
    plan = study(written(tmp_path))
    records = [
        {"Render": "out/Chair 1 (final).png", "Photos": ["in/chair.jpg", "in/chair side.webp"], "Scene": "living room",
         "Who": who, "Grade": grade}
        for who, grade in (("ann", 7.5), ("ben", 10))
    ]  # fmt: skip
    path = tmp_path / "renders.json"
    path.write_text(json.dumps(records))
    [listed] = read_manifest(study(path)).values()
    assert listed == read_manifest(plan)[listed.object]


def test_a_folder_of_the_configuration_holds_what_is_not_next_to_the_manifest(tmp_path: Path) -> None:
    path = written(tmp_path / "elsewhere")
    own = tmp_path / "lists" / "renders.csv"
    own.parent.mkdir()
    path.rename(own)
    plan = study(own, candidates=tmp_path / "elsewhere", references=tmp_path / "elsewhere")
    assert find_study_objects(read_human_scores(plan).frame, None, plan)["excluded"].isna().all()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("out/x.png;in/pot.jpg;;cleo;11", "row 6: score 11 is outside 1-10 in column 'Grade'."),
        ("out/pot.tiff;in/chair.jpg;kitchen;cleo;2", "row 6: 'out/pot.tiff' has 'in/chair.jpg' in column 'Photos' and"),
        ("out/x.png;;kitchen;cleo;2", "row 6: 'out/x.png' has no photo in column 'Photos'."),
        (";in/pot.jpg;kitchen;cleo;2", "row 6: column 'Render' is blank."),
        ("out/pot.tiff;in/pot.jpg;kitchen;ann;2", "is scored 2 times by annotator 'ann', in rows 5, 6"),
        ("out/x.png;../../pot.jpg;;cleo;2", "row 6: '../../pot.jpg' leads out of the folder"),
    ],
)
def test_a_wrong_row_is_named_with_column_value_and_remedy(tmp_path: Path, row: str, said: str) -> None:
    path = written(tmp_path / "study", (*ROWS, row))
    with pytest.raises(UserError) as caught:
        read_human_scores(study(path))
    assert str(caught.value).startswith("renders.csv")
    assert said in str(caught.value)


def test_an_image_that_is_not_there_leaves_its_object_out_with_its_path(tmp_path: Path) -> None:
    plan = study(written(tmp_path))
    (tmp_path / "out" / "pot.tiff").unlink()
    (tmp_path / "in" / "chair.jpg").unlink()
    frame = find_study_objects(read_human_scores(plan).frame, None, plan).set_index("item_id")
    assert frame["excluded"].dropna().to_dict() == {"pot": "no_candidate", "chair": "no_photos"}
    assert (
        frame.loc["pot", "exclusion_detail"] == f"{tmp_path}/out/pot.tiff: there is no such file. Put the render there."
    )


def test_two_sets_of_photos_of_one_name_are_two_items(tmp_path: Path) -> None:
    rows = (ROWS[0], "out/lamp.bmp;a/1.jpg;;ann;2", "out/pot.tiff;b/1.jpg;;ann;2")
    names = [one.item_id for one in read_manifest(study(written(tmp_path, rows))).values()]
    assert len(set(names)) == 2
    assert all(name.startswith("1-") for name in names)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"catalogue": Path("c.csv")}, "leave `catalogue` out"),
        ({"score_max": 10}, "it is given twice"),
        ({"scale": (10, 1)}, r"scale \[10, 1\] must rise"),
    ],
)
def test_a_configuration_that_contradicts_itself_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        study(Path("renders.csv"), **changed)


def test_a_column_that_is_missing_is_named_with_where_to_name_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(UserError, match=r"there is no field 'candidate'.*Name it in `manifest.columns`"):
        read_human_scores(FidelityStudy(manifest=Manifest(file=path), scale=(1, 10)))


def test_a_judge_of_both_is_sent_photos_and_render_and_the_text_that_goes_with_it(tmp_path: Path) -> None:
    path = written(tmp_path, CAPTIONED)
    with openai_server([answered("7")]) as server:
        plan = of_both(path, server.base_url)
        objects = judged_objects(find_study_objects(read_human_scores(plan).frame, None, plan))
        judge = model_judge_of(plan.judge, plan.rubric_weights, Access(server.base_url, "m", "k" * 20))
        judge.begin(Spent())
        question = question_of(plan)
        hashes = set()
        for judged in objects:
            call = question.call(judged, Attempt("renders", Setting(0.0, 1.0), judge.identity))
            hashes.add(call.prompt_hash)
            assert question.read(judge.reply(call).raw_answer, judged.item_id).score == pytest.approx(6 / 9)
    sent = {asked.text.partition("made from: ")[2].partition(". Rate")[0]: asked for asked in server.requests}
    # By item: the chair and the lamp have two photos, the pot has one; the render comes last.
    assert {text: len(asked.images) for text, asked in sent.items()} == {
        "a red chair": 3, "a desk lamp": 3, "a pot, {with} a lid": 2
    }  # fmt: skip
    system = {asked.body["messages"][0]["content"] for asked in server.requests}
    assert system == {"You compare renders."}
    assert len(hashes) == 3


def test_a_changed_text_is_another_call_and_the_same_one_is_not(tmp_path: Path) -> None:
    path = written(tmp_path, CAPTIONED)
    plan = of_both(path)
    chair, *_ = judged_objects(find_study_objects(read_human_scores(plan).frame, None, plan))
    before = question_of(plan).prompt_hash(chair)
    path.write_text("\n".join(CAPTIONED[:3] + CAPTIONED[4:]) + "\n")  # without the lamp
    assert question_of(plan).prompt_hash(chair) == before
    path.write_text("\n".join(CAPTIONED).replace("red", "blue") + "\n")
    assert question_of(plan).prompt_hash(chair) != before


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("out/pot.tiff;in/pot.jpg;kitchen;cleo;2;a pan", "row 6: 'out/pot.tiff' has 'a pan' in column 'Caption' and"),
        ("out/x.png;in/pot.jpg;kitchen;cleo;2;", "row 6: 'out/x.png' has no text in column 'Caption'."),
    ],
)
def test_a_text_that_contradicts_itself_or_is_missing_is_named(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read_human_scores(of_both(written(tmp_path, (*CAPTIONED, row))))
    assert said in str(caught.value)


def test_a_file_without_the_column_of_texts_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no field 'Caption'.*Name it in `manifest.columns`: \{text: ...\}"):
        read_human_scores(of_both(written(tmp_path)))


def test_texts_that_no_column_names_are_left_alone_and_those_that_the_judge_is_not_shown_are_said(
    tmp_path: Path,
) -> None:
    remarks = ("text", "dull", "shiny", "", "")  # of two people on one render
    path = written(tmp_path, tuple(f"{row};{text}" for row, text in zip(ROWS, remarks, strict=True)))
    plan = study(path)
    assert {one.text for one in read_manifest(plan).values()} == {""}
    assert plan.unread_text is None
    both = of_both(path)
    assert both.unread_text is None
    assert study(path, manifest=both.manifest, judge=LocalJudge()).unread_text == "Caption"
