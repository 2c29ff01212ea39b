"""Runs at the same time that share a study's money or a key's quota: together they stay within it."""

import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import Setting
from resources.database import locks
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.errors import UserError
from resources.judges.contract import JudgedObject
from resources.judges.judging import Judging
from resources.runtime.progress import LoggedProgress
from tests.openai_server import openai_server
from tests.resources.judges.openai.asked import PAID, judge_of, judged_in

PER_CALL_USD = 0.0028  # 1,000 tokens read at $2 and 100 written at $8 a million
LIMITED: dict[str, Any] = {"price": PAID, "max_output_tokens": 100, "concurrency": 4}


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(locks, "LOOKS_EVERY_S", 0.01)
    url = f"sqlite:///{tmp_path / 'touchstone.db'}"
    migrate(open_engine(url))
    return url


def asked_together(
    database: str, judged: JudgedObject, base_url: str, runs: Sequence[dict[str, Any]], **shared: Any
) -> list[str]:
    """What ended each of the runs that begin at once; `study` and `unattended` are the run's, the rest of its judge."""
    ends: list[str] = []
    together = threading.Barrier(len(runs))

    def run(options: dict[str, Any]) -> None:
        study, unattended = options.pop("study", "shoes"), options.pop("unattended", False)
        judge = judge_of(base_url, **LIMITED | shared | options)
        plan = FidelityStudy(human_scores=Path("a"), references=Path("b"), candidates=Path("c"), repeats=60)
        ledger = Ledger(open_engine(database))
        judging = Judging(study, plan, judge, [judged], [Setting(0.2, 1.0)], ledger, unattended=unattended)
        together.wait(20)
        try:
            judging.ask(LoggedProgress(), logging.getLogger(__name__))
        except UserError as problem:
            ends.append(str(problem))

    threads = [threading.Thread(target=run, args=(dict(options),)) for options in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return ends


@pytest.mark.parametrize("other", [{"image_side_px": 65}, {"model": "gpt-4o-mini"}])
def test_two_judges_of_one_study_spend_one_budget(database: str, tmp_path: Path, other: dict[str, Any]) -> None:
    with openai_server() as server:
        ends = asked_together(database, judged_in(tmp_path), server.base_url, [{}, other], budget_usd=0.1)
        spent = len(server.requests) * PER_CALL_USD
    assert len(ends) == 2
    assert all("budget_usd" in end for end in ends)
    assert 0.08 < spent <= 0.1


def test_two_unattended_judges_of_one_study_spend_one_daily_budget(database: str, tmp_path: Path) -> None:
    runs = [{"unattended": True}, {"unattended": True, "image_side_px": 65}]
    with openai_server() as server:
        asked_together(database, judged_in(tmp_path), server.base_url, runs, auto_budget_usd_per_day=0.1)
        assert 0.08 < len(server.requests) * PER_CALL_USD <= 0.1


def test_two_studies_share_the_days_quota_of_a_key(database: str, tmp_path: Path) -> None:
    runs = [{"study": "shoes"}, {"study": "hats", "image_side_px": 65}]
    with openai_server() as server:
        ends = asked_together(database, judged_in(tmp_path), server.base_url, runs, requests_per_day=20)
        assert len(server.requests) == 20
    assert len(ends) == 2
    assert all("requests of today" in end for end in ends)
