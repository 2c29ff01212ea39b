"""What columns are taken for by their names and values, and the command that follows."""

import shlex
from pathlib import Path

import pytest

from resources.inputs.any_file import record_file
from resources.inputs.ratings.likely import likely_columns
from resources.inputs.ratings.likely_command import likely_command

ROWS = range(40)


@pytest.mark.parametrize(
    ("header", "row", "roles"),
    [
        (
            "id,gpt4_score,human1,human2",
            lambda i: f"d{i},{1 + i % 5},{1 + i % 4},{1 + i % 3}",
            ["object", "judge", "person", "person"],
        ),
        ("text,judge,annotator_a", lambda i: f"t{i},{'pass' if i % 3 else 'fail'},{'pass' if i % 2 else 'fail'}",
         ["other", "judge", "person"]),
        ("image,ssim,lpips,MOS,ref", lambda i: f"{i}.png,0.{i},0.{99 - i},{1 + i / 10},r{i % 6}",
         ["object", "judge", "judge", "person", "source"]),
        # A model's name is no rating where people gave numbers.
        ("model,claude,expert", lambda i: f"m{i % 3},{i % 5},{i % 4}", ["other", "judge", "person"]),
        # Words about a rating are none, a model's name says more than what follows it.
        ("id,gpt4_label,llm_annotator,human_label,human_confidence", lambda i: f"d{i},{i % 2},{i % 2},{i % 2},{i % 9}",
         ["object", "judge", "judge", "person", "other"]),
        ("question,judge,label", lambda i: f"q{i},{'pass' if i % 3 else 'fail'},{'pass' if i % 2 else 'fail'}",
         ["object", "judge", "person"]),
        # A name of objects that comes twice is the objects' for all that; a model's is not.
        ("id,gpt4_score,human1", lambda i: f"d{i // 2},{1 + i % 5},{1 + i % 4}", ["object", "judge", "person"]),
        ("model_id,question,sample_id,judge,human1", lambda i: f"m{i % 2},q{i // 3},d{max(i, 1)},{i % 5},{i % 4}",
         ["other", "source", "object", "judge", "person"]),
        # What comes again in groups is what rows share, whatever it is called: a document's name, an id's numbers.
        ("doc,part,gpt4,expert_1", lambda i: f"dm-{i // 2},{'ab'[i % 2]},{1 + i % 5},{1 + i % 4}",
         ["source", "other", "judge", "person"]),
        # Unless each comes once for each criterion: then it names the objects of one.
        ("doc,criterion,gpt4,expert_1", lambda i: f"dm-{i // 2},{'ab'[i % 2]},{1 + i % 5},{1 + i % 4}",
         ["object", "criterion", "judge", "person"]),
        ("doc,Aspects,rater,score", lambda i: f"d{i // 8},{'ab'[i % 2]},{'abcd'[i // 2 % 4]},{1 + i % 5}",
         ["object", "criterion", "rater", "rating"]),
        ("id,dimension,Kriterium,gpt4,expert_1", lambda i: f"d{i},{256 << i % 2},{i % 2},{1 + i % 5},{1 + i % 4}",
         ["object", "other", "criterion", "judge", "person"]),
        ("id,metric,gpt4,expert_1", lambda i: f"d{i},one,{1 + i % 5},{1 + i % 4}",
         ["object", "other", "judge", "person"]),
        ("doc_id,passage,len,gpt4,expert_1", lambda i: f"{i // 2},text {i} of it,{i // 2},{1 + i % 5},{1 + i % 4}",
         ["source", "other", "other", "judge", "person"]),
        ("day,remark,gpt4,expert_1", lambda i: f"d{i % 7},{'good' if i % 3 else f'r{i}'},{1 + i % 5},{1 + i % 4}",
         ["other", "other", "judge", "person"]),
        ("question,reply,judge,human1", lambda i: f"q{i // 4},r{i},{i % 5},{i % 4}",
         ["other", "object", "judge", "person"]),
        # A row a rating without such names: one column names people and a model, once for each object.
        ("file,ref,who,rating (1-10)",
         lambda i: f"{i // 3}.png,{i // 9}.jpg,{('ann', 'bob', 'gemini-1.5')[i % 3]},{i % 8}",
         ["object", "source", "rater", "rating"]),
        ("Timestamp,Email,Which one?,How good?",
         lambda i: f"9:{i},{('a@x.org', 'b@x.org', 'gpt-4o')[i % 3]},No {i // 3},{i % 4}",
         ["other", "rater", "object", "rating"]),
        ("worker,task,answer,seconds", lambda i: f"w{i % 2},{i // 2},{('ok', 'bad')[i % 3 // 2]},0.{i // 2}",
         ["rater", "object", "rating", "other"]),
        ("text,label,_annotator_id,answer", lambda i: f"t {i // 2},REL,{('ann', 'gpt')[i % 2]},{'yn'[i % 3 // 2]}",
         ["object", "other", "rater", "rating"]),
        ("query,llm_judge,my_rating", lambda i: f"q{i},{1 + i % 5},{1 + i % 4}", ["object", "judge", "person"]),
        # A paper calls its own metric so.
        ("item,human_1,our_score,own_metric,our_method", lambda i: f"d{i},{1 + i % 5},{i % 4},{i % 3},{i % 5}",
         ["object", "person", "judge", "judge", "other"]),
        # A person's rating of what a model made.
        ("id,outputs.gpt-4.human,outputs.gpt-4.judge_score", lambda i: f"q{i},{1 + i % 5},{1 + i % 4}",
         ["object", "person", "judge"]),
        ("id,ann.human,gpt-4.label,gpt-4.human_likeness", lambda i: f"q{i},{1 + i % 5},{1 + i % 4},{i % 4}",
         ["object", "person", "judge", "judge"]),
        ("id,\u6a21\u578b\u8bc4\u5206,\u4eba\u5de5\u8bc4\u5206", lambda i: f"q{i},{1 + i % 5},{1 + i % 4}",
         ["object", "judge", "person"]),
        # 4 / 5 is 4/5.
        ("item,AI rating,Lee", lambda i: f"d{i},{1 + i % 5}/5,{1 + i % 4}{(' / ', '/')[i % 3 // 2]}5",
         ["object", "judge", "person"]),
        # Who wrote what is rated is no rater.
        ("prompt,model,score", lambda i: f"p{i // 2},{('human', 'gpt-4')[i % 2]},{i % 4}",
         ["source", "judge", "judge"]),
        ("prompt_id,writer,quality", lambda i: f"p{i // 3},{('gpt-4', 'ann', 'bob')[i % 3]},{1 + i % 5}",
         ["source", "other", "other"]),
        ("prompt_id,name,quality", lambda i: f"p{i // 3},{('gpt-4', 'human', 'llama-3')[i % 3]},{1 + i % 5}",
         ["source", "other", "other"]),
        ("render,product,rater,score", lambda i: f"r{i // 2},p{i // 4},{'ab'[i % 2]},{i % 5}",
         ["object", "source", "rater", "rating"]),
        # Short names that all differ are the objects', in any language; a rater's words need not all be the judge's.
        ("riga,gruppo,gpt4,umano_human", lambda i: f"r-{i},g{i % 5},{1 + i % 5},{1 + i % 4}",
         ["object", "source", "judge", "person"]),
        ("reply,llm,ann,bea", lambda i: f"r{i},{'ab'[i % 2]},{'ab'[i // 2 % 2]},{'c' if i == 9 else 'ab'[i // 3 % 2]}",
         ["object", "judge", "person", "person"]),
        # A programme that does a person's work is a judge; people have other names than annotator.
        ("task,autograder,teacher_1,teacher_2", lambda i: f"t-{i},{i}%,{40 - i}%,{i}%",
         ["object", "judge", "person", "person"]),
        ("id,grader model,llm2,predicted_label,anno1,ann_b,prüfer",
         lambda i: f"d{i},{i % 5},{i % 4},{i % 3},{i % 5},{i % 4},{i % 2}",
         ["object", "judge", "judge", "judge", "person", "person", "person"]),
        ("message_id,user_feedback,reviewer,llm_feedback,user_id",
         lambda i: f"{i},{'ab'[i % 2]},{'ab'[i // 2 % 2]},{'ab'[i // 3 % 2]},{i % 7}",
         ["object", "person", "person", "judge", "other"]),
        # A column with a judge's words is a rater's, one with numbers of its own stays a question.
        ("review,model,customer,editor,visits", lambda i: f"r-{i},{'ab'[i % 2]},{'ab'[i % 2]},{'ab'[i // 3 % 2]},{i}",
         ["object", "judge", "person", "person", "other"]),
        ("item,annotator,score", lambda i: f"d{i // 3},{i % 3},{1 + i % 5}", ["object", "rater", "rating"]),
        ("query,doc,rater,grade", lambda i: f"q{i // 8},d{i // 2},{'ab'[i % 2]},{i % 4}",
         ["source", "object", "rater", "rating"]),
        ("item_id,annotator,rating", lambda i: f"d{i // 4},{'abcd'[i % 4]},{i % 5}", ["object", "rater", "rating"]),
    ],
)  # fmt: skip
def test_columns_are_taken_for_what_they_are(tmp_path: Path, header: str, row, roles: list[str]) -> None:
    path = tmp_path / "r.csv"
    path.write_text("\n".join([header, *(row(i) for i in ROWS)]), encoding="utf-8")
    assert [column.role for column in likely_columns(record_file(path)).columns] == roles


