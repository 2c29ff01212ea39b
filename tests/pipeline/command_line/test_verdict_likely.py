"""What a file's columns look like: the command that is printed runs, or what refuses it is said before."""

import io
import json
import shlex
from pathlib import Path

import pytest
from rich.console import Console
from typer.main import get_command
from typer.testing import CliRunner

from pipeline.command_line.main import application
from pipeline.command_line.verdict_likely import NOTHING, Given, show_likely
from resources.errors import UserError
from resources.inputs.any_file import AS_IT_IS, Opening

HEADER = "id;gpt4;expert_1;expert_2"


def written(folder: Path, *rows: str, encoding: str = "utf-8") -> str:
    path = folder / "my file.csv"
    good = [f"d{i};{1 + i % 5};{1 + (i + i // 7 % 2) % 5};{1 + (i + i // 5 % 2) % 5}" for i in range(60)]
    path.write_text("\n".join([HEADER, *good, *rows]) + "\n", encoding=encoding)
    return str(path)


def shown(*files: str, opening: Opening = AS_IT_IS, given: Given = NOTHING) -> str:
    out = io.StringIO()
    show_likely(list(files), opening, Console(file=out, width=200), given)
    return out.getvalue()


def test_the_printed_command_runs(tmp_path: Path) -> None:
    path = written(tmp_path, "Müll;2;weiß nicht;3", encoding="latin-1")
    said = shown(path, opening=Opening(encoding="latin-1"), given=Given(options=[("--encoding", "latin-1")]))
    command = shlex.split(said.splitlines()[-1])
    assert command[-4:] == ["--blank", "weiß nicht", "--encoding", "latin-1"]
    assert "refused" not in said
    done = CliRunner().invoke(application, [*command[1:], "--json"])
    assert done.exit_code == 0, done.exception


def test_where_decimal_commas_are_what_would_refuse_it_the_command_says_so(tmp_path: Path) -> None:
    rows = [f"{i}.png;{20 + i / 10:.1f};{1 + i % 40 / 10:.2f}" for i in range(60)]
    text = "\n".join(["image;psnr;MOS", *rows, "x.png;25.5;4,62"])
    (tmp_path / "mos.csv").write_text(text, encoding="utf-8")
    said = shown(str(tmp_path / "mos.csv"))
    assert "The command reads commas as decimal signs; where they separate thousands it is `--decimal .`." in said
    command = shlex.split(said.splitlines()[-1])
    assert command[-2:] == ["--decimal", ","]
    assert CliRunner().invoke(application, [*command[1:], "--json"]).exit_code == 0


def test_a_row_with_other_cells_than_the_header_is_said_at_first_look(tmp_path: Path) -> None:
    said = shown(written(tmp_path, "x;1;4;2;7", "y;1;2"))
    assert "As the file is, the command below is refused:" in said
    assert "row 62: there are 5 cells and the header has 4 columns" in said
    (tmp_path / "few.csv").write_text("id,judge,h1,h2\n0,3,4,3\n1,3,4,3,7\n", encoding="utf-8")
    assert "row 3: there are 5 cells and the header has 4 columns" in shown(str(tmp_path / "few.csv"))


def test_what_would_refuse_the_command_is_said_before_it(tmp_path: Path) -> None:
    said = shown(written(tmp_path, "x;1;44;2", "d1;4;4;1", 'y;2;"4,0";1'))
    assert "As the file is, the command below is refused:" in said
    assert "row 62: 'expert_1' has a 44" in said
    assert "row 63: 'd1' in column 'id' is in row 3 already, with other values in" in said
    assert "touchstone verdict" in said.splitlines()[-1]


def test_battles_that_would_be_refused_are_so_at_first_look(tmp_path: Path) -> None:
    header = "question_id,model_a,model_b,winner,judge,turn"
    votes = [
        f"{n},x,y,model_{'ab'[again]},{who},1" for n in range(40) for again in (0, 1) for who in ("ann", "gpt4_pair")
    ]
    (tmp_path / "b.csv").write_text("\n".join([header, *votes]), encoding="utf-8")
    said = shown(str(tmp_path / "b.csv"))
    assert "As the file is, the command below is refused:" in said
    assert "'ann' contradicts itself in one order of 40 pairs" in said


