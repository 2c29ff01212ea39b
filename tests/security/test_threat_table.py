"""The table of threats names tests that exist, at least one for every threat."""

import ast
import re

from resources.runtime.home import CHECKOUT

PAGE = CHECKOUT / "docs" / "security.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def threats() -> list[str]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and line.count(" | ") == 2]
    return [row for row in rows if not row.startswith(("| threat", "| ---"))]


def test_every_threat_has_a_test() -> None:
    assert len(threats()) >= 20
    assert not [row for row in threats() if not NAMED.search(row)]


def test_every_test_that_the_page_names_exists() -> None:
    missing = []
    for file, name in NAMED.findall(PAGE.read_text(encoding="utf-8")):
        path = CHECKOUT / file
        tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
        if name not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
            missing.append(f"{file}::{name}")
    assert not missing
