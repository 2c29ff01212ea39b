"""The page of `touchstone verdict` in Italian: a user's own words stay, and no sentence is English."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.command_line.verdict_report import report_text
from pipeline.command_line.verdict_result import Question, answer, calibrated_text, verdict_values
from reports.shared.phrases import catalogue
from resources.inputs.ratings.layout import RatingColumns
from tests.reports.verdict.test_report import words_of

FREE = "-zq"
Words = Callable[[str], str]
Table = tuple[list[list[object]], RatingColumns]


def labels(own: Words) -> Table:
    """Two judges and three people give labels, in two spellings; one label no person gives, and some rows no person."""
    known, rows = [own("kappa"), own("people"), own("same label")], []
    for i in range(108):
        people = [known[(i + (i // (5 + place) % 3 == 0)) % 3] for place in range(3)]
        judges = [known[(i + (i % 4 == 0)) % 3], known[i % 3] if i % 8 else own("a point")]
        people[1] = people[1].upper() if i == 40 else people[1]
        people[2] = own("a comma") if i % 9 == 0 else people[2]
        chosen, group = own("interval above 0" if i % 12 else "Spearman"), own("(other)" if i % 3 else "rows above")
        source = "" if i == 50 else f"{own('once')} {i // 2}"
        rows.append([f"{own('objects')} {i}", chosen, group, source, *(people if i < 90 else [""] * 3), *judges])
    people = [own("once"), own("each person in turn"), own("the majority of the people")]
    judges = [own("judges"), own("people")]
    head = [own("objects"), own("Spearman"), own("consistency"), own("Pearson"), *people, *judges]
    columns = RatingColumns(
        tuple(judges), tuple(people), item=head[0], cluster=head[3], blank=(own("a comma"),),
        where=((head[1], own("interval above 0")),),
    )  # fmt: skip
    return [head, *rows], columns


def scores(own: Words) -> Table:
    """Below a title three people, one a copy, one with decimal commas, and judges turned round and in another unit."""
    rows: list[list[object]] = []
    for i in range(60):
        people = [1 + (i + i // 7 % 2) % 5, 1 + (i + i // 5 % 2) % 5]
        given = [people[0], f"{people[1]},5", people[0], 6 - people[0], 31.25 + people[1] * 2 + i % 3 / 4]
        rows.append([f"{own('objects')} {i}", *given, own("length bias" if i % 2 else "once")])
    people = [own("the mean of the people"), own("people"), own("the median of the people")]
    head = [own("objects"), *people, own("once"), own("Pearson"), "criterion"]
    columns = RatingColumns((own("once"), own("Pearson")), tuple(people), item=own("objects"))
    return [[own("not measured")], head, *rows, rows[-1]], columns


def grades(own: Words) -> Table:
    """One person's, made two labels, and no column that names the objects."""
    rows = [[own("people") if i < 2 else f"x{i}", own("judges" if i % 3 else "AC1"), own("judges" if i % 4 else "AC1")]
            for i in range(40)]  # fmt: skip
    columns = RatingColumns((own("deterministic"),), (own("the mean of the people"),), positive=(own("AC1"),))
    return [[own("objects"), own("deterministic"), own("the mean of the people")], *rows], columns


def italian(folder: Path, made: Callable[[Words], Table], end: str) -> str:
    """What the page of such a file says in Italian, without when and of which bytes it was made."""
    used: set[str] = set()
    rows, columns = made(lambda word: (used.add(word) or word) + end)
    assert used <= {*catalogue("it")}
    folder.mkdir()
    path = folder / "r.csv"
    path.write_text("\n".join(";".join(map(str, row)) for row in rows), encoding="utf-8")
    said = answer(Question((str(path),), columns))
    result = verdict_values(said)
    if made is not labels:
        result["notes"] += calibrated_text(said)[1]
    text = report_text(said, result)
    assert re.findall('<span lang="en">([^<]*)</span>', text[text.index("<main") : text.index("</main>")]) == []
    return re.sub(r"[0-9a-f]{8,}|\d+:\d+(:\d+)?", "", words_of(text, "it"))


@pytest.mark.parametrize("made", [labels, scores, grades])
def test_words_of_a_file_that_the_catalogue_has_too_stay_and_no_sentence_is_english(made, tmp_path: Path) -> None:
    free = italian(tmp_path / "free", made, FREE)
    assert italian(tmp_path / "known", made, "") == re.sub(FREE, "", free, flags=re.IGNORECASE)


def test_a_judge_that_is_called_people_is_calibrated_next_to_people(tmp_path: Path) -> None:
    rows = [f"o{i},{1 + i % 5},{2 * (1 + i % 5)}" for i in range(40)]
    (tmp_path / "r.csv").write_text("\n".join(["id,ann,people", *rows]), encoding="utf-8")
    text, _ = calibrated_text(answer(Question((str(tmp_path / "r.csv"),), RatingColumns(("people",), ("ann",), "id"))))
    # A judge that always gives twice what the person gives is calibrated to that: 6 becomes 3.
    head, *lines = text.splitlines()
    assert head == "object,people,people,people_calibrated"
    assert [round(float(one)) for one in lines[2].split(",")[1:]] == [3, 6, 3]
