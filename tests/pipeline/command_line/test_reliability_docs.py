"""docs/reliability.md shows what the commands print, step by step, on the demo's second sample."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner
from upath import UPath

from pipeline.command_line.demo_reliability import vote
from pipeline.command_line.main import application
from pipeline.samples.reliability import scripted_votes, write_review_samples
from resources.configuration.load import read_configuration
from resources.runtime.home import Home
from resources.study import Study

PAGE = (Path(__file__).parents[3] / "docs" / "reliability.md").read_text(encoding="utf-8")
SHOWN = re.compile(r"^\$ touchstone (r[^#\n]*?)(?: +#.*)?\n((?:(?!```|\$).*\n)+)", flags=re.MULTILINE)
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


@pytest.mark.slow
def test_each_step_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = write_review_samples(tmp_path / "walk")
    for name, value in (("TOUCHSTONE_HOME", samples.home), ("DAGSTER_HOME", tmp_path), ("COLUMNS", 120)):
        monkeypatch.setenv(name, str(value))
    configuration, home = read_configuration(samples.configuration), Home(UPath(samples.home), samples.home)
    study = Study(configuration.study, None, home, reliability_section=configuration.reliability)
    truth = {(query, doc): relevant for query, doc, relevant in scripted_votes(samples.truth)}

    def printed(command: str) -> str:
        done = CliRunner().invoke(application, command.split(), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return " ".join(TIME.sub("", done.output).split())

    steps = SHOWN.findall(PAGE.partition("## A contingency, step by step")[2])
    validate, thresholds, again, last, status = (command for command, _ in steps)
    assert validate == last == "run reliability"
    for place, (command, output) in enumerate(steps):
        if command == thresholds:
            vote(study, truth, until_quota=True)
        elif place and command == last:
            printed("reliability manual-review --who ada")
            vote(study, truth, until_quota=False)
        shown, at = printed(command), 0
        for line in output.splitlines():
            words = " ".join(TIME.sub("", line).split())
            if words not in ("", "..."):
                at = shown.find(words, at)
                assert at >= 0, f"{command}: not printed, or not in this order: {line}"
    assert (again, status) == ("reliability recalibrate --who ada", "reliability status")
