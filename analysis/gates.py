"""Gates: a number, what it must reach, and one sentence that a newcomer can read."""

import math
import re
from typing import Literal, NamedTuple

import scipy

from analysis.messages import Value, message, message_list
from analysis.ties import ceiling, compare

SHOWN_DECIMALS = 3
MOST_DECIMALS = 12
DOES_NOT_APPLY = "Does not apply"  # how the sentence begins of a gate on something that is not there
NOT_ASKED = "Not asked of this data set."  # and of one that nothing in the configuration or the data asks for
DETERMINISTIC = "deterministic"  # the reason of a gate on an ICC that is 1 by construction and does not count


class Gate(NamedTuple):
    """Whether a number passed; an undefined one (`seen` none) never does.

    `n` is how many things the number was computed from, `reason` why there is none or why it does not count, `remedy`
    what to do where it fails: the sentence holds it too. `limit` is the number needed, `low` and `high` bound the one
    seen, `unreliable` where they rest on too few clusters.
    """

    name: str
    passed: bool
    seen: float | None
    needed: str
    sentence: str
    n: int | None = None
    reason: str | None = None
    remedy: str = ""
    limit: float | None = None
    low: float | None = None
    high: float | None = None
    unreliable: bool = False

    @property
    def is_asked(self) -> bool:
        """Whether it asks anything: one that does not passes, and counts nowhere as a pass."""
        return not self.sentence.startswith((NOT_ASKED, DOES_NOT_APPLY))

    def with_interval(self, low: float | None, high: float | None, *, unreliable: bool = False) -> "Gate":
        """The gate with the interval of its number; none, not NaN, where there is no bound or no number."""
        if self.seen is None:
            return self._replace(unreliable=unreliable)
        known = [None if bound is None or bound != bound else float(bound) for bound in (low, high)]
        return self._replace(low=known[0], high=known[1], unreliable=unreliable)

    def passing_as(self, sentence: str) -> "Gate":
        """The gate with a plainer sentence for when it passes; a failing one keeps its own."""
        return self._replace(sentence=sentence) if self.passed else self


def at_least(
    name: str,
    seen: float | None,
    needed: float,
    *,
    n: int,
    what: str,
    counted: str = "objects",
    unit: str = "",
    remedy: str = "",
    reason: str = "",
) -> Gate:
    """Passes when the number reaches the one needed, or differs from it in the last digits of arithmetic alone.

    Args:
        name: Of the gate, as code spells it.
        seen: The number, or none where the data do not define it.
        needed: The smallest number that passes, in the same unit.
        n: How many things the number was computed from.
        what: The number in words, which begins the sentence.
        counted: What `n` counts.
        unit: Written behind both numbers.
        remedy: A sentence on what to do, shown when the gate fails.
        reason: Why there is no number, shown when `seen` is none.

    Returns:
        A gate with a sentence like "ICC(1,k) is 0.912 over 48 objects; needed: at least 0.85."

    Raises:
        ValueError: A number is NaN or infinite.
    """
    return _gate(name, seen, needed, ">=", _Words(n, _over(n, counted), what, unit, remedy, reason))


def at_most(
    name: str,
    seen: float | None,
    needed: float,
    *,
    n: int,
    what: str,
    counted: str = "objects",
    unit: str = "",
    remedy: str = "",
    reason: str = "",
) -> Gate:
    """Passes when the number does not exceed the one needed; else like `at_least`."""
    return _gate(name, seen, needed, "<=", _Words(n, _over(n, counted), what, unit, remedy, reason))


