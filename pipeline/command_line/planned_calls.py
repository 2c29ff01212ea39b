"""The calls that a run of the fidelity study would make now, found without making any table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.gates import Gate
from assets.fidelity.judge_calls import judged_objects
from assets.fidelity.study_objects import enough_objects_gate, mismatch_gate, missing_gate, selected_objects
from resources.configuration.grid import Setting
from resources.database.call_queries import ALTERATION_SIGN
from resources.errors import UserError, nearest
from resources.golden_set import alterations_of
from resources.inputs.human_scores import read_human_scores
from resources.inputs.study_objects import find_study_objects
from resources.judges.contract import Call, Judge, JudgedObject
from resources.judges.judging import Judging
from resources.judges.openai.estimate import Planned
from resources.judges.prompt import build_call
from resources.judges.registry import judge_of
from resources.study import Study

GOLDEN_SET = "golden set"


@dataclass(frozen=True)
class PlannedCalls:
    """Calls by setting key, then those of the golden set; `gates` are those of the inputs that would stop the run."""

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
        study: With the judge in force.
        keys: Settings; all where empty.

    Raises:
        UserError: An input file is wrong, the judge cannot be opened, or there is no such setting.
    """
    settings = _chosen(study, keys)
    scores = read_human_scores(study.fidelity).frame
    frame = find_study_objects(scores, selected_objects(study.fidelity), study.fidelity)
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
    golden = _golden_calls(study, judge, frame, objects)
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
            raise UserError(f"The study has no setting '{key}'{nearest(key, known)}. It has {', '.join(known)}.")
    return [known[key] for key in known if not keys or key in keys]


def _example(study: Study, judge: Judge, judged: JudgedObject, setting: Setting) -> Call:
    return build_call(study.name, judged, setting, 1, 1, judge.identity, study.fidelity.rubric_weights)


def _golden_calls(study: Study, judge: Judge, frame: pd.DataFrame, objects: Sequence[JudgedObject]) -> list[Planned]:
    """As many calls as the golden set has images and repeats, about objects like the study's own.

    Which objects are in it is known only when a setting is recommended.
    """
    golden = study.fidelity.golden
    judged_items = set(frame.loc[frame["excluded"].isna(), "item_id"])
    wanted = len(judged_items & set(golden.items)) if golden.items else min(golden.n_items, len(judged_items))
    n_planned = wanted * len(alterations_of(golden)) * study.fidelity.repeats
    known = study.ledger.progress(study.name, judge.identity.digest)
    n_answered = sum(come_to.answered for key, come_to in known.items() if ALTERATION_SIGN in key.object)
    n_open = max(0, n_planned - n_answered)
    if not n_open or not objects:
        return []
    share, rest = divmod(n_open, len(objects))
    setting = study.fidelity.settings.baseline
    numbers = [share + (place < rest) for place in range(len(objects))]
    pairs = zip(objects, numbers, strict=True)
    return [Planned(_example(study, judge, judged, setting), number) for judged, number in pairs if number]


def _input_gates(frame: pd.DataFrame, study: Study) -> list[Gate]:
    missing = missing_gate(frame, study.fidelity.max_missing_share)
    return [mismatch_gate(frame), missing, enough_objects_gate(frame)]
