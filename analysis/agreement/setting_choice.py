"""The rule that chooses a setting: four conditions, and among settings that meet them the best weighted margin."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.setting_measures import Measures
from analysis.resampling.weighted import Floats
from analysis.ties import TIE, compare, join_ties

NONE = -1


@dataclass(frozen=True)
class Rule:
    """What every measure must reach, and how much each counts beyond it.

    The score is the weighted sum of margins: what a measure is beyond its condition, as a share of the room there is
    (``(icc - 0.85) / 0.15``, ``(0.05 - mad) / 0.05``). Where a condition leaves no room the plain difference counts.
    """

    icc: float = 0.85
    json_validity: float = 0.98
    spearman: float = 0.7
    median_mad: float = 0.05
    weight_icc: float = 0.25
    weight_json_validity: float = 0.25
    weight_spearman: float = 0.25
    weight_median_mad: float = 0.25

    def margins(self, measures: Measures) -> Floats:
        """How far beyond its condition each measure is, 1 at its best: shape ``(..., n_settings, 4)``, NaN undefined.

        In the order of the fields of `Measures`; negative where the condition is missed.
        """
        return np.stack(
            [
                (measures.icc - self.icc) / _room(1.0 - self.icc),
                (measures.json_validity - self.json_validity) / _room(1.0 - self.json_validity),
                (measures.spearman - self.spearman) / _room(1.0 - self.spearman),
                (self.median_mad - measures.median_mad) / _room(self.median_mad),
            ],
            axis=-1,
        )

    def scores(self, measures: Measures) -> Floats:
        """The weighted sum of the margins: shape ``(..., n_settings)``, NaN where a measure is undefined."""
        weights = [self.weight_icc, self.weight_json_validity, self.weight_spearman, self.weight_median_mad]
        return np.asarray(self.margins(measures) @ np.array(weights))

    def met(self, measures: Measures) -> NDArray[np.bool_]:
        """Which conditions hold, whatever the last digits of arithmetic: shape ``(..., n_settings, 4)``.

        An undefined measure meets nothing, and neither does the ICC of a deterministic setting, 1 by construction.
        """
        return np.stack(
            [
                (compare(measures.icc, self.icc) >= 0) & measures.varies,
                compare(measures.json_validity, self.json_validity) >= 0,
                compare(measures.spearman, self.spearman) >= 0,
                compare(measures.median_mad, self.median_mad, 1.0) <= 0,
            ],
            axis=-1,
        )

    def passes(self, measures: Measures) -> NDArray[np.bool_]:
        """Which settings meet all four conditions: shape ``(..., n_settings)``."""
        return np.asarray(self.met(measures).all(axis=-1))


def choose(measures: Measures, rule: Rule) -> NDArray[np.intp]:
    """The place of the setting with the highest score among those that meet every condition.

    Args:
        measures: Of shape ``(n_settings,)`` or ``(resamples, n_settings)``.
        rule: The conditions and weights.

    Returns:
        Shape ``()`` or ``(resamples,)``; -1 where no setting meets them. Of equal scores the first counts.
    """
    passes = rule.passes(measures)
    scores = np.where(passes, rule.scores(measures), -np.inf)
    best = passes & (scores >= scores.max(axis=-1, keepdims=True) - TIE)
    return np.where(passes.any(axis=-1), best.argmax(axis=-1), NONE)


def least_lacking(measures: Measures, rule: Rule) -> int | None:
    """The setting that lacks least, for when none meets every condition.

    Args:
        measures: Of shape ``(n_settings,)``.
        rule: The conditions and weights.

    Returns:
        Its place: the fewest undefined measures, then the smallest sum of what is missing (each as a share of the
        condition's room), then the highest score. None where every setting is deterministic.
    """
    margins = rule.margins(measures)
    lacking = join_ties(np.where(margins < 0, -margins, 0.0).sum(axis=-1), 1.0)
    undefined, scores = np.isnan(margins).sum(axis=-1), -np.nan_to_num(rule.scores(measures))
    order = np.lexsort([np.arange(len(lacking)), scores, lacking, undefined, ~measures.varies])
    return int(order[0]) if measures.varies[order[0]] else None


def _room(room: float) -> float:
    return room if compare(room, 0.0, 1.0) > 0 else 1.0
