"""A server that plays how others end, wrap and refuse answers: both studies' judges read them alike."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.command_line.main import application
from pipeline.samples.fidelity import FidelitySamples
from resources.configuration.fidelity import RubricWeights
from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges.answers import parse_answer
from resources.judges.contract import Attempt, Reply
from resources.judges.openai.access import Access
from resources.judges.relevance.documents import AskedDocument
from resources.judges.relevance.openai_relevance import PromptSetting, parse_relevance, relevance_judge
from resources.judges.relevance.prompts import build_call, prompt_of
from resources.runtime.home import CHECKOUT
from tests.chaos.forked import finished
from tests.resources.judges.openai.asked import ask, judge_of, judged_in

pytestmark = pytest.mark.slow

ITEM = "558736"
Asks = Callable[[str], tuple[Reply, str]]


@contextmanager
def playing(inputs: Path, case: str) -> Iterator[str]:
    """The server at one of its cases, by its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, str(inputs / "judge_server.py"), str(port), case])
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


@pytest.fixture(params=["fidelity", "reliability"])
def asks(request: pytest.FixtureRequest, tmp_path: Path) -> Asks:
    """Asks one study's judge once: the reply, and the state that the ledger would have."""

    def fidelity(address: str) -> tuple[Reply, str]:
        judge = judge_of(address)
        judge.begin(Spent())
        reply = ask(judge, judged_in(tmp_path, ITEM))
        return reply, reply.fault or reply.answer_state or parse_answer(reply.raw_answer, ITEM, RubricWeights()).state

    def reliability(address: str) -> tuple[Reply, str]:
        prompt = prompt_of("v1", {})
        judge = relevance_judge("judge1", Configuration(kind="openai"), prompt, Access(address, "fake-1", "none"))
        judge.begin(Spent())
        asked = AskedDocument("q1", "How long does rice keep?", "d1", "Rice keeps for years.")
        reply = judge.reply(build_call(prompt, asked, Attempt("s", PromptSetting("v1"), judge.identity)))
        return reply, reply.fault or reply.answer_state or parse_relevance(reply.raw_answer).state

    return {"fidelity": fidelity, "reliability": reliability}[request.param]


@pytest.mark.parametrize(
    ("case", "state"),
    [
        ("cut_length", "cut_off"),
        ("cut_MAX_TOKENS", "cut_off"),
        ("cut_model_length", "cut_off"),
        ("cut_abort", "cut_off"),
        ("cut_insufficient_system_resource", "cut_off"),
        ("cut_content_filter", "filtered"),
        ("cut_SAFETY", "filtered"),
        ("think", "valid"),
        ("magistral", "valid"),
        ("reasoning", "reasoning_only"),
        ("error_string", "valid"),
        ("error_detail", "valid"),
        ("error_list_seed", "valid"),
    ],
)
def test_an_answer_has_its_state_whichever_server_gives_it(
    case: str, state: str, asks: Asks, shared_inputs: Path
) -> None:
    with playing(shared_inputs, case) as address:
        assert asks(address)[1] == state


def test_a_wrong_key_ends_the_run_in_the_providers_words(asks: Asks, shared_inputs: Path) -> None:
    with playing(shared_inputs, "error_list_key") as address:
        reply, _ = asks(address)
    assert "API key not valid. Please pass a valid API key." in (reply.stops_run or "")


def test_a_delay_inside_the_error_is_waited_for(asks: Asks, shared_inputs: Path) -> None:
    with playing(shared_inputs, "error_list_retry") as address:
        reply, state = asks(address)
    assert state == "rate_limited"
    assert 30 < (reply.retry_after_s or 0) <= 61


@pytest.mark.parametrize(
    ("case", "state", "remedy"),
    [
        ("cut_length", "cut_off", "Raise `max_output_tokens`"),
        ("reasoning", "reasoning_only", "Lower `reasoning_effort`"),
    ],
)
def test_a_study_without_one_whole_answer_stops_and_names_cause_and_remedy(
    case: str, state: str, remedy: str, shared_inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = shutil.copytree(shared_inputs / "judge_d", tmp_path / "home")
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    monkeypatch.setenv("DAGSTER_HOME", str(home / "dagster"))
    with playing(shared_inputs, case) as address:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        done = CliRunner().invoke(application, ["run", "reliability"])
    assert isinstance(done.exception, UserError)
    said = " ".join(done.output.split())
    assert f"Judge alpha: Of 6 answers, 6 are `{state}`" in said
    assert remedy in said


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("cut_length", ("answers, ", "are `cut_off`", "Raise `max_output_tokens`")),
        ("error_list_key", ("does not take the key", "API key not valid. Please pass a valid API key.")),
    ],
)
def test_study_a_stops_and_names_cause_and_remedy(
    case: str,
    words: tuple[str, ...],
    shared_inputs: Path,
    fidelity_samples: FidelitySamples,
    tmp_path: Path,
) -> None:
    home = shutil.copytree(shared_inputs / "judge_a", tmp_path / "home")
    file = home / "touchstone.yaml"
    text = file.read_text()
    for name in ("references", "candidates", "catalogue"):
        text = text.replace(f"{name}: LOCAL", f"{name}: {getattr(fidelity_samples, name)}")
    file.write_text(text)
    environment = os.environ | {"TOUCHSTONE_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
    # A process of its own: a study's settings are those of the process that loads it.
    with playing(shared_inputs, case) as address:
        done = finished(["run", "fidelity"], environment | {"OPENAI_BASE_URL": address}, CHECKOUT, tmp_path)
    assert done.returncode == 2
    said = " ".join(f"{done.stdout} {done.stderr}".split())
    assert [one for one in words if one not in said] == []
