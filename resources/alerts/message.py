"""One alert: what happened where, as a sentence for a chat and as fields for a program."""

import re
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

RUN_FAILED, GATE_FAILED, GATE_PASSES = "run_failed", "gate_failed", "gate_passes_again"
DRIFTS, WARNS, WARNS_NO_MORE = "drift", "advice", "advice_no_longer"
LONGEST_TEXT: Final = 1200
LONGEST_FIELD: Final = 500
NOT_TAKEN: Final = "The webhook did not take what was said: see the run in the UI."


@dataclass(frozen=True)
class Alert:
    """What is reported; a field that has no meaning for the kind of alert is null.

    `error` is what a run's failed steps said, `starts_again` whether Dagster does so by itself (null where it is not
    known yet), `says` a gate's sentence, `seen` and `needed` its numbers.
    """

    kind: str
    study: str
    job: str
    run: str
    starts_again: bool | None = None
    error: str | None = None
    table: str | None = None
    partition: str | None = None
    check: str | None = None
    says: str | None = None
    seen: float | None = None
    needed: str | None = None
    to_do: str | None = None

    @property
    def sentence(self) -> str:
        """The alert in words."""
        where = f"{self.table} ({self.partition})" if self.partition else self.table
        run = f"Job {self.job}, run {self.run[:8]}."
        if self.kind == RUN_FAILED:
            again = " Dagster starts it again by itself." if self.starts_again else ""
            return f"Study {self.study}: run {self.run[:8]} of job {self.job} failed. {self.error or ''}{again}"
        if self.kind == GATE_PASSES:
            return f"Study {self.study}: gate {self.check} on {where} passes again. {self.says or ''} {run}"
        if self.kind == WARNS_NO_MORE:
            return f"Study {self.study}: check {self.check} on {where} no longer warns. {self.says or ''} {run}"
        to_do = f" What to do: {self.to_do}" if self.to_do else ""
        happened = {
            GATE_FAILED: f"gate {self.check} on {where} failed",
            DRIFTS: f"the judge drifts, by check {self.check} on {where}",
            WARNS: f"check {self.check} on {where} warns",
        }[self.kind]
        return f"Study {self.study}: {happened}. {self.says or ''}{to_do} {run}"

    @property
    def in_short(self) -> "Alert":
        """The same without words of others, for a webhook that refuses them."""
        bare = replace(self, error=None, partition=None, says=None, seen=None, needed=None, to_do=None)
        return replace(bare, error=NOT_TAKEN) if self.kind == RUN_FAILED else replace(bare, says=NOT_TAKEN)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the message."""
        return asdict(self)


def chat_text(words: str) -> str:
    """Words for a chat, which takes `<...>` for links and calls, and `@name` for calling people."""
    escaped = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"@(?=\w)", "@\u200b", escaped)