def test_the_command_names_them_and_quotes_what_a_shell_would_take_apart(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["id,my judge,lpips,human 1", *(f"d{i},{i % 5},{i},{i % 4}" for i in ROWS)]))
    assert likely_command(likely_columns(record_file(path)), ["r.csv"]) == (
        "touchstone verdict r.csv --judge 'my judge' --judge lpips --human 'human 1' --lower-is-better lpips --item id"
    )


def test_what_is_not_clear_is_a_question(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["id,a,b", *(f"d{i},{i % 5},{i % 4}" for i in ROWS)]))
    assert likely_columns(record_file(path)).question == "Which columns hold a judge's ratings, and which people's?"


@pytest.mark.parametrize("cell", ["inf", "err!", "4,,2"])
def test_one_cell_that_is_no_number_leaves_a_metric_a_judge_and_is_named(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "r.tsv"
    rows = [f"{i}.png\t{cell if i == 7 else 20 + i / 10}\t{1 + i / 20}" for i in ROWS]
    path.write_text("\n".join(["image\tpsnr\tMOS", *rows]))
    found = likely_columns(record_file(path))
    assert [column.role for column in found.columns] == ["object", "judge", "person"]
    [said] = found.odd
    assert said.startswith(f"Row 9: '{cell}' in column 'psnr' is no finite number. Correct it, or add `--blank ")
    assert "such as 20.0, 20.1" in found.columns[1].holds


def test_what_programs_write_for_nothing_makes_no_number_a_word(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["id,ssim,MOS", *(f"d{i},{'None' if i % 2 else i / 100},{1 + i / 20}" for i in ROWS)]))
    found = likely_columns(record_file(path))
    assert [column.role for column in found.columns] == ["object", "judge", "person"]
    assert not found.odd


