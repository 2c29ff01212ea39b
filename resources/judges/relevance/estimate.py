"""What judging documents by a model will take, before the first call."""

from collections.abc import Sequence
from dataclasses import dataclass

from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import ReliabilityStudy
from resources.database.ledger import Ledger
from resources.database.measured_calls import measured_calls
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
    study: str,
    plan: ReliabilityStudy,
    judge_name: str,
    judge: OpenAIJudge,
    prompt_version: str,
    asked: Sequence[AskedDocument],
    ledger: Ledger,
) -> RelevanceEstimate:
    """What a run would take that asks one judge about these documents; nothing is sent.

    Args:
        study: Name of the study.
        plan: Its section `reliability`.
        judge_name: The judge's name in it.
        judge: The judge's section.
        prompt_version: Version of the prompt.
        asked: All documents; those answered before are found in the ledger.
        ledger: The ledger.

    Raises:
        UserError: There is no model, price or prompt, or a document has no text.
    """
    refuse_without_text(judge_name, asked)
    prompt, access = prompt_of(prompt_version, plan.prompts, plan.prompt_scales), access_of(judge)
    model, setting = relevance_judge(judge_name, judge, prompt, access), PromptSetting(prompt_version)
    run = RelevanceRun(
        study,
        RelevancePlan(plan.seed),
        model,
        asked,
        [setting],
        ledger,
        prompt=prompt,
        name=judge_name,
        count=Count(asked, lambda judged: None),
    )
    open_objects = {key.object for key in run.open_calls()}
    planned = [
        Planned(build_call(study, prompt, one, setting, 1, model.identity), 1)
        for one in asked
        if one.object in open_objects
    ]
    measured = measured_calls(ledger.engine, study, model.identity.digest)
    estimator = Estimator(judge, model.price, measured, TextSize(), has_pictures=False)
    return RelevanceEstimate(
        estimator.row(f"{judge_name} {prompt_version}", planned),
        len(asked) - len(planned),
        estimator.method,
        access,
        model.price,
    )
