"""How a drafted section writes its values: YAML reads back what was meant."""

from pathlib import Path

import pytest
import yaml

from pipeline.command_line.draft import free_path, mapping, quoted, yaml_list


@pytest.mark.parametrize(
    "text", ["score", "no", "Y", "rater 1", "a: b", "umanità", "1.0", "x#y", "'", '"', "../a b.csv"]
)
def test_a_text_is_read_back_as_it_is(text: str) -> None:
    assert yaml.safe_load(quoted(text)) == text
    assert yaml.safe_load(mapping({"id": text})) == {"id": text}


def test_a_list_holds_numbers_and_texts() -> None:
    assert yaml.safe_load(yaml_list([1.0, 2.5, quoted("no")])) == [1, 2.5, "no"]


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    assert free_path(path) == path
    path.touch()
    assert free_path(path).name == "people-2.csv"
