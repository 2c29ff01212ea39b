"""A program for tests: lives through a week in the folder it is given and writes `diary.json` there.

Where tables and ledger lie is what the environment says. Nothing is judged here: the diary says what happened. A week
ends on Wednesday, without fresh homes, unless it is asked for whole.
"""

import gc
import json
import math
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import sqlalchemy as sa

from assets.fidelity import anchor_scores
from pipeline.automation import all_settings
from resources.runtime.memory import COLLECTED_AT
from resources.study import Study, study_from_environment
from tests.openai_server import OpenAIServer, openai_server
from tests.pipeline.watch import quiet
from tests.pipeline.week import Installation, Ran, all_at_once, fresh_home, opened
from tests.pipeline.week_inputs import (
    FREE,
    N_OBJECTS,
    WEDNESDAY,
    Judge,
    score_rows,
    still_written,
    write_configuration,
    write_renders,
    write_score_file,
)
from tests.pipeline.week_tables import differing, without_history
from tests.quick_dagster import quick_dagster
from tests.resources.judges.openai.asked import KEY, PAID
from tests.small_datasets import PREDICTIONS, write_scores
from tests.small_relevance import AGREED, OPPOSED, vote_on, write_queries
from tests.small_study import ledger_rows
from tests.unsynced import without_syncing

SEED = 20260302
LONGEST_S = 0.3  # from the last answer to the kill
PATIENCE_S = 120.0
ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT
PAID_JUDGE = FREE | {"model": "judge-2", "price": PAID}
BUDGETED = PAID_JUDGE | {"auto_budget_usd_per_day": 5.0}
DEAR = score_rows(N_OBJECTS)[3].replace("0.270", "1.27")


class Week:
    """The folder, the judge and its server, and what happened so far."""

    def __init__(self, folder: Path, judge: Judge, server: OpenAIServer, *, whole: bool) -> None:
        self.folder, self.judge, self.server, self._whole = folder, judge, server, whole
        self.diary: dict[str, Any] = {}
        self.rows = score_rows(N_OBJECTS)
        self._counts: Counter[str] = Counter()
        self._asked = 0

    def note(self, name: str, at: Installation, ran: list[Ran], **more: Any) -> None:
        """Runs, tables and calls since the note before."""
        counts, asked = at.counts(), len(self.server.requests)
        self.diary[name] = {
            "runs": [one.told() for one in ran],
            "made": dict(counts - self._counts),
            "calls": dict(Counter(one.body["model"] for one in self.server.requests[self._asked :])),
            **more,
        }
        self._counts, self._asked = counts, asked

    def history(self, at: Installation) -> dict[str, Any]:
        """All runs, materializations, checks, validations and calls up to now."""
        calls = ledger_rows(at.study)
        same = ["setting", "object", "repeat", "judge_identity", "prompt_hash", "images_digest"]
        return {
            "runs": Counter(f"{one.job_name} {one.status.value}" for one in at.instance.get_runs()),
            "made": at.counts(),
            "checks": at.check_history(),
            "validations": at.study.validations.validations()["status"].tolist(),
            "calls": Counter(calls["model_asked"]),
            "calls made twice": int(calls.duplicated(same).sum()),
        }

    def in_a_fresh_home(
        self, name: str, live: Callable[[Installation], list[Ran]], ours: dict[str, pd.DataFrame]
    ) -> None:
        """What comes of the inputs and the configuration as they are now where nothing was before, held against ours.

        What the judge is asked there is no call of the week.
        """
        if not self._whole:
            return
        asked = len(self.server.requests)
        with fresh_home(self.folder / name, self.folder / "home") as at:
            ran = live(at)
            self.diary[name] = {
                "runs": [one.told() for one in ran],
                "made": dict(at.counts()),
                "differ": differing(without_history(ours), without_history(at.tables())),
            }
        del self.server.requests[asked:]

    def score_file(self, rows: list[str]) -> None:
        """Another score file, written long ago."""
        self.rows = rows
        write_score_file(self.folder, rows)
        self.rest()

    def rest(self) -> None:
        """Time passes: every input, touched or not, was last written an hour ago."""
        for place in ("candidates", "references", "photos", "inbox"):
            quiet(self.folder / place)
        for file in self.folder.glob("*.*"):
            os.utime(file, (time.time() - 3600, time.time() - 3600))


