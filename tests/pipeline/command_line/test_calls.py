"""`touchstone calls`: what it says of a ledger, and that a judge's words can do no harm."""

import csv
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from pipeline.command_line import calls, run_study
from pipeline.command_line.calls_shown import plain
from pipeline.command_line.main import application
from resources.database.call_records import CallRecord
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.errors import UserError

WIDTH = 80
OURS, THEIRS = "aaaa000011112222", "bbbb000011112222"
CONFIGURATION = """
study: shoes
fidelity:
  human_scores: scores.csv
  references: photos
  candidates: renders
"""
HOSTILE = "[bold red]sale[/bold red] \x1b]0;owned\x07\x1b[2J \u202eevil\r\nline two \x00"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a study that was never run."""
    (tmp_path / "touchstone.yaml").write_text(CONFIGURATION)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    return tmp_path


def attempt(**changes: Any) -> CallRecord:
    """A valid answer at 0.002 USD, unless told otherwise."""
    values: dict[str, Any] = {
        "study": "shoes",
        "object": "0a1b2c3d",
        "item_id": "558736",
        "setting": "t0.2_p0.95",
        "repeat": 1,
        "attempt": 1,
        "run_id": "c0ffee",
        "judge": "openai",
        "judge_identity": OURS,
        "model_asked": "gpt-4o",
        "rubric_version": "1",
        "temperature": 0.2,
        "top_p": 0.95,
        "seed": 1,
        "prompt_hash": "ab12",
        "image_hashes": ("photo", "render"),
        "started_at": datetime.now(UTC),
        "latency_ms": 12.5,
        "state": "valid",
        "tokens_in": 1000,
        "tokens_out": 100,
        "tokens_cached": 250,
        "cost_usd": 0.002,
    } | changes
    if values["state"] in ("valid", "recovered"):
        values.setdefault("score", 0.7)
    return CallRecord(**values)


def record(home: Path, *rows: CallRecord) -> None:
    engine = open_engine(f"sqlite:///{home / 'touchstone.db'}")
    migrate(engine)
    Ledger(engine).record_many(rows)
    engine.dispose()


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": str(WIDTH)}).invoke(application, ["calls", *map(str, arguments)])


def told(*arguments: object) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, done.exception
    return done.stdout


def refused(*arguments: object) -> str:
    done = run(*arguments)
    assert isinstance(done.exception, UserError), done.exception
    assert not done.stdout
    return str(done.exception)


def line(text: str, beginning: str) -> list[str]:
    """The words of the first line that begins so."""
    return next(each.split() for each in text.splitlines() if each.strip().startswith(beginning))


def test_settings_stand_against_states_with_tokens_and_cost(home: Path) -> None:
    record(
        home,
        *(attempt(repeat=repeat) for repeat in range(1, 6)),
        attempt(repeat=6, state="invalid_json", fault_message="no JSON object in the answer"),
        attempt(repeat=7, state="timeout", fault_message="no answer within 60 s", tokens_in=None, tokens_out=None),
        attempt(repeat=7, attempt=2),
        attempt(setting="t0.5_p1.0", state="refused", fault_message="the judge refused", tokens_cached=None),
    )
    text = told()
    assert "Study shoes, judge openai gpt-4o (aaaa000011112222)" in text
    # 8 attempts: 6 valid, 1 invalid_json, 1 timeout. 7 told 1000 tokens each, 8 times 250 of them from a cache.
    assert line(text, "t0.2_p0.95") == ["t0.2_p0.95", "8", "6", "1", "1"]
    assert "t0.2_p0.95      7,000           2,000         700  0.02" in text
    assert line(text, "t0.5_p1.0") == ["t0.5_p1.0", "1", "1"]
    assert "8 answers and 1 faults" in text
    assert "1 calls were tried more than once" in text
    assert all(len(each) <= WIDTH for each in text.splitlines())


def test_golden_images_and_anchors_are_groups_of_their_own(home: Path) -> None:
    record(
        home,
        attempt(),
        *(attempt(object="0a1b2c3d~stripes7_o70", repeat=repeat) for repeat in (1, 2)),
        *(attempt(object="0a1b2c3d@2026-10-01", repeat=repeat) for repeat in (1, 2, 3)),
    )
    text = told()
    lines = [each.split() for each in text.splitlines() if each.strip()]
    places = [place for place, words in enumerate(lines) if words in (["golden"], ["anchor"])][:2]
    assert [lines[place + 1] for place in places] == [["t0.2_p0.95", "2", "2"], ["t0.2_p0.95", "3", "3"]]
    assert line(text, "all") == ["all", "6", "6"]


def test_other_judges_are_named_and_can_be_looked_at(home: Path) -> None:
    record(home, *(attempt(judge_identity=THEIRS, model_asked="mini", repeat=n) for n in (1, 2)), attempt())
    assert "openai  mini  bbbb000011112222  2 attempts  0.00 USD" in told()
    for name in ("mini", THEIRS, THEIRS[:4]):
        assert "judge openai mini (bbbb000011112222)" in told("--judge", name)
    assert refused("--judge", "gpt-5").startswith("No judge 'gpt-5' in the ledger. There are aaaa000011112222 (gpt-4o)")


SEVERAL = """
  judges: {one: {kind: local}, two: {kind: local, image_side_px: 64}}
  settings: {temperatures: [0.2], top_ps: [0.95]}
