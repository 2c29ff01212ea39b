"""The files of ratings in examples/ratings, made up with a truth that is known and a few blemishes.

`python -m tools.samples.ratings` writes them again; other seeds make copies on which the verdict is measured.
"""

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.samples.workbooks import excel

Floats = NDArray[np.float64]
Random = np.random.Generator
FOLDER: Final = Path("examples/ratings")
SEED: Final = 5


class Kind(NamedTuple):
    """A kind of file: how it is written, the arguments after `touchstone verdict`, and the word that is true of it."""

    write: Callable[[Path, Random], None]
    arguments: str
    word: str


def steps(values: Floats, low: int, high: int) -> NDArray[np.int64]:
    """Values of spread 1 as the steps of a scale."""
    middle, spread = (low + high) / 2.0, (high - low) / 4.0
    return np.clip(np.rint(middle + spread * values), low, high).astype(np.int64)


def write_scores(folder: Path, random: Random) -> None:
    """Answers scored 1 to 5 by a model with half a person's noise; three people rated 200 of 320.

    The model likes long answers a little, which the verdict names.
    """
    n, rated = 320, 200
    truth = random.standard_normal(n)
    words = np.clip(np.rint(120 + 45 * random.standard_normal(n)), 20, None).astype(int)
    judge = steps(truth + 0.3 * random.standard_normal(n) + 0.004 * (words - 120), 1, 5)
    people = [steps(truth + 0.6 * random.standard_normal(n), 1, 5) for _ in range(3)]
    language = np.where(random.random(n) < 0.3, "it", "en")
    rows = []
    for place in range(n):
        given = [str(person[place]) if place < rated else "" for person in people]
        rows.append([f"answer-{place + 1:03d}", words[place], language[place], judge[place], *given])
    # Blemishes: a skipped rating, words for it, numbers written with decimals, spaces.
    rows[7][5], rows[19][6], rows[33][4], rows[54][3], rows[80][5] = (
        "",
        "n/a",
        "NA",
        f"{judge[54]}.0",
        f" {rows[80][5]} ",
    )
    _write(folder / "scores.csv", ["id", "words", "language", "gpt4_score", "human1", "human2", "human3"], rows)


def write_labels(folder: Path, random: Random) -> None:
    """Replies that pass, fail or are unsure by two annotators, and by a model whose labels are unrelated to them."""
    n = 240
    truth = random.standard_normal(n)
    names = np.array(["fail", "unsure", "pass"])

    def label(values: Floats) -> list[str]:
        return names[np.digitize(values, [-0.6, 0.6])].tolist()

    judge, ann, bob = label(random.standard_normal(n)), *(label(truth + 0.4 * random.standard_normal(n)) for _ in "ab")
    topic = random.choice(["billing", "delivery", "refunds"], n).tolist()
    rows = [list(row) for row in zip(range(1, n + 1), topic, judge, ann, bob, strict=True)]
    # Blemishes: another spelling, spaces, blanks.
    rows[3][2], rows[11][3], rows[25][4], rows[40][3], rows[41][2] = "Pass", " fail ", "", "N/A", "FAIL"
    _write(folder / "labels.csv", ["reply", "topic", "llm_label", "ann", "bob"], rows)


def write_metrics(folder: Path, random: Random) -> None:
    """Three image metrics and a mean opinion score of 25 references in 8 distortions, with decimal commas.

    `lpips` is a distance and follows the opinions best, `psnr` does so less, `sharpness` hardly.
    """
    n = 200
    reference = np.repeat(np.arange(25), 8)
    truth = 0.9 * random.standard_normal(n) + 0.3 * random.standard_normal(25)[reference]
    mos = 55 + 15 * (truth + 0.15 * random.standard_normal(n))
    psnr = 30 + 4 * (truth + 0.7 * random.standard_normal(n))
    lpips = np.clip(0.4 - 0.12 * (truth + 0.2 * random.standard_normal(n)), 0.001, None)
    sharpness = 10 + 2 * (0.3 * truth + random.standard_normal(n))
    rows = [
        [
            f"i{place:03d}",
            f"ref{reference[place]:02d}",
            *(f"{column[place]:.3f}".replace(".", ",") for column in (psnr, lpips, sharpness, mos)),
        ]
        for place in range(n)
    ]
    # Blemishes: a metric that failed, a reference in capitals.
    rows[13][2], rows[40][1] = "nan", rows[40][1].upper()
    _write(folder / "metrics.csv", ["image", "reference", "psnr", "lpips", "sharpness", "MOS"], rows, ";")


