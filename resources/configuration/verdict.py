"""The `verdict` section of each study: what a judge has to reach to stand in for people."""

from dataclasses import replace
from typing import Literal

from pydantic import Field

from analysis.verdict.people import Levels
from analysis.verdict.rule import Policy
from resources.configuration.section import Section

FidelityCondition = Literal["icc", "median_mad", "json_validity", "spearman", "stripes"]
EVERY_CONDITION: tuple[FidelityCondition, ...] = ("icc", "median_mad", "json_validity", "spearman", "stripes")


class VerdictPlan(Section):
    """What the verdict asks for; docs/verdict.md has the rule and how often it is wrong."""

    gate_on: Literal["estimate", "bound"] = Field("bound", description="by what required conditions count as met")
    fewest_objects: int = Field(30, ge=10, description="with fewer the verdict cannot say")

    def policy(self, *, epsilon: float, confidence: float, seed: int) -> Policy:
        """What the rule takes."""
        levels = Levels(epsilon=epsilon, confidence=confidence, seed=seed)
        return Policy(fewest_objects=self.fewest_objects, levels=levels, gate_on=self.gate_on)


class VerdictNextToPeople(VerdictPlan):
    """Where the judge is compared with several people."""

    margin: float = Field(0.1, gt=0, lt=1, description="how far the judge may stay behind people in agreement")

    def policy(self, *, epsilon: float, confidence: float, seed: int) -> Policy:
        """The same with the margin."""
        said = super().policy(epsilon=epsilon, confidence=confidence, seed=seed)
        return replace(said, most_behind=self.margin)


class FidelityVerdict(VerdictNextToPeople):
    """Of study A: the conditions that a yes needs besides people's; the others are advice."""

    required: tuple[FidelityCondition, ...] = EVERY_CONDITION


class PairwiseVerdict(VerdictNextToPeople):
    """Of study B, in which a person is a voter."""

    voters: Literal["expert", "skilled", "crowd"] = Field("crowd", description="epsilon: 0.2, 0.15 or 0.1")


class EvaluationVerdict(VerdictPlan):
    """Of study C, in which all people are one: opinions come as means."""

    spearman: float = Field(0.7, ge=-1, le=1, description="that the lower bound has to reach")
