"""`touchstone init --from` a file of texts: study A over them, with people's scores in any form or still without."""

from pathlib import Path

import pytest

from resources.configuration.openai_judge import ModelJudge
from resources.inputs.fidelity.human_scores import read_human_scores
from tests.pipeline.command_line.test_init_from import begun, printed, refused

ROWS = [(f"a{n}", f"Why, {n // 2}?", f"Because of {n}", f"m{n % 2}") for n in range(24)]


def write(file: Path, header: str, rows: list[str]) -> Path:
    file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return file


def test_answers_without_scores_are_study_a_and_what_is_missing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "a.csv", "id,prompt,answer,model", [f'{a},"{b}",{c},{d}' for a, b, c, d in ROWS])
    home = tmp_path / "home"
    found, said = begun(file, home)
    assert found.fidelity is not None
    texts, judge = found.fidelity.texts, found.fidelity.judge
    assert texts is not None
    assert texts.columns == {"query": "prompt", "document": "answer", "source": "model"}
    assert isinstance(judge, ModelJudge)
    assert judge.task is not None
    assert (judge.task.shows, judge.task.prompt.read_text().count("{document}")) == ("text", 1)
    assert "Missing: people's scores of these texts. Write them into people.csv in the study's folder" in said
    # Once they are there, the files hold together.
    (home / "people.csv").write_text("id,score,annotator\n" + "".join(f"a{n},{1 + n % 5},ann\n" for n in range(24)))
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    checked = " ".join(printed("import", "fidelity").split())
    assert "24 ratings of 24 objects" in checked
    assert "24 can be judged" in checked


@pytest.mark.parametrize("form", ["a column a person", "a row a rating"])
def test_peoples_scores_in_the_file_are_read_in_either_form(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = [f'{a},"{b}",{c},{1 + n % 5},{1 + n % 4}' for n, (a, b, c, _) in enumerate(ROWS)]
    long = [f'{a},"{b}",{c},{1 + n % 5},{who}' for n, (a, b, c, _) in enumerate(ROWS) for who in ("ann", "bob")]
    header = "id,question,response,human1,human2" if form.startswith("a column") else "id,question,response,grade,rater"
    file = write(tmp_path / "a.csv", header, wide if form.startswith("a column") else long)
    begun(file, tmp_path / "home")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    assert "48 ratings of 24 objects" in " ".join(printed("import", "fidelity").split())


def test_a_group_that_the_study_resamples_by_is_not_called_unread(tmp_path: Path) -> None:
    raters = ("ann", "bob")
    lines = [f"{a},{c},{1 + n % 5},{who},topic{n % 3}" for n, (a, _, c, _) in enumerate(ROWS) for who in raters]
    file = write(tmp_path / "a.csv", "id,answer,grade,annotator,group", lines)
    found, said = begun(file, tmp_path / "home")
    assert found.fidelity is not None
    assert set(read_human_scores(found.fidelity).frame["product_id"]) == {"topic0", "topic1", "topic2"}
    assert "group group topic0" in said


def test_texts_without_an_id_are_refused_in_a_line(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", "prompt,answer", [f'"{b}",{c}' for _, b, c, _ in ROWS])
    said = refused("init", tmp_path / "home", "--from", file)
    assert "a.csv: study A reads texts by an id, and no column holds one." in said
    assert "Add a column `id`" in said