def write_qrels(folder: Path, random: Random) -> None:
    """Relevance 0 to 3 of ten documents for each of 40 topics, by an assessor and by a model: TREC's form."""
    truth = random.standard_normal((40, 10)) + 0.5 * random.standard_normal((40, 1))
    for name, noise in (("assessor", 0.2), ("llm", 0.25)):
        grades = steps(truth + noise * random.standard_normal(truth.shape), 0, 3)
        lines = [
            f"{301 + topic}\t0\tdoc{topic * 10 + place:03d}\t{grades[topic, place]}"
            for topic in range(40)
            for place in range(10)
            # Blemish: the model left out a few documents, and wrote a blank line.
            if name == "assessor" or (topic, place) not in ((3, 4), (7, 9))
        ]
        (folder / f"{name}.qrels").write_text(
            "\n".join([*lines[:5], *([""] if name == "llm" else []), *lines[5:]]) + "\n"
        )


def write_renders(folder: Path, random: Random) -> None:
    """A row a rating: renders scored 1 to 10 by three people, and by a model that sorts well and scores too high."""
    n = 240
    truth = 0.8 * random.standard_normal(n) + 0.6 * random.standard_normal(60)[np.repeat(np.arange(60), 4)]
    raters = {name: steps(truth - 0.6 + 0.5 * random.standard_normal(n), 1, 10) for name in ("ada", "ben", "cleo")}
    raters["vision-judge"] = steps(truth + 0.6 + 0.2 * random.standard_normal(n), 1, 10)
    rows = [
        [f"render_{place:03d}", f"product_{place // 4:02d}", name, scores[place]]
        for name, scores in raters.items()
        for place in range(n)
    ]
    # Blemishes: one rater's name in capitals, a rating left blank, rows in no order.
    rows[5][2], rows[300][3] = "Ada", ""
    order = random.permutation(len(rows))
    _write(folder / "renders.csv", ["render", "product", "rater", "score"], [rows[place] for place in order])


def write_rare(folder: Path, random: Random) -> None:
    """Safety labels of which 9 in 10 are `safe`, by three people and by a model as good as they are."""
    n = 400
    truth = random.standard_normal(n)
    limit = 1.3

    def label(noise: float) -> list[str]:
        return np.where(truth + noise * random.standard_normal(n) > limit, "unsafe", "safe").tolist()

    columns = [[f"m{place:03d}" for place in range(n)], label(0.2), *(label(0.45) for _ in range(3))]
    _write(
        folder / "rare.csv", ["message", "guard_model", "human1", "human2", "human3"], list(zip(*columns, strict=True))
    )


def write_workbook(folder: Path, random: Random) -> None:
    """A workbook whose second sheet has captions scored 1 to 7 by two people and by a model as good as they are."""
    n = 150
    truth = random.standard_normal(n)
    columns = [steps(truth + noise * random.standard_normal(n), 1, 7) for noise in (0.3, 0.55, 0.55)]
    names = [f"caption {place + 1}" for place in range(n)]
    rows: list[list[str | float | None]] = [
        [name, *map(float, given)] for name, *given in zip(names, *columns, strict=True)
    ]
    # Blemishes: a cell left empty, one with words, one with a number that is text.
    rows[4][2], rows[17][3], rows[60][1] = None, "n/a", str(rows[60][1])
    about: list[list[str | float | None]] = [["Ratings of captions"], ["1 bad, 7 good"]]
    excel(folder / "captions.xlsx", about=about, ratings=[["caption", "llm judge", "rater 1", "rater 2"], *rows])


def _write(path: Path, names: Sequence[str], rows: Sequence[Sequence[Any]], delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


KINDS: Final = {
    "scores": Kind(
        write_scores,
        "scores.csv --judge gpt4_score --human human1 --human human2 --human human3 --item id",
        "yes",
    ),
    "labels": Kind(write_labels, "labels.csv --judge llm_label --human ann --human bob --item reply", "no"),
    "metrics": Kind(
        write_metrics,
        "metrics.csv --judge lpips --human MOS --lower-is-better lpips --item image --cluster reference",
        "agrees",
    ),
    "qrels": Kind(write_qrels, "assessor.qrels llm.qrels --judge llm", "agrees"),
    "renders": Kind(
        write_renders,
        "renders.csv --item render --rater rater --score score --judge vision-judge --cluster product",
        "only for ranking",
    ),
}


def write_all(folder: Path, seed: int) -> None:
    """Every file, as this seed makes it."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, write in enumerate([*(kind.write for kind in KINDS.values()), write_rare, write_workbook]):
        write(folder, np.random.default_rng([seed, place]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    write_all(FOLDER, parser.parse_args().seed)
