"""No sentence goes out with a placeholder in it that nothing fills: `{variable}`, because its `f` was forgotten."""

import ast
import re
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from resources.backup import home_backup
from resources.errors import UserError

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("analysis", "resources", "reports", "assets", "pipeline", "review")
# But for a chart's own, `%{x}`.
PLACEHOLDER = re.compile(r"(?<!%)\{([a-z_][a-z_.]*)\}")
# How files are named, which is shown to people as it is; what the progress bar fills by itself; and messages that are
# given their values where their name is used.
MEANT = {
    "analysis/verdict/rule.py": {"n_rejected"},
    "assets/evaluation/logic/mean_verdicts.py": {"command"},
    "assets/evaluation/logic/papers.py": {"metric", "category"},
    "resources/inputs/fidelity/human_scores.py": {"product", "variant", "algorithm", "n", "views", "k"},
    "resources/judges/replay.py": {"model"},
    "resources/judges/vfscore_tree.py": {"item", "model"},
    "resources/photos/features/model.py": {"model", "command"},
    "resources/photos/weights.py": {"model", "command", "file", "setting"},
    "resources/runtime/progress.py": {"task.description"},
    "resources/tables/pairwise.py": {"series_id"},
    "pipeline/command_line/import_files.py": {"item"},
    "pipeline/command_line/init_from.py": {"document"},
    "pipeline/command_line/init.py": {"references", "candidates", "item", "model", "image_root"},
    "pipeline/command_line/pairwise.py": {"series", "number"},
}


def unfilled(source: str, meant: Collection[str] = ()) -> list[tuple[int, str]]:
    """Line and name of each placeholder in a text that is shown as it is, docstrings left out.

    What some `format(name=...)` or `replace("{name}", ...)` of the file fills is filled, or is `meant` as it is.
    """
    nodes = list(ast.walk(ast.parse(source)))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {id(node.body[0].value) for node in nodes if isinstance(node, documented) and _says(node)}
    filled = filled_in(nodes).union(meant)
    return [
        (node.lineno, name)
        for node in nodes
        # The text parts of an f-string are among them: what stands in braces there was written with two.
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
        for name in PLACEHOLDER.findall(node.value)
        if name not in filled
    ]


def _says(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return ast.get_docstring(node, clean=False) is not None


def filled_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that `format`, `message`, `replace("{name}", ...)` or another call with a text and values by name fills."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    by_name = [
        call
        for call in calls
        if _formats(call) or _is_message(call) or any(PLACEHOLDER.search(text) for text in _texts(call))
    ]
    replaced = [
        call.args[0].value for call in calls if _formats(call) and call.args and isinstance(call.args[0], ast.Constant)
    ]
    return {word.arg for call in by_name for word in call.keywords if word.arg} | {
        name for one in replaced if isinstance(one, str) for name in PLACEHOLDER.findall(one)
    }


def _formats(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in ("format", "replace")


def _is_message(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "message"


def _texts(call: ast.Call) -> list[str]:
    return [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def test_every_placeholder_of_the_product_is_filled_somewhere() -> None:
    paths = [path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")]
    sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    found = {}
    for name, source in sources.items():
        # Filled next to the text, or by who takes it from there.
        if PLACEHOLDER.search(source) and (left := unfilled(source, MEANT.get(name, ()))):
            found[name] = left
    assert found == {}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('said = "set {variable} to it"', ["variable"]),
        ('said = f"set {name} to it, " "and {variable} too"', ["variable"]),
        ('said = "set {variable} to it".format(variable=1)', []),
        ('said = TEMPLATE.replace("{study}", "mine")', []),
        ('said = f"set {variable} to it"', []),
        ('raise Refused("set {variable} to it", variable=1)', []),
        ('SAID = "set {variable} to it"\nsaid = message(SAID, variable=1)', []),
        ('raise Refused("set {variable} to it")', ["variable"]),
        ('def one():\n    """Fills {variable}."""', []),
        ('hover = "%{x}: %{y:.3f}"', []),
        ('said = "{} of {1}, {8 hex}"', []),
    ],
)
def test_a_forgotten_f_is_found(source: str, names: list[str]) -> None:
    assert [name for _, name in unfilled(source)] == names


def test_a_database_that_is_not_empty_is_refused_with_the_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home_backup, "_tables", lambda _address: ["runs", "events", "ledger"])
    with pytest.raises(UserError, match=r"\(runs and 2 more\).*and set TOUCHSTONE_DATABASE_URL to it\."):
        home_backup.refuse_filled("postgresql://me@127.0.0.1/ledger", "TOUCHSTONE_DATABASE_URL")