def monday(week: Week) -> None:
    """Everything is new."""
    week.rest()
    with opened() as at:
        week.note("first run", at, at.settle())
        week.note("ticks after it", at, at.settle())
        week.note("anchor pinned", at, at.scheduled("weekly_anchor"))


def tuesday(week: Week) -> None:
    """Files are touched, and a data set comes that is written slowly."""
    with opened() as at:
        week.rest()
        week.note("touched", at, at.settle())
        slow = week.folder / "inbox" / "slow.csv"
        lines = write_scores(slow, PREDICTIONS[::-1]).read_text().splitlines(keepends=True)
        with still_written(slow, "".join(lines[:3])):
            week.note("half written", at, at.settle())
        slow.write_text("".join(lines))
        week.rest()
        week.note("at rest", at, at.settle())


def wednesday(week: Week) -> None:
    """Two objects more; the process that has them judged is killed in the middle."""
    write_renders(week.folder, N_OBJECTS + 2)
    week.score_file([*week.rows, *score_rows(N_OBJECTS + 2)[-4:]])
    n_answers = random.Random(SEED).randint(3, 9)
    study = study_from_environment()
    enough = n_recorded(study) + n_answers
    study.engine.dispose()  # no connection may be another process's as well
    week.judge.answers_up_to = len(week.server.requests) + n_answers
    try:
        killed_by = killed_while_asking(week.folder / "killed.log", lambda: n_recorded(study) >= enough)
    finally:
        week.judge.answers_up_to = math.inf
        study.engine.dispose()
    asked = len(week.server.requests)
    with opened() as at:
        recorded = set(ledger_rows(at.study)["run_id"])
        [killed] = at.instance.get_runs(limit=1)
        ran = at.settle()
        again = {one.run_id for one in week.server.requests[asked:]}
        known = {one.run_id for one in week.server.requests[:asked]}
        week.note(
            "killed",
            at,
            ran,
            signal=killed_by,
            status=killed.status.value,
            n_answers=n_answers,
            n_recorded_at_the_kill=len(recorded & known),
            n_recorded_and_asked_again=len(recorded & again),
            n_asked_again=len(again & known),
        )
        night = at.scheduled("nightly_fidelity") + at.settle()
        week.note("night after the crash", at, night)
        week.diary["end of wednesday"] = week.history(at)
        shutil.copytree(week.folder / "home" / "tables", week.folder / WEDNESDAY)
        ours = {name: table for name, table in at.tables().items() if name.startswith("fidelity/")}
    week.in_a_fresh_home("undisturbed", lambda there: [there.run("a person", "fidelity", all_settings())], ours)


def n_recorded(study: Study) -> int:
    """How many calls are in the ledger."""
    with study.engine.connect() as connection:
        return connection.scalar(sa.text("SELECT count(*) FROM judge_calls")) or 0


def killed_while_asking(log: Path, has_answers: Callable[[], bool]) -> int:
    """The signal that ended a tick and its runs in a process of its own: SIGKILL, a moment after it has answers."""
    moment = random.Random(SEED).uniform(0, LONGEST_S)
    # Forked, for nothing is open here but the judge, which answers in this process: libraries are loaded.
    worker = os.fork()
    if not worker:
        try:
            tick_of_inputs(log)
        finally:
            os._exit(1)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not has_answers() and not os.waitid(os.P_PID, worker, ENDED) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(moment)
    finally:
        os.kill(worker, signal.SIGKILL)
        _, status = os.waitpid(worker, 0)
    return -os.waitstatus_to_exitcode(status)


def tick_of_inputs(log: Path) -> None:
    """One tick of the sensor on inputs and its runs; what they say goes to the log."""
    with log.open("w") as words:
        for stream in (1, 2):
            os.dup2(words.fileno(), stream)
        with opened() as at:
            at.tick("changed_inputs")


