"""For every integrity gate, small studies whose data are good at first and then are not, and how they are fixed.

Those of studies A and B are over the files of `WRITTEN`, all tables of which are made; those of study D write theirs.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from pipeline.automation import all_methods, fidelity, pairwise, partitions_between
from pipeline.reliability_automation import reliability
from resources.study import Study
from resources.tables.parquet_tables import ParquetTables
from tests.pipeline.readers import (
    FIRST_OF_JUDGMENTS,
    FIRST_OF_OBJECTS,
    FIRST_OF_PAIRS,
    OF_HUMAN_SCORES,
    OF_JUDGMENTS_BY_THE_RULE,
    OF_MATRIX_BY_SETTING,
    OF_OBJECTS,
    OF_PAIRS,
)
from tests.small_relevance import AGREED, JUDGES, relevance_study, write_answers, write_queries
from tests.small_series import described as described_series
from tests.small_series import series_study
from tests.small_study import (
    KEYS,
    OBJECTS,
    described,
    fault,
    file_name,
    near_truth,
    write_image,
    write_selection,
    write_study,
)

SETTING = KEYS[1]
ONE_SETTING = partitions_between(SETTING, SETTING)
ONE_METHOD = partitions_between("sharpness_only", "sharpness_only")
VICTIM = OBJECTS[4][2]
Change = Callable[[], object]


@dataclass(frozen=True)
class Spoiled:
    """A study, what makes its data bad, and what fixes them.

    Attributes:
        study: Good as it was written.
        job: That makes it.
        tags: Of every run.
        spoil: Makes the data bad before a run.
        fix: Makes them good again.
        meanwhile: What happens in the bad run itself; a gate on a table's agreement with its file needs that.
        by_hand: Tables that read the bad one: a launch by hand must not make them either.
        follows: Those that the rule asks for once the data are good again: of one setting alone none that reads all.
    """

    study: Study
    job: str
    tags: dict[str, str] = field(default_factory=dict)
    spoil: Change = lambda: None
    mend: Change = lambda: None
    meanwhile: Callable[[], AbstractContextManager[None]] = nullcontext
    by_hand: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()


@contextmanager
def after_storing(table: str, happens: Change) -> Iterator[None]:
    """While this lasts, something happens as soon as a table is stored, before its checks look at it."""
    with meddled({table: happens}, {}):
        yield


@contextmanager
def meddled(after: Mapping[str, Change], instead: Mapping[str, Callable[[Any], Any]]) -> Iterator[None]:
    """While this lasts, tables are stored otherwise than they were made, or something happens once they are stored."""

    class Meddled(ParquetTables):
        def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
            name = context.asset_key.path[-1]
            super().handle_output(context, instead[name](obj) if name in instead else obj)
            if name in after:
                after[name]()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.definitions.ParquetTables", Meddled)
        yield


def replaced(path: Path, old: str, new: str) -> None:
    """Other content for a text file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def removed(paths: list[Path]) -> None:
    """Files that are there no more."""
    for path in paths:
        path.unlink()


def fidelity_of(folder: Path, **plan: Any) -> Study:
    """Study A with people's scores, images and a recorded judge, over the files that are there."""
    return described(folder, **{"bootstrap_resamples": 100, **plan})


# Jobs of studies that are written and run once, with the partitions of that run.
WRITTEN: dict[str, tuple[Callable[[Path], Study], dict[str, str]]] = {
    fidelity.name: (lambda folder: write_study(folder, bootstrap_resamples=100), ONE_SETTING),
    pairwise.name: (series_study, all_methods()),
}


def scores_change_while_they_are_read(folder: Path) -> Spoiled:
    study = fidelity_of(folder)
    path = study.fidelity.human_scores
    return Spoiled(
        study,
        fidelity.name,
        ONE_SETTING,
        meanwhile=lambda: after_storing("human_scores", lambda: replaced(path, "0.190", "0.195")),
        by_hand=OF_HUMAN_SCORES,
        follows=("study_objects",),
    )


def a_render_of_another_object(folder: Path) -> Spoiled:
    path = write_selection(folder / "selected.csv", {})
    return Spoiled(
        fidelity_of(folder, selected_objects=path),
        fidelity.name,
        ONE_SETTING,
        lambda: write_selection(path, {OBJECTS[2][2]: OBJECTS[3][2]}),
        lambda: write_selection(path, {}),
        by_hand=FIRST_OF_OBJECTS,
        follows=FIRST_OF_OBJECTS,
    )


def images_that_are_gone(folder: Path) -> Spoiled:
    product, _, object_ = OBJECTS[0]
    image = folder / "candidates" / product / f"{object_}.png"
    return Spoiled(
        fidelity_of(folder),
        fidelity.name,
        ONE_SETTING,
        image.unlink,
        lambda: write_image(image, 0),
        by_hand=OF_OBJECTS,
        follows=FIRST_OF_OBJECTS,
    )


def two_objects_left(folder: Path) -> Spoiled:
    study = fidelity_of(folder, max_missing_share=1.0)
    images = [folder / "candidates" / product / f"{object_}.png" for product, _, object_ in OBJECTS]

    def draw() -> None:
        for place, image in enumerate(images):
            write_image(image, place)

    return Spoiled(
        study,
        fidelity.name,
        ONE_SETTING,
        lambda: removed(images[2:]),
        draw,
        by_hand=FIRST_OF_OBJECTS,
        follows=FIRST_OF_OBJECTS,
    )


