"""When two judges' agreement is looked at again: the jobs, and the sensors on queries, votes and validations."""

import dagster as dg

from assets.reliability.ground_truth import ALLOWED
from pipeline.automation import run_for_new_content
from resources.study import Study

QUERY_DOCUMENTS = dg.AssetKey("query_documents")
TRUTH = dg.AssetSelection.assets("ground_truth")

reliability = dg.define_asset_job(
    "reliability",
    selection=dg.AssetSelection.groups("reliability") - TRUTH,
    description="Study D: judgments, kappa, disagreements, bias, the validation and what is due after it, report.",
)

revalidation = dg.define_asset_job(
    "revalidation",
    selection=dg.AssetSelection.assets("disputed_documents").downstream() - TRUTH,
    description="Study D after people voted: the validation and what depends on it. No judge is asked.",
)

write_ground_truth = dg.define_asset_job(
    "write_ground_truth", selection=TRUTH, description="Study D: ground truth, once the latest validation allows it."
)


@dg.sensor(
    job=reliability,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.STOPPED,
    description="Sees by content that the file of queries changed and validates its judges again.",
)
def changed_queries(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
) -> dg.RunRequest | dg.SkipReason:
    """One run per content of the file: a file that was only touched starts nothing."""
    path = study.reliability.queries
    if path is None:
        return dg.SkipReason("The queries come from a database table, which is read when the study runs.")
    return run_for_new_content(context, path, QUERY_DOCUMENTS, "Put the file of queries there.", {})


@dg.sensor(
    job=revalidation,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Validates again once people reviewed enough disagreements, and once more when none is left undecided.",
)
def finished_tiebreaks(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
) -> dg.RunRequest | dg.SkipReason:
    """One run when the quota is met and one when all is decided, for each validation that asks for votes."""
    history = study.validations.validations()
    if history.empty or str(history["status"].iloc[-1]) in ALLOWED:
        return dg.SkipReason("No validation waits for votes.")
    progress = study.reviews.progress()
    if not study.reviews.quota_met():
        return dg.SkipReason(f"{progress}.")
    failed = (history["status"] == "contingency_triggered").tolist()[::-1]
    # The first of the validations in a row that failed: each of them would else ask for another run.
    first = int(history["id"].iloc[len(history) - _leading(failed)])
    reached = "all" if progress.reviewed == progress.disputed else "enough"
    return dg.RunRequest(run_key=f"{reached} reviewed after validation {first}")


@dg.sensor(
    job=write_ground_truth,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Writes ground truth once a validation passed or people resolved what it found.",
)
def allowed_ground_truth(
    context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]
) -> dg.RunRequest | dg.SkipReason:
    """One run per validation that allows it."""
    history = study.validations.validations()
    if history.empty or str(history["status"].iloc[-1]) not in ALLOWED:
        return dg.SkipReason("The latest validation does not allow ground truth.")
    latest = int(history["id"].iloc[-1])
    written = study.validations.ground_truth_rows()["validation"]
    if len(written) and int(written.max()) >= latest:
        return dg.SkipReason(f"Ground truth is that of validation {latest}.")
    return dg.RunRequest(run_key=f"validation {latest}")


def _leading(flags: list[bool]) -> int:
    """How many are true before the first that is not."""
    return next((place for place, flag in enumerate(flags) if not flag), len(flags))
