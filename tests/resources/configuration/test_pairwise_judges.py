"""Study B draws judges of pairs from the list, pairs of texts need no photos, and what does not fit is one line."""

from pathlib import Path

import pytest

from resources.configuration.load import Configuration, read_configuration
from resources.errors import UserError

TEXTS = "pairwise: {pairs_of: texts, pairs_csv: mt.jsonl"
PHOTOS = "pairwise: {pairs_csv: pairs.csv, image_root: photos"
LIST = """\
judges:
  - {name: GPT-4.1, model: "openai:gpt-4.1", task: {prompt: p.txt, object: pair, shows: text}}
  - {name: eye, model: "openai:gpt-4.1", task: {prompt: p.txt, object: pair}}
  - {name: grader, model: "openai:gpt-4.1", task: {prompt: p.txt, scale: [1, 5]}}
  - {name: plain, model: "openai:gpt-4.1"}
  - {name: baseline, kind: local}
"""


def read(folder: Path, text: str) -> Configuration:
    file = folder / "touchstone.yaml"
    file.write_text(text)
    return read_configuration(file)


def test_a_judge_is_a_method_among_the_others(tmp_path: Path) -> None:
    of_texts = read(tmp_path, f"{LIST}{TEXTS}, judges: [GPT-4.1], recorded_judges: [gpt4_pair]}}\n").pairwise
    assert of_texts is not None
    assert of_texts.methods == ("longer_text", "judge_gpt_4_1", "judge_gpt4_pair")
    assert of_texts.min_reviewers == 1
    task = of_texts.judges["GPT-4.1"].task
    assert task is not None
    assert (task.labels, task.answer, task.prompt) == (("A", "B", "tie"), "label", tmp_path / "p.txt")
    of_photos = read(tmp_path, f"{LIST}{PHOTOS}, judges: [eye], rule_based_methods: [sharpness_only]}}\n").pairwise
    assert of_photos is not None
    assert of_photos.methods[-1] == "judge_eye"
    assert "sharpness_only" in of_photos.methods


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{LIST}{TEXTS}, judges: [gpt]}}", "there is no judge 'gpt' in the list `judges`"),
        (f"{TEXTS}, judges: [gpt]}}", "pairwise.judges: names judges, and there is no list `judges`"),
        (f"{LIST}{TEXTS}, judges: [eye]}}", "'eye' is shown images, and the pairs are of texts"),
        (f"{LIST}{PHOTOS}, judges: [GPT-4.1]}}", "'GPT-4.1' is shown text, and the pairs are of photos"),
        (f"{LIST}{TEXTS}, judges: [grader]}}", "'grader' needs a `task` that says `object: pair`"),
        (f"{LIST}{TEXTS}, judges: [plain]}}", "'plain' needs a `task` that says `object: pair`"),
        (f"{LIST}{TEXTS}, judges: [baseline]}}", "'baseline' is `kind: local`; a judge of pairs is a model"),
        (f"{LIST}{PHOTOS}, recorded_judges: [x]}}", "recorded_judges: names of the column judge"),
        (f"{LIST}{TEXTS}, rule_based_methods: [sharpness_only]}}", "'sharpness_only', which is no such method"),
        (f"{LIST}{TEXTS}, dl_methods: [vit_base]}}", "dl_methods: methods of photos, and the pairs are of texts"),
        (f"{LIST}{TEXTS}, own_sources: {{me: [m]}}}}", "own_sources: there is no judge 'me'"),
        (f"{LIST}{TEXTS}, judges: [GPT-4.1], recorded_judges: [gpt 4.1]}}", "methods of one name: judge_gpt_4_1"),
        (
            f"{LIST}fidelity: {{human_scores: s.csv, references: r, candidates: c, judge: eye}}",
            "its task says `object: pair`, which is for study B",
        ),
        (PHOTOS.replace(", image_root: photos", "}"), "pairwise.image_root: must be given"),
    ],
)
def test_what_does_not_fit_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        read(tmp_path, f"{text}\n")
    assert said in str(raised.value)
    assert len(str(raised.value).splitlines()) == 2  # the file, and the fault
