"""The gate of two judges: macro and micro kappa high enough, and few queries low."""

from dataclasses import dataclass
from typing import NamedTuple

from analysis.agreement.kappa import LOW_KAPPA, KappaSummary
from analysis.gates import Gate, at_least, at_most
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from analysis.words import noun

MAX_LOW_SHARE = 0.30
REMEDY = "Go through the contingency: tiebreaks, bias, recalibration."


@dataclass(frozen=True)
class KappaLimits:
    """What two judges have to reach; all unitless.

    Attributes:
        min_macro: Smallest macro kappa that passes.
        min_micro: Smallest micro kappa that passes.
        low_kappa: Below it a query's kappa is low; for the words.
        max_low_share: Largest share (of 1) of low queries that passes, of those with a defined kappa.
    """

    min_macro: float = 0.70
    min_micro: float = 0.70
    low_kappa: float = LOW_KAPPA
    max_low_share: float = MAX_LOW_SHARE


LIMITS = KappaLimits()


class ReliabilityVerdict(NamedTuple):
    """Whether two judges agree well enough to make ground truth, and by which gate they do not.

    `not_proven`: they do, but a lower bound of macro or micro kappa does not reach what is needed, or there is none.
    `depends_on_convention`: the result flips when queries without a defined kappa are left out of macro kappa.
    """

    passed: bool
    not_proven: bool
    depends_on_convention: bool
    macro: Gate
    micro: Gate
    low_share: Gate

    @property
    def gates(self) -> tuple[Gate, ...]:
        """Macro, micro, low share."""
        return (self.macro, self.micro, self.low_share)


def reliability_gate(
    summary: KappaSummary, *, macro_low: float | None, micro_low: float | None, limits: KappaLimits = LIMITS
) -> ReliabilityVerdict:
    """The verdict on the point values; the lower bounds only say whether it is proven.

    Args:
        summary: Of `kappa.kappa_summary`, made with the limits' `low_kappa`.
        macro_low: Lower bound of `summary.macro`; none where there is no interval.
        micro_low: Lower bound of `summary.micro`; none where there is no interval.
        limits: What has to be reached.

    Returns:
        Passed when all three gates are.

    Raises:
        ValueError: A number is NaN or infinite.
        UndefinedStatistic: No query has a defined kappa: no verdict.

    Source:
        docs/statistics.md, Agreement of two judges.
    """
    if summary.n_defined == 0:
        raise UndefinedStatistic(
            "no query has a defined kappa: in the only query both judges give one and the same label to every document"
            "|no query has a defined kappa: in each of {n:,} queries both judges give one and the same label to every "
            "document",
            n=summary.n_queries,
        )
    macro = at_least(
        "kappa_macro",
        summary.macro,
        limits.min_macro,
        n=summary.n_queries,
        what="Macro kappa (1 where both judges give one label)",
        counted=noun(summary.n_queries, "query", "queries"),
        remedy=REMEDY,
    )
    micro = at_least(
        "kappa_micro",
        summary.micro,
        limits.min_micro,
        n=summary.n_documents,
        what="Micro kappa",
        counted=noun(summary.n_documents, "document"),
        remedy=REMEDY,
    )
    low_share = at_most(
        "low_share",
        summary.low_share,
        limits.max_low_share,
        n=summary.n_defined,
        what=f"The share of queries with kappa below {limits.low_kappa:g}",
        counted=f"{noun(summary.n_defined, 'query', 'queries')} with a defined kappa",
        remedy=REMEDY,
    )
    others = micro.passed and low_share.passed
    passed = macro.passed and others
    without = others and _reaches(summary.macro_defined, limits.min_macro)
    proven = _reaches(macro_low, limits.min_macro) and _reaches(micro_low, limits.min_micro)
    return ReliabilityVerdict(passed, passed and not proven, passed != without, macro, micro, low_share)


def _reaches(seen: float | None, needed: float) -> bool:
    return seen is not None and bool(compare(seen, needed) >= 0)
