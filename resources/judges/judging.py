"""Asking a judge: what the ledger does not answer yet, in a random order, every answer kept as soon as it is there."""

import logging
import os
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice

import pandas as pd

from resources.configuration.fidelity import FidelityStudy
from resources.configuration.grid import Setting
from resources.database.ledger import Ledger, Progress
from resources.judges.answers import Parsed, parse_answer
from resources.judges.contract import SCORED_STATES, Call, Judge, JudgedObject, Reply
from resources.judges.prompt import build_call, prompt_hash
from resources.judges.records import CallKey, CallRecord, images_digest
from resources.progress import Advance, TracksProgress

WAITING_PER_WORKER = 16  # calls of a fast judge come in groups, and one write to the disk serves a group
NOT_ASKED = Progress(attempts=0, answered=False)
Answering = Future[list[CallRecord]]


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
        """Make the calls that are planned and not settled; a fault is kept and asked again the next time.

        A judge whose faults are final is not asked again. Settings and objects are interleaved in a seeded random
        order, so that a provider that drifts during the run does not look like a setting.

        Raises:
            Exception: Whatever a call raised, after every answer that came is in the ledger.
        """
        known = self.ledger.progress(self.study, self.judge.identity.digest, self._setting_keys)
        to_ask = [key for key in self._planned if not self._settled(known.get(key, NOT_ASKED))]
        random.Random(self.plan.seed).shuffle(to_ask)
        n_planned, n_open = len(self._planned), len(to_ask)
        log.info(f"{n_planned} calls planned, {n_planned - n_open} answered before, {n_open} to make")
        if not to_ask:
            return
        calls = (self._call(*self._planned[key], key.repeat, known.get(key, NOT_ASKED).attempts + 1) for key in to_ask)
        with progress.track("judge calls", n_open, log) as advance:
            self._ask_and_keep(calls, advance)

    def rows(self) -> dict[str, pd.DataFrame]:
        """The ledger's attempts at the planned calls, by setting key, with the score that the study asks for."""
        frames = {}
        for key in self._setting_keys:
            calls = self.ledger.rows(self.study, self.judge.identity.digest, [key], self._planned.keys())
            # The ledger keeps both scores; which one counts may have changed since.
            chosen = calls[f"score_{self.plan.score_source}"].where(calls["state"].isin(SCORED_STATES))
            frames[key] = calls.assign(score=chosen)
        return frames

    @property
    def _setting_keys(self) -> list[str]:
        return [setting.key for setting in self.settings]

    @cached_property
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

    def _settled(self, come_to: Progress) -> bool:
        return come_to.answered or (self.judge.faults_are_final and come_to.attempts > 0)

    def _call(self, judged: JudgedObject, setting: Setting, repeat: int, attempt: int) -> Call:
        identity, weights = self.judge.identity, self.plan.rubric_weights
        return build_call(self.study, judged, setting, repeat, attempt, identity, weights)

    def _ask_and_keep(self, calls: Iterator[Call], advance: Advance) -> None:
        """Keep answers as they come, from a bounded number of calls under way."""
        workers = getattr(self.plan.judge, "workers", None) or os.cpu_count() or 1
        under_way: set[Answering] = set()
        failed: list[BaseException] = []
        with ThreadPoolExecutor(workers, thread_name_prefix="judge") as pool:
            try:
                while not failed:
                    for call in islice(calls, WAITING_PER_WORKER * workers - len(under_way)):
                        under_way.add(pool.submit(self._answer, call))
                    if not under_way:
                        return
                    wait(under_way, return_when=FIRST_COMPLETED)
                    failed += self._keep_finished(under_way, advance)
            finally:
                # What stops the run, an error or a person, does not throw away answers that are under way.
                for answering in under_way:
                    answering.cancel()
                wait(under_way)
                failed += self._keep_finished(under_way, advance)
        first, *others = failed
        if others:
            first.add_note(f"{len(others)} other calls failed too, one of them with {others[0]!r}.")
        raise first

    def _keep_finished(self, under_way: set[Answering], advance: Advance) -> list[BaseException]:
        """Record what the finished calls brought, and take them from those under way.

        Returns:
            The errors of those that brought nothing.
        """
        finished = {answering for answering in under_way if answering.done()}
        ended = [answering for answering in finished if not answering.cancelled()]
        errors = [error for answering in ended if (error := answering.exception()) is not None]
        brought = [answering.result() for answering in ended if answering.exception() is None]
        self.ledger.record_many(record for records in brought for record in records)
        under_way -= finished
        advance(len(brought))
        return errors

    def _answer(self, call: Call) -> list[CallRecord]:
        """One record for each attempt that the reply tells of, in order."""
        started_at, started = datetime.now(UTC), time.perf_counter()
        last = self.judge.reply(call)
        latency_ms = (time.perf_counter() - started) * 1000
        records = []
        for attempt, reply in enumerate((*last.earlier, last), start=call.attempt):
            asked = call if attempt == call.attempt else self._call(call.judged, call.setting, call.repeat, attempt)
            records.append(self._record(asked, reply, started_at, latency_ms))
        return records

    def _record(self, call: Call, reply: Reply, started_at: datetime, latency_ms: float) -> CallRecord:
        identity, plan = self.judge.identity, self.plan
        state = reply.fault or reply.answer_state
        if state is not None:
            read = Parsed(state, problem=reply.fault_message)
        else:
            read = parse_answer(reply.raw_answer, call.judged.item_id, plan.rubric_weights, plan.score_source)
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
            state=read.state,
            fault_message=read.problem,
            score=read.score,
            score_stated=read.score_stated,
            score_recomputed=read.score_recomputed,
            subscores=read.subscores,
            rationale=read.rationale,
        )
