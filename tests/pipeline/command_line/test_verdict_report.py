"""What `touchstone verdict` writes: a page with the verdict first, data sets of study C, JSON by its schema."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from resources.configuration.load import load_configuration
from resources.inputs.evaluation.known_datasets import known_datasets
from tests.pipeline.command_line.test_verdict import HUMANS, answered, read, refused

ROOT = Path(__file__).resolve().parents[3]
JUDGE = ("--judge", "gpt4_score", *HUMANS, "--item", "id")


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    return Draft202012Validator(json.loads((ROOT / "docs/verdict.schema.json").read_text(encoding="utf-8")))


def test_every_kind_of_result_keeps_to_the_schema(
    schema: Draft202012Validator,
    made: Path,
    graded: Path,
    biased: Path,
) -> None:
    people = ("--judge", "judge", "--human", "a", "--human", "b")
    for result in (
        answered(made / "r.csv", "--judge", "good", "--judge", "noisy", "--judge", "constant", *HUMANS),
        answered(made / "r.csv", "--judge", "good", "--judge", "distance", *HUMANS),
        answered(made / "r.csv", "--judge", "good", "--human", "MOS"),
        answered(made / "l.json", "--judge", "judge", "--human", "ann", "--human", "bob"),
        answered(graded, *people, "--positive", "2,3"),
        answered(biased, *JUDGE),
    ):
        schema.validate(result)
        assert not schema.is_valid(result | {"judge": []})


def test_the_page_has_the_answer_first_then_numbers_and_every_object(biased: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    said = read(biased, *JUDGE, "--report", page)
    # By the verdict, above what it rests on.
    assert said.index("Its errors depend on") < said.index("in a person's place")
    text = page.read_text(encoding="utf-8")
    body = text[text.index("<main") :]
    order = (
        "May gpt4_score stand in for people?",
        '<p class="word">',
        "It agrees with the others",
        "Its errors depend on",
    )
    order = (*order, "objects; people", "Does it agree with people?", "What does it not see?", "All objects")
    places = [body.index(words) for words in order]
    assert places == sorted(places)
    assert "length bias" in body
    assert "Può gpt4_score sostituire le persone" in body


def test_the_table_of_objects_begins_with_the_largest_difference(made: Path) -> None:
    from pipeline.command_line.verdict_report import objects_table
    from pipeline.command_line.verdict_result import Question, answer
    from resources.inputs.ratings.layout import RatingColumns

    columns = RatingColumns(judges=("good", "noisy"), people=("human1", "human2", "human3"), item="id")
    said = answer(Question((str(made / "r.csv"),), columns))
    table = objects_table(said)
    assert list(table["judge"].unique()) == ["good", "noisy"]
    away = table[table["judge"] == "noisy"]["difference"].abs()
    assert away.is_monotonic_decreasing
    frame = pd.read_csv(made / "r.csv").set_index("id")
    first = table.iloc[0]
    row = frame.loc[first["object"]]
    assert first["difference"] == pytest.approx(row["good"] - row[["human1", "human2", "human3"]].mean())


def test_columns_of_the_file_keep_their_names_in_the_table_of_objects(tmp_path: Path) -> None:
    from pipeline.command_line.verdict_report import objects_table
    from pipeline.command_line.verdict_result import Question, answer
    from resources.inputs.ratings.layout import RatingColumns

    lines = [f"o{i},{i % 5},{(i + i // 5) % 5},{'ab'[i % 2]},{'cd'[i % 3 > 0]}" for i in range(40)]
    (tmp_path / "r.csv").write_text("\n".join(["id,gpt,ann,topic,people", *lines]))
    columns = RatingColumns(judges=("gpt",), people=("ann",), item="id", by=("topic", "people"))
    table = objects_table(answer(Question((str(tmp_path / "r.csv"),), columns)))
    assert list(table) == ["judge", "object", "people", "rating", "difference", "people (column)", "topic"]


def test_scores_of_another_scale_have_no_difference(made: Path) -> None:
    from pipeline.command_line.verdict_report import objects_table
    from pipeline.command_line.verdict_result import Question, answer
    from resources.inputs.ratings.layout import RatingColumns

    columns = RatingColumns(judges=("distance", "good"), people=("human1", "human2", "human3"), item="id")
    said = answer(Question((str(made / "r.csv"),), columns))
    assert not said.found.judges[0].same_scale
    table = objects_table(said).set_index("judge")
    assert table.loc["distance", "difference"].isna().all()
    assert table.loc["distance", "rating"].notna().any()
    assert table.loc["good", "difference"].notna().all()


def test_what_the_verdict_rests_on_is_what_two_people_rated(made: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(made / "r.csv")
    frame.loc[:49, ["human2", "human3"]] = None
    frame.to_csv(tmp_path / "few.csv", index=False)
    page = tmp_path / "page.html"
    result = answered(tmp_path / "few.csv", "--judge", "good", *HUMANS, "--item", "id", "--report", page)
    [judge] = result["judges"]
    assert (judge["n"], judge["n_clusters"], result["n_objects"]) == (100, 100, 150)
    said = re.sub("<[^>]*>", "", page.read_text(encoding="utf-8"))
    assert "100 objects; people: human1" in said
    [judge] = answered(tmp_path / "few.csv", "--judge", "good", "--human", "human2", "--item", "id")["judges"]
    assert (judge["n"], judge["n_clusters"]) == (100, 100)


def test_ratings_become_a_data_set_of_study_c(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_text("study: x\nevaluation:\n  inbox: inbox\n", encoding="utf-8")
    (tmp_path / "inbox").mkdir()
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(path))
    read(made / "r.csv", "--judge", "good", *HUMANS, "--item", "id", "--save", "support-2026")
    [file] = (tmp_path / "inbox").iterdir()
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    frame = pd.read_csv(made / "r.csv")
    assert len(rows) == 150
    assert rows[0]["sample_id"] == "doc0"
    assert rows[0]["final_score"] == frame["good"][0]
    assert rows[0]["mos"] == pytest.approx(np.mean([frame[f"human{n}"][0] for n in (1, 2, 3)]))
    study = load_configuration().evaluation
    assert study is not None
    assert set(known_datasets(study)) == {"support-2026"}
    read(made / "l.json", "--judge", "judge", "--human", "ann", "--save", "labels")
    row = json.loads((tmp_path / "inbox" / "labels.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert row["options"] == ["fail", "pass", "unsure"]
    assert "letters, digits" in refused(made / "r.csv", "--judge", "good", *HUMANS, "--save", "a/b")
    path.write_text("study: x\nevaluation: {}\n", encoding="utf-8")
    assert "names no inbox" in refused(made / "r.csv", "--judge", "good", *HUMANS, "--save", "a")


def test_an_empty_home_becomes_the_study_of_what_is_saved(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    monkeypatch.delenv("TOUCHSTONE_CONFIG", raising=False)
    asked = (made / "r.csv", "--judge", "good", *HUMANS, "--item", "id", "--save", "2026.11")
    said = read(*asked)
    assert "`touchstone run evaluation` keeps its history" in " ".join(said.split())
    written = tmp_path / "touchstone.yaml"
    study = load_configuration().evaluation
    assert study is not None
    assert set(known_datasets(study)) == {"2026.11"}
    # A configuration that is there stays as it is.
    written.write_text("study: mine\nevaluation:\n  inbox: inbox\n", encoding="utf-8")
    read(*asked)
    assert written.read_text(encoding="utf-8").startswith("study: mine")


def test_where_a_page_cannot_be_written_is_said_in_a_line_and_nothing_is_lost(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "r.csv"
    before = (made / "r.csv").read_bytes()
    file.write_bytes(before)
    asked = (file, "--judge", "good", "--human", "human1")
    assert f"is a folder. Name a file in it: {tmp_path / 'page.html'}" in refused(*asked, "--report", tmp_path)
    assert "is the file that is read" in refused(*asked, "--report", file)
    assert "the page is HTML. Name it page.html." in refused(*asked, "--report", tmp_path / "page.pdf")
    (tmp_path / "link.html").symlink_to(file)
    assert "is the file that is read" in refused(*asked, "--report", tmp_path / "link.html")
    assert "cannot be written: r.csv is a file, no folder" in refused(*asked, "--report", file / "page.html")
    assert "named for two results" in refused(*asked, "-o", tmp_path / "a", "--report", tmp_path / "b" / ".." / "a")
    said = refused(*asked, "--report", "/proc/page.html")
    assert said.startswith("/proc/page.html cannot be written")
    assert file.read_bytes() == before
    # A data set in the inbox that is the file itself.
    (tmp_path / "touchstone.yaml").write_text("study: x\nevaluation:\n  inbox: .\n", encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(tmp_path / "touchstone.yaml"))
    rows = tmp_path / "rows.jsonl"
    pd.read_csv(file).to_json(rows, orient="records", lines=True)
    before = rows.read_bytes()
    assert "is the file that is read" in refused(rows, *asked[1:], "--save", "rows")
    assert rows.read_bytes() == before


def test_a_folder_that_is_made_for_a_page_is_named(made: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "one" / "page.html"
    shown = read(made / "r.csv", "--judge", "good", "--human", "human1", "--report", page)
    assert f"Wrote a new folder, {page.parent}\nWrote {page}\n" in shown
    assert "new folder" not in read(made / "r.csv", "--judge", "good", "--human", "human1", "--report", page)
