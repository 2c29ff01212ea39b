"""The published schema refuses what a result must never be."""

import copy
import hashlib
from typing import Any

import pytest
from jsonschema import ValidationError

from pipeline.samples.evaluation import EvaluationSamples
from tests.pipeline.command_line.evaluated import evaluated, strict, validator


@pytest.fixture(scope="module")
def result(evaluation_samples: EvaluationSamples) -> dict[str, Any]:
    return evaluated("correlation", evaluation_samples.scores, "--metric", "srcc", "--n-bootstrap", 100)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("srcc", "NaN"),
        ("srcc", 1.5),
        ("srcc_ci", [0.1]),
        ("srcc_pvalue", -0.1),
        ("n_used", -1),
        ("srccc", 0.5),
        ("command", "mcq"),
        ("excluded", {"missing_prediction": 0}),
        ("methods", {"srcc": None}),
    ],
)
def test_a_wrong_value_or_key_is_refused(result: dict[str, Any], key: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        validator().validate(copy.deepcopy(result) | {key: value})


@pytest.mark.parametrize("key", ["srcc", "srcc_ci", "n_total", "settings", "methods", "undefined"])
def test_a_missing_key_is_refused(result: dict[str, Any], key: str) -> None:
    with pytest.raises(ValidationError):
        validator().validate({name: value for name, value in result.items() if name != key})


def test_the_reader_of_these_tests_takes_no_nan() -> None:
    with pytest.raises(ValueError, match="no JSON"):
        strict('{"srcc": NaN}')


def test_a_result_names_the_file_that_it_was_made_from(
    result: dict[str, Any], evaluation_samples: EvaluationSamples
) -> None:
    file = evaluation_samples.scores
    assert result["provenance"]["inputs_sha256"] == {file.name: hashlib.sha256(file.read_bytes()).hexdigest()}
    assert result["provenance"]["seed"] == 42
    assert result["provenance"]["run_id"] is None
