"""Table `judge_comparison`: the judges at their best settings side by side, and which of them are distinguishable."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import dagster as dg
import numpy as np
import pandas as pd

from analysis.agreement.alternative_annotator import EPSILON
from analysis.messages import message
from analysis.verdict.judge_differences import COMPARED, Objects, OneJudge, judge_differences
from assets.fidelity.logic.judge_answers import judge_scores, scores_of
from assets.fidelity.logic.selection_split import products_that_choose
from assets.fidelity.logic.verdict_evidence import NOT_COMPARED, people_of
from assets.fidelity.matched_scores import matched_rows
from assets.shared.partitions import MADE_SO_FAR, Frames
from resources.configuration.fidelity import FidelityStudy, ReplayJudge
from resources.configuration.settings import judge_in
from resources.study import Study
from resources.tables.fidelity.decision import JUDGE_COMPARISON
from resources.tables.trust_verdict import VERDICT

NOTHING_CHOSEN = message("all objects: each judge has one setting")
OTHER_HALF = message("the half of the products that chose no setting")
ALL_CHOSE = message("all objects, which chose the settings too: the best setting of a judge looks better than it is")
NOTHING_COMMON = message("no object is valid for every judge")


class Said(NamedTuple):
    """What the comparison is made from: calls and scores by partition key, people, objects, settings and verdicts."""

    calls: Frames
    matrices: Frames
    human_scores: pd.DataFrame
    study_objects: pd.DataFrame
    recommended: pd.DataFrame
    verdicts: pd.DataFrame


@dg.asset(
    group_name="fidelity_verdict",
    ins={"judge_calls": MADE_SO_FAR, "score_matrix": MADE_SO_FAR},
    kinds={"pandas"},
    code_version="1",
    # One run at a time: of two that overlap, the one that read first must not write last.
    pool="recommended_setting",
)
def judge_comparison(
    context: dg.AssetExecutionContext,
    judge_calls: Frames,
    score_matrix: Frames,
    human_scores: pd.DataFrame,
    study_objects: pd.DataFrame,
    recommended_setting: pd.DataFrame,
    fidelity_trust_verdict: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per judge, other judge and statistic, on the objects that are valid for all of them."""
    said = Said(judge_calls, score_matrix, human_scores, study_objects, recommended_setting, fidelity_trust_verdict)
    made = comparison_rows(said, study.fidelity)
    own = made[made["other"].isna()]
    words = {f"verdict_of_{row.judge}": row.word for row in own.drop_duplicates("judge").itertuples()}
    context.add_output_metadata({"n_judges": own["judge"].nunique(), "n_objects": int(made["n"].max()), **words})
    return made


def comparison_rows(said: Said, study: FidelityStudy) -> pd.DataFrame:
    """Every judge that was run; one whose setting is not compared is shown without numbers."""
    heads = said.verdicts[(said.verdicts["row"] == VERDICT) & said.verdicts["leading"].astype(bool)]
    best = {str(row["judge"]): str(row["place"]) for row in heads.to_dict("records")}
    words = dict(zip(heads["judge"], heads["word"], strict=True))
    obstacles = _obstacles(said.recommended, best)
    compared = {judge: key for judge, key in best.items() if judge not in obstacles}
    objects, basis = _objects(said, compared, study)
    if not objects:
        obstacles |= dict.fromkeys(compared, NOTHING_COMMON)
        compared = {}
    rows: list[dict[str, Any]] = []
    if compared:
        policy = study.verdict.policy(epsilon=EPSILON[study.annotators], confidence=study.confidence, seed=study.seed)
        judges, shared = _given(said, compared, objects, study)
        found = judge_differences(
            judges,
            shared,
            planned_repeats=study.reliable_repeats,
            resamples=study.bootstrap_resamples,
            levels=policy.levels,
        )
        rows += [row._asdict() for row in found]
    rows += [
        {"judge": judge, "statistic": statistic, "n": 0, "n_clusters": 0, "undefined": why}
        for judge, why in obstacles.items()
        for statistic in COMPARED
    ]
    frame = pd.DataFrame(rows).rename(columns={"low": "value_low", "high": "value_high", "n_clusters": "n_products"})
    frame = frame.reindex(columns=[column.name for column in JUDGE_COMPARISON.columns]).assign(basis=basis)
    alone = frame["other"].isna()
    return frame.assign(
        setting=frame["judge"].map(best),
        other_setting=frame["other"].map(best),
        word=frame["judge"].map(words).where(alone),
    )


def _obstacles(recommended: pd.DataFrame, best: Mapping[str, str]) -> dict[str, str]:
    """Why a judge's setting stands next to no other."""
    rows = {str(row["setting"]): row for row in recommended.to_dict("records")}
    return {
        judge: str(rows[key]["failed"]).removeprefix(NOT_COMPARED).rstrip(".")
        for judge, key in best.items()
        if not rows[key]["n_settings_tried"]
    }


def _objects(said: Said, compared: Mapping[str, str], study: FidelityStudy) -> tuple[list[str], str]:
    """The objects with enough repeats from every judge, of the products that chose no setting where some chose."""
    valid = [
        set(matrix.loc[matrix["n_valid"] >= study.minimum_repeats, "object"])
        for matrix in (said.matrices[key] for key in compared.values())
    ]
    common = set.intersection(*valid) if valid else set()
    tried = said.recommended.loc[said.recommended["n_settings_tried"] > 0, "setting"].map(judge_in)
    if not tried.duplicated().any():
        return sorted(common), NOTHING_CHOSEN
    choosing = products_that_choose(said.study_objects, said.human_scores, study)
    if choosing.method == "optimism":
        return sorted(common), ALL_CHOSE
    inside = said.study_objects["product_id"].isin(list(choosing.products))
    return sorted(common - set(said.study_objects.loc[inside, "object"])), OTHER_HALF


def _given(
    said: Said, compared: Mapping[str, str], objects: list[str], study: FidelityStudy
) -> tuple[dict[str, OneJudge], Objects]:
    """What each judge said of these objects, in their order, and what people did."""
    judges: dict[str, OneJudge] = {}
    for judge, key in compared.items():
        matrix = said.matrices[key].set_index("object", drop=False).loc[objects].reset_index(drop=True)
        matched = matched_rows(key, matrix, said.human_scores, said.study_objects, study)
        costs = said.calls[key].groupby("object")["cost_usd"].sum(min_count=1).reindex(objects)
        if isinstance(study.asking(key).judge, ReplayJudge) and not costs.any():
            costs[:] = np.nan  # a recording without prices is not free
        judges[judge] = OneJudge(
            scores_of(matrix),
            judge_scores(matrix, study.aggregate),
            matched["judge_score"].to_numpy(dtype=np.float64),
            costs.to_numpy(dtype=np.float64),
        )
    people = people_of(said.human_scores, matrix)
    shared = Objects(
        people.clusters,
        people.answers,
        matched["human_score"].to_numpy(dtype=np.float64),
        matched["product_id"].to_numpy(dtype=str),
    )
    return judges, shared
