"""Study A with several judges of different providers: from one configuration to comparison and verdicts, by command."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from tests.anthropic_server import Message
from tests.chaos.forked import Forked
from tests.openai_server import Asked, OpenAIServer, Scripted, answered, openai_server, valid_text
from tests.small_study import OBJECTS, write_study
from tests.text_study import GRADES, graded, write_texts

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
KEYS = {"GPT_KEY": "sk-gpt-0123456789abcdef", "CLAUDE_KEY": "sk-ant-0123456789abcdef"}
REPEATS, SETTINGS = 3, 2
PLANNED = len(OBJECTS) * REPEATS * SETTINGS
# Of the second judge's answers, before its server keeps silent and the run is killed.
ANSWERED_BEFORE = 20
PATIENCE_S = 240

MODELS = """\
study: several
judges:
  - {{name: gpt, model: gpt-4o, base_url: "{gpt}", key_variable: GPT_KEY, concurrency: 2,
      price: {{input: 1, output: 2}}{more}}}
  - {{name: claude, model: "anthropic:claude-test", base_url: "{claude}", key_variable: CLAUDE_KEY, concurrency: 2,
      price: {{input: 3, output: 9}}{more}}}
"""
IMAGES = """\
  - {name: recorded, kind: replay, path: calls.jsonl}
fidelity:
  human_scores: subjective.csv
  references: references
  candidates: candidates
  judges: [gpt, claude, recorded]
  settings: {temperatures: [0.5], top_ps: [1.0]}
  settings_of:
    recorded: {temperatures: [0.2], top_ps: [1.0]}
  repeats: 3
  bootstrap_resamples: 100
  golden: {items: []}
"""
TEXTS = """\
fidelity:
  judges: [gpt, claude]
  texts: {file: answers.csv, columns: {query: question, document: answer, source: model}, scale: [1, 5]}
  columns: {filename: id, score: grade}
  settings: {temperatures: [0.5], top_ps: [1.0]}
  repeats: 3
  bootstrap_resamples: 100
