"""Thresholds of single judges: one of a judge that is not there would be passed over in silence."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from resources.configuration.reliability import ReliabilityStudy
from resources.errors import UserError


def test_a_threshold_of_a_judge_that_is_not_configured_is_refused() -> None:
    judges = {name: {"kind": "recorded", "path": f"{name}.csv"} for name in ("judge1", "judge2")}
    with pytest.raises(ValidationError, match=r"thresholds: there is no judge 'Judge1' \(did you mean 'judge1'\?\)"):
        ReliabilityStudy.model_validate({"queries": "q.csv", "judges": judges, "thresholds": {"Judge1": 0.4}})


def test_a_threshold_of_a_judge_that_the_input_does_not_have_is_refused() -> None:
    plan = ReliabilityStudy(queries=Path("q.csv"), thresholds={"judge1": 0.4})
    assert plan.thresholds_of(["judge1", "judge2"]) == {"judge1": 0.4, "judge2": 0.5}
    with pytest.raises(UserError, match=r"there is no judge 'judge1' \(did you mean 'judge2'\?\); the judges are .*b"):
        plan.thresholds_of(["judge2", "b"])
