"""The evaluation's sample files, made once."""

import pytest

from pipeline.samples.evaluation import EvaluationSamples, write_evaluation_samples


@pytest.fixture(scope="session")
def evaluation_samples(tmp_path_factory: pytest.TempPathFactory) -> EvaluationSamples:
    return write_evaluation_samples(tmp_path_factory.mktemp("samples") / "evaluation")
