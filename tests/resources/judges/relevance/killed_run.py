"""A program for tests: asks a model about the documents of the tests, and is killed when it stores for the second time.

Argument: the folder with the ledger. The model is named by the three variables.
"""

import os
import signal
import sys
from pathlib import Path

from resources.configuration.openai_judge import OpenAIJudge
from resources.judges.relevance.documents import Judged
from tests.resources.judges.relevance.asked import PAID, judge, ledger_of, study_in

KILLED = -signal.SIGKILL


def main(folder: Path) -> None:
    """Ask until killed."""
    stored: list[Judged] = []

    def killed_at_the_second(batch: list[Judged]) -> None:
        if stored:
            os.kill(os.getpid(), signal.SIGKILL)
        stored.extend(batch)

    section = OpenAIJudge(kind="openai", price=PAID, longest_wait_s=5, timeout_s=5, concurrency=1)
    judge(study_in(folder), section, ledger_of(f"sqlite:///{folder / 'touchstone.db'}"), keep=killed_at_the_second)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
