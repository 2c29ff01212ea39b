"""Keys, passwords and tokens that are planted before a run are in nothing that it writes, and nothing that it says."""

import base64
import gzip
import os
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest
import sqlalchemy as sa

from resources.configuration.evaluation import Dataset
from resources.configuration.openai_judge import OpenAIJudge
from resources.home import CHECKOUT
from tests import small_datasets, small_relevance, small_series, small_study
from tests.openai_server import Asked, Scripted, answered, failed, openai_server, valid_text
from tests.security.searched import places_of, rows_of

KEY = "sk-planted-0123456789abcdefghijKEY"
PASSWORD = "planted/pass:word@2026"
TOKEN = "T0PLANTED/B0PLANTED/hookTOKEN0123456789"
SECRETS = (KEY, PASSWORD, TOKEN)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> str:
    """The environment of a run with a paid judge, a ledger on Postgres and a webhook; the address of the ledger."""
    url = sa.make_url(postgres_url).set(password=PASSWORD).render_as_string(hide_password=False)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_MODEL", "gpt-4o")
    monkeypatch.setenv("TOUCHSTONE_ALERT_WEBHOOK", f"https://hooks.example/services/{TOKEN}")
    return url


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with small_study.sqlite_instance_in(tmp_path / "home" / "dagster") as made, small_study.without_drawing():
        yield made


def nothing_told(folder: Path, url: str | None, said: str) -> None:
    found = {secret: [*places_of(secret, folder), *(rows_of(secret, url) if url else [])] for secret in SECRETS}
    assert not any(found.values()), found
    assert not [secret for secret in SECRETS if secret in said]


def fidelity_run(folder: Path, instance: dg.DagsterInstance) -> bool:
    two_settings = (small_study.KEYS[0], small_study.KEYS[1])
    return small_study.run(small_study.write_study(folder), instance, two_settings).success


def pairwise_run(folder: Path, instance: dg.DagsterInstance) -> bool:
    return small_series.judge_pairs(small_series.series_study(folder), instance).succeeded


def evaluation_run(folder: Path, instance: dg.DagsterInstance) -> bool:
    datasets = {"koniq": Dataset(file=small_datasets.write_scores(folder / "koniq.csv"))}
    return small_datasets.evaluate(small_datasets.study_over(folder, datasets), instance).succeeded


def reliability_run(folder: Path, instance: dg.DagsterInstance) -> bool:
    kinds = [small_relevance.AGREED] * 6 + [small_relevance.OPPOSED]
    return small_relevance.validate(small_relevance.relevance_study(folder, kinds), instance).succeeded


@pytest.mark.parametrize("study", [fidelity_run, pairwise_run, evaluation_run, reliability_run])
def test_a_run_of_each_study_writes_and_says_no_secret(
    study: Callable[[Path, dg.DagsterInstance], bool],
    tmp_path: Path,
    planted: str,
    instance: dg.DagsterInstance,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert study(tmp_path, instance)
    nothing_told(tmp_path, planted, "".join([*capfd.readouterr(), caplog.text]))


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
        judge = OpenAIJudge(kind="openai", price={"input": 2, "output": 8}, image_side_px=64, longest_wait_s=5)
        study = small_study.write_study(tmp_path, judge=judge)
        result = small_study.run_one(study, instance, small_study.KEYS[1], small_study.UP_TO_CALLS)
        assert any(asked.headers["authorization"] == f"Bearer {KEY}" for asked in server.requests)
    assert "judge_calls" in small_study.errors(result)
    nothing_told(tmp_path, planted, "".join([*capfd.readouterr(), caplog.text, str(small_study.errors(result))]))


def test_a_run_without_its_database_fails_without_the_password(
    tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    address = sa.URL.create("postgresql", "touchstone", PASSWORD, "127.0.0.1", 1, "ledger")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", address.render_as_string(hide_password=False))
    result = small_study.run(small_study.write_study(tmp_path), instance)
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
    program = [sys.executable, "-c", "from pipeline.command_line.main import run; run()", *command]
    done = subprocess.run(program, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
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
