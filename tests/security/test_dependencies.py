"""What is installed is what the lock says, to the byte, and the audit is told to pass nothing unseen."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from resources.runtime.home import CHECKOUT

# Local projects and what stands in the lock for other platforms have no files of their own.
OWN = "touchstone"


def constraints() -> dict[str, str]:
    lines = [line for line in (CHECKOUT / "constraints.txt").read_text().splitlines() if line and line[0] not in "#-"]
    found = [re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[[^]]*\])?==([^ ;]+)(?: ;.*)?", line.strip()) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if match is None]
    return {match[1].lower(): match[2] for match in found if match is not None}


def locked() -> list[dict[str, object]]:
    packages = tomllib.loads((CHECKOUT / "uv.lock").read_text())["package"]
    return [one for one in packages if one["name"] != OWN]


def test_every_package_has_one_exact_version_which_the_lock_has_too() -> None:
    versions = {(str(one["name"]), str(one.get("version"))) for one in locked()}
    assert constraints()
    assert set(constraints().items()) <= versions


def named(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!; ]", one)[0].lower().replace("_", "-") for one in requirements} - {OWN}


def declared() -> dict[str, set[str]]:
    """Names of packages by the extra that brings them; those of the base under nothing."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = {extra: named(packages) for extra, packages in project["optional-dependencies"].items()}
    return {"": named(project["dependencies"])} | extras


def test_the_lock_was_made_of_what_is_declared() -> None:
    packages = tomllib.loads((CHECKOUT / "uv.lock").read_text())["package"]
    [own] = [one for one in packages if one["name"] == OWN]
    assert {one["name"] for one in own["metadata"]["requires-dist"]} - {OWN} == set().union(*declared().values())


@pytest.mark.slow
def test_every_package_that_is_imported_is_declared() -> None:
    rooms = ("analysis", "assets", "pipeline", "reports", "resources", "review")
    trees = [ast.parse(path.read_text()) for room in rooms for path in (CHECKOUT / room).rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    modules = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    modules |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    roots = {name.split(".")[0] for name in modules} - sys.stdlib_module_names - {*rooms}
    makers = packages_distributions()
    # Streamlit's own charts, and what Dagster is made of.
    known = set().union(*declared().values()) | {"altair", "dagster-shared"}
    lacking = [root for root in roots if not named(makers.get(root, [root])) & known]
    assert not lacking


def test_every_file_in_the_lock_has_its_hash() -> None:
    for package in locked():
        wheels, sdist = package.get("wheels", []), package.get("sdist")
        files = [*wheels, *([sdist] if sdist else [])]  # type: ignore[misc]
        assert files, package["name"]
        assert all(file["hash"].startswith("sha256:") for file in files), package["name"]


def test_the_audit_is_strict_and_over_every_pinned_package() -> None:
    # Strict: a package that could not be looked up fails it.
    recipe = (CHECKOUT / "Makefile").read_text().split("\naudit:")[1].split("\nlock:")[0]
    calls = [line for line in recipe.splitlines() if "--requirement" in line]
    assert len(calls) == 2
    assert all("--strict" in line and "constraints.txt" in line for line in calls)
