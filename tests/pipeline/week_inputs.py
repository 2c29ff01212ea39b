"""What people bring in a simulated week: inputs of all four studies, their configuration, and a judge that answers."""

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.deploy.configured_study import GOLDEN
from tests.openai_server import Asked, Scripted, answered, valid_text
from tests.small_datasets import write_answers
from tests.small_datasets import write_scores as write_predictions
from tests.small_relevance import Scores, write_queries
from tests.small_series import write_series
from tests.small_study import write_image

STUDY = "week"
WEDNESDAY = "tables_of_wednesday"  # a copy next to the home
FIRST_ITEM = 100
N_OBJECTS, N_REPEATS = 8, 3
FREE: dict[str, Any] = {"kind": "openai", "model": "judge-1", "price": {"input": 0, "output": 0}, "image_side_px": 64}
# Few of everything: a run costs by the partition.
SETTINGS = {"temperatures": [0.2], "top_ps": [0.9]}
METHODS = ["sharpness_only", "contrast_only"]
HEADER = "3D Object filename,Visual Fidelity,annotator"


def true_score(place: int) -> float:
    """What people think of an object: 0.20, 0.26, ... in the order in which objects came, 0-1."""
    return 0.20 + 0.06 * place


@dataclass
class Judge:
    """Right but for a ripple of 0.02 above temperature 0; later models say 0.03 more.

    It takes altered renders for better ones, by 0.10, so that no gate of the golden set passes by chance. The first
    pictures of an item that it sees are those of the study. Requests with a higher number than `answers_up_to` wait.
    """

    answers_up_to: float = math.inf
    seen: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __call__(self, asked: Asked) -> Scripted:
        """The answer; a call that is made again is answered as before, for its nonce follows from the call."""
        pictures = tuple(asked.images)
        said = true_score(int(asked.item_id) - FIRST_ITEM) + (0.0 if asked.body["model"] == "judge-1" else 0.03)
        if self.seen.setdefault(asked.item_id, pictures) != pictures:
            said += 0.10
        if asked.body.get("temperature"):
            said += 0.02 * (int(asked.run_id, 16) % 3 - 1)
        return answered(
            valid_text(asked.item_id, score=round(100 * said, 3)),
            model=asked.body["model"],
            held_until=lambda: asked.number <= self.answers_up_to,
        )


def score_rows(n_objects: int) -> list[str]:
    """Two annotators' scores of each object, 0.01 below and above the truth."""
    return [
        f"{FIRST_ITEM + place}__rodin_multi_N1_a_2025-08-17_v1_h{FIRST_ITEM + place:08x}.glb,"
        f"{true_score(place) + shift:.3f},{annotator}"
        for place in range(n_objects)
        for annotator, shift in (("a1", -0.01), ("a2", 0.01))
    ]


def write_score_file(folder: Path, rows: Sequence[str]) -> Path:
    """Study A's score file."""
    path = folder / "subjective.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def write_renders(folder: Path, n_objects: int) -> None:
    """An image of each object, and a photo of what it depicts."""
    for item in range(FIRST_ITEM, FIRST_ITEM + n_objects):
        write_image(folder / "candidates" / str(item) / f"{item:08x}.png", item)
        write_image(folder / "references" / str(item) / "gt_1.png", 1000 + item)


def write_inputs(folder: Path, queries: Sequence[Scores]) -> None:
    """The inputs of all four studies as they lie there on Monday."""
    write_renders(folder, N_OBJECTS)
    write_score_file(folder, score_rows(N_OBJECTS))
    write_series(folder)
    (folder / "inbox").mkdir()
    write_predictions(folder / "inbox" / "pictures.csv")
    write_answers(folder / "inbox" / "questions.jsonl")
    write_queries(folder / "queries.jsonl", queries)


@contextmanager
def still_written(path: Path, text: str) -> Iterator[None]:
    """While this lasts somebody writes the file, however long a tick takes."""
    over = threading.Event()

    def write() -> None:
        while not over.wait(0.1):
            path.write_text(text)

    path.write_text(text)
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


def write_configuration(folder: Path, judge: dict[str, Any], min_srcc: float = 0.9) -> None:
    """touchstone.yaml in the folder's home: all four studies, as few resamples as may be."""
    sections: dict[str, Any] = {
        "fidelity": {
            "human_scores": "../subjective.csv",
            "references": "../references",
            "candidates": "../candidates",
            "judge": judge,
            "repeats": N_REPEATS,
            "settings": SETTINGS,
            "golden": GOLDEN | {"setting": "t0.2_p0.9"},
            "anchor": {"n_objects": 4},
        },
        "pairwise": {
            "pairs_csv": "../pairs.csv",
            "image_root": "../photos",
            "clip_attributes": [],
            "dl_methods": [],
            "rule_based_methods": METHODS,
        },
        "evaluation": {
            "inbox": "../inbox",
            "bca_resamples": 100,
            "datasets": {"pictures": {"gates": {"min_srcc": min_srcc}}},
        },
        "reliability": {"queries": "../queries.jsonl"},
    }
    for section in sections.values():
        section["bootstrap_resamples"] = 100
    (folder / "home").mkdir(exist_ok=True)
    (folder / "home" / "touchstone.yaml").write_text(yaml.safe_dump({"study": STUDY} | sections))
