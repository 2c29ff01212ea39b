"""When two judges' agreement is looked at again: the jobs, and the sensors on votes and validations."""

import json

import dagster as dg
import pandas as pd

from assets.reliability.logic.contingency_state import recalibration_under_way, refuse_unjudged_input, undecided_now
from pipeline.asked_runs import run_for
from pipeline.automation import tables_and_inputs
from resources.database.reliability.records import ALLOWS_GROUND_TRUTH
from resources.errors import UserError
from resources.study import Study, stored_table

TRUTH = dg.AssetSelection.assets("ground_truth")

reliability = dg.define_asset_job(
    "reliability",
    selection=tables_and_inputs("reliability") - TRUTH,
    description="Study D: judgments, kappa, disagreements, bias, the validation and what is due after it, report.",
)

revalidation = dg.define_asset_job(
    "revalidation",
    # All that thresholds and votes decide, so that a validation and the kappa behind it are of the same thresholds.
    selection=dg.AssetSelection.assets("judgments").downstream(include_self=False) - TRUTH,
    description="Study D after people voted or accepted thresholds: kappa, the validation and the rest. No judge is "
    "asked.",
)

write_ground_truth = dg.define_asset_job(
    "write_ground_truth", selection=TRUTH, description="Study D: ground truth, once the latest validation allows it."
)


@dg.sensor(
    job=revalidation,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Validates again once people reviewed enough disagreements, and once more when none is left undecided.",
)
def finished_tiebreaks(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
) -> dg.SensorResult | dg.SkipReason:
    """One run when the quota is met and one when all is decided, where the latest validation has not seen it."""
    history = study.validations.validations()
    if history.empty or str(history["status"].iloc[-1]) in ALLOWS_GROUND_TRUTH:
        return dg.SkipReason("No validation waits for votes.")
    if recalibration_under_way(study) is not None:
        return dg.SkipReason("Queries are to be judged again: `touchstone reliability recalibrate` validates then.")
    progress = study.reviews.progress()
    if progress.reviewed < progress.needed:
        return dg.SkipReason(f"{progress}.")
    disputed = stored_table(study, "disputed_documents")
    latest, seen = int(history["id"].iloc[-1]), votes_seen(history)
    left = disputed is None or len(undecided_now(study, disputed)) > 0
    if seen["n_reviewed_queries"] >= progress.needed and (left or seen["n_undecided_documents"] == 0):
        return dg.SkipReason(f"{progress}. Validation {latest} has seen as much.")
    try:
        refuse_unjudged_input(study)
    except UserError as problem:
        return dg.SkipReason(str(problem))
    return run_for(context, revalidation, f"{'enough' if left else 'all'} decided after validation {latest}")


@dg.sensor(
    job=write_ground_truth,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Writes ground truth once a validation passed or people resolved what it found.",
)
def allowed_ground_truth(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
) -> dg.SensorResult | dg.SkipReason:
    """One run per validation that allows it."""
    history = study.validations.validations()
    if history.empty or str(history["status"].iloc[-1]) not in ALLOWS_GROUND_TRUTH:
        return dg.SkipReason("The latest validation does not allow ground truth.")
    latest = int(history["id"].iloc[-1])
    written = study.validations.ground_truth_rows()["validation"]
    if len(written) and int(written.max()) >= latest:
        return dg.SkipReason(f"Ground truth is that of validation {latest}.")
    return run_for(context, write_ground_truth, f"validation {latest}")


def votes_seen(history: pd.DataFrame) -> dict[str, int]:
    """How far tiebreaks were at the latest validation: its step `tiebreaks`.

    Args:
        history: Table `kappa_validation`, with a row.
    """
    steps = json.loads(history["contingency_actions"].iloc[-1])
    return next(step for step in steps if step["step"] == "tiebreaks")
