"""Files as people have them, each with its blemishes: one command, no code, and the verdict that is true of them."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from tools.samples.ratings import FOLDER
from tools.samples.workbooks import opendocument

N = 160
WIDE = ("--judge", "judge", "--human", "ann", "--human", "ben", "--human", "cleo")


def ratings(low: int = 1, high: int = 5) -> dict[str, np.ndarray]:
    """A judge with half the noise of three people, on a scale of whole numbers."""
    random = np.random.default_rng(8)
    truth, middle = random.standard_normal(N), (low + high) / 2
    noises = {"judge": 0.25, "ann": 0.5, "ben": 0.5, "cleo": 0.5}
    spread = (high - low) / 4
    return {
        name: np.clip(np.rint(middle + spread * (truth + noise * random.standard_normal(N))), low, high).astype(int)
        for name, noise in noises.items()
    }


def lines(path: Path, rows: Iterable[Sequence[object]], *, delimiter: str = ",", encoding: str = "utf-8") -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))


def columns(named: dict[str, np.ndarray]) -> list[list[Any]]:
    return [list(named), *map(list, zip(*(column.tolist() for column in named.values()), strict=True))]


def decimal_commas(path: Path) -> None:
    rows = columns(ratings())
    rows = [rows[0], *([f"{value:.1f}".replace(".", ",") for value in row] for row in rows[1:])]
    rows[3][1] = ""
    lines(path, rows, delimiter=";", encoding="utf-8-sig")


def tabs_in_latin_1(path: Path) -> None:
    rows = columns(ratings())
    rows[0] = ["jugé", "évaluée par Ann", "ben", "cleo"]
    lines(path, [*rows[:5], [], *rows[5:]], delimiter="\t", encoding="latin-1")


def labels_with_blanks_behind(path: Path) -> None:
    names = np.array(["fail", "borderline", "pass"])
    named = {name: names[np.digitize(values, [3, 4])] for name, values in ratings().items()}
    rows = columns(named)
    rows[2][0], rows[5][1], rows[9][2], rows[11][3] = f"{rows[2][0]}  ", f" {rows[5][1]}", rows[9][2].upper(), "N/A"
    lines(path, rows)


def percentages(path: Path) -> None:
    rows = columns(ratings(0, 20))
    lines(path, [rows[0], *([f"{5 * value} %" for value in row] for row in rows[1:])])


def one_json_list(path: Path) -> None:
    head, *rows = columns(ratings())
    records: list[dict[str, Any]] = [dict(zip(head, row, strict=True)) for row in rows]
    records[7]["ann"], records[8]["judge"] = None, str(records[8]["judge"])
    path.write_text(json.dumps(records))


def nested_lines(path: Path) -> None:
    rows = [
        {"sample": place, "scores": {"judge": judge}, "people": {"ann": ann, "ben": ben, "cleo": cleo}}
        for place, (judge, ann, ben, cleo) in enumerate(columns(ratings())[1:])
    ]
    del rows[3]["people"]["ben"]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")


def trec(path: Path) -> None:
    for name, grades in ratings(0, 3).items():
        if name in ("judge", "ann"):
            given = [f"{place // 8} 0 doc{place} {grade}" for place, grade in enumerate(grades.tolist())]
            path.with_name(f"{name}.qrels").write_text("\n".join(given) + "\n")


def opendocument_sheet(path: Path) -> None:
    rows: list[list[Any]] = [[value if isinstance(value, str) else float(value) for value in row]
                             for row in columns(ratings())]  # fmt: skip
    rows[6][2] = None
    opendocument(path, notes=[["two people left"]], scores=rows)


def label_studio(path: Path) -> None:
    def said(value: int) -> list[dict[str, Any]]:
        return [{"type": "rating", "from_name": "quality", "value": {"rating": value}}]

    tasks = [
        {
            "id": place,
            "data": {"text": f"text {place}"},
            "annotations": [
                {"completed_by": {"email": f"{name}@x.org"}, "result": said(given)}
                for name, given in zip(("ann", "ben", "cleo"), people, strict=True)
            ],
            "predictions": [{"model_version": "judge", "result": said(judge)}],
        }
        for place, (judge, *people) in enumerate(columns(ratings())[1:])
    ]
    tasks[2]["annotations"].append({"completed_by": 9, "was_cancelled": True, "result": []})
    path.write_text(json.dumps(tasks))


def parquet(path: Path) -> None:
    frame = pd.DataFrame(ratings()).astype({"judge": "float32", "ann": "Int64"})
    frame.loc[[1, 5], "ann"] = pd.NA
    frame.to_parquet(path)


def a_row_a_rating(path: Path) -> None:
    head, *rows = columns(ratings())
    long = [
        [f"item {place}", f'said "{place}",\nand more', name if place % 9 else name.upper(), value]
        for place, row in enumerate(rows)
        for name, value in zip(head, row, strict=True)
    ]
    long[10][3] = "-"
    lines(path, [["item", "answer", "rater", "score"], *long], delimiter="|")


def codes_for_no_rating(path: Path) -> None:
    rows = columns(ratings(1, 7))
    for place in (4, 20, 33):
        rows[place][1 + place % 3] = 99
    lines(path, rows)


PEOPLE_LATER = ("--human", "ben", "--human", "cleo")
FILES: dict[str, tuple[Callable[[Path], None], str, tuple[str, ...], str]] = {
    "decimal commas": (decimal_commas, "r.csv", WIDE, "yes"),
    "tabs in latin-1": (
        tabs_in_latin_1, "r.tsv",
        ("--encoding", "latin-1", "--judge", "jugé", "--human", "évaluée par Ann", *PEOPLE_LATER), "yes",
    ),
    "labels": (labels_with_blanks_behind, "r.csv", (*WIDE, "--labels", "fail,borderline,pass"), "yes"),
    "percentages": (percentages, "r.csv", WIDE, "yes"),
    "json list": (one_json_list, "r.json", WIDE, "yes"),
    "nested json lines": (
        nested_lines, "r.jsonl",
        ("--judge", "scores.judge", "--human", "people.ann", "--human", "people.ben", "--human", "people.cleo"), "yes",
    ),
    "trec": (trec, "ann.qrels", ("judge.qrels", "--judge", "judge"), "agrees"),
    "opendocument": (opendocument_sheet, "r.ods", ("--sheet", "scores", *WIDE), "yes"),
    "label studio": (label_studio, "r.json", ("--judge", "judge"), "yes"),
    "parquet": (parquet, "r.parquet", WIDE, "yes"),
    "a row a rating": (
        a_row_a_rating, "r.csv", ("--item", "item", "--rater", "rater", "--score", "score", "--judge", "judge"), "yes",
    ),
    "codes": (codes_for_no_rating, "r.csv", (*WIDE, "--blank", "99"), "yes"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_each_reaches_its_verdict_with_one_command(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, name, arguments, word = FILES[kind]
    write(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(application, ["verdict", name, *arguments, "--json"])
    assert done.exit_code == 0, done.exception
    found = json.loads(done.stdout)
    assert found["judges"][0]["verdict"]["word"] == word, found["judges"][0]["verdict"]
    assert found["n_objects"] > N * 0.9


def test_the_workbook_of_the_examples_does_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[3])
    command = ["verdict", str(FOLDER / "captions.xlsx"), "--sheet", "ratings", "--judge", "llm judge"]
    done = CliRunner().invoke(application, [*command, "--human", "rater 1", "--human", "rater 2"])
    assert done.exit_code == 0, done.exception
    assert "May llm judge stand in for people? yes" in done.stdout