def thursday(week: Week) -> None:
    """Bad files come and are fixed."""
    away = {photo: photo.read_bytes() for photo in sorted((week.folder / "photos").iterdir())[:3]}
    queries = week.folder / "queries.jsonl"
    with opened() as at:
        before = at.files()
        good = week.rows
        week.score_file([*good[:3], DEAR, *good[4:], good[4]])
        wrong = week.folder / "inbox" / "wrong.csv"
        wrong.write_text("picture,value\na,1\n")
        for photo in away:
            photo.unlink()
        queries.write_bytes(queries.read_bytes()[:-20])
        week.rest()
        ran = at.settle()
        after = at.files()
        changed = sorted(Path(name).stem for name in before | after if before.get(name) != after.get(name))
        week.note("bad files", at, ran, changed=changed)
        week.score_file([*good[:3], good[3].replace("0.270", "0.275"), *good[4:]])
        for photo, content in away.items():
            photo.write_bytes(content)
        write_queries(queries, [AGREED] * 7)
        write_scores(wrong, PREDICTIONS[::-1])
        week.rest()
        week.note("fixed", at, at.settle())


def friday(week: Week) -> None:
    """Another judge, which is paid; then one within a budget; then another threshold."""
    write_configuration(week.folder, PAID_JUDGE)
    with opened() as at:
        week.note("paid judge", at, at.settle())
        week.note("its night", at, at.scheduled("nightly_fidelity"))
        week.note("a person", at, [at.run("a person", "fidelity", all_settings()), *at.settle()])
    write_configuration(week.folder, BUDGETED)
    with opened() as at:
        week.note("a budget", at, at.settle())
    write_configuration(week.folder, BUDGETED | {"model": "judge-3"})
    with opened() as at:
        week.note("another judge within it", at, at.settle())
    write_configuration(week.folder, BUDGETED | {"model": "judge-3"}, min_srcc=0.99)
    with opened() as at:
        week.note("another threshold", at, at.settle())


def saturday(week: Week) -> None:
    """New queries on which the judges differ; people vote."""
    write_queries(week.folder / "queries.jsonl", [AGREED] * 7 + [OPPOSED] * 10)
    week.rest()
    with opened() as at:
        truth = at.study.validations
        week.note("they differ", at, at.settle(), truth=len(truth.ground_truth_rows()))
        for name, n_votes in (("one vote", 1), ("enough votes", 1), ("all votes", None)):
            vote_on(at.study, n_votes)
            week.note(name, at, at.settle(), truth=len(truth.ground_truth_rows()))


def sunday(week: Week) -> None:
    """The anchor again, and what is left of the week."""
    anchor_scores.day_of = lambda context: "2026-03-08"
    with opened() as at:
        week.note("anchor again", at, at.scheduled("weekly_anchor"))
        week.note("ticks at the end", at, at.settle())
        week.diary["end"] = week.history(at)
        ours = at.tables()
    week.in_a_fresh_home("at once", all_at_once, ours)


FIRST_DAYS = (monday, tuesday, wednesday)
DAYS = (*FIRST_DAYS, thursday, friday, saturday, sunday)


def main(folder: Path, port: int, *, whole: bool) -> None:
    """All days; the judge listens on this port, for its address is part of who it is."""
    without_syncing()
    quick_dagster()
    gc.freeze()  # the libraries, which stay
    gc.set_threshold(*COLLECTED_AT)
    anchor_scores.day_of = lambda context: "2026-03-02"
    os.environ["OPENAI_API_KEY"] = KEY
    judge = Judge()
    with openai_server(judge, port=port) as server:
        os.environ["OPENAI_BASE_URL"] = server.base_url
        week, first = Week(folder, judge, server, whole=whole), time.monotonic()
        for day in DAYS if whole else FIRST_DAYS:
            began = time.monotonic()
            try:
                day(week)
            finally:
                week.diary["minutes"] = (time.monotonic() - first) / 60
                (folder / "diary.json").write_text(json.dumps(week.diary, indent=1, default=str))
            print(f"{day.__name__} {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), whole="whole" in sys.argv[3:])
