"""What a report says of where its numbers come from."""

import hashlib
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest

from assets.shared.provenance import prompts_by, provenance_of
from resources.runtime.home import CHECKOUT
from resources.runtime.provenance import Provenance, current_commit
from tests.small_study import described


def made_in_a_run(folder: Path) -> tuple[Provenance, dg.ExecuteInProcessResult]:
    """The provenance that an asset of study A gives over a folder with one score file."""
    found: list[Provenance] = []
    study = described(folder)

    @dg.asset(group_name="fidelity")
    def a_report(context: dg.AssetExecutionContext) -> None:
        found.append(provenance_of(context, study, study.fidelity, judges=["replay"], prompts={"replay": "abc"}))

    result = dg.materialize([a_report])
    return found[0], result


def test_a_report_names_its_run_inputs_configuration_and_seed(tmp_path: Path) -> None:
    (tmp_path / "subjective.csv").write_text("some scores")
    found, result = made_in_a_run(tmp_path)
    assert found.run_id == result.run_id
    assert found.inputs == {"score_file": hashlib.sha256(b"some scores").hexdigest()}
    assert found.seed == described(tmp_path).fidelity.seed
    plan = described(tmp_path).fidelity.model_dump_json()
    assert found.configuration_sha256 == hashlib.sha256(plan.encode()).hexdigest()
    assert found.judges == ("replay",)
    assert found.made_at.tzinfo is not None


def test_its_json_has_every_key_and_null_for_what_does_not_apply(tmp_path: Path) -> None:
    found = made_in_a_run(tmp_path)[0].as_json()
    assert list(found) == [
        "version",
        "commit",
        "made_at",
        "run_id",
        "configuration_sha256",
        "inputs_sha256",
        "judges",
        "prompts_sha256",
        "seed",
        "made_up",
    ]
    assert found["inputs_sha256"] == {}
    assert found["prompts_sha256"] == {"replay": "abc"}


def test_the_commit_is_that_of_the_checkout() -> None:
    if not (CHECKOUT / ".git").exists():
        pytest.skip("this is no checkout")
    found = current_commit()
    assert found is not None
    assert len(found.removesuffix("-dirty")) >= 7


def test_several_prompts_of_one_judge_become_one_hash_in_any_order() -> None:
    rows = pd.DataFrame({"judge": ["a", "a", "a", "b", "c"], "prompt_hash": ["2", "1", "2", "3", None]})
    found = prompts_by(rows, "judge")
    assert found == {"a": hashlib.sha256(b"1\n2").hexdigest(), "b": "3"}
    assert prompts_by(rows.iloc[::-1], "judge") == found
