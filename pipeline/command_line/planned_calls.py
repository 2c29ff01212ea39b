"""The calls that a run of the fidelity study or of its watch on drift would make now, found without making a table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pandas as pd

from analysis.gates import Gate
from assets.fidelity.anchor_scores import anchor_plan, require_a_judge_that_answers_anew
from assets.fidelity.golden_scores import golden_name, records_items_only
from assets.fidelity.judge_calls import judged_objects
from assets.fidelity.logic.anchor import judged_again, occasion_rows
from assets.fidelity.logic.golden_choice import golden_objects, other_object, refuse_unknown_items
from assets.fidelity.logic.golden_setting import setting_in_force
from assets.fidelity.logic.selection_split import products_that_choose
from assets.fidelity.study_objects import enough_objects_gate, mismatch_gate, missing_gate, selected_objects
from resources.configuration.grid import Setting, setting_from_key
from resources.errors import UserError, did_you_mean
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.fidelity.study_objects import find_study_objects
from resources.judges.contract import Call, Judge, JudgedObject
from resources.judges.judging import Judging
from resources.judges.openai.estimate import Planned
from resources.judges.prompt import build_call
from resources.judges.registry import judge_of
from resources.photos.golden_files import golden_folder, made_before
from resources.photos.golden_set import alterations_of
from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.parquet import read

GOLDEN_SET, ANCHOR = "golden set", "anchor"


@dataclass(frozen=True)
class PlannedCalls:
    """Calls by setting key, then those of the golden set; for the watch on drift those of the anchor.

    `gates` are those of the inputs that would stop the run.
    """

    judge: Judge
    by_part: dict[str, list[Planned]]
    n_answered: int
    gates: list[Gate]

    @property
    def n_open(self) -> int:
        """All calls to make."""
        return sum(one.n_calls for calls in self.by_part.values() for one in calls)


def planned_calls(study: Study, keys: Sequence[str] = ()) -> PlannedCalls:
    """What is planned and not answered; reads the inputs and the ledger.

    Args:
        study: With the current judge.
        keys: Settings; all where empty.

    Raises:
        UserError: An input file is wrong, the judge cannot be opened, or there is no such setting or golden item.
    """
    settings = _chosen(study, keys)
    scores = read_human_scores(study.fidelity).frame
    frame = find_study_objects(scores, selected_objects(study.fidelity), study.fidelity)
    refuse_unknown_items(frame, study.fidelity)
    objects = judged_objects(frame)
    judge = judge_of(study.fidelity, objects)
    judging = Judging(study.name, study.fidelity, judge, objects, settings, study.ledger)
    still_open = judging.open_calls()
    counts = Counter((key.setting, key.object) for key in still_open)
    by_part = {
        setting.key: [
            Planned(_example(study, judge, judged, setting), counts[setting.key, judged.object])
            for judged in objects
            if counts[setting.key, judged.object]
        ]
        for setting in settings
    }
    golden = _golden_calls(study, judge, frame, scores)
    n_planned = len(objects) * len(settings) * study.fidelity.repeats
    return PlannedCalls(
        judge,
        by_part | ({GOLDEN_SET: golden} if golden else {}),
        n_planned - len(still_open),
        [gate for gate in _input_gates(frame, study) if not gate.passed],
    )


def _chosen(study: Study, keys: Sequence[str]) -> list[Setting]:
    known = {setting.key: setting for setting in study.fidelity.settings.settings}
    for key in keys:
        if key not in known:
            raise UserError(f"The study has no setting '{key}'{did_you_mean(key, known)}. It has {', '.join(known)}.")
    return [known[key] for key in known if not keys or key in keys]


def _example(study: Study, judge: Judge, judged: JudgedObject, setting: Setting) -> Call:
    return build_call(study.name, judged, setting, 1, 1, judge.identity, study.fidelity.rubric_weights)


def _golden_calls(study: Study, judge: Judge, frame: pd.DataFrame, scores: pd.DataFrame) -> list[Planned]:
    """The calls about altered images, of which those count as answered that a run would not make again.

    An image that was never made, or a setting that is not known yet, was not asked about.
    """
    if records_items_only(study.fidelity):
        return []
    alterations = alterations_of(study.fidelity.golden)
    chosen = golden_objects(frame, products_that_choose(frame, scores, study.fidelity).products, study.fidelity)
    known = _known_setting(study)
    setting = known or study.fidelity.settings.baseline
    planned = []
    for row, judged in zip(chosen[chosen["excluded"].isna()].to_dict("records"), judged_objects(chosen), strict=True):
        n_open = len(alterations) * study.fidelity.repeats
        if known is not None:
            other = other_object(row, frame, study.fidelity.seed)
            other_sha256 = None if other is None else str(other["candidate_sha256"])
            folder, original = golden_folder(study.home), judged.candidate_sha256
            made = made_before(folder, judged.item_id, original, other_sha256, alterations)
            altered = [
                replace(judged, object=golden_name(judged.object, name), candidate_sha256=sha256)
                for name, sha256 in made.items()
            ]
            asked = Judging(study.name, study.fidelity, judge, altered, [known], study.ledger)
            n_open -= len(altered) * study.fidelity.repeats - len(asked.open_calls())
        planned.append(Planned(_example(study, judge, judged, setting), n_open))
    return [one for one in planned if one.n_calls]


def _known_setting(study: Study) -> Setting | None:
    """At which setting the golden set is judged; null before a setting is recommended."""
    if study.fidelity.golden.setting is not None:
        return setting_from_key(study.fidelity.golden.setting)
    try:
        recommended = _stored(study, "recommended_setting")
    except UserError:
        # The run that is planned makes it anew, and must not be kept from it.
        return None
    if recommended is None:
        return None
    return setting_from_key(setting_in_force(None, recommended, "golden")) if len(recommended) else None


def planned_anchor_calls(study: Study) -> PlannedCalls:
    """What the watch on drift would ask today.

    Raises:
        UserError: The judge is a recorded one or cannot be opened, the study was not run yet, or no setting is known.
    """
    plan = study.fidelity
    require_a_judge_that_answers_anew(plan)
    objects, recommended = _stored(study, "study_objects"), _stored(study, "recommended_setting")
    if objects is None or recommended is None:
        raise UserError("The anchor is drawn from a study that was run. `touchstone run fidelity` comes first.")
    today = datetime.now(UTC).date().isoformat()
    earlier = occasion_rows(study.ledger.occasion_rows(study.name), plan)
    anchor = anchor_plan(earlier, today, objects, recommended, plan)
    judged, _ = judged_again(objects, anchor.objects, today)
    judge = judge_of(plan, judged)
    still_open = Judging(study.name, plan, judge, judged, [anchor.setting], study.ledger).open_calls()
    counts = Counter(key.object for key in still_open)
    asked = [
        Planned(_example(study, judge, one, anchor.setting), counts[one.object]) for one in judged if counts[one.object]
    ]
    gates = [gate for gate in [mismatch_gate(objects)] if not gate.passed]
    return PlannedCalls(judge, {ANCHOR: asked} if asked else {}, len(judged) * plan.repeats - len(still_open), gates)


def _stored(study: Study, name: str) -> pd.DataFrame | None:
    """A table of study A that is not partitioned, as an earlier run left it; null where there is none.

    Raises:
        UserError: It is there and cannot be read.
    """
    path = study.home.tables / "fidelity" / f"{name}.parquet"
    if not path.exists():
        return None
    with path.open("rb") as file:
        return read(TABLES[name], file, path=path)


def _input_gates(frame: pd.DataFrame, study: Study) -> list[Gate]:
    missing = missing_gate(frame, study.fidelity.max_missing_share)
    return [mismatch_gate(frame), missing, enough_objects_gate(frame)]
