"""Keys, passwords and tokens that are planted before a run are in nothing that it writes, and nothing that it says."""

import base64
import gzip
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
import sqlalchemy as sa

from pipeline.alerts import alert_sensors
from resources.alerts.webhook import WEBHOOK
from resources.configuration.evaluation import Dataset
from resources.configuration.openai_judge import OpenAIJudge
from resources.runtime.home import CHECKOUT
from tests import small_datasets, small_relevance, small_series, small_study
from tests.alert_hook import AlertHook, alert_hook
from tests.chaos.forked import finished
from tests.openai_server import Asked, OpenAIServer, Scripted, answered, failed, openai_server, valid_text
from tests.pipeline.alert_ticks import Ticks
from tests.security.searched import places_of, rows_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pages")]

KEY = "sk-planted-0123456789abcdefghijKEY"
PASSWORD = "planted/pass:word@2026"
TOKEN = "T0PLANTED/B0PLANTED/hookTOKEN0123456789"
SECRETS = (KEY, PASSWORD, TOKEN)
LENIENT = "gpt-4o-mini"
PAID: dict[str, Any] = {"kind": "openai", "price": {"input": 2, "output": 8}, "image_side_px": 64, "longest_wait_s": 5}


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> str:
    """The environment of a run with a paid judge and a ledger on Postgres; the address of the ledger."""
    url = sa.make_url(postgres_url).set(password=PASSWORD).render_as_string(hide_password=False)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_MODEL", "gpt-4o")
    return url


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """The paid judge's server, which takes the key and answers about renders and about documents."""
    with openai_server(says_something) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[AlertHook]:
    """The webhook for alerts, whose address is a secret."""
    with alert_hook() as server:
        monkeypatch.setenv(WEBHOOK, server.address(f"/services/{TOKEN}"))
        yield server


def says_something(asked: Asked) -> Scripted:
    """Products are scored apart and repeats differ a little; one judge finds every document relevant."""
    if asked.item_id:
        ripple = sum(asked.run_id.encode()) % 3
        return answered(valid_text(asked.item_id, score=20 + 10 * int(asked.item_id[-1]) + ripple))
    return answered("0.9" if asked.body["model"] == LENIENT or "Document 1" in asked.text else "0.1")


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with small_study.sqlite_instance_in(tmp_path / "home" / "dagster") as made, small_study.without_drawing():
        yield made


def nothing_told(folder: Path, url: str | None, said: str) -> None:
    found = {secret: [*places_of(secret, folder), *(rows_of(secret, url) if url else [])] for secret in SECRETS}
    assert not any(found.values()), found
    assert not [secret for secret in SECRETS if secret in said]


def fidelity_run(folder: Path, instance: dg.DagsterInstance) -> bool:
    study = small_study.write_study(folder, repeats=3, judge=OpenAIJudge(**PAID), bootstrap_resamples=100)
    # A picture's letters cannot be searched; what draws it is on the page, and in the other studies' runs.
    with small_study.without_drawing():
        return small_study.run(study, instance, (small_study.KEYS[1], small_study.KEYS[1])).success


def pairwise_run(folder: Path, instance: dg.DagsterInstance) -> bool:
    return small_series.judge_pairs(small_series.series_study(folder), instance).succeeded


def evaluation_run(folder: Path, instance: dg.DagsterInstance) -> bool:
    datasets = {"koniq": Dataset(file=small_datasets.write_scores(folder / "koniq.csv"))}
    return small_datasets.evaluate(small_datasets.study_over(folder, datasets), instance).succeeded


def reliability_run(folder: Path, instance: dg.DagsterInstance) -> bool:
    judges = {"strict": PAID, "lenient": {**PAID, "model": LENIENT}}
    study = small_relevance.relevance_study(folder, [small_relevance.AGREED] * 3, judges=judges)
    return small_relevance.validate(study, instance).succeeded


