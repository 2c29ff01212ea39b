"""`touchstone run fidelity --judge ... --dry-run`: what a run takes is told before anything is asked."""

import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pipeline.command_line.main import application
from pipeline.command_line.planned_calls import _time, _usd, agree_to_pay, money_words
from resources.configuration.fidelity import ReplayJudge
from resources.configuration.openai_judge import OpenAIJudge, Price
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges.openai.estimate import EstimateRow
from resources.judges.openai.prices import price_of
from tests.openai_server import OpenAIServer, openai_server
from tests.small_study import OBJECTS, write_study

FILE = """\
study: mine
fidelity:
  human_scores: subjective.csv
  references: references
  candidates: candidates
"""
WIDE = {"COLUMNS": "160"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose study was never run."""
    write_study(tmp_path)
    (tmp_path / "touchstone.yaml").write_text(FILE)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(tmp_path / "touchstone.yaml"))
    for name in ("BASE_URL", "API_KEY", "MODEL"):
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)
    return tmp_path


def point_at(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, model: str = "gpt-6-luna") -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_MODEL", model)


def said(*arguments: str) -> str:
    done = CliRunner(env=WIDE).invoke(application, ["run", "fidelity", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_dry_run_names_calls_tokens_price_and_hours_and_asks_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server() as server:
        point_at(server, monkeypatch)
        shown = said("--judge", "openai", "--dry-run")
        assert not server.requests
    # 12 objects, 10 settings, 5 repeats; 6 items in the golden set, 26 images each, 5 repeats.
    assert "1,380 calls to make, 0 answered before." in shown
    row = next(line for line in shown.splitlines() if line.strip().startswith("golden set"))
    assert "780" in row
    whole = next(line for line in shown.splitlines() if line.strip().startswith("in all")).split()
    assert whole[2] == "1,380"
    assert whole[-3].startswith("$")
    assert whole[-1] == "min"
    alike = next(line for line in shown.splitlines() if line.strip().startswith("10 settings x 60")).split()
    assert alike[4] == "600"
    for words in ("tokens in", "time", "touchstone prices", "read 2026-", "No budget_usd is set"):
        assert words in shown
    assert not list((home / "mine").rglob("*.parquet"))


def test_texts_of_a_manifest_that_the_judge_is_not_shown_are_said_before_it_is_asked(home: Path) -> None:
    renders = (
        f"candidates/{product}/{object_}.png,references/{product}/gt_1.png,0.5,{'a long caption ' * 99}"
        for product, _, object_ in OBJECTS
    )
    (home / "renders.csv").write_text("\n".join(["candidate,references,score,caption", *renders]))
    (home / "sees.txt").write_text("{images} From 1 to 5?")
    (home / "both.txt").write_text("{document} {images} From 1 to 5?")
    with openai_server() as server:
        listed = "".join(
            f"  - {{name: {name}, model: m, base_url: '{server.base_url}', price: {{input: 1, output: 1}}, "
            f"task: {{prompt: {name}.txt, scale: [1, 5]{more}}}}}\n"
            for name, more in (("sees", ""), ("both", ", shows: both"))
        )
        plan = "fidelity:\n  manifest: {file: renders.csv, columns: {text: caption}}\n  judges: [sees, both]\n"
        (home / "touchstone.yaml").write_text(f"study: mine\njudges:\n{listed}{plan}  golden: {{items: []}}\n")
        shown = said("--dry-run")
        assert not server.requests
    first, second = shown.split("calls to make")[1:]
    note = "This judge is shown images alone, and no text of the manifest's column 'caption'"
    assert note in first
    assert note not in second

    def read(part: str) -> int:
        row = next(line for line in part.splitlines() if line.strip().startswith("in all")).split()
        return int(row[3].replace(",", ""))

    assert read(second) > 1.2 * read(first)


def test_one_setting_has_a_price_of_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server() as server:
        point_at(server, monkeypatch)
        shown = said("--judge", "openai", "--dry-run", "--setting", "t0.2_p0.95")
    assert "840 calls to make" in shown
    assert "t0.5_p0.95" not in shown


def test_a_budget_that_does_not_suffice_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "touchstone.yaml").write_text(f"{FILE}  judge: {{kind: openai, budget_usd: 0.01, requests_per_day: 500}}\n")
    with openai_server() as server:
        point_at(server, monkeypatch)
        shown = said("--dry-run")
    assert "does not suffice" in shown
    assert "at least 3 days" in shown


def test_a_budget_for_the_estimate_that_may_not_last_for_the_worst_case_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "touchstone.yaml").write_text(f"{FILE}  judge: {{kind: openai, budget_usd: 0.6}}\n")
    with openai_server() as server:
        point_at(server, monkeypatch)
        shown = said("--dry-run")
    assert "suffices for the estimate, not for the worst case" in shown


def test_a_model_of_ones_own_needs_no_price(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server() as server:
        point_at(server, monkeypatch, "qwen2.5-vl-7b")
        shown = said("--judge", "openai", "--dry-run")
        assert not server.requests
    assert "A server of your own: nothing is charged." in shown
    assert "The judge costs nothing." in shown


@pytest.mark.parametrize(
    ("usd", "words"), [(0, "$0.00"), (0.00123, "$0.0012"), (0.067, "$0.067"), (0.6674, "$0.67"), (1234.5, "$1,234.50")]
)
def test_money_is_shown_in_cents_and_with_two_digits_at_least(usd: float, words: str) -> None:
    assert _usd(usd) == words


def test_time_is_shown_in_minutes_below_an_hour() -> None:
    assert [_time(hours) for hours in (0, 0.001, 0.5, 1.0, 12.34)] == ["0 min", "1 min", "30 min", "1.0 h", "12.3 h"]


@pytest.mark.parametrize(
    ("n_calls", "spent", "words"),
    [
        (0, 2.242, ["Budget $2.00, spent $2.24, nothing is left; nothing is to be asked."]),
        (5, 0.5, ["Budget $2.00, spent $0.50, left $1.50: it suffices."]),
    ],
)
def test_what_is_left_of_a_budget_is_never_negative(n_calls: int, spent: float, words: list[str]) -> None:
    judge = OpenAIJudge(kind="openai", budget_usd=2.0, price=Price(input=1, output=1))
    total = EstimateRow("in all", n_calls, 0, 0, 0.1 * n_calls, 0.2 * n_calls, 0)
    assert money_words(judge, price_of("m", judge), total, Spent(spent)) == words


@pytest.mark.parametrize(
    ("others", "fits"),
    [
        (0.5, "left $1.00: it suffices"),
        (0.8, "left $0.70: it suffices for the estimate, not for the worst case: the run stops when it is used up"),
        (1.2, "left $0.30: it does not suffice: the run stops when it is used up"),
    ],
)
def test_a_budget_is_for_all_judges_of_a_run_together(others: float, fits: str) -> None:
    judge = OpenAIJudge(kind="openai", budget_usd=2.0, price=Price(input=1, output=1))
    total = EstimateRow("in all", 5, 0, 0, 0.4, 0.55, 0)
    before = [EstimateRow("in all", 5, 0, 0, others - 0.2, others, 0), EstimateRow("in all", 5, 0, 0, 0.2, 0.2, 0)]
    said = money_words(judge, price_of("m", judge), total, Spent(0.5), before)
    assert said == [f"Budget $2.00, spent $0.50, {_usd(others)} for the judges before it, {fits}."]


def test_a_free_judge_needs_no_price(home: Path) -> None:
    shown = said("--judge", "local", "--dry-run")
    assert "1,380 calls to make" in shown
    assert "The judge local costs nothing." in shown


def test_inputs_that_would_stop_the_run_are_told(home: Path) -> None:
    for candidate in sorted((home / "candidates").rglob("*.png"))[:6]:
        candidate.unlink()
    assert "STOP Share of objects without usable images" in said("--dry-run")


def test_a_paid_judge_is_not_asked_without_a_persons_consent(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server() as server:
        point_at(server, monkeypatch)
        with pytest.raises(UserError, match="agree with `--yes`"):
            said("--judge", "openai")
        assert not server.requests


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "OPENAI_MODEL and OPENAI_API_KEY are not set"),
        ({"OPENAI_MODEL": "gpt-7", "OPENAI_API_KEY": "k"}, "no price for 'gpt-7'"),
    ],
)
def test_what_is_missing_is_said_before_anything_runs(
    variables: dict[str, str], words: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match=words):
        said("--judge", "openai", "--yes")


def test_options_of_the_judge_go_with_fidelity(home: Path) -> None:
    with pytest.raises(UserError, match="go with fidelity"):
        CliRunner().invoke(application, ["run", "evaluation", "--dry-run"], catch_exceptions=False)


def test_the_doctor_says_which_variables_are_set_and_how_old_the_prices_are(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    shown = CliRunner(env=WIDE).invoke(application, ["doctor"], catch_exceptions=False).output
    assert "touchstone prices" in shown
    assert "sk-secret" not in shown
    lines = {line.split()[0]: line for line in shown.splitlines() if line.startswith("OPENAI_")}
    assert lines["OPENAI_API_KEY"].endswith(" set")
    assert lines["OPENAI_MODEL"].endswith("not set")
    assert lines["OPENAI_BASE_URL"].endswith("not set")


@pytest.mark.parametrize(
    ("at_a_terminal", "n_calls", "yes", "asks"),
    [(True, 21, False, True), (True, 20, False, False), (True, 21, True, False), (False, 3_000, False, False)],
)
def test_many_calls_that_cost_nothing_need_consent_at_a_terminal(
    monkeypatch: pytest.MonkeyPatch, at_a_terminal: bool, n_calls: int, yes: bool, asks: bool
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    judge = OpenAIJudge(kind="openai", model="own")
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: at_a_terminal)
    monkeypatch.setattr("typer.confirm", lambda _: False)
    # Recorded answers are no calls.
    judges = [(judge, n_calls), (ReplayJudge(kind="replay", path=Path("calls.jsonl")), 100)]
    if asks:
        with pytest.raises(typer.Exit):
            agree_to_pay(judges, yes)
    else:
        agree_to_pay(judges, yes)
