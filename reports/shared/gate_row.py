"""Gates as a report shows them: the number seen, the number needed, passed or failed, advice apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from analysis.gates import DETERMINISTIC, Gate
from reports.shared.numbers import beside_limit, interval, plain_number
from reports.shared.text import Text

# Several rows of a report are one check: each bound of the recommended setting, and each condition of two judges'
# agreement, has its own.
CHECKS = {
    "icc_for_sure": "recommended_for_sure",
    "spearman_for_sure": "recommended_for_sure",
    "kappa_macro": "judges_agree",
    "kappa_micro": "judges_agree",
    "low_share": "judges_agree",
    "macro_for_sure": "agreement_is_proven",
    "micro_for_sure": "agreement_is_proven",
    "macro_without_convention": "convention_does_not_decide",
}


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
    is_asked: bool = True  # whether there is something that it asks

    @property
    def check(self) -> str:
        """The name of the check in Dagster and on the terminal."""
        return CHECKS.get(self.name, self.name)

    @property
    def applies(self) -> bool:
        """Whether the gate asks anything here; one that does not passes and counts nowhere."""
        return self.is_asked and not (self.passed and self.reason == DETERMINISTIC)

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


def gate_row(gate: Gate, *, advice: bool = False) -> GateRow:
    """A gate's answer as a row.

    Raises:
        ValueError: The gate does not say what its number was computed from, or what is needed.
    """
    if gate.n is None or gate.limit is None:
        raise ValueError(f"gate {gate.name} has no n or no limit")
    return GateRow(
        gate.name,
        gate.passed,
        gate.seen,
        gate.limit,
        ">=" if gate.needed.startswith(">=") else "<=",
        advice,
        gate.n,
        gate.low,
        gate.high,
        gate.unreliable,
        gate.reason,
        gate.is_asked,
    )


def failing(rows: Iterable[GateRow]) -> list[GateRow]:
    """The gates that count and fail: not advice."""
    return [row for row in rows if not row.passed and not row.advice]


def failing_by_gate(rows: Mapping[str, Sequence[GateRow]]) -> dict[str, tuple[list[str], int]]:
    """Of each gate that fails somewhere, by its code name: at which settings or methods, and how many it applies to."""
    places: dict[str, list[str]] = {}
    n_asked: dict[str, int] = {}
    for place, gates in rows.items():
        for name in dict.fromkeys(gate.check for gate in gates):
            n_asked[name] = n_asked.get(name, 0) + any(gate.applies for gate in gates if gate.check == name)
        for name in dict.fromkeys(gate.check for gate in failing(gates)):
            places.setdefault(name, []).append(place)
    return {name: (places[name], n) for name, n in n_asked.items() if name in places}


def gates_as_data(rows: Mapping[str, Sequence[GateRow]]) -> dict[str, Any]:
    """Every row of a gate for a download, and which gates that count fail where, by code name."""
    names = ("check", "passed", "applies", "advice", "seen", "sign", "needed", "low", "high", "n")
    return {
        "failing": {name: places for name, (places, _) in failing_by_gate(rows).items()},
        "gates": {
            place: {one.name: {name: getattr(one, name) for name in names} for one in gates}
            for place, gates in rows.items()
        },
    }
