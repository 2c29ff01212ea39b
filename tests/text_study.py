"""A study of texts small enough to reason about: 12 answers to 6 questions, an own 1-5 prompt and an own rubric."""

import json
from pathlib import Path
from typing import Any

from upath import UPath

from resources.configuration.fidelity import FidelityStudy, Texts
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.settings import SettingsGrid
from resources.runtime.home import Home
from resources.study import Study
from tests.anthropic_server import Message
from tests.openai_server import Asked, Scripted, answered

PROMPT = (
    "Question: {query}\nAnswer of a chat model: {document}\n"
    'Rate it from 1 to 5. Answer in JSON: {"right": 1-5, "clear": 1-5, "reason": "..."}\n'
)
GRADES = {f"a{place:02d}": 1 + place % 5 for place in range(12)}
KEY_VARIABLE = "TEXT_KEY"
SETTINGS = SettingsGrid(temperatures=(0.5,), top_ps=(1.0,))
REPEATS = 3


def write_texts(folder: Path) -> None:
    """The prompt, and one file of answers with two people's grades on 1-5, each half a grade from the true one."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prompt.txt").write_text(PROMPT)
    rows = ["id,question,answer,model,grade,annotator"]
    for place, (name, grade) in enumerate(GRADES.items()):
        said = f'"answer of grade {grade}, number {place}",m{place % 2}'
        for person, shift in (("ann", 0.25), ("ben", -0.25)):
            rows.append(f"{name},question {place // 2},{said},{min(5, max(1, grade + shift))},{person}")
    (folder / "answers.csv").write_text("\n".join(rows) + "\n")


def text_study(folder: Path, base_url: str, model: str = "some-model", **changed: Any) -> Study:
    """The study that asks a model on a server."""
    judge = ModelJudge(
        kind="model",
        name="strict",
        model=model,
        base_url=base_url,
        key_variable=KEY_VARIABLE,
        price={"input": 1, "output": 2},
        task={
            "prompt": folder / "prompt.txt",
            "scale": (1, 5),
            "answer": "json",
            "rubric": {"right": 3, "clear": 1},
            "shows": "text",
        },
    )
    plan: dict[str, Any] = {
        "texts": Texts(
            file=folder / "answers.csv",
            columns={"query": "question", "document": "answer", "source": "model"},
            scale=(1, 5),
        ),
        "columns": {"filename": "id", "score": "grade"},
        "judge": judge,
        "settings": SETTINGS,
        "repeats": REPEATS,
        "bootstrap_resamples": 100,
    }
    return Study("texts", FidelityStudy(**(plan | changed)), Home(UPath(folder / "home"), folder / "home"))


def graded(asked: Asked) -> Scripted:
    """The true grade, which stands in the text; the form of the server's own dialect."""
    grade = int(asked.text.split("answer of grade ")[1][0])
    said = json.dumps({"right": grade, "clear": grade, "reason": "as it says"})
    return Message(said) if "x-api-key" in asked.headers else answered(said)
