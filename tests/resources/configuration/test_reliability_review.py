"""The share of queries that every reviewer is asked about: what it may be, and what is said of what it may not."""

from pathlib import Path

import pytest

from resources.configuration.load import read_configuration
from resources.errors import UserError


def overlap(folder: Path, review: str) -> float:
    file = folder / "touchstone.yaml"
    file.write_text(f"study: s\nreliability:\n  queries: q.csv\n  review: {review}\n", encoding="utf-8")
    found = read_configuration(file).reliability
    assert found is not None
    return found.review.overlap


def test_a_tenth_is_shared_unless_another_share_is_named(tmp_path: Path) -> None:
    assert overlap(tmp_path, "{}") == 0.1
    assert [overlap(tmp_path, f"{{overlap: {share}}}") for share in ("0", "1", "0.25")] == [0, 1, 0.25]


@pytest.mark.parametrize("written", ["1.5", "-0.1", "10", "10 %", ".nan", "half"])
def test_another_value_is_refused_with_what_it_may_be(tmp_path: Path, written: str) -> None:
    said = r"reliability\.review\.overlap: must be a share of the queries from 0 \(none\) to 1 \(all\), such as 0\.1"
    with pytest.raises(UserError, match=said):
        overlap(tmp_path, f"{{overlap: {written}}}")
