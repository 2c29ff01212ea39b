"""The running study: a part that is not configured says so."""

from pathlib import Path

import pytest
from upath import UPath

from resources.configuration.evaluation import EvaluationStudy
from resources.errors import UserError
from resources.runtime.home import Home
from resources.study import Study, study_from_environment


@pytest.mark.parametrize("section", ["fidelity", "evaluation"])
def test_a_study_that_is_not_configured_is_an_error_with_the_file_to_mend(tmp_path: Path, section: str) -> None:
    file = tmp_path / "mine.yaml"
    study = Study("s", None, Home(UPath(tmp_path), tmp_path), file=file)
    with pytest.raises(UserError) as refused:
        getattr(study, section)
    assert f"Add the section `{section}:` to {file}" in str(refused.value)


def test_the_file_in_force_is_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("study: s\nevaluation:\n", encoding="utf-8")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(file))
    study = study_from_environment()
    assert study.evaluation == EvaluationStudy()
    with pytest.raises(UserError, match=r"Add the section `fidelity:` to .*mine\.yaml"):
        study.fidelity  # noqa: B018
