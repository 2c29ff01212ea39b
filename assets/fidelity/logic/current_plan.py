"""Whether recorded calls are of the judge, prompt and images that the study has now."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from analysis.messages import Name, message
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import judge_in
from resources.judges.contract import JudgedObject
from resources.judges.judging import judge_of
from resources.judges.question import question_of

ANOTHER_JUDGE = message("its calls are of another judge")


class CurrentPlan(NamedTuple):
    """The judge's identity, and for each object the prompt and the images that a call made now would have."""

    judge_identity: str
    prompts: dict[str, str]
    images: dict[str, tuple[str, ...]]


def current_plans(study: FidelityStudy, objects: list[JudgedObject], keys: Iterable[str]) -> dict[str, CurrentPlan]:
    """`current_plan` of the judge of each partition key.

    Raises:
        UserError: A judge cannot be opened.
    """
    of_judge = {judge_in(key): key for key in keys}
    now = {judge: current_plan(study.asking(key), objects) for judge, key in of_judge.items()}
    return {key: now[judge_in(key)] for key in keys}


def current_plan(study: FidelityStudy, objects: list[JudgedObject]) -> CurrentPlan:
    """What the configuration and the images say now.

    Raises:
        UserError: The judge cannot be opened.
    """
    question = question_of(study)
    return CurrentPlan(
        judge_of(study, objects).identity.digest,
        {one.object: question.prompt_hash(one) for one in objects},
        {one.object: one.image_hashes for one in objects},
    )


def difference(calls: pd.DataFrame, plan: CurrentPlan) -> str | None:
    """What the calls of a setting do not share with the plan, in words; null where they share all of it."""
    if set(calls["judge_identity"]) - {plan.judge_identity}:
        return message("{why}, or of the judge with other parameters", why=ANOTHER_JUDGE)
    once = calls.drop_duplicates("object")
    for name, prompt, images in zip(once["object"], once["prompt_hash"], once["image_hashes"], strict=True):
        if plan.prompts.get(name, prompt) != prompt:
            return message("the prompt or rubric changed since object {object} was judged", object=Name(name))
        if plan.images.get(name, tuple(images)) != tuple(images):
            return message("what the judge sees of object {object} changed since it was judged", object=Name(name))
    return None
