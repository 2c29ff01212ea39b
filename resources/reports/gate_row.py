"""Gates as a report shows them: the number seen, the number needed, passed or failed, advice apart."""

from dataclasses import dataclass
from typing import Any, Literal

from analysis.gates import Gate
from resources.reports.numbers import beside_limit, interval, is_number, plain_number
from resources.reports.text import Text


@dataclass(frozen=True)
class GateRow:
    """One gate; `name` is also the key of its words, bounds are empty where there is no interval."""

    name: str
    passed: bool
    seen: float | None
    needed: float
    sign: Literal[">=", "<="]
    advice: bool
    n: int
    low: float | None = None
    high: float | None = None
    reason: str | None = None  # why there is no number, or why it does not count

    @property
    def seen_text(self) -> Text:
        """The number, never rounded across its limit."""
        return beside_limit(self.seen, self.needed, self.sign, self.passed)

    @property
    def interval_text(self) -> Text:
        """Its interval."""
        return interval(self.low, self.high)

    @property
    def needed_text(self) -> Text:
        """The limit as it was set."""
        return plain_number(self.needed)


def gate_row(
    gate: Gate,
    needed: float,
    n: Any,
    *,
    advice: bool = False,
    low: Any = None,
    high: Any = None,
    reason: Any = None,
) -> GateRow:
    """A gate's answer with what a reader wants beside it.

    Args:
        gate: As the asset check has it.
        needed: The limit.
        n: How many things the number rests on.
        advice: Whether failing it is a warning only.
        low: Lower bound of the number.
        high: Upper bound.
        reason: Why there is no number.
    """
    return GateRow(
        gate.name,
        gate.passed,
        gate.seen,
        needed,
        ">=" if gate.needed.startswith(">=") else "<=",
        advice,
        int(n),
        float(low) if is_number(low) else None,
        float(high) if is_number(high) else None,
        str(reason) if isinstance(reason, str) and reason else None,
    )
