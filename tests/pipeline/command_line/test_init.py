"""`touchstone init`: the file that it writes names everything that can be set, and reads back."""

import re
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from pipeline.command_line.init import TEMPLATE
from pipeline.command_line.main import run
from resources.configuration.alerts import Alerts
from resources.configuration.evaluation import Dataset, EvaluationGates, EvaluationStudy
from resources.configuration.fidelity import Anchor, FidelityStudy, FidelityThresholds, GoldenSet, Recommendation
from resources.configuration.limits import Limits
from resources.configuration.load import read_configuration
from resources.configuration.openai_judge import ModelJudge, OpenAIJudge

SECTIONS = (FidelityStudy, FidelityThresholds, OpenAIJudge, ModelJudge, GoldenSet, Recommendation, Anchor)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_every_key_stands_in_the_file(section: type[BaseModel]) -> None:
    # `stopping` is filled in from `repeats`.
    of_the_user = section.model_fields.keys() - {"stopping"}
    missing = [name for name in of_the_user if not re.search(rf"\b{name}\b", TEMPLATE)]
    assert not missing


def test_every_key_of_study_c_and_of_all_studies_is_there_and_the_section_reads_back(tmp_path: Path) -> None:
    section = TEMPLATE[TEMPLATE.index("# evaluation:") : TEMPLATE.index("# reliability:")]
    of_section = [name for model in (EvaluationStudy, Dataset, EvaluationGates) for name in model.model_fields]
    assert [name for name in of_section if not re.search(rf"^# .*\b{name}\b", section, re.MULTILINE)] == []
    head = TEMPLATE[: TEMPLATE.index("fidelity:\n")]
    of_all = [name for model in (Alerts, Limits) for name in model.model_fields] + [
        "alerts",
        "limits",
        "made_up",
        "judges",
    ]
    assert [name for name in of_all if not re.search(rf"\b{name}\b", head)] == []
    keys = "\n".join(line.removeprefix("# ") for line in head.splitlines() if re.match(r"# ( |[a-z_]+:)", line))
    path = tmp_path / "touchstone.yaml"
    path.write_text(f"study: mine\n{keys}\n" + re.sub(r"^# ?", "", section, flags=re.MULTILINE))
    study = read_configuration(path)
    assert study.limits == Limits()
    assert study.alerts == Alerts()
    assert study.made_up == {"fidelity": ("people",)}
    assert study.evaluation is not None
    plain = EvaluationStudy()
    examples = {"inbox", "datasets", "baseline"}
    assert {
        name for name in EvaluationStudy.model_fields if getattr(study.evaluation, name) != getattr(plain, name)
    } == examples
    assert study.evaluation.datasets["my_metric"].ties == 1e-12


def uncommented(start: str) -> str:
    """The commented block that begins with a line, without its comment signs and remarks."""
    lines = TEMPLATE[TEMPLATE.index(start) :].splitlines()
    block = [lines[0]] + [line for line in lines[1:] if line.startswith("  #   ")][: _length(lines[1:])]
    return "\n".join(re.sub(r"\s+#.*", "", re.sub(r"^  # ?", "", line)) for line in block)


def _length(lines: list[str]) -> int:
    return next(place for place, line in enumerate(lines) if not line.startswith("  #   "))


def test_the_judge_in_the_file_is_one_when_its_lines_are_taken_in() -> None:
    section = yaml.safe_load(uncommented("  # judge:                          # optional: a vision model"))["judge"]
    judge = OpenAIJudge(**section)
    defaults = OpenAIJudge(kind="openai")
    shown = {"model", "reasoning_effort", "requests_per_minute", "budget_usd", "auto_budget_usd_per_day", "price"}
    assert {name for name in section if getattr(judge, name) != getattr(defaults, name)} == shown


def test_the_file_reads_back_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "touchstone.yaml"
    path.write_text(TEMPLATE.replace("{study}", "mine", 1))
    assert read_configuration(path).study == "mine"


def test_a_fault_of_the_system_is_one_line_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("sys.argv", ["touchstone", "init", str(tmp_path / "file" / "study")])
    with pytest.raises(SystemExit, match="2"):
        run()
    assert capsys.readouterr().err == f"Error: {tmp_path / 'file' / 'study'}: Not a directory.\n"


@pytest.mark.parametrize("place", ["/dev/stdout", "/dev/null", "/dev", "file"])
def test_what_is_no_folder_is_no_place_for_a_configuration(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("kept")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["touchstone", "init", place, "--force"])
    with pytest.raises(SystemExit, match="2"):
        run()
    said = "is a file or a device, which is no place for a configuration. Name a folder; it is made if it is missing."
    assert capsys.readouterr().err == f"Error: {place} {said}\n"
    assert (tmp_path / "file").read_text() == "kept"
