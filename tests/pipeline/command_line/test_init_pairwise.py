"""`touchstone init`: the section of study B names every key, and is a study when its lines are taken in."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.init import TEMPLATE
from pipeline.command_line.main import application
from resources.configuration.load import Configuration, read_configuration
from resources.configuration.pairwise import ClipModel, PairwiseStudy, VitModel


@pytest.fixture
def section() -> str:
    """The commented lines from `pairwise:` to the next section, without their first sign."""
    lines = TEMPLATE[TEMPLATE.index("# pairwise:") :].splitlines()
    end = next(place for place, line in enumerate(lines) if place and re.match(r"# \w", line))
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[:end])


def test_every_key_stands_in_the_section(section: str) -> None:
    keys = [name for model in (PairwiseStudy, ClipModel, VitModel) for name in model.model_fields]
    assert [name for name in keys if not re.search(rf"\b{name}\b", section)] == []


def test_the_section_is_a_study_whose_values_are_the_defaults_but_for_the_examples(
    tmp_path: Path, section: str
) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_text(f"study: mine\n{section}\n")
    study = read_configuration(path).pairwise
    assert study is not None
    plain = Configuration(study="mine", pairwise={"pairs_csv": "p.csv", "image_root": "i"}).pairwise
    differ = {name for name in PairwiseStudy.model_fields if getattr(study, name) != getattr(plain, name)}
    examples = {
        "cluster_column",
        "columns",
        "features_dir",
        "clip_attributes",
        "composites",
        "own_methods",
        "sample_size",
        "rules_long_side",
        "output_dir",
    }
    assert differ == {"pairs_csv", "image_root"} | examples


def test_it_ends_with_what_each_study_needs_and_how_it_is_checked_and_run(tmp_path: Path) -> None:
    said = CliRunner().invoke(application, ["init", str(tmp_path / "mine")]).output
    for study in ("fidelity", "pairwise", "evaluation"):
        assert f"touchstone run {study}" in said
    assert "touchstone import pairwise" in said
    assert f"export TOUCHSTONE_HOME={tmp_path / 'mine'}" in said
