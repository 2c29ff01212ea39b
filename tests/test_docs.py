"""What the README and the pages name is there: commands, options, files, gates, keys of the configuration, defaults."""

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import click
import pytest
import yaml
from typer.main import get_command

from pipeline.command_line.main import application
from pipeline.definitions import READ_BY_PEOPLE
from pipeline.gate_list import page as page_of_gates
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.limits import Limits
from resources.configuration.load import configured
from resources.configuration.pairwise import ATTRIBUTES
from resources.configuration.reliability import Recalibration, ReliabilityGate, ReliabilityStudy, Review
from resources.configuration.yaml_text import values_in_yaml
from resources.judges import contract
from resources.judges.answers import parse_answer
from resources.judges.prompt import RUBRIC_VERSION, build_call

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
FOLDERS = "analysis|assets|benchmarks|deploy|docs|examples|pipeline|reports|resources|review|tests|tools"
FILE = re.compile(rf"(?<![\w/.-])(?:{FOLDERS})/[\w./-]*\w(?![\w*])/?(?![*.])")
KINDS = {"": "Quality (FAIL)", " (stops)": "Integrity (STOP)", " (advice)": "Advice (note)"}
# What an example leaves out because it is about something else.
NEEDED: dict[str, dict[str, Any]] = {
    "fidelity": {"human_scores": "a.csv", "references": "references", "candidates": "candidates"},
    "pairwise": {"pairs_csv": "pairs.csv", "image_root": "photos"},
    "reliability": {"queries": "queries.csv"},
}
RELIABILITY = {"": ReliabilityStudy, "gate": ReliabilityGate, "review": Review, "recalibration": Recalibration}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def code_in(page: Path) -> list[str]:
    """Every piece of code of a page: what is in backquotes, and the lines of its blocks, joined where they go on."""
    text = page.read_text(encoding="utf-8")
    blocks = [line for _, block in FENCE.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    return [*re.findall(r"`([^`\n]+)`", FENCE.sub("", text)), *blocks]


def unknown_in(words: list[str]) -> list[str]:
    """The commands and options behind `touchstone` that do not exist."""
    command: click.Command = get_command(application)
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        if words[0] not in command.commands:
            return [words[0]]
        command, words = command.commands[words[0]], words[1:]
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    return [word for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0].rstrip(",") not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_option_and_file_that_a_page_names_exists(page: Path) -> None:
    wrong = []
    for code in code_in(page):
        for words in re.findall(r"(?:^|[\s$])touchstone((?: +[^\s#|;&]+)+)", code):
            wrong += [(code, one) for one in unknown_in(words.split())]
        wrong += [(code, one) for one in FILE.findall(code) if not (ROOT / one).exists()]
    assert wrong == []


@pytest.mark.parametrize("study", ["fidelity", "evaluation", "reliability"])
def test_the_table_of_gates_of_a_study_has_each_with_its_kind(study: str) -> None:
    section = page_of_gates().partition(f"## {study.capitalize()}\n")[2].partition("\n## ")[0]
    gates = {
        (gate, table, kind) for table, gate, kind in re.findall(r"^\| `(\w+)` \| `(\w+)` \| (.*?) \|", section, re.M)
    }
    rows = re.findall(r"^\| `(\w+)`( \(\w+\))? \| `(\w+)` \| [^|]+ \|$", text_of(f"docs/{study}.md"), re.M)
    assert {(gate, table, KINDS[kind]) for gate, kind, table in rows} == gates


@pytest.mark.parametrize(
    ("page", "example"),
    [
        (page.stem, block)
        for page in PAGES
        for language, block in FENCE.findall(page.read_text("utf-8"))
        if language == "yaml"
    ],
)
def test_an_example_of_the_configuration_is_read(page: str, example: str, tmp_path: Path) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_text(dedent(example), encoding="utf-8")
    values = values_in_yaml(path, Limits())
    if "golden" in values:
        values = {"fidelity": values}
    if page == "reliability" and "judges" in values:
        values = {"reliability": values}
    for study in NEEDED.keys() & values.keys():
        own = values[study]
        given = {"manifest", "texts", "postgres"} & own.keys() or own.get("pairs_of") == "texts"
        values[study] = own if given else NEEDED[study] | own
        listed = [name for name in own.get("judges", []) if isinstance(own["judges"], list)]
        if listed and "judges" not in values:
            values["judges"] = [{"name": name, "model": "openai:gpt-5.4-mini"} for name in listed]
    if not values.keys() & {*NEEDED, "evaluation"}:
        values["evaluation"] = {}
    assert configured(values, path)


@pytest.mark.parametrize(("page", "sections"), [("operating", {"": Limits}), ("reliability", RELIABILITY)])
def test_the_defaults_that_a_page_names_are_those_of_the_configuration(page: str, sections: dict[str, Any]) -> None:
    table = text_of(f"docs/{page}.md").partition("\n| key | default | ")[2].partition("\n\n")[0]
    seen = 0
    for keys, defaults in re.findall(r"^\| (.+?) \| (.*?) ?\| ", table.replace("`", ""), re.MULTILINE):
        within = keys.partition(":")[0] if keys.partition(":")[0] in sections else ""
        names = re.findall(r"\w+", keys.removeprefix(f"{within}:"))
        for name, said in zip(names, yaml.safe_load(f"[{defaults}]"), strict=False):
            field = sections[within].model_fields.get(name)
            if field is not None and said != "none" and " " not in str(said).replace(", ", ","):
                default = list(field.default) if isinstance(field.default, tuple) else field.default
                assert said == default, (keys, name)
                seen += 1
    assert seen >= len(sections[""].model_fields) // 2


def test_the_prompts_that_the_page_on_pairs_shows_are_the_built_in_ones() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (a.*?) \| (a.*?) \|$", text_of("docs/pairwise.md"), re.M)
    assert rows == [(one.name, one.positive, one.negative) for one in ATTRIBUTES]


def test_the_tables_that_are_promised_to_be_fresh_are_named() -> None:
    promised = text_of("docs/operating.md").partition("**Freshness.**")[2].partition("are made anew")[0]
    assert tuple(re.findall(r"`(\w+)`", promised)) == READ_BY_PEOPLE


def test_the_judge_that_the_page_shows_gives_a_valid_answer() -> None:
    [example] = re.findall(r"```python\n(.*?)```", text_of("docs/new-judge.md"), re.DOTALL)
    known = {"json": json, "RUBRIC_VERSION": RUBRIC_VERSION, **vars(contract)}
    exec(example, known)
    judge, plan = known["ConstantJudge"](), FidelityStudy(**NEEDED["fidelity"])
    shown = contract.JudgedObject("1a2b3c4d", "chair", "", "", ("",), ("",))
    call = build_call(shown, contract.Attempt("study", plan.settings.baseline, judge.identity), plan.rubric_weights)
    found = parse_answer(judge.reply(call).raw_answer, "chair", plan.rubric_weights)
    assert (found.state, found.score) == ("valid", 0.5)