def share_at_least(
    name: str,
    successes: int,
    trials: int,
    needed: float,
    *,
    what: str,
    counted: str = "calls",
    remedy: str = "",
    confidence: float = 0.95,
) -> Gate:
    """Passes when a share reaches the one needed, and says from which n on its lower bound could prove it.

    Args:
        name: Of the gate, as code spells it.
        successes: How many of the trials succeeded.
        trials: How many trials; none at all: undefined.
        needed: The smallest share that passes, 0-1.
        what: The share in words, which begins the sentence.
        counted: What the trials are.
        remedy: A sentence on what to do, shown when the gate fails.
        confidence: Of the Wilson bound that the sentence names.

    Returns:
        A gate on the share itself; the bound is advice and decides nothing here.

    Raises:
        ValueError: Counts that do not fit, or `confidence` outside 0-1.
    """
    if trials < 0 or not 0 <= successes <= trials:
        raise ValueError(f"successes must lie between 0 and the trials, got {successes} of {trials}")
    seen = successes / trials if trials else None
    of = _over(0, counted)
    if trials:
        of = message(" ({successes} of {n} {counted})", successes=successes, n=trials, counted=counted)
    reason = message("there are no {counted}", counted=counted)
    gate = _gate(name, seen, needed, ">=", _Words(trials, of, what, "", remedy, reason))
    smallest = smallest_n_for_lower_bound(needed, confidence)
    if smallest is None:
        proof = message("No number of {counted} proves a share of 1.", counted=counted)
    else:
        proof = message(
            "The {level:g} % lower bound can reach {needed:g} from {smallest} flawless {counted} on.",
            level=confidence * 100,
            needed=needed,
            smallest=smallest,
            counted=counted,
        )
    return gate._replace(sentence=message_list([gate.sentence, proof], " "))


def smallest_n_for_lower_bound(share: float, confidence: float = 0.95) -> int | None:
    """How many trials, all successful, the Wilson lower bound needs to reach a share.

    Args:
        share: 0-1.
        confidence: Between 0 and 1.

    Returns:
        The smallest n; none for a share of 1, which no finite number proves.

    Raises:
        ValueError: A share or confidence outside its range.

    Source:
        Wilson (1927): the bound of n successes in n trials is ``n / (n + z^2)``.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence}")
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"a share must lie between 0 and 1, got {share}")
    if compare(share, 1.0) == 0:
        return None
    z = float(scipy.stats.norm.ppf(0.5 + confidence / 2.0))
    return max(1, ceiling(share * z**2 / (1.0 - share)))


class _Words(NamedTuple):
    """What a gate says of its number; `over` is said behind it."""

    n: int
    over: str
    what: str
    unit: str
    remedy: str
    reason: str


def _gate(name: str, seen: float | None, needed: float, sign: Literal[">=", "<="], words: _Words) -> Gate:
    n, over, what, unit, remedy, reason = words
    if not math.isfinite(needed) or (seen is not None and not math.isfinite(seen)):
        raise ValueError(f"gate {name}: {seen} against {needed}; an undefined number is None, with its reason")
    spaced = f" {unit}" if unit else ""
    limit: dict[str, Value] = {"needed": needed, "unit": spaced}
    at_least_or_most = (
        message("needed: at least {needed:g}{unit}.", **limit)
        if sign == ">="
        else message("needed: at most {needed:g}{unit}.", **limit)
    )
    passed = seen is not None and _compares(seen, needed, sign)
    if seen is None:
        said = message(
            "{what} is undefined ({why}){over}", what=what, why=reason or message("no reason given"), over=over
        )
    else:
        decimals = _decimals(seen, needed, sign, passed)
        said = message(
            "{what} is {seen:.{decimals}f}{unit}{over}", what=what, seen=seen, decimals=decimals, unit=spaced, over=over
        )
    to_do = "" if passed else remedy.strip()
    sentence = message_list([message_list([said, at_least_or_most]), to_do], " ")
    why = (reason or None) if seen is None else None
    number_seen = None if seen is None else float(seen)
    return Gate(name, passed, number_seen, f"{sign} {needed:g}{spaced}", sentence, n, why, to_do, limit=needed)


def _over(n: int, counted: str) -> str:
    # Of a plural in words the singular: numbers, queries with a kappa, kinds of alteration.
    one = re.sub(r"(?<=[a-z])(ies|s)\b", lambda end: "y" if end[0] == "ies" else "", counted, count=1)
    return message(" over {n} {counted}", n=n, counted=one if n == 1 else counted)


def _compares(seen: float, needed: float, sign: Literal[">=", "<="]) -> bool:
    side = compare(seen, needed)
    return bool(side >= 0 if sign == ">=" else side <= 0)


def _decimals(seen: float, needed: float, sign: Literal[">=", "<="], passed: bool) -> int:
    """As few decimals, from 3 on, as do not make a failing number look like a passing one (0.8499 is not 0.850)."""
    if float(seen).is_integer() and float(needed).is_integer():
        return 0
    enough = range(SHOWN_DECIMALS, MOST_DECIMALS)
    return next((n for n in enough if _compares(float(f"{seen:.{n}f}"), needed, sign) == passed), MOST_DECIMALS)
