"""What judging documents by a model will take, before the first call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import ReliabilityStudy
from resources.judges.contract import Attempt
from resources.judges.openai.access import Access, access_of
from resources.judges.openai.estimate import EstimateRow, Estimator, Planned
from resources.judges.openai.prices import ModelPrice
from resources.judges.relevance.documents import AskedDocument, Count, refuse_without_text
from resources.judges.relevance.openai_relevance import (
    PromptSetting,
    RelevancePlan,
    RelevanceRun,
    TextSize,
    relevance_judge,
)
from resources.judges.relevance.prompts import build_call, prompt_of
from resources.judges.relevance.registry import PromptedJudge

if TYPE_CHECKING:
    from resources.database.ledger import Ledger


@dataclass(frozen=True)
class RelevanceEstimate:
    """One judge's open calls: tokens, dollars expected and at most, hours; `n_answered` calls need none.

    `method` says in words how the numbers came about.
    """

    row: EstimateRow
    n_answered: int
    method: str
    access: Access
    price: ModelPrice


def estimate(
    study: str, plan: ReliabilityStudy, model: PromptedJudge, asked: Sequence[AskedDocument], ledger: Ledger
) -> RelevanceEstimate:
    """What a run would take that asks one judge about these documents; nothing is sent.

    Raises:
        UserError: There is no model, price or prompt, or a document has no text.
    """
    assert isinstance(model.section, OpenAIJudge)
    refuse_without_text(model.name, asked)
    prompt, access = prompt_of(model.version, plan.prompts, plan.prompt_scales), access_of(model.section)
    judge, setting = relevance_judge(model.name, model.section, prompt, access), PromptSetting(model.version)
    run = RelevanceRun(
        study,
        RelevancePlan(plan.seed),
        judge,
        asked,
        [setting],
        ledger,
        prompt=prompt,
        name=model.name,
        count=Count(asked, lambda judged: None),
    )
    open_objects = {key.object for key in run.open_calls()}
    planned = [
        Planned(build_call(prompt, one, Attempt(study, setting, judge.identity)), 1)
        for one in asked
        if one.object in open_objects
    ]
    from resources.database.call_queries import measured_calls

    measured = measured_calls(ledger.engine, study, judge.identity.digest)
    estimator = Estimator(model.section, judge.price, measured, TextSize(), has_pictures=False)
    return RelevanceEstimate(
        estimator.row(f"{model.name} {model.version}", planned),
        len(asked) - len(planned),
        estimator.method,
        access,
        judge.price,
    )