def a_golden_image_that_was_changed(folder: Path) -> Spoiled:
    study = fidelity_of(folder)
    golden = study.home.local / "golden_set"

    def paint_over() -> None:
        write_image(sorted(golden.rglob("*.png"))[0], 99)

    return Spoiled(
        study,
        fidelity.name,
        ONE_SETTING,
        meanwhile=lambda: after_storing("golden_images", paint_over),
        by_hand=("golden_scores", "fidelity_report"),
    )


def repeats_without_an_answer(folder: Path) -> Spoiled:
    def with_faults(object_: str, setting: str, repeat: int) -> dict[str, Any]:
        hit = (object_, setting) == (VICTIM, SETTING) and repeat > 2
        return fault() if hit else near_truth(object_, setting, repeat)

    return Spoiled(
        fidelity_of(folder),
        fidelity.name,
        ONE_SETTING,
        lambda: write_study(folder, with_faults),
        lambda: write_study(folder),
        by_hand=(*OF_MATRIX_BY_SETTING, "setting_summary", "recommended_setting", "golden_scores"),
        follows=OF_MATRIX_BY_SETTING,
    )


def two_items_that_people_scored(folder: Path) -> Spoiled:
    study = fidelity_of(folder, match_by="item")
    path = study.fidelity.human_scores
    whole = path.read_text()
    header, *rows = whole.splitlines()
    of_two = [row for row in rows if row.startswith(tuple(file_name(*one)[:5] for one in OBJECTS[:4]))]
    return Spoiled(
        study,
        fidelity.name,
        ONE_SETTING,
        lambda: path.write_text("\n".join([header, *of_two]) + "\n"),
        lambda: path.write_text(whole),
        by_hand=("human_agreement", "few_labels", "fidelity_report"),
        follows=("human_agreement", "few_labels"),
    )


def votes_change_while_they_are_read(folder: Path) -> Spoiled:
    study = described_series(folder)
    path = study.pairwise.pairs_csv
    old, new = "1-2.JPG,4,1,5,0.8", "1-2.JPG,5,0,5,1.0"
    return Spoiled(
        study,
        pairwise.name,
        all_methods(),
        meanwhile=lambda: after_storing("photo_pairs", lambda: replaced(path, old, new)),
        by_hand=OF_PAIRS,
        follows=OF_PAIRS,
    )


def photos_that_are_gone(folder: Path) -> Spoiled:
    study = described_series(folder)
    photos = {path: path.read_bytes() for path in sorted(study.pairwise.image_root.iterdir())[:3]}
    return Spoiled(
        study,
        pairwise.name,
        ONE_METHOD,
        lambda: removed(list(photos)),
        lambda: [path.write_bytes(content) for path, content in photos.items()],
        by_hand=FIRST_OF_PAIRS,
        follows=FIRST_OF_PAIRS,
    )


def renamed(path: Path) -> None:
    """Other queries than those whose scores are known: known scores would be kept."""
    replaced(path, '"q0', '"x0')


def a_document_that_one_judge_did_not_score(folder: Path) -> Spoiled:
    study = relevance_study(folder, [AGREED] * 3)
    path, gap = folder / "queries.jsonl", (AGREED[0], (*AGREED[1][:3], None))
    return Spoiled(
        study,
        reliability.name,
        {},
        lambda: renamed(write_queries(path, [AGREED, gap, AGREED])),  # type: ignore[list-item]
        lambda: write_queries(path, [AGREED] * 3),
        by_hand=(*OF_JUDGMENTS_BY_THE_RULE, "ground_truth"),
        follows=OF_JUDGMENTS_BY_THE_RULE,
    )


def scores_of_one_judge(folder: Path) -> Spoiled:
    answers = folder / "answers.jsonl"
    judges = {judge: {"kind": "recorded", "path": str(answers)} for judge in JUDGES}
    study = relevance_study(folder, [AGREED] * 3, judges=judges, max_incomplete_share=1.0)
    write_answers(answers, [AGREED] * 3, "v1")
    path, alone = folder / "queries.jsonl", (AGREED[0], (None,) * 4)

    def spoil() -> None:
        renamed(write_queries(path, [AGREED] * 3))
        renamed(write_answers(answers, [alone] * 3, "v1"))  # type: ignore[list-item]

    def mend() -> None:
        write_queries(path, [AGREED] * 3)
        write_answers(answers, [AGREED] * 3, "v1")

    return Spoiled(study, reliability.name, {}, spoil, mend, by_hand=FIRST_OF_JUDGMENTS, follows=FIRST_OF_JUDGMENTS)


SPOILED: dict[tuple[str, str], Callable[[Path], Spoiled]] = {
    ("human_scores", "every_row_accounted_for"): scores_change_while_they_are_read,
    ("study_objects", "render_shows_the_scored_object"): a_render_of_another_object,
    ("study_objects", "images_are_there"): images_that_are_gone,
    ("study_objects", "something_to_judge"): two_objects_left,
    ("golden_images", "golden_images_are_of_the_judged_renders"): a_golden_image_that_was_changed,
    ("score_matrix", "enough_repeats"): repeats_without_an_answer,
    ("matched_scores", "some_matched"): two_items_that_people_scored,
    ("photo_pairs", "every_row_accounted_for"): votes_change_while_they_are_read,
    ("photo_pairs", "photos_are_there"): photos_that_are_gone,
    ("judgments", "every_judge_scored_the_documents"): a_document_that_one_judge_did_not_score,
    ("judgments", "two_judges_have_scores"): scores_of_one_judge,
}
