"""What is made up of a sample is said on the terminal, and no sample is left out."""

from io import StringIO
from pathlib import Path
from typing import get_args

import pytest
from rich.console import Console
from upath import UPath

from pipeline.command_line.summary import show_made_up
from pipeline.samples.reliability import STUDY, write_review_samples
from resources.configuration.load import read_configuration, sample_configuration
from resources.configuration.made_up import MadeUp, StudyName
from resources.runtime.home import Home


def shown(*what: str) -> str:
    console = Console(file=StringIO(), width=300)
    show_made_up(console, what)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("what", get_args(MadeUp))
def test_each_has_a_sentence(what: str) -> None:
    assert shown(what).startswith("Made up: The ")


def test_nothing_is_said_where_nothing_is_made_up() -> None:
    assert shown() == ""


def test_every_study_of_the_sample_says_what_is_made_up(tmp_path: Path) -> None:
    made_up = sample_configuration(Home(UPath(tmp_path), tmp_path)).made_up
    assert set(made_up) == set(get_args(StudyName))
    assert all(made_up.values())


def test_the_second_sample_says_so_in_its_configuration(tmp_path: Path) -> None:
    assert "{" + "{" not in STUDY
    read = read_configuration(write_review_samples(tmp_path / "by_review").configuration)
    assert read.made_up == {"reliability": ("answers", "reviewer")}
