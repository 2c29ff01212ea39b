"""Table `study_objects`: which objects are judged, and the three gates that keep the wrong ones out."""

from pathlib import Path

import pandas as pd

from assets.fidelity.study_objects import enough_objects_gate, headline, mismatch_gate, missing_gate, thumbnails
from tests.assets.shared.made_tables import objects_of, one_each
from tests.resources.inputs.made_files import picture

LOST = "p-b: there is no folder refs/p-b."


def with_left_out(names: str, left_out: dict[str, str], detail: str = LOST) -> pd.DataFrame:
    return objects_of(one_each(names), excluded=left_out, exclusion_detail=dict.fromkeys(left_out, detail))


def with_pictures(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """The same objects, their render and one photo on the disk."""
    path = str(picture(folder / "picture.png"))
    return frame.assign(candidate_path=path, reference_paths=[[path]] * len(frame))


def test_the_headline_counts_what_is_judged_and_what_is_left_out_by_cause(tmp_path: Path) -> None:
    frame = with_left_out("abcd", {"b": "no_photos", "c": "no_photos", "d": "too_small"})
    numbers = headline(with_pictures(frame, tmp_path))
    assert (numbers["n_objects"], numbers["n_judged"], numbers["n_items"], numbers["n_photos"]) == (4, 1, 4, 4)
    assert (numbers["n_left_out_no_photos"], numbers["n_left_out_too_small"]) == (2, 1)
    assert numbers["left_out"].startswith(LOST)
    assert "data:image/webp;base64," in numbers["plot"].value


def test_photos_of_an_item_with_two_objects_are_counted_once_and_shown_once(tmp_path: Path) -> None:
    frame = with_pictures(objects_of({"a": "p", "b": "p"}, n_references={"a": 3, "b": 3}), tmp_path)
    assert headline(frame)["n_photos"] == 3
    [(title, images)] = thumbnails(frame)
    assert title == "p (a, rodin_multi)"
    assert len(images) == 2


def test_where_every_object_is_left_out_there_is_nothing_to_show() -> None:
    numbers = headline(with_left_out("ab", {"a": "no_photos", "b": "no_photos"}))
    assert numbers["n_judged"] == 0
    assert "plot" not in numbers


def test_renders_of_the_scored_objects_pass() -> None:
    gate = mismatch_gate(objects_of(one_each("ab")))
    assert gate.passed
    assert gate.seen == 0


def test_a_render_of_another_object_fails_and_names_item_object_and_render() -> None:
    gate = mismatch_gate(objects_of(one_each("abc"), judged_object={"b": "f00"}))
    assert not gate.passed
    assert gate.seen == 1
    assert "p-b (scored b, render of f00)" in gate.sentence
    assert "mismatched_objects: exclude" in gate.sentence


def test_a_mismatch_that_the_study_excludes_is_no_fault() -> None:
    frame = objects_of(one_each("ab"), judged_object={"b": "f00"}, excluded={"b": "mismatched_object"})
    assert mismatch_gate(frame).passed


def test_a_mismatch_without_images_is_still_named() -> None:
    frame = objects_of(one_each("ab"), judged_object={"b": "f00"}, excluded={"b": "no_photos"})
    assert "scored b, render of f00" in mismatch_gate(frame).sentence


def test_few_objects_without_images_pass() -> None:
    # 1 of 20 is 0.05, the limit itself.
    frame = with_left_out("abcdefghijklmnopqrst", {"b": "no_photos"})
    gate = missing_gate(frame, 0.05)
    assert gate.passed
    assert gate.seen == 1 / 20


def test_many_objects_without_images_fail_and_the_first_are_named() -> None:
    gate = missing_gate(with_left_out("abc", {"b": "no_photos"}), 0.05)
    assert not gate.passed
    assert gate.seen == 1 / 3
    assert LOST in gate.sentence
    assert "max_missing_share" in gate.sentence


def test_excluded_mismatches_are_not_counted_as_missing_images() -> None:
    # b is left out before its images are looked for: 0 of the 2 that are wanted lack images.
    gate = missing_gate(with_left_out("abc", {"b": "mismatched_object"}), 0.05)
    assert gate.seen == 0


def test_without_any_object_the_share_is_undefined_and_fails() -> None:
    gate = missing_gate(objects_of(one_each("a")).iloc[:0], 0.05)
    assert not gate.passed
    assert "needed: at most 0.05. Correct `human_scores`" in gate.sentence
    assert "there is no object" in gate.sentence


def test_three_objects_are_something_to_judge() -> None:
    assert enough_objects_gate(with_left_out("abcd", {"b": "no_photos"})).passed


def test_two_objects_are_too_few_and_would_be_paid_for_in_vain() -> None:
    assert not enough_objects_gate(with_left_out("abc", {"b": "no_photos"})).passed


def test_one_object_is_not_enough_and_the_causes_are_named() -> None:
    result = enough_objects_gate(with_left_out("abc", {"b": "no_photos", "c": "too_small"}))
    assert not result.passed
    assert "no_photos, too_small" in result.sentence


def test_texts_are_asked_for_no_image() -> None:
    frame = pd.DataFrame(
        {
            "object": ["a", "b"],
            "judged_object": ["a", "b"],
            "excluded": None,
            "n_references": 0,
            "exclusion_detail": None,
        }
    )
    for gate in (mismatch_gate(frame), missing_gate(frame, 0.05)):
        assert gate.passed
        assert not gate.is_asked
        assert gate.sentence == "Not asked of this data set. Its objects are texts, and have no images."
    assert enough_objects_gate(frame).sentence.endswith("Score more objects.")
    assert mismatch_gate(frame.assign(n_references=1)).is_asked
