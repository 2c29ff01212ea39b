"""What is different about the judge and what it saw between two occasions, in words."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import pandas as pd

from resources.errors import listing

SHOWN = 5


class Changes(NamedTuple):
    """Whether identity, answering models and material are the same, and what is different; null where nothing is."""

    same_identity: bool
    same_models: bool
    same_material: bool
    words: str | None


def changes_since(then: pd.DataFrame, now: pd.DataFrame, still_judged: Collection[str]) -> Changes:
    """The later occasion against the earlier one.

    Args:
        then: Rows of `anchor_scores` of one occasion, by object.
        now: The same of another occasion.
        still_judged: The objects that the study has usable images of now.
    """
    identity = _identity(then, now)
    answered = [_models(then), _models(now)]
    models = [f"answers came from {_or_none(answered[1])}, then from {_or_none(answered[0])}"]
    both = then.index.intersection(now.index)
    material = [
        f"{word} of {listing(changed, SHOWN)} changed"
        for word, column in (("the prompt", "prompt_hash"), ("the images", "images_digest"))
        if (changed := [name for name in both if then.loc[name, column] != now.loc[name, column]])
    ]
    absent = [name for name in then.index if name not in now.index]
    gone = [name for name in absent if name not in still_judged]
    absent = [name for name in absent if name in still_judged]
    same_models = answered[0] == answered[1]
    words = [
        *identity,
        *([] if same_models else models),
        *material,
        *([f"the study no longer has, or has no usable images of, {listing(gone, SHOWN)}"] if gone else []),
        *([f"not judged on this occasion: {listing(absent, SHOWN)}"] if absent else []),
    ]
    return Changes(not identity, same_models, not material, "; ".join(words) or None)


def _identity(then: pd.DataFrame, now: pd.DataFrame) -> list[str]:
    before, after = then.iloc[0], now.iloc[0]
    if before["judge_identity"] == after["judge_identity"]:
        return []
    named = [
        f"{word} {after[column]}, then {before[column]}"
        for word, column in (("the judge is", "judge"), ("the model asked for is", "model_asked"))
        if before[column] != after[column]
    ]
    return named or ["the judge's rubric, parameters or code version changed"]


def _models(occasion: pd.DataFrame) -> list[str]:
    return sorted({model for models in occasion["models_answered"] for model in models})


def _or_none(models: Sequence[str]) -> str:
    return listing(models, SHOWN) or "no one"
