"""The anchor: which objects are judged again on every occasion, and what the ledger says of the occasions so far."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from analysis.resampling.pairs import FEWEST_PAIRS
from assets.fidelity.logic.judge_answers import judged_objects
from assets.shared.seeded_draw import products_in_turn
from resources.configuration.fidelity import FidelityStudy
from resources.database.call_records import OCCASION_SIGN, images_digest
from resources.errors import listing
from resources.judges.contract import JudgedObject
from resources.tables.call_states import ANSWER_STATES, SCORED_STATES
from resources.tables.fidelity.decision import ANCHOR_SCORES

# The ledger tells occasions apart by the object's name: the same object on another day is another call.
_NAME = re.compile(rf"(?P<object>.+){re.escape(OCCASION_SIGN)}(?P<occasion>\d{{4}}-\d{{2}}-\d{{2}})$")
COLUMNS = [column.name for column in ANCHOR_SCORES.columns]
# An occasion is one judge at one setting; the second of a day has a name of its own, which sorts behind the first's.
JUDGED_BY = ["judge_identity", "setting"]
_LATER = ", judge "
SHOWN = 5


def occasion_name(object_: str, occasion: str) -> str:
    """What the ledger calls an object that is judged on one day."""
    return f"{object_}{OCCASION_SIGN}{occasion}"


def on_occasion(judged: JudgedObject, occasion: str) -> JudgedObject:
    """The object as it is called in the ledger on one day."""
    return replace(judged, object=occasion_name(judged.object, occasion))


def drawn(study_objects: pd.DataFrame, n_objects: int, seed: int) -> list[str]:
    """Objects for a new anchor, drawn by hash of seed and name: each product gives one before any gives a second.

    Args:
        study_objects: The table; excluded objects are not drawn.
        n_objects: How many, or all where there are fewer.
        seed: The same seed draws the same objects, whatever the order of rows.
    """
    judged = study_objects.loc[study_objects["excluded"].isna(), ["object", "product_id"]]
    return sorted(products_in_turn(judged, "object", seed, n_objects)["object"])


def judged_again(
    study_objects: pd.DataFrame, names: Sequence[str], occasion: str
) -> tuple[list[JudgedObject], list[str]]:
    """The anchor as it is judged on one day, and its objects that the study has no usable images of any more."""
    judged = {one.object: one for one in judged_objects(study_objects)}
    there = [on_occasion(judged[name], occasion) for name in names if name in judged]
    return there, [name for name in names if name not in judged]


def occasion_rows(calls: pd.DataFrame, study: FidelityStudy, today: str | None = None) -> pd.DataFrame:
    """Table `anchor_scores` of the ledger's attempts.

    An occasion is one judge at one setting. The first of a day bears the day's name and each later one a name of its
    own, such as "2026-11-28, judge 2": what is pinned stays what it was when another judge is asked on the same day.
    Of several prompts or images that it saw on one day, the last count.

    Args:
        calls: Columns of `judge_calls`; objects are named by `occasion_name`.
        study: How repeats become a score, and how many are planned.
        today: The day that was judged by this plan, however early it broke off. The ledger does not say what was
            planned on other days, and the largest repeat of such a day stands for it.
    """
    parts = calls["object"].str.extract(_NAME).rename(columns={"occasion": "day"})
    calls = calls.assign(**parts, images_digest=[images_digest(list(hashes)) for hashes in calls["image_hashes"]])
    calls = calls[calls["day"].notna()].sort_values(["started_at", "attempt"], kind="stable")
    calls = calls.merge(_occasions(calls), on=["day", *JUDGED_BY])
    calls = _of_the_last(calls, ["occasion", "object"], ["prompt_hash", "images_digest"])
    largest = calls.groupby("occasion")["repeat"].transform("max")
    calls = calls.assign(n_planned=largest.mask(calls["day"].eq(today or ""), largest.clip(lower=study.repeats)))
    rows = [
        _row(attempts, study) | {"occasion": occasion, "object": name}
        for (occasion, name), attempts in calls.groupby(["occasion", "object"], sort=True)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def day_of_occasion(occasion: str) -> str:
    """The day (UTC) on which an occasion was, as 2026-11-28."""
    return occasion.partition(_LATER)[0]


def occasion_of(scores: pd.DataFrame, day: str, judge_identity: str, setting: str) -> str:
    """What the occasion of one judge at one setting is called; the day where it was not asked on it."""
    same = scores["judge_identity"].eq(judge_identity) & scores["setting"].eq(setting)
    called = [str(name) for name in scores.loc[same, "occasion"] if day_of_occasion(name) == day]
    return called[0] if called else day


def pinned_occasion(scores: pd.DataFrame, minimum_repeats: int) -> str | None:
    """The first occasion on which enough objects for a comparison got the valid repeats that a score needs.

    A day on which the judge was down or the budget ran out pins nothing.
    """
    enough = scores[has_enough_repeats(scores, minimum_repeats)].groupby("occasion").size()
    return min((str(occasion) for occasion, n in enough.items() if n >= FEWEST_PAIRS), default=None)


def has_enough_repeats(scores: pd.DataFrame, minimum_repeats: int) -> pd.Series:
    """By row of `anchor_scores`, whether its score may be held against another occasion's."""
    return scores["n_valid"] >= minimum_repeats


def _occasions(calls: pd.DataFrame) -> pd.DataFrame:
    """The name of each occasion by day, judge and setting; attempts are in order of time."""
    asked = calls.drop_duplicates(["day", *JUDGED_BY])[["day", *JUDGED_BY]]
    place = asked.groupby("day").cumcount() + 1
    return asked.assign(occasion=asked["day"].where(place.eq(1), asked["day"] + _LATER + place.astype("str")))


def _of_the_last(calls: pd.DataFrame, within: list[str], kinds: list[str]) -> pd.DataFrame:
    """The rows that share what the latest row of their group has."""
    last = calls.drop_duplicates(within, keep="last")[[*within, *kinds]]
    return calls.merge(last, on=[*within, *kinds])


def _row(attempts: pd.DataFrame, study: FidelityStudy) -> dict[str, Any]:
    """One object on one occasion; attempts are in order of time."""
    last = attempts.sort_values(["repeat", "attempt"]).drop_duplicates("repeat", keep="last")
    scores = last.loc[last["state"].isin(SCORED_STATES), f"score_{study.score_source}"].astype(float)
    answered = attempts[attempts["state"].isin(ANSWER_STATES)]
    said = answered[["model_answered", "fingerprint"]].drop_duplicates()
    models = [_model(*pair) for pair in said.itertuples(index=False)]
    same = attempts.iloc[-1]
    return {
        "judge_score": getattr(scores, study.aggregate)() if len(scores) else None,
        "n_valid": len(scores),
        "models_answered": sorted(models),
        "first_call_at": attempts["started_at"].min(),
        "cost_usd": attempts["cost_usd"].sum(),
        **{
            name: same[name]
            for name in (
                "n_planned",
                "setting",
                "judge",
                "judge_identity",
                "model_asked",
                "prompt_hash",
                "images_digest",
            )
        },
    }


def _model(model: Any, fingerprint: Any) -> str:
    name = "not stated" if pd.isna(model) else str(model)
    return name if pd.isna(fingerprint) else f"{name} ({fingerprint})"


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
