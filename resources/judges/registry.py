"""Which judge the configuration asks for."""

from collections.abc import Sequence

from resources.configuration.fidelity import FidelityStudy, LocalJudge, ReplayJudge
from resources.configuration.openai_judge import OpenAIJudge
from resources.judges.contract import Judge, JudgedObject


def judge_of(study: FidelityStudy, objects: Sequence[JudgedObject]) -> Judge:
    """The judge that a study's configuration names, ready to be asked about these objects.

    Raises:
        UserError: The judge cannot be opened: its recording is missing or wrong, or it has no model or address.
    """
    # Imported here: each judge brings libraries that the others do not need.
    match study.judge:
        case LocalJudge():
            from resources.judges import local

            return local.LocalJudge(study.judge, study.rubric_weights)
        case ReplayJudge():
            from resources.judges import replay

            return replay.open_replay(study.judge.path, objects, study.judge.scale)
        case OpenAIJudge():
            from resources.judges import openai_judge
            from resources.judges.openai.access import access_of

            return openai_judge.model_judge_of(study.judge, study.rubric_weights, access_of(study.judge))
