"""`touchstone verdict`: files with a truth that is known, each with its word; what is asked and refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.errors import UserError
from tests.pipeline.command_line.evaluated import strict

WIDTH = 80
HUMANS = ("--human", "human1", "--human", "human2", "--human", "human3")


def answered(*arguments: object) -> dict[str, Any]:
    done = CliRunner().invoke(application, ["verdict", *map(str, arguments), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    result: dict[str, Any] = strict(done.stdout)
    return result


def read(*arguments: object) -> str:
    runner = CliRunner(env={"COLUMNS": str(WIDTH)})
    done = runner.invoke(application, ["verdict", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def refused(*arguments: object) -> str:
    done = CliRunner().invoke(application, ["verdict", *map(str, arguments)])
    assert isinstance(done.exception, UserError), done.exception
    assert not done.stdout
    return str(done.exception)


@pytest.mark.parametrize(("judge", "word"), [("good", "yes"), ("noisy", "no"), ("unrelated", "no"), ("constant", "no")])
def test_each_judge_gets_the_word_that_is_true_of_how_it_was_made(made: Path, judge: str, word: str) -> None:
    [found] = answered(made / "r.csv", "--judge", judge, *HUMANS)["judges"]
    assert found["verdict"]["word"] == word
    assert found["verdict"]["reasons"]


def test_the_verdict_is_the_first_thing_that_is_said(made: Path) -> None:
    lines = [line for line in read(made / "r.csv", "--judge", "good", *HUMANS).splitlines() if line.strip()]
    assert lines[0].startswith("r.csv: 150 objects rated by people")
    assert lines[1] == "May good stand in for people? yes"
    assert len(lines) < 40


def test_two_judges_are_compared_on_the_same_objects(made: Path) -> None:
    result = answered(made / "r.csv", "--judge", "noisy", "--judge", "good", *HUMANS)
    compared = result["comparison"]
    assert [one["name"] for one in compared["judges"]] == ["good", "noisy"]
    assert [one["letters"] for one in compared["judges"]] == ["a", "b"]
    [pair] = compared["pairs"]
    assert (pair["first"], pair["second"]) == ("noisy", "good")
    assert pair["difference"]["ci"][1] < 0
    assert pair["p_holm"] < 0.001


def test_of_many_judges_with_long_names_the_verdicts_and_what_compares_them_are_said(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    truth = rng.normal(size=40)
    columns = {name: np.clip(np.round(3 + truth + rng.normal(0, 0.7, 40)), 1, 5) for name in ("h1", "h2")}
    judges = [f"judge_{place}_with_a_name_of_many_words_and_its_version_and_its_prompt" for place in range(7)]
    columns |= {name: np.clip(np.round(3 + truth + rng.normal(0, 0.9, 40)), 1, 5) for name in judges}
    pd.DataFrame({"id": range(40)} | columns).to_csv(tmp_path / "many.csv", index=False)

    def asked(n: int) -> str:
        named = (part for name in judges[:n] for part in ("--judge", name))
        return read(tmp_path / "many.csv", *named, "--human", "h1", "--human", "h2", "--item", "id")

    lines = [line for line in asked(7).splitlines() if line.strip()]
    assert [line.startswith(f"May {name} stand in") for line, name in zip(lines[1:8], judges, strict=True)] == [
        True
    ] * 7
    # 21 couples of 7, of which 6 are listed.
    assert "and 15 pairs more" in lines
    assert len(lines) < 50
    # Of two the names of the statistics are there, however long the judges' are.
    assert " alpha of the people " in asked(2)


def test_a_reversed_metric_is_named_and_not_compared_until_it_is_said(made: Path) -> None:
    file = (made / "r.csv", "--judge", "good", "--judge", "distance", *HUMANS)
    shown = read(*file)
    assert "The judges are not compared: the sign of distance looks reversed." in shown
    assert "`--lower-is-better distance`" in " ".join(shown.split())
    turned = answered(*file, "--lower-is-better", "distance")
    assert turned["comparison"]["pairs"]
    # Its unit is none of the people's: it may rank, and no more.
    assert turned["judges"][1]["verdict"]["word"] == "only for ranking"
    assert [one["lower_is_better"] for one in turned["judges"]] == [False, True]
    shown = " ".join(read(*file, "--lower-is-better", "distance").split())
    assert "Its scores are turned, as lower is better." in shown
    assert "distance (turned: lower is better) " in shown
    wrongly = answered(made / "r.csv", "--judge", "good", *HUMANS, "--lower-is-better", "good")["notes"]
    [note] = [note for note in wrongly if "--lower-is-better" in note]
    assert note.endswith("`--lower-is-better good` turned it: if its scores rise with quality, leave that out.")


def test_a_metric_has_no_differences_from_people_until_it_is_said_to_share_their_scale(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    truth = random.standard_normal(80)
    frame = {"ssim": np.clip(0.5 + 0.2 * truth, 0, 1), "MOS": np.clip(0.5 + 0.2 * truth, 0, 1)}
    frame["ssim"] = np.round(frame["ssim"] + 0.05 * random.standard_normal(80), 3)
    pd.DataFrame(frame).to_csv(tmp_path / "m.csv", index=False)
    file = (tmp_path / "m.csv", "--judge", "ssim", "--human", "MOS")
    result = answered(*file)
    assert [line["statistic"] for line in result["judges"][0]["statistics"]] == ["Spearman", "Pearson"]
    assert result["notes"][-1].endswith("Where both share one, add `--same-scale ssim`.")
    names = [line["statistic"] for line in answered(*file, "--same-scale", "ssim")["judges"][0]["statistics"]]
    assert "upper limit of agreement" in names
    assert "no scale of people's" in refused(*file, "--same-scale", "ssim", "--lower-is-better", "ssim")
    assert "`--same-scale MOS` is no `--judge`" in refused(*file, "--same-scale", "MOS")


def test_a_metric_in_another_unit_gets_no_advice_to_share_a_scale_and_its_errors_are_of_a_fitted_line(
    tmp_path: Path,
) -> None:
    random = np.random.default_rng(5)
    truth = random.standard_normal(80)
    group = np.where(np.arange(80) % 2 == 0, "a", "b")
    frame = {"PSNR (dB)": 30 + 3 * truth + random.standard_normal(80), "MOS": np.clip(3 + truth, 1, 5), "set": group}
    pd.DataFrame(frame).round(2).to_csv(tmp_path / "m.csv", index=False)
    result = answered(tmp_path / "m.csv", "--judge", "PSNR (dB)", "--human", "MOS")
    assert result["notes"][-1] == "Another scale than the people's, so that only order is compared: PSNR (dB)."
    assert result["judges"][0]["errors"]["measure"] == "mean absolute error after a fitted line"


def test_numbers_of_other_objects_say_so_and_sources_and_crowds_are_named(made: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(made / "r.csv")
    frame.loc[:9, ["human2", "human3"]] = None
    frame.to_csv(tmp_path / "few.csv", index=False)
    shown = " ".join(read(tmp_path / "few.csv", "--judge", "good", *HUMANS).split())
    assert "This is over the 140 objects that two people rated, the statistics below are over 150." in shown
    few = frame.tail(9)
    few.to_csv(tmp_path / "nine.csv", index=False)
    assert "all ratings pooled" in read(tmp_path / "nine.csv", "--judge", "distance", *HUMANS)
    for rater in ("nist", "gpt"):
        rows = (f"{n // 4} 0 d{n} {n % (3 if rater == 'nist' else 4) % 3}" for n in range(60))
        (tmp_path / f"{rater}.qrels").write_text("\n".join(rows), encoding="utf-8")
    files = (tmp_path / "nist.qrels", tmp_path / "gpt.qrels")
    assert "ordinal ratings, 15 clusters; people: nist" in read(*files, "--judge", "gpt").splitlines()[0]


def test_objects_without_a_majority_are_not_among_those_that_statistics_are_over(tmp_path: Path) -> None:
    # Three people rated 60 objects and one of them 40 more; of the 60 ten have a label of each: 60 + 40 - 10 = 90.
    labels = "abc"
    rows = [f"{labels[i % 3]},{labels[i % 3]},{labels[(i + (i < 10)) % 3]},{labels[(i + 2 * (i < 10)) % 3]}"
            if i < 60 else f"{labels[i % 3]},{labels[i % 3]},," for i in range(100)]  # fmt: skip
    (tmp_path / "l.csv").write_text("\n".join(["judge,h1,h2,h3", *rows]), encoding="utf-8")
    result = answered(tmp_path / "l.csv", "--judge", "judge", *(part for n in "123" for part in ("--human", f"h{n}")))
    assert result["n_objects"] == 100
    over = "this is over the 60 objects that two people rated, the statistics below are over 90"
    assert result["judges"][0]["verdict"]["reasons"][-1] == over


def test_one_person_is_never_a_yes(made: Path) -> None:
    # Two people with this noise agree at about 0.7 themselves.
    assert "good and human1: not proven" in read(made / "r.csv", "--judge", "good", "--human", "human1")
    assert "noisy and human1: does not agree with this person" in read(
        made / "r.csv", "--judge", "noisy", "--human", "human1"
    )
    assert "good and MOS: agrees with these means" in read(made / "r.csv", "--judge", "good", "--human", "MOS")


def test_of_a_copy_of_people_nothing_can_be_said_and_copies_among_people_come_first(made: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(made / "r.csv")
    mean = frame[["human1", "human2", "human3"]].mean(axis=1).round(2)
    frame.assign(good=mean).to_csv(tmp_path / "mean.csv", index=False)
    lines = [line for line in read(tmp_path / "mean.csv", "--judge", "good", *HUMANS).splitlines() if line.strip()]
    assert lines[1] == "May good stand in for people? cannot say"
    assert lines[2].startswith("  It equals the mean of the people on all 150 objects")
    frame.assign(good=frame["human1"]).to_csv(tmp_path / "copy.csv", index=False)
    for people, out in ((HUMANS, "leave human1 out of the people"), (("--human", "human1"), "or another person's")):
        [judge] = answered(tmp_path / "copy.csv", "--judge", "good", *people)["judges"]
        [reason, _] = judge["verdict"]["reasons"]
        assert judge["verdict"]["word"] == "cannot say"
        assert out in reason
    frame.assign(human3=frame["human2"]).to_csv(tmp_path / "twin.csv", index=False)
    [judge] = answered(tmp_path / "twin.csv", "--judge", "good", *HUMANS)["judges"]
    assert judge["verdict"]["reasons"][0].startswith("person human3 equals human2 on all 150 objects")


def test_labels_have_kappa_and_each_labels_sensitivity(made: Path) -> None:
    result = answered(made / "l.json", "--judge", "judge", "--human", "ann", "--human", "bob")
    assert (result["scale"], result["labels"], result["measure"]) == ("nominal", ["fail", "pass", "unsure"], "kappa")
    names = [line["statistic"] for line in result["judges"][0]["statistics"]]
    assert names[:2] == ["same label", "kappa"]
    assert "sensitivity of 'unsure'" in names


def test_sources_are_counted_as_clusters(made: Path) -> None:
    result = answered(made / "r.csv", "--judge", "good", *HUMANS, "--cluster", "source")
    assert (result["n_objects"], result["n_clusters"]) == (150, 50)
    assert "50 clusters" in result["judges"][0]["agreement"]["method"]


def test_without_columns_the_file_is_described_and_the_command_printed(made: Path) -> None:
    shown = " ".join(read(made / "r.csv").split())
    assert "--human human1 --human human2 --human human3" in shown
    assert "Which columns" in shown or "--judge" in shown


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([(1, 2, 3)] * 3, "scored 3 of the same objects, fewer than 30"),
        ([(i % 5, 3, 3) for i in range(40)], "one and the same answer"),
        ([(3, 3, 3)] * 40, "one and the same answer"),
    ],
    ids=["three rows", "people constant", "all ties"],
)
def test_too_little_is_said_in_a_sentence(tmp_path: Path, rows: list[tuple[int, ...]], reason: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text("j,a,b\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows), encoding="utf-8")
    result = answered(path, "--judge", "j", "--human", "a", "--human", "b", "--scale", "interval")
    [found] = result["judges"]
    assert found["verdict"]["word"] == "cannot say"
    assert reason in found["verdict"]["reasons"][0]


def test_the_result_is_written_where_it_is_asked_for(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    read(made / "r.csv", "--judge", "good", *HUMANS, "-o", path)
    assert json.loads(path.read_text(encoding="utf-8"))["judges"][0]["verdict"]["word"] == "yes"


def test_mistakes_are_refused_before_anything_is_computed(made: Path) -> None:
    assert "`--human` is missing" in refused(made / "r.csv", "--judge", "good")
    assert "did you mean 'good'" in refused(made / "r.csv", "--judge", "god", *HUMANS)
    assert "is no `--judge`" in refused(made / "r.csv", "--judge", "good", *HUMANS, "--lower-is-better", "bad")
    file = made / "r.csv"
    assert "is the file that is read" in refused(file, "--judge", "good", *HUMANS, "-o", file)
    assert "`--judge` is missing" in refused(file, "--json")
    assert "no encoding 'base64'" in refused(file, "--judge", "good", *HUMANS, "--encoding", "base64")
    assert "not utf-16" in refused(file, "--judge", "good", *HUMANS, "--encoding", "utf-16")
    assert "cannot be opened" in refused("foo://r.csv", "--judge", "good", *HUMANS)
    assert "no such file" in refused(made / "none.csv", "--judge", "good", *HUMANS)


GRADERS = ("--judge", "judge", "--human", "a", "--human", "b", "--human", "c")


def test_good_grades_make_two_labels_with_failures_caught_and_good_ones_passed(graded: Path) -> None:
    result = answered(graded, *GRADERS, "--positive", "3, 2")
    assert result["labels"] == ["0 or 1", "2 or 3"]
    [judge] = result["judges"]
    lines = {line["statistic"]: line for line in judge["statistics"]}
    [[good_as_bad, _], [_, _]] = judge["confusion"]
    caught = lines["failures caught (specificity)"]
    assert caught["value"] == pytest.approx(good_as_bad / caught["n"])
    assert caught["ci"][0] < caught["value"] < caught["ci"][1]
    assert lines["good ones passed (sensitivity)"]["n"] == sum(judge["confusion"][1])
    assert "failures caught (specificity)" in read(graded, *GRADERS, "--positive", "2,3")
    assert "no rating is '4'" in refused(graded, *GRADERS, "--positive", "4")
    assert "names every label" in refused(graded, *GRADERS, "--positive", "0,1,2,3")


def test_rows_without_people_are_corrected_and_calibrated(graded: Path, tmp_path: Path) -> None:
    path = tmp_path / "calibrated.csv"
    result = answered(graded, *GRADERS, "--calibrated", path)
    found = result["judges"][0]["unrated"]
    assert (found["n_rated"], found["n_unrated"]) == (120, 480)
    assert found["corrected"][0]["method"] == "PPI++"
    assert not found["shifts"][0]["shifted"]
    [how] = [note for note in result["notes"] if "judge is calibrated by" in note]
    assert how.count("120 objects") == 1
    frame = pd.read_csv(path)
    assert list(frame) == ["object", "people", "judge", "judge_calibrated"]
    assert frame["judge_calibrated"].notna().all()
    assert frame["people"].notna().sum() == 120
    shown = " ".join(read(graded, *GRADERS, "--positive", "2,3").split())
    assert "480 objects that only judge rated, next to 120 that people did" in shown
    assert "(Rogan-Gladen)" in shown


def test_what_errors_depend_on_is_named_column_by_column(biased: Path) -> None:
    result = answered(biased, "--judge", "gpt4_score", *HUMANS, "--item", "id")
    found = result["judges"][0]["errors"]
    tried = {one["column"]: one for one in found["tried"]}
    assert set(tried) == {"model", "length of 'answer'", "day"}
    assert (tried["model"]["bias"], tried["length of 'answer'"]["bias"]) == ("self-preference", "length bias")
    assert tried["day"]["p_holm"] > 0.05
    assert len(found["worst"]) == 3
    lines = [line for line in read(biased, "--judge", "gpt4_score", *HUMANS).splitlines() if line.strip()]
    assert any("length bias" in line for line in lines)
    assert len(lines) < 45
    only = answered(biased, "--judge", "gpt4_score", *HUMANS, "--by", "Day")
    assert [one["column"] for one in only["judges"][0]["errors"]["tried"]] == ["day"]


def test_columns_of_a_long_file_count_where_they_are_the_objects(biased: Path, tmp_path: Path) -> None:
    raters = ["gpt4_score", "human1", "human2", "human3"]
    long = pd.read_csv(biased).melt(["id", "model", "day"], raters, "rater", "score")
    long["minutes"] = range(len(long))
    long.sample(frac=1.0, random_state=0).to_csv(tmp_path / "long.csv", index=False)
    asked = ("--item", "id", "--rater", "rater", "--score", "score", "--judge", "gpt4_score")
    found = answered(tmp_path / "long.csv", *asked)["judges"][0]["errors"]
    assert {one["column"] for one in found["tried"]} == {"model", "day"}


def test_a_crowd_is_tested_as_one_and_said_so(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    truth = random.standard_normal(120)
    rows = [
        (f"d{n}", f"w{(3 * n + k) % 40}", round(3 + truth[n] + 0.5 * random.standard_normal(), 2))
        for n in range(120)
        for k in range(3)
    ]
    rows += [(f"d{n}", "gpt", round(3 + truth[n] + 0.2 * random.standard_normal(), 2)) for n in range(120)]
    path = tmp_path / "crowd.csv"
    pd.DataFrame(rows, columns=["item", "rater", "score"]).to_csv(path, index=False)
    asked = ("--item", "item", "--rater", "rater", "--score", "score", "--judge", "gpt", "--annotators", "crowd")
    reasons = answered(path, *asked)["judges"][0]["verdict"]["reasons"]
    assert any("a person of the crowd, all ratings tested as one" in reason for reason in reasons)
    assert not any("1 of 1" in reason for reason in reasons)


def test_a_person_on_another_scale_is_refused_by_name(made: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(made / "r.csv")
    frame["human3"] = frame["human3"] * 20
    frame.to_csv(tmp_path / "mixed.csv", index=False)
    said = refused(tmp_path / "mixed.csv", "--judge", "good", *HUMANS, "--scale", "interval")
    assert "'human3' rates 20 to 100 and the other people 1 to 5" in said
    frame["human3"] = frame["human3"] / 2000
    frame.to_csv(tmp_path / "mixed.csv", index=False)
    assert "'human3' rates 0.01 to 0.05" in refused(tmp_path / "mixed.csv", "--judge", "good", *HUMANS)


def test_a_row_that_comes_twice_is_said_where_no_column_names_objects(made: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(made / "r.csv")
    pd.concat([frame, frame[:2]]).to_csv(tmp_path / "twice.csv", index=False)
    notes = answered(tmp_path / "twice.csv", "--judge", "good", *HUMANS)["notes"]
    assert "Column 'id' repeats ('doc0' is in rows 2 and 152) and each row counts: `--item id`?" in notes
    # Twenty rows, four times over, are no eighty objects.
    pd.concat([frame[:20]] * 4).to_csv(tmp_path / "often.csv", index=False)
    notes = answered(tmp_path / "often.csv", "--judge", "good", *HUMANS)["notes"]
    assert "Column 'id' repeats ('doc0' is in rows 2 and 22) and each row counts: `--item id`?" in notes
    once = answered(tmp_path / "often.csv", "--judge", "good", *HUMANS, "--item", "id")
    assert once["n_objects"] == 20
    assert any(note.startswith("Counted once, as they repeat a row in every column: row 22") for note in once["notes"])
    assert not any("repeats" in note for note in answered(made / "r.csv", "--judge", "good", *HUMANS)["notes"])