def test_a_row_a_rater_is_to_be_transposed(tmp_path: Path) -> None:
    header = ",".join(["Timestamp", "Email", *(f"Answer {n}?" for n in range(40))])
    rows = [",".join([f"9:0{n}", who, *["4", "2"] * 20]) for n, who in enumerate(("a@x.org", "b@x.org", "gpt-4o"))]
    (tmp_path / "forms.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    assert "transpose the table, so that each rater has a column" in shown(str(tmp_path / "forms.csv"))


def test_columns_of_several_criteria_are_no_raters_of_one(tmp_path: Path) -> None:
    header = "id,gpt_fluency,gpt_style,human_fluency,human_style"
    rows = [f"d{i},{1 + i % 5},{1 + i % 4},{1 + i % 3},{1 + i % 5}" for i in range(40)]
    (tmp_path / "c.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    said = shown(str(tmp_path / "c.csv"))
    assert (
        "several criteria (fluency, style), each with a verdict of its own: the command gives that of 'fluency'" in said
    )
    assert said.rstrip().endswith("--judge gpt_fluency --human human_fluency --item id")


def test_other_columns_with_a_judges_numbers_are_named_and_no_name_is_half_a_word(tmp_path: Path) -> None:
    rows = [f"d{i},{1 + i % 5},{1 + i % 4},{1 + i % 5},{i}" for i in range(40)]
    (tmp_path / "n.csv").write_text("\n".join(["id,gpt-4o,Anna,Ben,length", *rows]), encoding="utf-8")
    said = shown(str(tmp_path / "n.csv"))
    assert (
        "The same numbers as a judge's are in 'Anna', 'Ben': where these are people's ratings, add --human Anna" in said
    )
    assert "--judge gpt-4o --human PERSON" in said


def test_a_judges_column_in_a_file_of_workers_rows_is_to_be_rows_too(tmp_path: Path) -> None:
    rows = [f"h{i // 3},w{i % 4},{1 + i % 5},{1 + i // 3 % 5}" for i in range(60)]
    (tmp_path / "m.csv").write_text("\n".join(["HITId,WorkerId,Answer.rating,llm_rating", *rows]), encoding="utf-8")
    said = shown(str(tmp_path / "m.csv"))
    assert "If 'WorkerId' says whose rating a row holds, write the judge's as rows with its name there" in said


def test_files_of_trec_name_the_model_among_them(tmp_path: Path) -> None:
    for name in ("qrels.gpt4o", "qrels.person", "qrels.other"):
        (tmp_path / f"{name}.txt").write_text("".join(f"1 0 d{i} {i % 4}\n" for i in range(9)))
    paths = [str(tmp_path / f"qrels.{name}.txt") for name in ("gpt4o", "person")]
    assert shown(*paths).splitlines()[-1].endswith("--judge qrels.gpt4o")
    said = shown(str(tmp_path / "qrels.other.txt"), paths[1])
    assert "Which of them are judges?" in said
    assert "and names in place of JUDGE:" in said


CRITERIA = [
    f"d{i},{criterion},{rater},{1 + (i + i // (3 + place) % 2 + (rater == 'gpt4' and criterion == 'style') * i) % 5}"
    for i in range(60)
    for criterion in ("fluency", "style")
    for place, rater in enumerate(("gpt4", "ann", "ben"))
]


def test_several_criteria_are_never_one_verdict_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "criteria.csv"
    path.write_text("\n".join(["item,Criterion,rater,score", *CRITERIA]), encoding="utf-8")
    said = shown(str(path))
    assert "'Criterion' holds several criteria (fluency, style), each with a verdict of its own" in said
    assert "refused" not in said
    command = shlex.split(said.splitlines()[-1])
    assert command[-2:] == ["--where", "Criterion=fluency"]
    words = {}
    for criterion in ("fluency", "STYLE"):
        done = CliRunner().invoke(application, [*command[1:-1], f"criterion={criterion}", "--json"])
        result = json.loads(done.stdout)
        words[criterion] = result["judges"][0]["verdict"]["word"]
        assert result["where"] == [["criterion", criterion]]
        assert f"Only rows with Criterion={criterion}:" in result["notes"][0]
        assert "180 of 360" in result["notes"][0]
    assert words == {"fluency": "yes", "STYLE": "no"}
    with pytest.raises(UserError, match="with other values in 'Criterion'.*Choose one of the criteria: `--where "):
        CliRunner().invoke(application, command[1:-2], catch_exceptions=False)
    # 60 objects, 3 raters: one sentence on all 180 rows of the second criterion.
    with pytest.raises(UserError, match=r"^criteria.csv, row 5: .*So are 179 rows more. Nothing was loaded. Choose "):
        CliRunner().invoke(application, command[1:-2], catch_exceptions=False)
    with pytest.raises(UserError, match=r"holds no 'stile' \(did you mean 'style'\?\); it holds fluency, style"):
        CliRunner().invoke(application, [*command[1:-1], "criterion=stile"], catch_exceptions=False)
    with pytest.raises(UserError, match="write it as COL=VALUE"):
        CliRunner().invoke(application, [*command[1:-1], "criterion"], catch_exceptions=False)


def test_the_criterion_that_was_named_is_that_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "criteria.csv"
    path.write_text("\n".join(["item,Criterion,rater,score", *CRITERIA]), encoding="utf-8")
    said = CliRunner().invoke(application, ["verdict", str(path), "--where", "criterion=style"]).stdout
    assert said.splitlines()[-1].endswith("--item item --rater rater --score score --where criterion=style")
    assert "the command gives that of" not in said
    rows = [{"question_id": i, "model_a": "x", "model_b": "y", "winner": "model_a", "judge": ["gpt4", "ann"][i % 2]}
            for i in range(40)]  # fmt: skip
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    said = CliRunner().invoke(application, ["verdict", str(tmp_path / "b.jsonl"), "--where", "question=7"]).stdout
    assert said.splitlines()[-1].endswith("--judge gpt4 --where question=7")


def test_criteria_of_a_wide_file_make_its_names_objects_of_one(tmp_path: Path) -> None:
    rows = [f"doc-{i},{criterion},{1 + i % 5},{1 + i % 4}" for i in range(40) for criterion in ("fluency", "style")]
    (tmp_path / "wide.csv").write_text("\n".join(["doc,aspect,gpt4,expert", *rows]), encoding="utf-8")
    command = shown(str(tmp_path / "wide.csv")).splitlines()[-1]
    assert command.endswith("--judge gpt4 --human expert --item doc --where aspect=fluency")
    pooled = [*shlex.split(command.split(" --item")[0])[1:], "--cluster", "doc", "--json"]
    notes = json.loads(CliRunner().invoke(application, pooled).stdout)["notes"]
    assert any("(fluency, style), and this verdict is on all of them: `--where aspect=fluency`" in one for one in notes)


def test_a_document_of_qrels_that_was_not_judged_is_none_in_the_first_command(tmp_path: Path) -> None:
    for name, add in (("person", 0), ("gpt4o", 1)):
        grades = [-1 if name == "person" and i % 3 == 0 else (i + i % 7 // 6 * add) % 4 for i in range(90)]
        lines = [f"{i // 9} 0 d{i} {grade}\n" for i, grade in enumerate(grades)]
        (tmp_path / f"qrels.{name}.txt").write_text("".join(lines))
    said = shown(*(str(tmp_path / f"qrels.{name}.txt") for name in ("person", "gpt4o")))
    assert "refused" not in said
    command = shlex.split(said.splitlines()[-1])[1:]
    notes = json.loads(CliRunner().invoke(application, [*command, "--json"]).stdout)["notes"]
    assert "Read as no rating: '-1' (30 times). `--labels` makes a label of it." in notes


def test_metrics_of_different_units_are_no_people_who_disagree_on_a_scale(tmp_path: Path) -> None:
    path = tmp_path / "video.csv"
    rows = [f"v{i}.mp4,{30 + i},{25 + i / 5}" for i in range(60)]
    path.write_text("\n".join(["file,vmaf,psnr_y", *rows]) + "\n", encoding="utf-8")
    said = shown(str(path))
    assert "Which columns hold people's ratings?" in said
    assert "refused" not in said


def test_what_is_a_question_refuses_nothing(tmp_path: Path) -> None:
    rows = [f"d{i},{500 if i == 9 else i / 10},{i / 100}" for i in range(60)]
    (tmp_path / "metrics.csv").write_text("\n".join(["id,psnr,lpips", *rows]), encoding="utf-8")
    said = shown(str(tmp_path / "metrics.csv"))
    assert "refused" not in said
    assert "--human PERSON" in said
    rows = [f"d{i // 3},{'abc'[i % 3]},{(i // 3 % 5 + 1) * (20 if i % 3 == 2 else 1)}" for i in range(150)]
    (tmp_path / "long.csv").write_text("\n".join(["item,rater,score", *rows]), encoding="utf-8")
    said = shown(str(tmp_path / "long.csv"))
    assert "Which names in 'rater' are judges?" in said
    assert "refused" not in said


def first_look(path: Path, rows: list[str], *options: str) -> str:
    """What is printed for a file, with the last line unwrapped."""
    path.write_text("\n".join(rows), encoding="utf-8")
    done = CliRunner().invoke(application, ["verdict", str(path), *options])
    assert done.exit_code == 0, done.exception
    return done.stdout


WIDE = ["id,doc,gpt4,expert_1,expert_2", *(f"d{i},{i // 2},{1 + i % 5},{1 + i * 3 % 5},{1 + i % 4}" for i in range(60))]


# A file of text has no sheet.
NOT_HERE = ("judge", "output", "as_json", "sheet")
OPTIONS = [one for one in get_command(application).commands["verdict"].params if one.param_type_name == "option"]


@pytest.mark.parametrize("option", [one for one in OPTIONS if one.name not in NOT_HERE])
def test_every_option_that_is_given_is_in_the_command(option, tmp_path: Path) -> None:
    values = {"human": "expert_2", "labels": "1,2,3,4,5", "positive": "4,5", "blank": "a b", "by": "doc"}
    values |= {"item": "doc", "cluster": "doc", "score": "expert_1", "rater": "expert_2", "report": "r.html"}
    values |= {"lower_is_better": "gpt4", "same_scale": "gpt4", "scale": "ordinal", "annotators": "crowd"}
    values |= {"encoding": "latin-1", "decimal": ".", "calibrated": "c.csv", "save": "n", "where": "doc=3"}
    value = values[option.name]
    said = first_look(tmp_path / "r.csv", WIDE, option.opts[0], value)
    command = shlex.split(said.splitlines()[-1])
    assert [one for place, one in enumerate(command) if command[place - 1] == option.opts[0]] == [value]


def test_what_was_given_is_what_columns_are_taken_for(tmp_path: Path) -> None:
    given = ("--human", "Expert_2", "--item", "doc", "--cluster", "id", "--lower-is-better", "expert_1")
    said = first_look(tmp_path / "r.csv", WIDE, *given)
    assert said.splitlines()[-1].endswith(f"r.csv --judge gpt4 --judge expert_1 {' '.join(given)}")
    # The refusal is that of these columns: of `doc` each value is in two rows.
    assert "'0' in column 'doc' is in row 2 already" in " ".join(said.split())
    odd = [*WIDE, "x,9,none,2,1"]
    assert "--blank none" in first_look(tmp_path / "r.csv", odd).splitlines()[-1]
    assert first_look(tmp_path / "r.csv", odd, "--blank", "None").splitlines()[-1].endswith(" --blank None")
    assert "--blank" not in first_look(tmp_path / "r.csv", odd, "--scale", "nominal").splitlines()[-1]
    with pytest.raises(UserError, match="there is no field 'dok' .did you mean 'doc'"):
        CliRunner().invoke(application, ["verdict", str(tmp_path / "r.csv"), "--item", "dok"], catch_exceptions=False)


def test_raters_that_were_given_are_those_of_a_row_for_each_rating(tmp_path: Path) -> None:
    rows = [f"d{i // 3},{('gpt4', 'ann', 'claude')[i % 3]},{1 + i % 5}" for i in range(90)]
    given = ("--item", "thing", "--rater", "from", "--score", "points")
    said = first_look(tmp_path / "r.csv", ["thing,from,points", *rows], *given)
    assert said.splitlines()[-1].endswith(f"r.csv --judge gpt4 --judge claude {' '.join(given)}")
    said = first_look(tmp_path / "r.csv", ["item,rater,score", *rows], "--human", "claude")
    assert said.splitlines()[-1].endswith("--judge gpt4 --item item --rater rater --score score --human claude")
