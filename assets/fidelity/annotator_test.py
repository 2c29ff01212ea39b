"""Table `annotator_test`: whether the judge represents the annotators as well as one of them does."""

from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.alternative_annotator import (
    EPSILON,
    FEWEST_INSTANCES,
    AgainstAnnotator,
    alternative_annotator,
)
from analysis.agreement.icc import icc
from analysis.agreement.kendall_w import kendall_w
from analysis.agreement.variance_components import reml_icc
from analysis.gates import Gate, at_least
from analysis.messages import labelled, message, message_list
from analysis.undefined import UndefinedStatistic
from assets.fidelity.logic.judge_answers import as_planned, judge_scores
from assets.fidelity.score_matrix import sound_matrix
from assets.shared.gate import Kind, gate
from assets.shared.intervals import bound_columns
from assets.shared.partitions import ONE_RUN, SETTINGS, Frames, each_partition
from reports.fidelity.plots.people import annotators
from reports.shared.figure import figure_metadata
from resources.configuration.fidelity import FidelityStudy
from resources.errors import UserError, listing
from resources.study import Study
from resources.tables.fidelity.decision import ANNOTATOR_TEST, EVERYBODY

NOT_TESTABLE = "Not testable"
HEADLINE = ("omega", "rho", "human_icc_1_1", "human_icc_1_k", "n_instances")


