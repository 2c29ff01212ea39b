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
    unreliable: bool = False  # the interval rests on too few clusters
    reason: str | None = None  # why there is no number, or why it does not count

    @property
    def seen_text(self) -> Text:
        """The number, never rounded across its limit."""
        return beside_limit(self.seen, self.needed, self.sign, self.passed)

    @property
    def interval_text(self) -> Text:
        """Its interval."""
        return interval(self.low, self.high, unreliable=self.unreliable)

    @property
    def sign_text(self) -> str:
        """On which side of the limit the number must lie."""
        return "\u2265" if self.sign == ">=" else "\u2264"

    @property
    def needed_text(self) -> Text:
        """The limit as it was set."""
        return plain_number(self.needed)


def gate_row(
    gate: Gate,
    needed: float,
    *,
    advice: bool = False,
    low: Any = None,
    high: Any = None,
    unreliable: bool = False,
) -> GateRow:
    """A gate's answer with what a reader wants beside it; n and reason are the gate's own.

    Args:
        gate: As the asset check has it.
        needed: The limit.
        advice: Whether failing it is a warning only.
        low: Lower bound of the number.
        high: Upper bound.
        unreliable: Whether that interval rests on too few clusters.

    Raises:
        ValueError: The gate does not say what its number was computed from.
    """
    if gate.n is None:
        raise ValueError(f"gate {gate.name} has no n")
    defined = gate.seen is not None
    return GateRow(
        gate.name,
        gate.passed,
        gate.seen,
        needed,
        ">=" if gate.needed.startswith(">=") else "<=",
        advice,
        gate.n,
        float(low) if defined and is_number(low) else None,
        float(high) if defined and is_number(high) else None,
        unreliable,
        gate.reason,
    )
