"""Parts of the fidelity report by themselves: pictures of the largest errors, marked intervals, items behind a dose."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pandas as pd
import pytest

from reports.fidelity import agreement
from reports.fidelity.agreement_tables import group_table, largest_errors
from reports.fidelity.dose import dose_charts
from reports.fidelity.people import said_of_few_labels
from reports.shared.pictures import MOST_IN_ROWS, pictures_in_rows
from tests.reports.fidelity.made_contents import contents_of_size, frames_of
from tests.reports.made_size import KEYS, Size
from tests.reports.specifications import rows_of

BEST = KEYS[1]


def changed(table: str, **columns: Any) -> pd.DataFrame:
    return frames_of(Size())[table].assign(**columns)


def test_the_largest_errors_are_shown_with_photo_and_render(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    assert cv2.imwrite(str(path), np.full((300, 400, 3), 90, np.uint8))
    frame = changed("study_objects", candidate_path=str(path))
    frame["reference_paths"] = [[str(path)] for _ in range(len(frame))]
    found = largest_errors(contents_of_size(study_objects=frame))[BEST]
    # The last object of the made study is excluded and has no picture.
    shown = [one for one in found if one.pictures]
    assert len(shown) >= 4
    assert all((one.width_px, one.height_px) == (192, 144) for row in shown for one in row.pictures)
    assert [one.alt.plain("it") for one in shown[0].pictures] == [
        f"Foto di riferimento dell'articolo {shown[0].item}",
        f"Render dell'articolo {shown[0].item}",
    ]


def test_pictures_in_the_table_of_objects_go_to_the_largest_errors_first(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = changed("study_objects")
    objects["candidate_path"] = [None, *(f"gone/{name}.png" for name in objects["object"][1:])]
    matched = changed("matched_scores", difference=0.01)
    # Object 3 is off most at one setting of three only, object 2 less at all; object 0 has no address.
    matched.loc[(matched["match_key"] == "00000003") & (matched["setting"] == KEYS[2]), "difference"] = -0.5
    matched.loc[matched["match_key"] == "00000002", "difference"] = 0.3
    contents = contents_of_size(study_objects=objects, matched_scores=matched)
    found = contents.candidates
    # The last of 12 is excluded, and ties come in the order of their names.
    assert list(found) == [f"{place:08x}" for place in (3, 2, 1, 4, 5, 6, 7, 8, 9, 10)]
    assert found["00000003"] == "gone/00000003.png"
    assert pictures_in_rows(found) == dict.fromkeys(found)
    caption = agreement.scatter_chart(contents).table.caption  # type: ignore[union-attr]
    assert caption.plain("en") == "Scores of people and judge"
    monkeypatch.setattr(agreement, "MOST_IN_ROWS", 4)
    caption = agreement.scatter_chart(contents).table.caption  # type: ignore[union-attr]
    assert "Of 10 objects, the 4 on which judge and people differ most at any setting have a" in caption.plain("en")
    assert "Su 10 oggetti hanno un'immagine 4: quelli su cui" in caption.plain("it")


def test_no_more_pictures_than_a_page_carries_are_made() -> None:
    paths = {f"{place}": f"gone/{place}.png" for place in range(MOST_IN_ROWS + 1)}
    assert list(pictures_in_rows(paths)) == list(paths)[:-1]


def test_a_group_of_few_products_has_its_interval_marked_as_unreliable() -> None:
    # The measured table has Spearman reliable from 5 products on.
    few = changed("human_agreement", n_products=4)
    table = group_table(contents_of_size(human_agreement=few), BEST)
    assert table is not None
    assert table.rows[0][4].plain("en").endswith("] unreliable")  # type: ignore[union-attr]
    assert table.rows[0][4].plain("it").endswith("] inaffidabile")  # type: ignore[union-attr]
    many = group_table(contents_of_size(human_agreement=changed("human_agreement", n_products=5)), BEST)
    assert many is not None
    assert many.rows[0][4].plain("en").endswith("]")  # type: ignore[union-attr]


def test_each_item_is_a_grey_line_behind_the_means_of_a_dose() -> None:
    [chart] = dose_charts(contents_of_size())
    items = rows_of(chart.specification, "line")[0]
    # Three doses of stripes on four items.
    of_each = {
        name: [(row["x"], row["y"]) for row in items if row["of"] == name] for name in {row["of"] for row in items}
    }
    assert [[dose for dose, _ in points] for points in of_each.values()] == [[0.3, 0.5, 0.7]] * 4
    assert sorted(of_each.items())[1][1] == [
        (0.3, pytest.approx(0.13)),
        (0.5, pytest.approx(0.2)),
        (0.7, pytest.approx(0.27)),
    ]
    assert "within items" in chart.reading.plain("en")


def test_labels_gained_are_whole() -> None:
    said = said_of_few_labels(contents_of_size(few_labels=changed("few_labels", labels_gained=23.9)), BEST)
    assert said is not None
    assert "the judge is worth 24 further labels" in said.plain("en")
    nothing = said_of_few_labels(contents_of_size(few_labels=changed("few_labels", labels_gained=0.4)), BEST)
    assert nothing is not None
    assert "adds nothing" in nothing.plain("en")


def test_a_share_in_percent_has_its_bounds_in_percent() -> None:
    row = {"n_labels": 20, "labels_gained": 26.0, "people_only_low": 0.4, "people_only_high": 0.6}
    row |= {"prediction_powered_low": 0.45, "prediction_powered_high": 0.55, "pass_judge_only": 0.646}
    row |= {"pass_prediction_powered": 0.497, "pass_corrected": 0.49}
    row |= {"pass_prediction_powered_low": 0.327, "pass_prediction_powered_high": 0.668}
    contents: Any = SimpleNamespace(of=lambda *_: pd.DataFrame([row]), plan=SimpleNamespace(pass_score=0.5))
    said = said_of_few_labels(contents, "t0")
    assert said is not None
    assert "score 0.5 or more for 49.7 % [32.7, 66.8]; the judge alone says 64.6 %" in said.plain("en")