"""


def test_a_setting_of_a_judge_that_was_not_asked_shows_no_other_judges_calls(home: Path) -> None:
    (home / "touchstone.yaml").write_text(CONFIGURATION + SEVERAL)
    record(home, attempt(judge_identity=THEIRS))
    assert refused("--setting", "two@t0.2_p0.95").startswith("No judge 'two' in the ledger. There are bbbb0000")
    both = ("--setting", "one@t0.2_p0.95", "--setting", "two@t0.2_p0.95")
    assert refused(*both) == "`--setting` names the judges one, two. Look at one judge at a time."


def test_only_judges_with_something_to_ask_again_are_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "touchstone.yaml").write_text(CONFIGURATION + SEVERAL)
    record(home, attempt())
    ran: list[tuple[str, ...]] = []
    monkeypatch.setattr(run_study, "run_and_show", lambda console, name, keys, study: ran.append(keys))
    for again, keys in ((("two",), ("two@t0.0_p1.0", "two@t0.2_p0.95")), (("one", "two"), ()), ((), None)):
        ran.clear()
        side = {"one": 512, "two": 64}
        sizes = {side[name] for name in again}
        monkeypatch.setattr(
            calls, "_tell_before", lambda study, *_, sizes=sizes: study.fidelity.judge.image_side_px in sizes
        )
        told("--retry")
        assert ran == ([] if keys is None else [keys])


def test_a_model_of_two_identities_has_to_be_named_by_one(home: Path) -> None:
    record(home, attempt(judge_identity=THEIRS), attempt())
    assert "could be" in refused("--judge", "gpt-4o")


def test_messages_that_differ_in_particulars_only_count_as_one(home: Path) -> None:
    faults = [f"item_id 'chair {n}' is not 'stool', column {n}" for n in (1, 2, 3)]
    record(
        home,
        *(attempt(repeat=n, state="schema_error", fault_message=faults[n - 1]) for n in (1, 2, 3)),
        *(attempt(repeat=n, state="timeout", fault_message="no answer within 60 s") for n in (4, 5)),
    )
    text = told()
    assert line(text, "3 schema_error")[:4] == ["3", "schema_error", "item_id", "'chair"]
    assert line(text, "2 timeout")[2:] == ["no", "answer", "within", "60", "s"]


def test_a_state_lists_its_calls_and_their_price(home: Path) -> None:
    record(
        home,
        attempt(),
        attempt(repeat=2, state="refused", fault_message="the judge refused: I cannot", cost_usd=0.25),
        attempt(repeat=3, state="refused", setting="t0.5_p1.0", fault_message="empty"),
    )
    text = told("--state", "refused", "--setting", "t0.2_p0.95")
    assert "t0.2_p0.95  0a1b2c3d  repeat 2, attempt 1, refused, 0.2500 USD" in text
    assert "    the judge refused: I cannot" in text
    assert "t0.5_p1.0" not in text
    assert "1 attempts, 0.2500 USD." in text
    assert told("--state", "timeout").strip() == "No call in this state."


def test_many_calls_are_cut_off_and_the_csv_has_all(home: Path) -> None:
    record(home, *(attempt(repeat=n, state="refused", fault_message="empty") for n in range(1, 61)))
    assert "60 attempts, 0.1200 USD; the 10 others are in --csv." in told("--state", "refused")
    assert "Wrote" in told("--state", "refused", "--csv", home / "calls.csv")
    rows = list(csv.DictReader((home / "calls.csv").open(encoding="utf-8", newline="")))
    assert len(rows) == 60
    assert (rows[59]["repeat"], rows[59]["fault_message"], rows[59]["score"]) == ("60", "empty", "")


@pytest.mark.parametrize("stdout", ["-", "/dev/stdout"])
def test_nothing_but_the_csv_stands_on_the_terminal_when_it_is_asked_for(home: Path, stdout: str) -> None:
    record(home, attempt(), attempt(repeat=2, state="refused", fault_message="=HYPERLINK(1)", object="a~blur_2"))
    rows = list(csv.DictReader(io.StringIO(told("--csv", stdout))))
    assert [(row["kind"], row["score"], row["fault_message"]) for row in rows] == [
        ("study", "0.7", ""),
        ("golden", "", "'=HYPERLINK(1)"),
    ]


@pytest.mark.parametrize("arguments", [(), ("--state", "refused"), ("--csv", "-")])
def test_hostile_words_neither_colour_nor_steer_the_terminal(home: Path, arguments: tuple[str, ...]) -> None:
    record(home, attempt(state="refused", fault_message=HOSTILE, object="[red]x[/red]\x1b[31m", item_id="\x1b[5m"))
    text = told(*arguments)
    assert "[bold red]" in text
    assert not {"\x1b", "\x07", "\x00", "\u202e"} & set(text)
    assert "evil line two" in " ".join(text.split())


def test_a_ledger_without_a_call_of_the_study_says_what_to_do_and_is_not_made(home: Path) -> None:
    runs = "`touchstone run fidelity` or `touchstone run reliability`"
    words = f"The ledger holds no call of study 'shoes' yet. {runs} asks the judge."
    assert refused() == words
    assert not (home / "touchstone.db").exists()
    record(home, attempt(study="boots"))
    assert refused() == words


def test_unknown_words_are_refused_with_the_nearest(home: Path) -> None:
    record(home, attempt())
    assert "no state 'refusd' (did you mean 'refused'?)" in refused("--state", "refusd")
    assert "no setting 't0.2_p95' (did you mean 't0.2_p0.95'?)" in refused("--setting", "t0.2_p95")
    assert "No call at these settings" in told("--setting", "t0.8_p1.0")


def test_only_answers_without_a_score_can_be_asked_again(home: Path) -> None:
    record(home, attempt())
    assert refused("--retry", "--state", "valid").startswith("'valid' has a score and is final")
    assert refused("--retry", "--state", "timeout").startswith("'timeout' is a fault, which every run asks again")
    assert "goes with --setting and --state only" in refused("--retry", "--csv", "-")
    assert "no table study_objects yet" in refused("--retry")


def test_text_is_made_plain_in_one_line_and_cut_with_a_sign() -> None:
    assert plain("a\tb\r\n c\x1b[0m\u2066") == "a b c\ufffd[0m\ufffd"
    assert plain("ü😀") == "ü😀"
    assert plain("abcdef", 4) == "abc…"


@pytest.mark.parametrize("nothing", ["", " "])
def test_no_name_is_no_judge(nothing: str, home: Path) -> None:
    record(home, attempt())
    assert "`--judge` names no judge" in refused("--judge", nothing)


def test_the_csv_replaces_a_file_at_once_and_leaves_nothing_beside_it(home: Path) -> None:
    record(home, attempt())
    folder = home / "exports"
    folder.mkdir()
    (folder / "calls.csv").write_text("old")
    reader = (folder / "calls.csv").open()
    told("--csv", folder / "calls.csv")
    # Who reads the old file goes on reading the old one.
    assert reader.read() == "old"
    assert (folder / "calls.csv").read_text().startswith("kind,setting")
    assert [file.name for file in folder.iterdir()] == ["calls.csv"]


@pytest.mark.parametrize("width", [40, 60, WIDTH])
def test_a_heading_is_broken_between_words_only(width: int, home: Path) -> None:
    states = ("valid", "recovered", "invalid_json", "schema_error", "refused", "timeout")
    record(home, *(attempt(repeat=place, state=state) for place, state in enumerate(states, start=1)))
    text = CliRunner(env={"COLUMNS": str(width)}).invoke(application, ["calls"]).stdout
    for word in ("attempts", "recovered", "invalid", "schema", "refused", "timeout", "tokens"):
        assert word in text.split(), text