def test_a_rater_who_is_a_model_is_the_judge_of_a_file_with_a_row_a_rating(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    who = ("ann", "bob", "claude-3.5-sonnet")
    path.write_text("\n".join(["item,rater,score", *(f"d{i // 3},{who[i % 3]},{1 + i % 5}" for i in range(60))]))
    found = likely_columns(record_file(path))
    assert found.question is None
    assert likely_command(found, ["r.csv"]) == (
        "touchstone verdict r.csv --judge claude-3.5-sonnet --item item --rater rater --score score"
    )


def test_the_command_can_be_pasted_and_has_what_the_file_needs(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    rows = [f"d{i},{i % 5},{'k.A.' if i == 7 else 'it is' if i == 9 else i % 4}" for i in ROWS]
    path.write_text("\n".join(["id,gpt4 score,Ann's human", *rows]))
    command = likely_command(likely_columns(record_file(path)), ["my r.csv"])
    assert command.endswith(" --item id --blank k.A. --blank 'it is'")
    assert shlex.split(command)[2:7] == ["my r.csv", "--judge", "gpt4 score", "--human", "Ann's human"]
    path.write_text("\n".join(["id,gpt4,b", *(f"d{i},{i % 5},{i % 4}" for i in ROWS)]))
    assert likely_command(likely_columns(record_file(path)), ["r.csv"]) == (
        "touchstone verdict r.csv --judge gpt4 --human PERSON --item id"
    )


def test_values_are_in_the_order_of_numbers_and_cut_where_it_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    long = "Neither agree nor disagree"
    path.write_text("\n".join(["id,judge,human", *(f"d{i},{i % 11},{long if i % 2 else 'Agree'}" for i in ROWS)]))
    holds = [column.holds for column in likely_columns(record_file(path)).columns]
    assert holds[1:] == ["0, 1, 2, 3, 4, 5 ...", "Agree, Neither agree nor disag…"]


@pytest.mark.parametrize("space", ["", "  ", "\u00a0"])
def test_words_in_several_spellings_are_still_labels_and_no_rater_is_a_source(tmp_path: Path, space: str) -> None:
    path = tmp_path / "r.csv"
    words = ["strongly disagree", "disagree it is", "somewhat disagree", "neither nor", "somewhat agree", "agree it is",
             "strongly agree"]  # fmt: skip

    def cell(i: int) -> str:
        word = words[i % 7]
        return word if i % 2 else word.replace(" ", space) if space else word.title()

    header = "id,human1,human2,gpt4_judge"
    path.write_text("\n".join([header, *(f"d{i},{cell(i)},{cell(i + 1)},{cell(i // 2)}" for i in ROWS)]))
    found = likely_columns(record_file(path))
    assert [column.role for column in found.columns] == ["object", "person", "person", "judge"]
    # With words of their own for everything they are a question, and still no source.
    path.write_text("\n".join([header, *(f"d{i},word {i // 2},{i % 5},remark {i // 3}" for i in ROWS)]))
    assert not likely_columns(record_file(path)).names("source")


def test_one_judge_in_two_spellings_is_named_once(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    who = ("ann", "qwen2-vl", "Qwen2-VL ", "QWEN2-vl")
    path.write_text("\n".join(["item,rater,score", *(f"d{i // 2},{who[i % 2 * (i % 3 + 1)]},{i % 5}" for i in ROWS)]))
    assert likely_columns(record_file(path)).models == ("Qwen2-VL",)
