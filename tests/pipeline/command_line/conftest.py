"""The evaluation's sample files and files of ratings, made once."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pipeline.samples.evaluation import EvaluationSamples, write_evaluation_samples


@pytest.fixture(scope="session")
def evaluation_samples(tmp_path_factory: pytest.TempPathFactory) -> EvaluationSamples:
    return write_evaluation_samples(tmp_path_factory.mktemp("samples") / "evaluation")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of people with a noise of 0.6 and judges with less, with more and with none of the truth."""
    folder = tmp_path_factory.mktemp("ratings")
    random = np.random.default_rng(3)
    truth = random.standard_normal(150)

    def steps(noise: float, weight: float = 1.0) -> np.ndarray:
        values = weight * truth + noise * random.standard_normal(150)
        return np.clip(np.rint(3 + 1.1 * values), 1, 5).astype(int)

    frame = pd.DataFrame(
        {
            "id": [f"doc{i}" for i in range(150)],
            "good": steps(0.3),
            "noisy": steps(1.5),
            "unrelated": steps(1.2, weight=0.0),
            "constant": 3,
            "distance": -truth + 0.3 * random.standard_normal(150),
            **{f"human{n}": steps(0.6) for n in (1, 2, 3)},
            "MOS": 3 + truth,
            "source": [f"s{i // 3}" for i in range(150)],
        }
    )
    frame.to_csv(folder / "r.csv", index=False)
    names = np.array(["fail", "unsure", "pass"])

    def label(noise: float) -> np.ndarray:
        return names[np.clip(np.rint(1 + truth + noise * random.standard_normal(150)), 0, 2).astype(int)]

    pd.DataFrame({"judge": label(0.1), "ann": label(0.5), "bob": label(0.5)}).to_json(
        folder / "l.json", orient="records"
    )
    return folder


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Grades 0 to 3 by a judge of everything and by three people of every fifth object."""
    random = np.random.default_rng(5)
    truth = random.standard_normal(600)

    def grades(noise: float) -> np.ndarray:
        return np.clip(np.rint(1.5 + 1.1 * (truth + noise * random.standard_normal(600))), 0, 3)

    seen = np.arange(600) % 5 == 0
    people = {name: np.where(seen, grades(0.5), np.nan) for name in "abc"}
    path = tmp_path_factory.mktemp("graded") / "g.csv"
    pd.DataFrame({"id": range(600), "judge": grades(0.3).astype(int), **people}).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def biased(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judge named gpt that likes its own family and long answers; a column that says nothing."""
    random = np.random.default_rng(1)
    truth, model = random.standard_normal(400), random.choice(["gpt-4o", "claude", "llama"], 400)
    length = (200 + 60 * truth + 80 * random.standard_normal(400)).clip(45).astype(int)

    def steps(values: np.ndarray) -> np.ndarray:
        return np.clip(np.rint(3 + 1.1 * values), 1, 5).astype(int)

    liked = truth + 0.3 * random.standard_normal(400) + 0.5 * (model == "gpt-4o") + 0.3 * (length - 200) / 100
    frame = {"id": [f"d{n}" for n in range(400)], "gpt4_score": steps(liked)}
    frame |= {f"human{n}": steps(truth + 0.6 * random.standard_normal(400)) for n in (1, 2, 3)}
    frame |= {"model": model, "answer": ["x" * n for n in length], "day": random.integers(1, 28, 400)}
    path = tmp_path_factory.mktemp("biased") / "e.csv"
    pd.DataFrame(frame).to_csv(path, index=False)
    return path
