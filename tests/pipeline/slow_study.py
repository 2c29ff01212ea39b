"""A program for tests: runs the small study in the folder it is given, with a judge that takes its time."""

import sys
import time
from pathlib import Path

from pipeline.definitions import definitions_of
from pipeline.runs import run_study
from resources.judges import replay
from resources.judges.contract import Call, Reply
from tests.small_study import KEYS, described, sqlite_instance_in, without_drawing

SECONDS_A_CALL = 0.03
STRETCH = (KEYS[0], KEYS[1])


class SlowReplay(replay.ReplayJudge):
    """Answers like the recording, later."""

    def reply(self, call: Call) -> Reply:
        """The recorded reply after a while."""
        time.sleep(SECONDS_A_CALL)
        return super().reply(call)


def main(folder: Path) -> None:
    """Run the study that `write_study` left in the folder; Dagster's memory lies next to it."""
    replay.ReplayJudge = SlowReplay  # type: ignore[misc]
    with without_drawing(), sqlite_instance_in(folder / "dagster") as instance:
        print(run_study(definitions_of(described(folder)), "fidelity", instance, STRETCH))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
