"""A program for tests: the command line with a recorded judge that takes its time, and without drawing."""

import sys
import time

from pipeline.command_line.main import run
from resources.judges import replay
from resources.judges.contract import Call, Reply
from tests.small_study import without_drawing
from tests.unsynced import without_syncing

SECONDS_A_CALL = 0.1


class SlowReplay(replay.ReplayJudge):
    """Answers like the recording, later."""

    def reply(self, call: Call) -> Reply:
        """The recorded reply after a while."""
        time.sleep(SECONDS_A_CALL)
        return super().reply(call)


if __name__ == "__main__":
    if "--slow" in sys.argv:
        sys.argv.remove("--slow")
        replay.ReplayJudge = SlowReplay  # type: ignore[misc]
    without_syncing()
    with without_drawing():
        run()
