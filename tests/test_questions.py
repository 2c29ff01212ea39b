"""The commands of README, docs/verdict.md and docs/questions are run as typed, and print what the page says."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from tools.samples.ratings import FOLDER, KINDS, SEED, write_all

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "docs/verdict.md", *sorted((ROOT / "docs/questions").glob("*.md"))]
FENCED = re.compile(r"```\n\$ touchstone (verdict .*)\n((?:.*\n)*?)```")
README = (ROOT / "README.md").read_text(encoding="utf-8")
IN_README = re.findall(r"`touchstone (verdict examples/[^`]+)` \| \*\*(.+?)\*\*", README)


def printed(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(ROOT)
    done = CliRunner(env={"COLUMNS": "80"}).invoke(application, command.split(), catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return " ".join(done.stdout.split())


BLOCKS = [pytest.param(*block, id=page.stem) for page in PAGES for block in FENCED.findall(page.read_text("utf-8"))]
# Below the table, the answer to the command of its first row.
ANSWER = re.search(r"```\n(May .*?)```", README, re.DOTALL)


@pytest.mark.parametrize(("command", "lines"), BLOCKS)
def test_a_page_says_what_its_command_prints(command: str, lines: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, place = printed(command, monkeypatch), 0
    for line in lines.splitlines():
        place = shown.find(" ".join(line.split()), place)
        assert place >= 0, f"not printed, or not in this order: {line}"


def test_the_readme_shows_what_its_first_command_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ANSWER is not None
    assert " ".join(ANSWER[1].split()) in printed(IN_README[0][0], monkeypatch)


def test_each_question_has_a_command() -> None:
    questions = {page.stem for page in PAGES} - {"words-of-other-tools"}
    assert len(questions) == 5
    assert {str(block.id) for block in BLOCKS} == questions


@pytest.mark.parametrize(("command", "word"), IN_README)
def test_each_row_of_the_readme_reaches_its_word(command: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert re.search(rf"(\?|:) {re.escape(word)}\b", printed(command, monkeypatch))


def test_the_readme_has_a_row_for_each_kind_of_file() -> None:
    typed = {command.replace(f"verdict {FOLDER}/", "").replace(f" {FOLDER}/", " ") for command, _ in IN_README}
    assert typed == {kind.arguments for kind in KINDS.values()}


def test_the_files_are_as_their_script_writes_them(tmp_path: Path) -> None:
    write_all(tmp_path, SEED)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (ROOT / FOLDER / path.name).read_bytes(), path.name
