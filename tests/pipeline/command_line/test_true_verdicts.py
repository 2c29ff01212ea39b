"""Ten copies of each kind of file, drawn anew: at least nine get the verdict that is true of how they were made."""

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from tools.samples.ratings import KINDS, write_all

COPIES = 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nine_of_ten_copies_get_the_true_verdict(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words: Counter[str] = Counter()
    for seed in range(COPIES):
        folder = tmp_path / str(seed)
        write_all(folder, seed)
        monkeypatch.chdir(folder)
        done = CliRunner().invoke(application, ["verdict", *KINDS[kind].arguments.split(), "--json"])
        assert done.exit_code == 0, done.stderr
        words[json.loads(done.stdout)["judges"][0]["verdict"]["word"]] += 1
    assert words[KINDS[kind].word] >= 0.9 * COPIES, words
