"""The configurations in examples/ are read as they are, each with the section of the study that it is named after."""

from pathlib import Path

import pytest

from resources.configuration.load import read_configuration

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STUDIES = ("fidelity", "pairwise", "evaluation", "reliability")


@pytest.mark.parametrize("study", STUDIES)
def test_an_example_is_a_configuration_of_its_study(study: str) -> None:
    configuration = read_configuration(EXAMPLES / f"{study}.yaml")
    assert [name for name in STUDIES if getattr(configuration, name) is not None] == [study]


def test_there_is_one_example_for_each_study() -> None:
    assert sorted(path.stem for path in EXAMPLES.iterdir()) == sorted(STUDIES)


def test_what_the_examples_say_in_words_is_so() -> None:
    fidelity = read_configuration(EXAMPLES / "fidelity.yaml").fidelity
    assert fidelity is not None
    assert len(fidelity.settings.settings) == 1 + 2 * 2
