"""Asking a judge: what the ledger does not answer yet, in a random order, every answer kept as soon as it is there."""

import logging
import os
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

import pandas as pd

from resources.configuration.fidelity import FidelityStudy
from resources.configuration.grid import Setting
from resources.database.ledger import Ledger
from resources.judges.answers import parse_answer
from resources.judges.contract import SCORED_STATES, Call, Judge, JudgedObject
from resources.judges.prompt import build_call, prompt_hash
from resources.judges.records import CallKey, CallRecord, images_digest
from resources.progress import Advance, TracksProgress

WAITING_PER_WORKER = 4


@dataclass(frozen=True)
class Judging:
    """One judge, one study's objects and settings, one ledger."""

    study: str
    plan: FidelityStudy
    judge: Judge
    objects: Sequence[JudgedObject]
    settings: Sequence[Setting]
    ledger: Ledger
    dagster_run_id: str | None = None

    def ask(self, progress: TracksProgress, log: logging.Logger) -> None:
        """Make the calls that are planned and not answered; a fault is kept and asked again the next time.

        Settings and objects are interleaved in a seeded random order, so that a provider that drifts during the run
        does not look like a setting.
        """
        planned, known = (
            self._planned(),
            self.ledger.progress(self.study, self.judge.identity.digest, self._setting_keys),
        )
        open_keys = [key for key in planned if key not in known or not known[key].answered]
        random.Random(self.plan.seed).shuffle(open_keys)
        log.info(
            f"{len(planned)} calls planned, {len(planned) - len(open_keys)} answered before, {len(open_keys)} to make"
        )
        if not open_keys:
            return
        attempts = {key: known[key].attempts + 1 if key in known else 1 for key in open_keys}
        calls = (self._call(key, planned[key], attempts[key]) for key in open_keys)
        with progress.track("judge calls", len(open_keys), log) as advance:
            self._ask_and_keep(calls, advance)

    def rows(self) -> dict[str, pd.DataFrame]:
        """The ledger's attempts at the planned calls, by setting key, with the score that the study asks for."""
        frames = {}
        planned = self._planned()
        for key in self._setting_keys:
            calls = self.ledger.rows(self.study, self.judge.identity.digest, [key], planned.keys())
            # The ledger keeps both scores; which one counts may have changed since.
            chosen = calls[f"score_{self.plan.score_source}"].where(calls["state"].isin(SCORED_STATES))
            frames[key] = calls.assign(score=chosen)
        return frames

    @property
    def _setting_keys(self) -> list[str]:
        return [setting.key for setting in self.settings]

    def _planned(self) -> dict[CallKey, tuple[JudgedObject, Setting]]:
        digest = self.judge.identity.digest
        planned = {}
        for judged in self.objects:
            prompt, images = prompt_hash(judged, self.plan.rubric_weights), images_digest(judged.image_hashes)
            for setting in self.settings:
                for repeat in range(1, self.plan.repeats + 1):
                    key = CallKey(self.study, digest, setting.key, judged.object, repeat, prompt, images)
                    planned[key] = (judged, setting)
        return planned

    def _call(self, key: CallKey, asked: tuple[JudgedObject, Setting], attempt: int) -> Call:
        judged, setting = asked
        weights = self.plan.rubric_weights
        return build_call(self.study, judged, setting, key.repeat, attempt, self.judge.identity, weights)

    def _ask_and_keep(self, calls: Iterator[Call], advance: Advance) -> None:
        """Keep answers as they come, from a bounded number of calls under way."""
        workers = getattr(self.plan.judge, "workers", None) or os.cpu_count() or 1
        done: set[Future[CallRecord]] = set()
        running: set[Future[CallRecord]] = set()
        with ThreadPoolExecutor(workers, thread_name_prefix="judge") as pool:
            try:
                while True:
                    for call in islice(calls, WAITING_PER_WORKER * workers - len(running)):
                        running.add(pool.submit(self._answer, call))
                    if not running:
                        return
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    self.ledger.record_many(_answered(done))
                    for future in done:
                        future.result()
                    advance(len(done))
                    done = set()
            finally:
                # What stops the run, an error or a person, does not throw away answers that are under way.
                begun = {future for future in running if not future.cancel()}
                self.ledger.record_many(_answered(done | wait(begun).done))

    def _answer(self, call: Call) -> CallRecord:
        started_at, started = datetime.now(UTC), time.perf_counter()
        reply = self.judge.reply(call)
        latency_ms = (time.perf_counter() - started) * 1000
        identity, plan = self.judge.identity, self.plan
        parsed = parse_answer(reply.raw_answer, call.judged.item_id, plan.rubric_weights, plan.score_source)
        return CallRecord(
            study=self.study,
            object=call.judged.object,
            item_id=call.judged.item_id,
            setting=call.setting.key,
            repeat=call.repeat,
            attempt=call.attempt,
            run_id=call.run_id,
            judge=identity.judge,
            judge_identity=identity.digest,
            model_asked=identity.model,
            rubric_version=identity.rubric_version,
            parameters=identity.parameters,
            temperature=call.setting.temperature,
            top_p=call.setting.top_p,
            seed=call.seed,
            prompt_hash=call.prompt_hash,
            image_hashes=call.judged.image_hashes,
            started_at=started_at,
            latency_ms=latency_ms,
            model_answered=reply.model_answered,
            fingerprint=reply.fingerprint,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tokens_cached=reply.tokens_cached,
            cost_usd=reply.cost_usd,
            raw_answer=reply.raw_answer,
            dagster_run_id=self.dagster_run_id,
            **(
                {"state": reply.fault, "fault_message": reply.fault_message}
                if reply.fault
                else {
                    "state": parsed.state,
                    "fault_message": parsed.problem,
                    "score": parsed.score,
                    "score_stated": parsed.score_stated,
                    "score_recomputed": parsed.score_recomputed,
                    "subscores": parsed.subscores,
                    "rationale": parsed.rationale,
                }
            ),
        )


def _answered(futures: Iterable[Future[CallRecord]]) -> list[CallRecord]:
    """What the calls brought that did not end in an error."""
    return [future.result() for future in futures if future.exception() is None]
