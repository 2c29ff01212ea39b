"""Whether recorded calls are of the judge, prompt and images that the study has now."""

from typing import NamedTuple

import pandas as pd

from resources.configuration.fidelity import FidelityStudy
from resources.judges.contract import JudgedObject
from resources.judges.question import question_of
from resources.judges.registry import judge_of

ANOTHER_JUDGE = "its calls are of another judge"


class CurrentPlan(NamedTuple):
    """The judge's identity, and for each object the prompt and the images that a call made now would have."""

    judge_identity: str
    prompts: dict[str, str]
    images: dict[str, tuple[str, ...]]


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
        return f"{ANOTHER_JUDGE}, or of the judge with other parameters"
    once = calls.drop_duplicates("object")
    for name, prompt, images in zip(once["object"], once["prompt_hash"], once["image_hashes"], strict=True):
        if plan.prompts.get(name, prompt) != prompt:
            return f"the prompt or rubric changed since object {name} was judged"
        if plan.images.get(name, tuple(images)) != tuple(images):
            return f"the images of object {name} changed since it was judged"
    return None
