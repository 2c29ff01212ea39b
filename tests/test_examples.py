"""The configurations in examples/ are read as they are, and its programs print what they say that they print."""

import ast
import importlib.util
from pathlib import Path
from textwrap import dedent

import pytest

from resources.configuration.load import read_configuration

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STUDIES = ("fidelity", "pairwise", "evaluation", "reliability")
PROGRAMS = ("metrics", "repeatability", "stand_in")


@pytest.mark.parametrize("study", STUDIES)
def test_an_example_is_a_configuration_of_its_study(study: str) -> None:
    configuration = read_configuration(EXAMPLES / f"{study}.yaml")
    assert [name for name in STUDIES if getattr(configuration, name) is not None] == [study]


def test_there_is_one_example_for_each_study_and_three_programs() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.yaml")) == sorted(STUDIES)
    assert sorted(path.stem for path in EXAMPLES.glob("analysis/*.py")) == sorted(PROGRAMS)


def test_what_the_examples_say_in_words_is_so() -> None:
    fidelity = read_configuration(EXAMPLES / "fidelity.yaml").fidelity
    assert fidelity is not None
    assert len(fidelity.settings.settings) == 1 + 2 * 2


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_its_docstring_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / "analysis" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    program.main()
    printed = dedent(str(program.__doc__).partition("prints:\n\n")[2])
    assert printed
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_needs_analysis_alone(name: str) -> None:
    tree = ast.parse((EXAMPLES / "analysis" / f"{name}.py").read_text())
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
    assert {str(module).split(".")[0] for module in modules} <= {"analysis", "numpy", "textwrap"}