@dg.asset(
    group_name="fidelity_people", partitions_def=SETTINGS, backfill_policy=ONE_RUN, kinds={"pandas"}, code_version="4"
)
def annotator_test(
    context: dg.AssetExecutionContext,
    score_matrix: Frames,
    human_scores: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> Frames:
    """One row per annotator and one for all of them: who is nearer to the others, this person or the judge."""
    needed = study.fidelity.thresholds.stand_in_share
    return each_partition(
        context,
        lambda key: annotator_rows(key, sound_matrix(score_matrix[key], study.fidelity), human_scores, study.fidelity),
        lambda frame: headline(frame, needed),
    )


def annotator_rows(
    setting: str, matrix: pd.DataFrame, human_scores: pd.DataFrame, study: FidelityStudy
) -> pd.DataFrame:
    """The test on objects, also where the study matches by item: people can only be compared on the same thing."""
    matrix = as_planned(matrix, study.repeats)
    _refuse_scored_twice(human_scores)
    # Not `pivot_table`: two scores of one person for one object are an error, not their mean.
    wide = human_scores.pivot(index="object", columns="annotator", values="score")  # noqa: PD010
    wide = wide.reindex(matrix["object"])
    people, judge = wide.to_numpy(dtype=float), judge_scores(matrix, study.aggregate)
    compared = ~np.isnan(judge) & (~np.isnan(people)).any(axis=1)
    several = compared & ((~np.isnan(people)).sum(axis=1) >= 2)
    products = matrix.loc[several, "product_id"]
    shared = message("p and intervals assume independence") if products.nunique() < len(products) else None
    reasons: list[str] = []
    whole: dict[str, Any] = {"n_instances": int(several.sum())} | _people_among_themselves(
        people[compared], study, reasons
    )
    rows = []
    try:
        found = alternative_annotator(people, judge, list(wide.columns), epsilon=EPSILON[study.annotators])
    except UndefinedStatistic as undefined:
        reasons.append(labelled("omega, rho", undefined.reason))
        notes = [shared]
    else:
        whole |= {"omega": found.winning_rate, "rho": found.advantage}
        rows = [_row_of(name, part) | {"note": shared} for name, part in found.annotators.items()]
        notes = [found.warning, found.not_tested, shared]
    whole |= {"annotator": EVERYBODY, "note": _joined(notes), "undefined": _joined(reasons)}
    frame = pd.DataFrame([*rows, whole], columns=[column.name for column in ANNOTATOR_TEST.columns])
    return frame.assign(setting=setting, epsilon=EPSILON[study.annotators])


def _refuse_scored_twice(human_scores: pd.DataFrame) -> None:
    """End where a person scored an object more than once: which of the scores counts is not ours to say.

    Raises:
        UserError: That is so, with objects and persons.
    """
    cells = human_scores.loc[human_scores.duplicated(["object", "annotator"]), ["object", "annotator"]]
    if len(cells):
        named = sorted({f"'{name}' by '{annotator}'" for name, annotator in cells.itertuples(index=False)})
        raise UserError(
            f"human_scores holds more than one score of {listing(named)}. Keep one of each, and load it again."
        )


def _row_of(name: object, part: AgainstAnnotator) -> dict[str, Any]:
    row: dict[str, Any] = {
        "annotator": str(name),
        "n_instances": part.n_instances,
        "share_judge_better": part.judge_share,
        "share_annotator_better": part.annotator_share,
        "p": part.p,
        "p_adjusted": part.p_adjusted,
        "rejected": part.rejected,
    }
    few = message(
        "skipped: {n} object with the judge and another annotator, {fewest} needed"
        "|skipped: {n} objects with the judge and another annotator, {fewest} needed",
        n=part.n_instances,
        fewest=FEWEST_INSTANCES,
    )
    return row | {"undefined": few if part.skipped else None}


def _people_among_themselves(people: np.ndarray, study: FidelityStudy, reasons: list[str]) -> dict[str, Any]:
    """How well one person's score stands in for another's, on the objects that the judge scored too."""
    try:
        if not people.size:
            raise UndefinedStatistic("no object was scored by people and the judge")
        # One-way forms: people are exchangeable, and not everybody scored everything.
        found = icc(people, confidence=study.confidence)
    except UndefinedStatistic as undefined:
        reasons.append(labelled("human_icc", undefined.reason))
        return {}
    row: dict[str, Any] = {"human_icc_n": found.n_used_objects} | _other_agreement(people, study.confidence, reasons)
    for name, form in (("human_icc_1_1", found.icc_1_1), ("human_icc_1_k", found.icc_1_k)):
        row |= {name: form.value, **bound_columns(name, form)}
        if form.reason:
            reasons.append(labelled(name, form.reason))
    return row


def _other_agreement(people: np.ndarray, confidence: float, reasons: list[str]) -> dict[str, Any]:
    """The ICC that weighs objects by what their scores tell, and whether people agree on the order."""
    row: dict[str, Any] = {}
    try:
        by_reml = reml_icc(people, confidence=confidence)
    except UndefinedStatistic as undefined:
        reasons.append(labelled("human_icc_1_1_reml", undefined.reason))
    else:
        low, high = by_reml.icc_1_1_interval.low, by_reml.icc_1_1_interval.high
        row = {"human_icc_1_1_reml": by_reml.icc_1_1, "human_icc_1_1_reml_low": low, "human_icc_1_1_reml_high": high}
    try:
        return row | {"human_kendall_w": kendall_w(people).w}
    except UndefinedStatistic as undefined:
        reasons.append(labelled("human_kendall_w", undefined.reason))
        return row


def _joined(parts: list[str] | list[str | None]) -> str | None:
    return message_list(parts) or None


def headline(frame: pd.DataFrame, needed: float) -> dict[str, object]:
    """The row of the whole, and every annotator at a glance."""
    whole = _whole(frame)
    plot = figure_metadata(annotators(frame, EVERYBODY, needed).specification())
    return {name: whole[name] for name in HEADLINE} | {"plot": plot}


@gate(
    annotator_test,
    Kind.ADVICE,
    to_do="Look in annotator_test against whom the judge does not win; have several people score more objects.",
)
def judge_can_stand_in(annotator_test: pd.DataFrame, plan: FidelityStudy) -> Gate:
    """The judge wins against enough annotators to stand in for one of them."""
    needed = plan.thresholds.stand_in_share
    return stand_in_gate(annotator_test, needed)


def stand_in_gate(frame: pd.DataFrame, needed: float) -> Gate:
    """Omega against the share of annotators that the judge must win against; passes where it cannot be tested."""
    name, whole = "judge_can_stand_in", _whole(frame)
    n = int(whole["n_instances"])
    if pd.isna(whole["omega"]):
        # Too little is no answer to the question: it says neither that the judge may stand in, nor that it may not.
        words = (
            f"{NOT_TESTABLE}: {whole['undefined']}. Two people or more must have scored the same {FEWEST_INSTANCES} "
            "objects as the judge."
        )
        return Gate(
            name,
            True,
            None,
            f">= {needed:g}",
            words,
            n,
            message("not testable: {why}", why=str(whole["undefined"])),
            limit=needed,
        )
    return at_least(
        name,
        float(whole["omega"]),
        needed,
        n=n,
        what=f"Share of annotators against whom the judge wins (omega, epsilon {whole['epsilon']:g})",
        remedy="share_judge_better in annotator_test says how near it is to each; more objects that several people "
        "scored make the test sharper.",
    )


def _whole(frame: pd.DataFrame) -> pd.Series:
    return frame[frame["annotator"] == EVERYBODY].iloc[0]
