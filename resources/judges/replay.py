"""The judge `replay`: answers that were recorded before, so that a study can be computed again without a call."""

import os
import threading
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from resources.database.call_records import Spent
from resources.errors import UserError, listing
from resources.judges.contract import Call, JudgedObject, JudgeIdentity, Reply
from resources.judges.recorded_rows import RecordedRows, open_rows
from resources.judges.vfscore_tree import VfscoreTree

NOT_RECORDED = "not recorded"
CODE_VERSION = "2"


class ReplayJudge:
    """Gives back recorded answers; a call without a record is a fault, and `n_not_recorded` counts them."""

    faults_are_final = True  # the recording is part of the identity: another one is asked anew
    attempts = 1

    def __init__(self, recording: RecordedRows | VfscoreTree) -> None:
        self._recording = recording
        self._lock = threading.Lock()
        self.workers = os.cpu_count() or 1
        self.n_recorded = recording.n_recorded
        self.n_not_recorded = 0
        self._identity = JudgeIdentity(
            judge="replay",
            model="+".join(recording.models) or "unnamed",
            rubric_version="recorded",
            code_version=CODE_VERSION,
            parameters={"recording_sha256": recording.digest},
        )

    @property
    def identity(self) -> JudgeIdentity:
        """Other recorded answers make another judge."""
        return self._identity

    def taken_in_turns(self, study: str) -> tuple[str, ...]:
        """Runs share nothing."""
        return ()

    def begin(self, spent: Spent) -> None:
        """It costs nothing and can always be asked."""

    def stop(self, why: str) -> None:
        """No reply waits for anything."""

    def reply(self, call: Call) -> Reply:
        """What is recorded, every attempt of it, or the fault ``provider_error`` where there is nothing.

        Raises:
            UserError: The recording is another than at the start.
        """
        try:
            reply = self._recording.reply_to(call)
        except (OSError, ValueError) as error:
            raise UserError(f"The recording changed during the run: {error}. Run again when it is complete.") from error
        if reply is None:
            with self._lock:
                self.n_not_recorded += 1
            return Reply(None, fault="provider_error", fault_message=NOT_RECORDED)
        return reply


def open_replay(path: Path, judged: Iterable[JudgedObject]) -> ReplayJudge:
    """The judge for a recording.

    Args:
        path: A JSONL file of ledger rows, or VFScore's folder ``llm_calls/{model}``.
        judged: The study's objects: VFScore records per item, so that each recorded item may have one only.

    Raises:
        UserError: The recording cannot be read, or the objects of an item cannot be distinguished in it.
    """
    if not path.is_dir():
        return ReplayJudge(open_rows(path))
    tree = VfscoreTree(path)
    objects_of = defaultdict(set)
    for each in judged:
        if each.item_id.casefold() in tree.items:
            objects_of[each.item_id].add(each.object)
    shared = [f"{item} ({', '.join(sorted(objects))})" for item, objects in objects_of.items() if len(objects) > 1]
    if shared:
        raise UserError(
            f"{path}: calls are recorded per item, and these items have several objects to judge: {listing(shared)}. "
            "Name the object of each in `selected_objects`, or replay a JSONL file of ledger rows."
        )
    return ReplayJudge(tree)