@pytest.mark.parametrize(
    ("study", "uses_them"),
    [(fidelity_run, True), (pairwise_run, False), (evaluation_run, False), (reliability_run, True)],
)
def test_a_run_of_each_study_writes_and_says_no_secret(
    study: Callable[[Path, dg.DagsterInstance], bool],
    uses_them: bool,
    tmp_path: Path,
    planted: str,
    model: OpenAIServer,
    hook: AlertHook,
    instance: dg.DagsterInstance,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    _, failed_gates = alert_sensors(set())
    alerts = Ticks(failed_gates, instance, tmp_path)
    said = [alerts.tick()]
    assert study(tmp_path, instance)
    said += [alerts.tick(), alerts.cursor or "", *map(bytes.decode, hook.bodies)]
    # Both were really used: the key at the judges' server, the token for the gates that failed.
    assert {asked.headers["authorization"] for asked in model.requests} == ({f"Bearer {KEY}"} if uses_them else set())
    assert set(hook.paths) == ({f"/services/{TOKEN}"} if uses_them else set())
    nothing_told(tmp_path, planted, "".join([*said, *capfd.readouterr(), caplog.text]))


def betrays(asked: Asked) -> Scripted:
    """A server that repeats the key in an answer, in a fault that is tried again, and in one that ends the run."""
    if asked.number <= 4:
        return answered(valid_text(asked.item_id, rationale=[f"the key is {KEY}"]), fingerprint=KEY)
    return failed(503 if asked.number <= 8 else 401, f"no entry for {KEY} and Bearer {KEY}")


def test_a_run_that_a_server_ends_with_the_key_in_its_words_tells_nobody(
    tmp_path: Path,
    planted: str,
    instance: dg.DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with openai_server(betrays) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        study = small_study.write_study(tmp_path, judge=OpenAIJudge(**PAID))
        result = small_study.run_one(study, instance, small_study.KEYS[1], small_study.UP_TO_CALLS)
        assert any(asked.headers["authorization"] == f"Bearer {KEY}" for asked in server.requests)
    assert "judge_calls" in small_study.errors(result)
    nothing_told(tmp_path, planted, "".join([*capfd.readouterr(), caplog.text, str(small_study.errors(result))]))


def test_a_run_without_its_database_fails_without_the_password(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    address = sa.URL.create("postgresql", "touchstone", PASSWORD, "127.0.0.1", 1, "ledger")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", address.render_as_string(hide_password=False))
    result = small_study.run_one(small_study.write_study(tmp_path), instance, small_study.KEYS[1])
    assert "127.0.0.1:1" in str(small_study.errors(result))
    nothing_told(tmp_path, None, "".join([*capfd.readouterr(), str(small_study.errors(result))]))


@pytest.mark.parametrize("command", [["run", "reliability"], ["doctor"]])
def test_a_command_that_fails_says_no_secret(tmp_path: Path, command: list[str]) -> None:
    small_relevance.relevance_study(tmp_path, [small_relevance.AGREED] * 3)
    address = sa.URL.create("postgresql", "touchstone", PASSWORD, "127.0.0.1", 1, "ledger")
    environment = {
        **os.environ,
        "TOUCHSTONE_HOME": str(tmp_path / "home"),
        "TOUCHSTONE_DATABASE_URL": address.render_as_string(hide_password=False),
        "OPENAI_API_KEY": KEY,
        "TOUCHSTONE_ALERT_WEBHOOK": f"https://hooks.example/services/{TOKEN}",
    }
    words = tmp_path / "words"
    words.mkdir()
    done = finished(command, environment, CHECKOUT, words)
    assert done.returncode != 0
    assert "127.0.0.1:1" in done.stdout + done.stderr
    nothing_told(tmp_path, None, done.stdout + done.stderr)


def test_the_search_finds_a_secret_wherever_it_may_hide(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(f"...{KEY}...")
    (tmp_path / "address.txt").write_text("postgresql://touchstone:planted%2Fpass%3Aword%402026@host/name")
    pd.DataFrame({"words": [f"{KEY} {PASSWORD}"] * 100}).to_parquet(tmp_path / "table.parquet", compression="zstd")
    packed = base64.b64encode(gzip.compress(f"{KEY} {PASSWORD}".encode())).decode()
    (tmp_path / "page.html").write_text(f'<script type="application/gzip" id="page-data">{packed}</script>')
    (tmp_path / "header.txt").write_bytes(base64.b64encode(f"user:{KEY}".encode()))
    with closing(sqlite3.connect(tmp_path / "runs.db")) as connection:
        connection.execute("CREATE TABLE snapshots (body BLOB)")
        connection.execute("INSERT INTO snapshots VALUES (?)", (zlib.compress(f"{KEY} {PASSWORD}".encode()),))
        connection.commit()
    assert places_of(KEY, tmp_path) == ["header.txt", "log.txt", "page.html", "runs.db", "table.parquet"]
    assert places_of(PASSWORD, tmp_path) == ["address.txt", "page.html", "runs.db", "table.parquet"]
    assert rows_of(KEY, f"sqlite:///{tmp_path / 'runs.db'}") == []
