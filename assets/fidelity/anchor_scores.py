"""Table `anchor_scores`: the same few objects judged again on other days."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, NamedTuple

import dagster as dg
import pandas as pd

from analysis.resampling.pairs import FEWEST_PAIRS
from assets.fidelity.judge_calls import judging_of
from assets.fidelity.logic.anchor import (
    day_of_occasion,
    drawn,
    has_enough_repeats,
    judged_again,
    occasion_of,
    occasion_rows,
    pinned_occasion,
)
from assets.fidelity.logic.golden_choice import setting_in_force
from assets.fidelity.study_objects import require_sound_objects
from assets.shared.partitions import metadata_value, readable
from resources.configuration.fidelity import FidelityStudy, ReplayJudge
from resources.configuration.settings import AT, Setting, judge_in, setting_from_key
from resources.errors import UserError, listing
from resources.runtime.progress import TracksProgress
from resources.study import Study

NOT_YET = f"not yet: fewer than {FEWEST_PAIRS} objects have a score"


class AnchorPlan(NamedTuple):
    """What is judged on an occasion: objects by name, and the setting."""

    objects: Sequence[str]
    setting: Setting


@dg.asset(
    group_name="fidelity_repeatability",
    kinds={"python", "sqlalchemy"},
    code_version="1",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="anchor_scores",
)
def anchor_scores(
    context: dg.AssetExecutionContext,
    study_objects: pd.DataFrame,
    recommended_setting: pd.DataFrame,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> pd.DataFrame:
    """Judges the anchor once a day of runs: the second run of a day asks nothing anew."""
    require_sound_objects(study_objects, study.fidelity)
    today, (plan, name) = day_of(context), watched(study.fidelity)
    require_a_judge_that_answers_anew(plan)
    recommended_setting = of_judge(recommended_setting, name)
    known = study.ledger.occasion_rows(study.name)
    anchor = anchor_plan(occasion_rows(known, plan), today, study_objects, recommended_setting, plan)
    objects, gone = judged_again(study_objects, anchor.objects, today)
    if not objects:
        raise UserError(
            f"The study has usable images of none of the anchor's objects ({listing(gone)}). Put their images back."
        )
    judging = replace(judging_of(context, study, plan, objects, [anchor.setting]), what="anchor calls")
    judging.ask(progress, context.log)
    by, key = judging.judge.identity.digest, anchor.setting.key
    again = known["object"].isin([one.object for one in objects]) & known["judge_identity"].eq(by)
    before = known[~(again & known["setting"].eq(key))]
    frame = of_today(occasion_rows(joined(before, judging.rows()[key]), plan, today), today, by, key)
    context.add_output_metadata(
        readable(headline(frame, occasion_of(frame, today, by, key), anchor.setting, gone, plan))
    )
    return frame


def of_today(scores: pd.DataFrame, today: str, judge_identity: str, setting: str) -> pd.DataFrame:
    """Without the judges that came and went during the day: its first, which may be pinned, and that of now stay.

    So the last occasion is that of the current judge, whatever else was asked today.
    """
    of_now = scores["judge_identity"].eq(judge_identity) & scores["setting"].eq(setting)
    went = scores["occasion"].map(day_of_occasion).eq(today) & scores["occasion"].ne(today) & ~of_now
    return scores[~went].reset_index(drop=True)


def watched(study: FidelityStudy) -> tuple[FidelityStudy, str | None]:
    """The judge whose drift is watched, that of `anchor.setting`, else the first: its plan, and its name of several."""
    name = judge_in(study.anchor.setting or "") or next(iter(study.judges), None)
    return study.asking(f"{name}{AT}"), name


def of_judge(settings: pd.DataFrame, name: str | None) -> pd.DataFrame:
    """The rows of a judge's settings."""
    return settings[settings["setting"].map(lambda key: judge_in(key) == name).astype(bool)]


def require_a_judge_that_answers_anew(study: FidelityStudy) -> None:
    """Refuse a recording.

    Raises:
        UserError: The configured judge only repeats recorded answers.
    """
    if isinstance(study.judge, ReplayJudge):
        raise UserError(
            "A recorded judge says the same for ever and cannot drift. Set `judge: kind:` to a judge that answers anew "
            "before you watch it."
        )


def day_of(context: dg.AssetExecutionContext) -> str:
    """The day (UTC) on which the run was made; a step that is tried again after midnight asks nothing twice."""
    record = context.instance.get_run_record_by_id(context.run.run_id)
    if record is None:
        raise RuntimeError(f"Dagster does not know run {context.run.run_id}")
    return record.create_timestamp.astimezone(UTC).date().isoformat()


def anchor_plan(
    earlier: pd.DataFrame,
    occasion: str,
    study_objects: pd.DataFrame,
    recommended_setting: pd.DataFrame,
    study: FidelityStudy,
) -> AnchorPlan:
    """The pinned objects at the pinned setting; before there is an anchor, new ones as configured.

    On the day that pins, all that are drawn belong to it, so that an occasion which was broken off is completed.

    Raises:
        UserError: No setting is configured, and none is recommended or near it.
    """
    pinned = pinned_occasion(earlier, study.minimum_repeats)
    new = drawn(study_objects, study.anchor.n_objects, study.seed)
    if pinned is None:
        key = setting_in_force(study.anchor.setting, recommended_setting, "anchor")
        return AnchorPlan(new, setting_from_key(key))
    then = earlier[earlier["occasion"] == pinned]
    names = {*then["object"], *(new if day_of_occasion(pinned) == occasion else ())}
    return AnchorPlan(sorted(names), setting_from_key(then["setting"].iloc[0]))


def joined(before: pd.DataFrame, today: pd.DataFrame) -> pd.DataFrame:
    """Rows of both; an empty one has no say about types."""
    parts = [part for part in (before, today) if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else before


def headline(
    frame: pd.DataFrame, occasion: str, setting: Setting, gone: Sequence[str], study: FidelityStudy
) -> dict[str, Any]:
    """What the occasion brought, what it cost, and what could not be judged; also where not one call was made."""
    now = frame[frame["occasion"] == occasion]
    return {
        "occasion": occasion,
        "pinned": pinned_occasion(frame, study.minimum_repeats) or NOT_YET,
        "n_occasions": int(frame["occasion"].nunique()),
        "setting": setting.key,
        "n_objects": len(now),
        "n_without_score": int(now["judge_score"].isna().sum()),
        "n_with_too_few_repeats": int((~has_enough_repeats(now, study.minimum_repeats)).sum()),
        "n_objects_gone": len(gone),
        "objects_gone": listing(gone) or "none",
        "mean": metadata_value(now["judge_score"].mean()),
        "cost_usd": float(now["cost_usd"].sum()),
    }
