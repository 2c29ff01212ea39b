"""Queries with documents, a study around them, and what judges said of them."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from upath import UPath

from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import RelevanceJudge, ReliabilityStudy
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.gpu import GpuResource
from resources.judges.relevance.documents import AskedDocument, Judged, Outcome
from resources.judges.relevance.registry import AskingRun, PromptedJudge, judge_documents
from resources.runtime.home import Home
from resources.study import Study
from tests.openai_server import OpenAIServer
from tests.resources.judges.test_judging import CountedProgress

LOG = logging.getLogger(__name__)
PAID = {"input": 2, "output": 8}
TYRE = "How do I repair a punctured bicycle tyre?"
TAX = "When is the tax return due?"
ASKED = [
    AskedDocument("q1", TYRE, "d1", "Fixing a flat on your bike: take the tube out, patch the hole, pump it up."),
    AskedDocument("q1", TYRE, "d2", "A recipe for lentil soup with carrots and cumin."),
    AskedDocument("q1", TYRE, "d3", "Bicycle shops in town, with their opening hours."),
    AskedDocument("q2", TAX, "d1", "The tax return is due on the last day of April."),
    AskedDocument("q2", TAX, "d2", "Fixing a flat on your bike: take the tube out, patch the hole, pump it up."),
    AskedDocument("q2", TAX, "d3", "A tax office is a public authority."),
]
EXAMPLES = [
    ("How long does rice take to cook?", "White rice takes about fifteen minutes to cook.", 1.0),
    ("How long does rice take to cook?", "Rice is grown in flooded fields.", 0.3),
    ("How long does rice take to cook?", "The museum opens at nine on weekdays.", 0.0),
    ("Which vitamins are in oranges?", "Oranges hold much vitamin C and some vitamin B.", 1.0),
    ("Which vitamins are in oranges?", "Oranges are grown in Spain.", 0.3),
    ("Which vitamins are in oranges?", "The train to Leeds leaves from platform two.", 0.0),
    ("How can I stop a tap from dripping?", "To stop a dripping tap, replace its washer.", 1.0),
    ("How can I stop a tap from dripping?", "Water is billed by the litre.", 0.2),
    ("How can I stop a tap from dripping?", "Whales sing to each other over long distances.", 0.0),
    ("What is the capital of Peru?", "Lima is the capital of Peru.", 1.0),
    ("What is the capital of Peru?", "Peru exports copper.", 0.3),
    ("What is the capital of Peru?", "Knit two rows, then change the colour.", 0.0),
]


def ledger_of(url: str) -> Ledger:
    """An empty ledger there."""
    engine = open_engine(url)
    migrate(engine)
    return Ledger(engine)


def write_examples(folder: Path, examples: list[tuple[str, str, float]] = EXAMPLES) -> Path:
    """The calibration file."""
    import pandas as pd

    path = folder / "calibration.csv"
    pd.DataFrame(examples, columns=["query", "document", "relevance"]).to_csv(path, index=False)
    return path


def study_in(folder: Path, **section: Any) -> Study:
    """A study with the section `reliability`."""
    plan = ReliabilityStudy(**{"queries": folder / "queries.csv", **section})
    return Study("study", None, Home(UPath(folder), folder), reliability_section=plan)


def model_on(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, **configuration: Any) -> OpenAIJudge:
    """A model on a server of the tests: paid, and impatient."""
    for name, value in (("BASE_URL", server.base_url), ("API_KEY", "sk-of-the-test"), ("MODEL", "gpt-4o")):
        monkeypatch.setenv(f"OPENAI_{name}", value)
    return OpenAIJudge(**{"kind": "openai", "price": PAID, "longest_wait_s": 5, "timeout_s": 5, **configuration})


def judge(
    study: Study,
    section: RelevanceJudge,
    ledger: Ledger,
    *,
    name: str = "judge1",
    version: str = "v1",
    asked: list[AskedDocument] = ASKED,
    unattended: bool = False,
    keep: Callable[[list[Judged]], None] | None = None,
) -> tuple[list[Judged], Outcome]:
    """What one judge said."""
    said: list[Judged] = []
    run = AskingRun(ledger, CountedProgress(), LOG, None, unattended, keep or said.extend, GpuResource(device="cpu"))
    outcome = judge_documents(study, PromptedJudge(name, section, version), asked, run)
    return said, outcome
