"""The rules of the house, so that nobody has to remember them."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import dagster as dg
import pytest

from assets.shared.observed_inputs import INPUTS
from pipeline.definitions import touchstone
from resources.runtime.dagster_tags import study_of_group
from resources.tables.all_tables import BY_GROUP, TABLES

ROOT = Path(__file__).resolve().parents[1]
MAY_IMPORT = {
    "analysis": {"analysis"},
    "resources": {"resources", "analysis"},
    "reports": {"reports", "resources", "analysis"},
    "assets": {"assets", "reports", "resources", "analysis"},
    "pipeline": {"pipeline", "assets", "reports", "resources", "analysis"},
    "review": {"review", "resources", "analysis"},
}
ANALYSIS_LIBRARIES = {"numpy", "scipy", "sklearn", "cv2", "skimage"}
HEAVY = (
    *("torch", "transformers", "open_clip", "ray", "streamlit", "vl_convert", "pingouin"),
    *("scipy.stats", "scipy.special", "scipy.sparse", "sqlalchemy", "alembic", "pandera", "jinja2"),
)
LONGEST = 500
# What people bring: assets with a key each, all in the study's `inputs.py`, and no table, because nobody makes them.
INPUTS_BY_GROUP = {group: set(places) for group, places in INPUTS.items()} | {"evaluation": {"dataset_files"}}


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


class Source(NamedTuple):
    """What the rules look at in a file; at the left edge of a file a statement runs when the file is loaded."""

    n_lines: int
    docstring: str | None
    imports: set[str]
    imports_at_left_edge: set[str]


@cache
def source(path: Path) -> Source:
    text = path.read_text()
    tree = ast.parse(text)
    return Source(text.count("\n"), ast.get_docstring(tree), imports_in(ast.walk(tree)), imports_in(tree.body))


def imports_of(path: Path) -> set[str]:
    return source(path).imports


def imports_in(nodes: Iterable[ast.AST]) -> set[str]:
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


@cache
def own_modules() -> dict[str, Path]:
    return {module_name(path): path for path in python_files(*MAY_IMPORT)}


@pytest.fixture(scope="module")
def definitions() -> dg.Definitions:
    return touchstone()


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_point_one_way(room: str) -> None:
    for path in python_files(room):
        rooms = {name.split(".")[0] for name in imports_of(path)} & MAY_IMPORT.keys()
        assert rooms <= MAY_IMPORT[room], f"{path.relative_to(ROOT)} imports {rooms - MAY_IMPORT[room]}"


def test_no_module_imports_itself_by_a_detour() -> None:
    modules = own_modules()
    graph = {name: (imports_of(path) & modules.keys()) - {name} for name, path in modules.items()}
    TopologicalSorter(graph).prepare()


def test_collecting_the_tests_loads_no_library_of_models() -> None:
    for path in python_files("tests"):
        # By every worker.
        at_once = {name.split(".")[0] for name in source(path).imports_at_left_edge}
        found = at_once & {"torch", "transformers", "open_clip", "ray"}
        assert not found, f"{path.relative_to(ROOT)} imports {found} at the top: import it where it is used"


def test_analysis_is_mathematics_without_dagster_or_pandas() -> None:
    for path in python_files("analysis"):
        outside = {name.split(".")[0] for name in imports_of(path)} - set(sys.stdlib_module_names) - {"analysis"}
        assert outside <= ANALYSIS_LIBRARIES, f"{path.relative_to(ROOT)} imports {outside - ANALYSIS_LIBRARIES}"


def test_logic_is_pandas_without_dagster_or_tables() -> None:
    for path in (ROOT / "assets").glob("*/logic/*.py"):
        assert "dagster" not in {name.split(".")[0] for name in imports_of(path)}, path.relative_to(ROOT)
        parts = [name.split(".") for name in imports_of(path) & own_modules().keys()]
        tables = [".".join(one) for one in parts if one[0] == "assets" and one[1] != "shared" and one[2] != "logic"]
        assert not tables, f"{path.relative_to(ROOT)} imports {tables}"


def test_what_studies_share_imports_no_study() -> None:
    for room in ("assets", "reports"):
        for path in python_files(f"{room}/shared"):
            studies = {name.split(".")[1] for name in imports_of(path) if name.startswith(f"{room}.")} - {"shared"}
            assert not studies, f"{path.relative_to(ROOT)} imports {studies}"


def test_private_names_of_dagster_stand_in_one_file() -> None:
    for path in python_files(*MAY_IMPORT):
        private = {name for name in imports_of(path) if name.startswith(("dagster._", "dagster_shared"))}
        assert not private or path.name == "dagster_internals.py", f"{path.relative_to(ROOT)} imports {private}"


def test_files_stay_under_500_lines_and_say_what_is_in_them() -> None:
    for path in python_files(*MAY_IMPORT, "tests", "benchmarks", "tools"):
        n_lines = source(path).n_lines
        assert n_lines < LONGEST, f"{path.relative_to(ROOT)} has {n_lines} lines"
        if path.name == "__init__.py":
            assert not path.read_text(), f"{path.relative_to(ROOT)} is not empty"
        else:
            assert source(path).docstring, f"{path.relative_to(ROOT)} has no docstring"


def test_an_asset_has_one_name_for_file_function_key_and_table(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    assert {key.path[-1] for key in graph.materializable_asset_keys} == set(TABLES)
    inputs = graph.get_all_asset_keys() - graph.materializable_asset_keys
    assert {key.path[-1] for key in inputs} == {name for names in INPUTS_BY_GROUP.values() for name in names}
    for group, tables in BY_GROUP.items():
        for key in tables:
            tree = ast.parse((ROOT / f"assets/{group}/{key}.py").read_text())
            functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
            assert key in functions, f"assets/{group}/{key}.py has no function {key}"


def test_the_folder_is_the_group(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    for group, tables in BY_GROUP.items():
        files = {path.stem for path in (ROOT / "assets" / group).glob("*.py") if path.stem != "__init__"}
        keys = {
            key.path[-1] for key in graph.get_all_asset_keys() if study_of_group(graph.get(key).group_name) == group
        }
        assert keys == set(tables) | INPUTS_BY_GROUP[group]
        assert files == {*tables, "inputs"}


def test_every_dependency_is_an_asset_that_exists(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    assert graph.get_all_asset_keys() == graph.materializable_asset_keys | graph.observable_asset_keys


def test_every_asset_says_who_owns_it_when_it_refreshes_and_what_its_columns_are(definitions: dg.Definitions) -> None:
    for spec in definitions.resolve_all_asset_specs():
        assert spec.owners, spec.key
        assert spec.kinds, spec.key
        assert len(spec.description or "") > 40, spec.key
        if spec.key.path[-1] not in TABLES:
            continue
        # The anchor is asked anew whenever it is made: it follows the calendar or a person. Ground truth follows a
        # validation that allows it: a sensor sees to that.
        without = spec.key.path[-1] in ("anchor_scores", "ground_truth")
        assert (spec.automation_condition is None) == without, spec.key
        assert spec.code_version, spec.key
        assert "dagster/column_schema" in spec.metadata, spec.key


def test_integrity_gates_block_and_the_others_do_not(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    blocking = {key.name for key in graph.asset_check_keys if graph.get_check_spec(key).blocking}
    assert blocking == {
        "every_row_accounted_for",
        "render_shows_the_scored_object",
        "images_are_there",
        "something_to_judge",
        "enough_repeats",
        "some_matched",
        "golden_images_are_of_the_judged_renders",
        "photos_are_there",
        "every_judge_scored_the_documents",
        "two_judges_have_scores",
    }


def test_a_check_is_partitioned_when_its_asset_is(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    for key in graph.asset_check_keys:
        assert graph.get_check_spec(key).partitions_def == graph.get(key.asset_key).partitions_def, key


def test_the_code_location_loads_as_the_web_server_loads_it(definitions: dg.Definitions) -> None:
    # Jobs and assets share one space of names, which is looked at only here.
    repository = definitions.get_repository_def()
    repository.load_all_definitions()
    assert set(repository.job_names) >= {"fidelity", "evaluation", "watch_drift"}


@pytest.mark.slow
def test_describing_the_tables_loads_no_library_that_only_making_them_needs() -> None:
    program = (
        "import sys, pipeline.definitions as ours; ours.touchstone().get_repository_def().load_all_definitions(); "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_the_page_of_tables_names_every_table() -> None:
    page = (ROOT / "docs" / "tables.md").read_text()
    missing = [name for name in TABLES if f"| `{name}` |" not in page]
    assert not missing, f"docs/tables.md does not name {missing}"


def test_the_readme_is_short_and_names_only_targets_that_exist() -> None:
    readme = (ROOT / "README.md").read_text()
    assert readme.count("\n") < 150
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    asked = set(re.findall(r"\bmake ([a-z]+)\b", readme))
    assert asked <= targets, f"README asks for {asked - targets}"


def test_dagsters_packages_are_one_consistent_set() -> None:
    from importlib.metadata import version

    import dagster_postgres

    core = {
        version(name) for name in ("dagster", "dagster-graphql", "dagster-pipes", "dagster-shared", "dagster-webserver")
    }
    assert len(core) == 1
    major, minor, patch = core.pop().split(".")
    assert version("dagster-postgres") == dagster_postgres.__version__ == f"0.{int(minor) + 16}.{patch}"
    assert major == "1"