"""
TASK = ", task: {prompt: prompt.txt, scale: [1, 5], answer: json, rubric: {right: 3, clear: 1}, shows: text}"


class Servers(NamedTuple):
    """Two providers: one in OpenAI's format, one in Anthropic's, which keeps silent while `silent` is not empty."""

    gpt: OpenAIServer
    claude: OpenAIServer
    silent: list[bool]


def scored(asked: Asked, ripple: float) -> str:
    """20, 30 ... 70 over the products, with a ripple over the calls."""
    return valid_text(asked.item_id, 20 + 10 * (int(asked.item_id) - 100) + ripple * (asked.number % 3 - 1))


@pytest.fixture
def servers() -> Iterator[Servers]:
    silent: list[bool] = []

    def claude_says(asked: Asked) -> Scripted:
        held = (lambda: not silent) if silent and asked.number > ANSWERED_BEFORE else None
        said = graded(asked).text if "answer of grade" in asked.text else scored(asked, 5)
        return Message(said, held_until=held)

    def gpt_says(asked: Asked) -> Scripted:
        return graded(asked) if "answer of grade" in asked.text else answered(scored(asked, 2))

    with openai_server(gpt_says) as gpt, openai_server(claude_says) as claude:
        yield Servers(gpt, claude, silent)
        silent.clear()


def configured(folder: Path, servers: Servers, rest: str, task: str = "") -> None:
    text = MODELS.format(gpt=servers.gpt.base_url, claude=servers.claude.base_url, more=task)
    (folder / "touchstone.yaml").write_text(text + rest)


def start(folder: Path, *words: str) -> Forked:
    known = {"TOUCHSTONE_CONFIG": str(folder / "touchstone.yaml"), "TOUCHSTONE_HOME": str(folder / "home")}
    log = folder / "log.txt"
    log.unlink(missing_ok=True)
    return Forked(words, os.environ | KEYS | known | {"COLUMNS": "200"}, ROOT, log)


def finished(folder: Path, *words: str) -> str:
    assert start(folder, *words).wait(PATIENCE_S) == 0, (folder / "log.txt").read_text()
    return (folder / "log.txt").read_text()


def wait_for(condition: Callable[[], bool], folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, (folder / "log.txt").read_text()
        time.sleep(0.05)


def table(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(folder / "home" / "tables" / "fidelity" / f"{name}.parquet")


def test_three_judges_of_three_kinds_are_killed_resumed_and_compared(tmp_path: Path, servers: Servers) -> None:
    write_study(tmp_path)
    configured(tmp_path, servers, IMAGES)
    servers.silent.append(True)
    program = start(tmp_path, "run", "fidelity", "--yes")
    wait_for(lambda: len(servers.claude.requests) > ANSWERED_BEFORE, tmp_path)
    time.sleep(1)  # what was answered is on the disk
    program.kill()
    program.wait()
    n_lost = len(servers.claude.requests) - ANSWERED_BEFORE
    servers.silent.clear()
    said = finished(tmp_path, "run", "fidelity", "--yes")
    # Nothing that was answered is asked again, whichever provider: only the calls that were under way are.
    nonces = [asked.run_id for asked in servers.gpt.requests]
    assert len(nonces) == len(set(nonces)) == PLANNED
    twice = Counter(asked.run_id for asked in servers.claude.requests)
    assert len(twice) == PLANNED
    assert sum(twice.values()) == PLANNED + n_lost
    assert {asked.headers.get("authorization") for asked in servers.gpt.requests} == {f"Bearer {KEYS['GPT_KEY']}"}
    assert {asked.headers.get("x-api-key") for asked in servers.claude.requests} == {KEYS["CLAUDE_KEY"]}
    assert not any(key in said for key in KEYS.values())
    for judge in ("gpt at t0.", "claude at t0.", "recorded at t0.2_p1.0"):
        assert f"May {judge}" in said, said
    compared = table(tmp_path, "judge_comparison")
    own = compared[compared["other"].isna()]
    assert list(own["judge"].unique()) == ["gpt", "claude", "recorded"]
    assert set(own["word"]) == {"cannot say"}
    assert set(own["setting"].str.partition("@")[0]) == {"gpt", "claude", "recorded"}
    assert compared.loc[compared["statistic"] == "mae", "value"].notna().all()
    assert len(compared[compared["other"].notna()].groupby(["judge", "other"])) == 3
    costs = own[own["statistic"] == "cost_per_object_usd"].set_index("judge")["value"]
    # 1,000 and 100 tokens at 1 and 2 USD a million, three times.
    assert costs["gpt"] == pytest.approx(3 * (1000 + 2 * 100) / 1e6)
    verdicts = table(tmp_path, "fidelity_trust_verdict")
    heads = verdicts[(verdicts["row"] == "verdict") & verdicts["leading"].astype(bool)]
    assert set(heads["judge"]) == {"gpt", "claude", "recorded"}
    settings = set(table(tmp_path, "setting_summary")["setting"])
    assert settings == {f"{judge}@t{t}_p1.0" for judge in ("gpt", "claude") for t in ("0.0", "0.5")} | {
        "recorded@t0.0_p1.0", "recorded@t0.2_p1.0"
    }  # fmt: skip
    page = (tmp_path / "home" / "outputs" / "fidelity_report.html").read_text()
    assert 'id="judges"' in page
    assert "I giudici uno accanto all" in page
    # Again with one judge: nothing is asked, and a judge that is not there is refused.
    before = len(servers.gpt.requests), len(servers.claude.requests)
    finished(tmp_path, "run", "fidelity", "--judge", "gpt", "--yes")
    assert (len(servers.gpt.requests), len(servers.claude.requests)) == before
    assert "0 calls to make" in finished(tmp_path, "run", "fidelity", "--dry-run")
    shown = finished(tmp_path, "calls", "--setting", "gpt@t0.5_p1.0")
    assert "judge openai gpt-4o" in shown
    assert "No call" not in shown


def test_texts_under_a_prompt_of_ones_own_are_compared_too(tmp_path: Path, servers: Servers) -> None:
    write_texts(tmp_path)
    configured(tmp_path, servers, TEXTS, TASK)
    finished(tmp_path, "run", "fidelity", "--yes")
    n_calls = len(GRADES) * REPEATS * SETTINGS
    assert [len(servers.gpt.requests), len(servers.claude.requests)] == [n_calls, n_calls]
    own = table(tmp_path, "judge_comparison").query("other.isna()")
    assert list(own["judge"].unique()) == ["gpt", "claude"]
    assert own["word"].notna().all()
    # Both give the true grade, and people are a quarter of a grade off.
    assert own.loc[own["statistic"] == "spearman", "value"].min() > 0.95
    pair = table(tmp_path, "judge_comparison").query("other.notna() and statistic == 'mae'").iloc[0]
    assert (pair["judge"], pair["other"], pair["value"]) == ("gpt", "claude", 0.0)
