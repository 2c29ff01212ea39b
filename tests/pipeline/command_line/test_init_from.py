"""`touchstone init --from FILE`: the study that a file is for, what its columns are taken for, and a run that works."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.configuration.load import Configuration, read_configuration
from resources.errors import UserError
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.pairwise.text_votes import read_text_votes
from tests.resources.inputs.test_battles import row, written
from tests.small_series import without_weights, write_series
from tests.small_study import KEYS, write_image

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "ratings"


def printed(*arguments: object) -> str:
    done = CliRunner(env={"COLUMNS": "120"}).invoke(application, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def begun(file: Path, home: Path) -> tuple[Configuration, str]:
    """The configuration that is written for a file, and what is said of it."""
    said = printed("init", home, "--from", file)
    return read_configuration(home / "touchstone.yaml"), " ".join(said.split())


def refused(*arguments: object) -> str:
    done = CliRunner().invoke(application, list(map(str, arguments)))
    assert isinstance(done.exception, UserError), done.exception
    return str(done.exception)


def test_a_wide_table_of_scores_is_study_c_with_peoples_mean(tmp_path: Path) -> None:
    found, said = begun(EXAMPLES / "scores.csv", tmp_path / "home")
    assert found.evaluation is not None
    [(name, dataset)] = found.evaluation.datasets.items()
    assert (name, dataset.prediction, dataset.truth) == ("gpt4_score", "gpt4_score", ("human1", "human2", "human3"))
    assert (dataset.kind, dataset.scale) == ("scores", (1, 5))
    assert "gpt4_score a judge: a data set" in said
    assert "for study C (evaluation)" in said
    assert "touchstone run evaluation" in said


def test_a_sheet_or_an_encoding_is_named_as_for_the_verdict_and_the_study_gets_a_copy(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    rows = [f"d{i};{2 + i % 4 / 2};{1 + i % 4}".replace(".", ",") for i in range(40)]
    file.write_text("\n".join(["oggetto_id;gpt4;umanità_human", *rows]) + "\n", encoding="latin-1")
    assert "`--encoding latin-1`" in refused("init", tmp_path / "home", "--from", file)
    said = " ".join(printed("init", tmp_path / "home", "--from", file, "--encoding", "latin-1").split())
    assert "s.csv in the study's folder is a copy of the file" in said
    study = read_configuration(tmp_path / "home" / "touchstone.yaml").evaluation
    assert study is not None
    assert study.datasets["gpt4"].truth == "umanità_human"
    assert study.datasets["gpt4"].file == tmp_path / "home" / "s.csv"
    # The copy has the decimal commas of the file.
    assert (tmp_path / "home" / "s.csv").read_text(encoding="utf-8").splitlines()[2] == "d1;2,5;2"
    workbook = EXAMPLES / "captions.xlsx"
    assert "Name one by `--sheet`" in refused("init", tmp_path / "two", "--from", workbook)
    printed("init", tmp_path / "two", "--from", workbook, "--sheet", "ratings")
    study = read_configuration(tmp_path / "two" / "touchstone.yaml").evaluation
    assert study is not None
    assert study.datasets["llm_judge"].truth == ("rater 1", "rater 2")
    assert "`--sheet` is of the file that `--from` names" in refused("init", tmp_path / "three", "--sheet", "x")


def test_nested_json_gets_a_flat_copy_without_its_lists(tmp_path: Path) -> None:
    cases = [
        {"id": f"c{n}", "metrics": [{"name": "tone", "score": n % 5}], "human": {"ann": n % 4}, "context": ["a", "b"]}
        for n in range(40)
    ]
    (tmp_path / "e.json").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    found, said = begun(tmp_path / "e.json", tmp_path / "home")
    assert "A study takes no nested lists, so e.csv in the study's folder is a copy of the file." in said
    assert found.evaluation is not None
    assert [one.prediction for one in found.evaluation.datasets.values()] == ["metrics.tone.score"]
    rows = (tmp_path / "home" / "e.csv").read_text(encoding="utf-8").splitlines()
    assert rows[:3] == ["id,metrics.tone.score,human.ann", "c0,0,0", "c1,1,1"]


def test_a_list_that_only_a_late_record_has_is_left_out_of_the_copy_or_named(tmp_path: Path) -> None:
    cases = [{"id": f"c{n}", "gpt": n % 5, "human": [n % 4], "wiki": {"page": 1}} for n in range(1001)]
    cases[1000]["wiki"] = {"page": [1, 2]}
    (tmp_path / "e.json").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    begun(tmp_path / "e.json", tmp_path / "home")
    assert (tmp_path / "home" / "e.csv").read_text(encoding="utf-8").splitlines()[1000:] == ["c999,4,3,1", "c1000,0,0,"]
    cases[1000]["human"] = [1, 2]
    (tmp_path / "f.json").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    said = refused("init", tmp_path / "two", "--from", tmp_path / "f.json")
    assert "f.json, row 1001: 'human' holds several values, [1, 2]. Nothing was loaded. Put one rating" in said


def test_a_decimal_sign_that_is_named_is_a_point_in_the_copy(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    rows = [f"b{i};7,{100 + i};{i % 40}.5;{i}%" for i in range(60)]
    file.write_text("\n".join(["image;niqe;MOS;score", *rows]) + "\n", encoding="utf-8")
    printed("init", tmp_path / "home", "--from", file, "--decimal", ",")
    copy = (tmp_path / "home" / "s.csv").read_text(encoding="utf-8").splitlines()
    assert copy[:3] == ["image,niqe,MOS,score", "b0,7.1,0.5,0 %", "b1,7.101,1.5,1 %"]
    study = read_configuration(tmp_path / "home" / "touchstone.yaml").evaluation
    assert study is not None
    assert study.datasets["niqe"].file == tmp_path / "home" / "s.csv"


def test_digits_alone_stay_and_no_score_is_rounded_in_the_copy(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    rows = [f"b{i};{1234567890123456789 + i // 2};00{i};0,{8333333333333334 + i};{i % 40},0" for i in range(60)]
    file.write_text("\n".join(["image;conversation_id;size;niqe;MOS", *rows]) + "\n", encoding="utf-8")
    printed("init", tmp_path / "home", "--from", file, "--decimal", ",")
    copy = (tmp_path / "home" / "s.csv").read_text(encoding="utf-8").splitlines()
    assert copy[7] == "b6,1234567890123456792,006,0.833333333333334,6"
    assert copy[1] == "b0,1234567890123456789,000,0.8333333333333334,0"


def test_criteria_are_a_breakdown_and_their_objects_share_a_source(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    rows = [f"doc-{i},{one},{1 + i % 5},{1 + i % 4}" for i in range(40) for one in ("fluency", "style")]
    file.write_text("\n".join(["doc,criterion,gpt4,expert", *rows]) + "\n", encoding="utf-8")
    found, said = begun(file, tmp_path / "home")
    assert found.evaluation is not None
    dataset = found.evaluation.datasets["gpt4"]
    assert (dataset.cluster, dataset.group_by) == ("doc", (("criterion",),))
    assert "is on all criteria in 'criterion'; the verdict on one: touchstone verdict" in said
    assert "--where criterion=fluency" in said


def test_few_sources_next_to_criteria_are_what_is_said_to_be_too_few(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    rows = [f"{n},topic-{n % 3},{one},{1 + n % 5},{1 + n % 4}" for n in range(40) for one in ("fluency", "style")]
    file.write_text("\n".join(["item,topic,criterion,gpt4,expert", *rows]) + "\n", encoding="utf-8")
    begun(file, tmp_path / "home")
    drafted = (tmp_path / "home" / "touchstone.yaml").read_text(encoding="utf-8")
    assert "group_by: [[topic], [criterion]]   # a breakdown; too few of topic for intervals" in drafted


def test_a_last_row_of_means_is_refused_before_a_study_counts_it(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    rows = [f"d{i},{1 + i % 5},{1 + i % 4}" for i in range(40)]
    file.write_text("\n".join(["id,gpt4_score,human1", *rows, "media,3,2.5"]) + "\n")
    said = refused("init", tmp_path / "home", "--from", file)
    assert "s.csv, row 42: the row 'media' sums up the rows above it" in said
    assert not (tmp_path / "home").exists()


def test_rows_of_the_criterion_overall_are_no_sums_to_a_study(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    # Means 3 and 3, as in the last row.
    rows = [f"d{i},{one},{2 + i % 3},{4 - i % 3}" for one in ("fluency", "overall") for i in (0, 2, 3, 5, 6, 8, 1, 4)]
    file.write_text("\n".join(["id,criterion,gpt4_score,human1", *rows]) + "\n")
    found, _ = begun(file, tmp_path / "home")
    assert found.evaluation is not None


def test_one_cell_that_is_no_number_is_named_and_makes_no_labels_of_scores(tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    rows = [f"d{i},{'four' if i == 3 else 1 + i % 5},{1 + i % 4}" for i in range(40)]
    file.write_text("\n".join(["id,gpt4_score,human1", *rows]) + "\n")
    found, said = begun(file, tmp_path / "home")
    assert found.evaluation is not None
    assert found.evaluation.datasets["gpt4_score"].kind == "scores"
    assert "Row 5: 'four' in column 'gpt4_score' is no finite number. Correct it." in said


def test_a_metric_that_is_a_distortion_and_its_references_are_seen(tmp_path: Path) -> None:
    found, _ = begun(EXAMPLES / "metrics.csv", tmp_path / "home")
    assert found.evaluation is not None
    metrics = found.evaluation.datasets
    assert {name: one.higher_is_better for name, one in metrics.items()} == {"psnr": True, "lpips": False}
    assert {(one.truth, one.scale, one.cluster) for one in metrics.values()} == {("MOS", (0, 100), "reference")}


def test_labels_are_answers_with_their_options(tmp_path: Path) -> None:
    found, said = begun(EXAMPLES / "labels.csv", tmp_path / "home")
    assert found.evaluation is not None
    # Two people have no majority: each is a data set of the judge's.
    assert {name: one.truth for name, one in found.evaluation.datasets.items()} == {
        "llm_label-ann": ("ann",), "llm_label-bob": ("bob",)
    }  # fmt: skip
    dataset = found.evaluation.datasets["llm_label-ann"]
    assert (dataset.kind, dataset.options) == ("answers", ("fail", "pass", "unsure"))
    # Three topics are no sources to resample, and a group to look at.
    assert (dataset.cluster, dataset.group_by) == (None, (("topic",),))
    # Given names are people's where they give the judge's words.
    assert "ann a person: the truth" in said
    command = (
        f"the verdict first: touchstone verdict {EXAMPLES / 'labels.csv'} --judge llm_label --human ann --human bob"
    )
    assert command in said


def test_the_majority_of_three_people_is_the_truth_of_labels(tmp_path: Path) -> None:
    found, _ = begun(EXAMPLES / "rare.csv", tmp_path / "home")
    assert found.evaluation is not None
    [dataset] = found.evaluation.datasets.values()
    assert (dataset.truth, dataset.options) == (("human1", "human2", "human3"), ("safe", "unsafe"))


def write_relevance(path: Path, n: int = 12) -> Path:
    """Grades 0 to 3 of three raters under other names, semicolons, a byte-order mark."""
    random = np.random.default_rng(4)
    rows = ["query;docno;gpt4_grade;ann;ben"]
    for place in range(n * 5):
        truth = random.integers(0, 4)
        grades = np.clip(truth + random.choice([-1, 0, 0, 0], 3), 0, 3)
        rows.append(f"what {place // 5};d{place};{';'.join(map(str, grades))}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8-sig")
    return path


def test_grades_of_documents_are_study_d(tmp_path: Path) -> None:
    found, said = begun(write_relevance(tmp_path / "grades.csv"), tmp_path / "home")
    plan = found.reliability
    assert plan is not None
    names = {"query_id": "query", "doc_id": "docno", "gpt4_grade_score": "gpt4_grade", "ann_score": "ann"}
    assert plan.columns == names | {"ben_score": "ben"}
    assert (plan.grades, plan.relevant_from) == (("0", "1", "2", "3"), "2")
    assert plan.people == ("ann", "ben")
    assert "for study D (reliability)" in said


def test_votes_on_photos_are_study_b_whatever_the_columns_are_called(tmp_path: Path) -> None:
    pairs, _ = write_series(tmp_path / "album")
    rows = [line.split(",") for line in pairs.read_text().splitlines()[1:]]
    pairs.write_text("scene,photo_1,photo_2,votes_left,votes_right\n" + "".join(
        f"{row[0]},{row[1]},{row[2]},{row[5]},{row[6]}\n" for row in rows))  # fmt: skip
    found, said = begun(pairs, tmp_path / "home")
    assert found.pairwise is not None
    assert found.pairwise.image_root.resolve() == (tmp_path / "album" / "photos").resolve()
    assert found.pairwise.columns["LEFT"] == "votes_left"
    assert "votes_left LEFT" in said


def write_manifest(folder: Path, suffix: str = ".webp") -> Path:
    """Twelve renders of six photos, each scored by two people on 1 to 10, the photos on white."""
    rows = ["Rendering,Photo,Rater,Score"]
    for place in range(12):
        write_image(folder / "out" / f"render {place}{suffix}", place)
        white = np.full((32, 32, 3), 240, np.uint8)
        white[8:-8, 8:-8] = np.random.default_rng(place // 2).integers(0, 200, (16, 16, 3))
        (folder / "in").mkdir(exist_ok=True)
        assert cv2.imwrite(str(folder / "in" / f"photo {place // 2}.jpeg"), white)
        for shift, person in ((0, "ann"), (0.5, "ben")):
            rows.append(f"out/render {place}{suffix},in/photo {place // 2}.jpeg,{person},{1 + 0.7 * place + shift:.1f}")
    path = folder / "ratings.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def with_raters(folder: Path, *raters: str) -> Path:
    """The manifest with more raters, whose scores are on 0 to 100."""
    path = write_manifest(folder)
    renders = [line.split(",")[:2] for line in path.read_text().splitlines()[1::2]]
    more = [",".join([*render, rater, str(60 + place)]) for rater in raters for place, render in enumerate(renders)]
    path.write_text(path.read_text() + "\n".join(more) + "\n")
    return path


def test_a_judge_among_the_raters_is_no_person_of_study_a(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = with_raters(tmp_path / "own", "vision-judge")
    found, said = begun(file, tmp_path / "home")
    assert found.fidelity is not None
    assert set(read_human_scores(found.fidelity).frame["annotator"]) == {"ann", "ben"}
    assert found.fidelity.people_scale == (1, 10)
    assert "'vision-judge' in 'Rater' is taken for a judge: ratings.csv in the study's folder is without it." in said
    assert "--judge vision-judge" in said
    # The file itself has it still: what checks it says so.
    configuration = tmp_path / "home" / "touchstone.yaml"
    text = configuration.read_text().replace("file: ratings.csv", "file: ../own/ratings.csv")
    configuration.write_text(text.replace("scale: [1, 10]", "scale: [0, 100]"))
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    assert "vision-judge is taken for a judge by name" in " ".join(printed("import", "fidelity").split())


def test_raters_of_whom_only_the_user_knows_are_asked_about_and_count_as_people(tmp_path: Path) -> None:
    found, said = begun(with_raters(tmp_path / "own", "judge_1", "judge_2"), tmp_path / "home")
    assert found.fidelity is not None
    assert len(set(read_human_scores(found.fidelity).frame["annotator"])) == 4
    assert "Which of 'judge_1', 'judge_2' in 'Rater' are judges? All count as people" in said


def test_what_a_study_reads_by_its_own_name_is_not_called_unread(tmp_path: Path) -> None:
    file = write_manifest(tmp_path / "own")
    head, *rows = file.read_text().splitlines()
    file.write_text("\n".join([f"{head},Source", *(f"{row},m{place % 2}" for place, row in enumerate(rows))]) + "\n")
    # Two rows of a render name the same source.
    file.write_text(file.read_text().replace(",m1", ",m0"))
    found, said = begun(file, tmp_path / "home")
    assert found.fidelity is not None
    assert set(read_human_scores(found.fidelity).frame["algorithm"]) == {"m0"}
    assert "Source source m0" in said


def test_the_spread_and_number_of_opinions_behind_a_mean_are_read(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    rows = [f"i{i},{0.01 * i},{1 + i % 40 / 10},{0.5 + i % 7 / 10},{15 + i % 6}" for i in range(60)]
    path.write_text("filename,SSIM,MOS,MOS_std,n_raters\n" + "\n".join(rows) + "\n")
    found, said = begun(path, tmp_path / "home")
    assert found.evaluation is not None
    [dataset] = found.evaluation.datasets.values()
    assert (dataset.opinion_sd, dataset.votes) == ("MOS_std", "n_raters")
    assert "MOS_std the SD of opinions" in said
    path.write_text(path.read_text().replace("n_raters", "seconds"))
    found, said = begun(path, tmp_path / "other")
    assert found.evaluation is not None
    assert [one.opinion_sd for one in found.evaluation.datasets.values()] == [None]
    assert "MOS_std not read" in said


def test_battles_of_models_are_study_b_and_models_among_the_judges_are_recorded(tmp_path: Path) -> None:
    rows = [row(judge=judge, question_id=place) for place in range(3) for judge in ("expert_1", "gpt4_pair")]
    found, said = begun(written(tmp_path / "mt_bench.jsonl", *rows), tmp_path / "home")
    assert found.pairwise is not None
    assert (found.pairwise.pairs_of, found.pairwise.recorded_judges) == ("texts", ("gpt4_pair",))
    assert len(read_text_votes(found.pairwise).votes) == 3
    assert "for study B (pairwise)" in said


def test_a_model_that_judges_late_in_a_file_of_battles_is_recorded(tmp_path: Path) -> None:
    rows = [row(judge="expert_1" if place < 1000 else "gpt4_pair", question_id=place) for place in range(1001)]
    found, _ = begun(written(tmp_path / "mt_bench.jsonl", *rows), tmp_path / "home")
    assert found.pairwise is not None
    assert found.pairwise.recorded_judges == ("gpt4_pair",)


def test_battles_with_a_column_for_each_outcome_are_study_b(tmp_path: Path) -> None:
    path = tmp_path / "arena.csv"
    path.write_text(
        "prompt,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
        "Why?,m1,m2,True,False,False\nHow?,m1,m2,False,True,False\nWho?,m1,m2,False,False,True\n"
    )
    found, said = begun(path, tmp_path / "home")
    assert found.pairwise is not None
    votes = read_text_votes(found.pairwise).votes[["LEFT", "RIGHT", "TIES"]]
    assert votes.to_numpy().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert "winner_tie winner tie" in said


def test_grades_that_are_words_have_no_order_that_a_file_says(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    said_by = (("ann", "no"), ("gpt-4", "yes"))
    rows = [f"{query},{doc},{who},{word}" for query in "ab" for doc in "xy" for who, word in said_by]
    path.write_text("query_id,doc_id,rater,label\n" + "\n".join(rows) + "\n")
    said = refused("init", tmp_path / "home", "--from", path)
    assert "'label' holds no, yes, and nothing says which is the most relevant" in said
    assert "under `grades`" in said


def test_names_of_columns_are_read_back_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    rows = [f"{1 + place % 5},{1 + place % 4}" for place in range(20)]
    path.write_text('"llm: ""x"" #1","human\nscore"\n' + "\n".join(rows) + "\n")
    found, _ = begun(path, tmp_path / "home")
    assert found.evaluation is not None
    [dataset] = found.evaluation.datasets.values()
    assert (dataset.prediction, dataset.truth) == ('llm: "x" #1', "human\nscore")


def test_renders_with_photos_are_study_a(tmp_path: Path) -> None:
    found, said = begun(write_manifest(tmp_path / "own"), tmp_path / "home")
    plan = found.fidelity
    assert plan is not None
    assert plan.manifest is not None
    assert plan.manifest.columns == {
        "candidate": "Rendering", "references": "Photo", "rater": "Rater", "score": "Score"
    }  # fmt: skip
    assert plan.scale == (1, 10)
    assert "Rendering candidate" in said
    assert "touchstone import fidelity" in said


def test_what_no_study_takes_is_pointed_to_the_verdict(tmp_path: Path) -> None:
    said = refused("init", tmp_path / "home", "--from", EXAMPLES / "renders.csv")
    assert "renders.csv: study A judges pictures or texts itself, and no column of this file holds those" in said
    assert "Add columns `candidate` and `references`" in said
    command = f"touchstone verdict {EXAMPLES / 'renders.csv'} --judge vision-judge --item render --cluster product"
    assert f"{command} --rater rater --score score" in said
    (tmp_path / "t.csv").write_text("note,more\none,two\nthree,four\n")
    said = refused("init", tmp_path / "home", "--from", tmp_path / "t.csv")
    assert "t.csv: no study takes such a file; its columns look like" in said
    assert f"touchstone verdict {tmp_path / 't.csv'}" in said
    assert "touchstone verdict" in refused("init", tmp_path / "home", "--from", EXAMPLES / "llm.qrels")
    assert not (tmp_path / "home").exists()


def test_ratings_that_no_study_takes_have_their_command_named(tmp_path: Path) -> None:
    rows = [f"text {n},{who},{'yn'[n % 2]}" for n in range(20) for who in ("ann", "gpt-4o")]
    (tmp_path / "p.csv").write_text("\n".join(["text,annotator,answer", *rows]), encoding="utf-8")
    said = refused("init", tmp_path / "home", "--from", tmp_path / "p.csv")
    assert "What the ratings say needs no study: `touchstone verdict " in said
    assert "--judge gpt-4o --item text --rater annotator --score answer`" in said


def test_a_configuration_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_text("study: mine\n")
    assert "is there already. Name another folder" in refused("init", tmp_path, "--from", EXAMPLES / "scores.csv")
    assert "Leave out `--force`" in refused("init", tmp_path, "--from", EXAMPLES / "scores.csv", "--force")
    assert path.read_text() == "study: mine\n"


def test_a_file_that_is_not_there_leaves_no_folder(tmp_path: Path) -> None:
    refused("init", tmp_path / "home", "--from", tmp_path / "none.csv")
    assert not (tmp_path / "home").exists()


def test_every_other_key_stays_in_the_file_as_a_comment(tmp_path: Path) -> None:
    begun(EXAMPLES / "scores.csv", tmp_path)
    text = (tmp_path / "touchstone.yaml").read_text()
    assert "\n# fidelity:\n#   # --- your files" in text
    assert "\n# reliability:" in text


def trust_verdict(home: Path, study: str) -> dict[str, Any]:
    [path] = home.glob(f"tables/{study}/{study}_trust_verdict.parquet")
    import pandas as pd

    return pd.read_parquet(path).iloc[0].to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("study", ["fidelity", "pairwise", "evaluation", "reliability"])
def test_the_run_after_it_works(study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    made = {
        "fidelity": lambda: write_manifest(tmp_path / "own"),
        "pairwise": lambda: write_series(tmp_path / "own")[0],
        "evaluation": lambda: EXAMPLES / "scores.csv",
        "reliability": lambda: write_relevance(tmp_path / "grades.csv"),
    }
    file = made[study]()
    begun(file, home)
    if study == "fidelity":
        # Scores alone, which a judge gave before.
        scores = home / "scores.jsonl"
        rows = [
            {"candidate": f"out/render {place}.webp", "setting": key, "repeat": repeat,
             "score": min(10, 1.2 + 0.7 * place + 0.1 * repeat)}
            for place in range(12) for key in KEYS[:2] for repeat in (1, 2, 3)
        ]  # fmt: skip
        scores.write_text("".join(json.dumps(row) + "\n" for row in rows))
        path = home / "touchstone.yaml"
        judge = "{kind: replay, path: scores.jsonl, scale: [1, 10]}"
        small = "repeats: 3\n  golden: {n_items: 2}\n  bootstrap_resamples: 200"
        path.write_text(path.read_text().replace("{kind: local}", f"{judge}\n  {small}", 1))
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.delenv("TOUCHSTONE_CONFIG", raising=False)
    # At two of the ten settings.
    settings = [word for key in KEYS[:2] for word in ("--setting", key)] if study == "fidelity" else []
    with without_weights():
        said = " ".join(printed("run", study, *settings).split())
    found = trust_verdict(home, study)
    assert found["word"] in said
    if study == "reliability":
        assert found["judge"] == "gpt4_grade"
        assert said.startswith("May gpt4_grade stand in for people?")
        assert "A document is relevant from grade 2 on; the grades are 0, 1, 2, 3." in said
        assert "Micro kappa by the grade from which a document counts as relevant: 1: 0." in said
    if study == "fidelity":
        checked = " ".join(printed("import", "fidelity").split())
        assert "12 can be judged" in checked
        assert "12 of them with a background that is neither black nor transparent" in checked


@pytest.mark.slow
def test_a_table_without_queries_is_run_and_pointed_to_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(1)
    rows = [f"topic {place},d{place},{int(random.random() < 0.5)},{int(random.random() < 0.5)}" for place in range(40)]
    file = tmp_path / "one.csv"
    file.write_text("\n".join(["query,doc_id,llm_grade,ann", *rows]) + "\n")
    home = tmp_path / "home"
    begun(file, home)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.delenv("TOUCHSTONE_CONFIG", raising=False)
    for said in (printed("run", "reliability"), printed("reliability", "status")):
        words = " ".join(said.split())
        assert "Due: Each query has one document: this is a table of ratings rather than of queries" in words
        assert "Next: touchstone verdict" in words
        assert "review" not in words.lower()
        assert words.index("kappa micro") < words.index("kappa macro")
