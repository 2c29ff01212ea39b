"""What a published number is held against: one case, and what becomes of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce
from math import isfinite
from typing import Any, NamedTuple

# What is printed as 0.775 may be anything that rounds to it; a little more, for what lies on the edge in binary.
HALF_A_DIGIT = Decimal("0.501")

Reader = str | Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """A published number and how to compute it: `printed` as the source prints it, which says how exactly it is known.

    `read` finds the number in the result: a path such as `interval.low` (of attributes, keys and places), nothing for
    the result itself, or a function of it.
    """

    statistic: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    read: Reader
    printed: str
    data: str
    source: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expected(self) -> float:
        """The number."""
        return float(self.printed)

    @property
    def tolerance(self) -> float:
        """Half of its last printed digit."""
        exponent = Decimal(self.printed).as_tuple().exponent
        assert isinstance(exponent, int)
        return float(HALF_A_DIGIT.scaleb(exponent))


class Checked(NamedTuple):
    """A case with what was computed; `got` is none where the function refused, and `reason` says why."""

    statistic: str
    function: str
    data: str
    source: str
    expected: float
    got: float | None
    difference: float | None
    tolerance: float
    passed: bool
    reason: str | None


def check(case: Case) -> Checked:
    """Compute one case.

    Returns:
        Whatever the function does, an exception too, is a line of the table and no end of the run.
    """
    got, reason = None, None
    try:
        result = case.function(*case.arguments, **case.options)
        got = float(case.read(result) if callable(case.read) else _at(result, case.read))
    except Exception as problem:
        reason = f"{type(problem).__name__}: {problem}"
    if got is not None and not isfinite(got):
        got, reason = None, "the result is no number"
    difference = None if got is None else got - case.expected
    return Checked(
        case.statistic,
        f"{case.function.__module__}.{case.function.__qualname__}",
        case.data,
        case.source,
        case.expected,
        got,
        difference,
        case.tolerance,
        difference is not None and abs(difference) <= case.tolerance,
        reason,
    )


def of_result(
    function: Callable[..., Any],
    *arguments: Any,
    data: str,
    source: str,
    numbers: Mapping[str, tuple[Reader, str]],
    **options: Any,
) -> list[Case]:
    """The cases of one result that holds several numbers.

    Args:
        function: What is held against the source.
        arguments: What it is called with.
        data: These in words.
        source: Of data and numbers.
        numbers: Of each statistic where the result has it, and the number as printed.
        options: Further arguments, by name.
    """
    return [
        Case(name, function, arguments, read, printed, data, source, options)
        for name, (read, printed) in numbers.items()
    ]


def _at(result: Any, path: str) -> Any:
    """What stands at a path of attributes, keys and places."""

    def one(value: Any, part: str) -> Any:
        if isinstance(value, Mapping):
            return value[part]
        return value[int(part)] if part.isdigit() else getattr(value, part)

    return reduce(one, path.split(".") if path else [], result)
