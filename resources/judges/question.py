"""What study A's judge is asked: the built-in task, or the one that the judge brings."""

from collections.abc import Mapping
from typing import Protocol

from resources.configuration.fidelity import FidelityStudy, ReplayJudge, RubricWeights, shown_to
from resources.configuration.openai_judge import ModelJudge
from resources.inputs.fidelity.golden_pairs import with_altered_texts
from resources.inputs.fidelity.manifest import texts_of_renders
from resources.inputs.fidelity.texts import Text, read_texts
from resources.judges import prompt
from resources.judges.answers import Parsed, parse_answer
from resources.judges.contract import Attempt, Call, JudgedObject
from resources.judges.own_task import OwnTask, of_one_number, own_task


class Question(Protocol):
    """Fills in a prompt for an object, and reads answers; a call follows from its arguments alone."""

    def prompt_hash(self, judged: JudgedObject) -> str:
        """SHA-256 in hex of what is asked about it, without the nonce."""
        ...

    def call(self, judged: JudgedObject, attempt: Attempt) -> Call:
        """One planned call with its messages."""
        ...

    def read(self, raw: str | None, item_id: str) -> Parsed:
        """State and scores of an answer's text."""
        ...


class AppearanceQuestion:
    """The built-in task: four sub-scores on 0-100, weighted."""

    def __init__(self, plan: FidelityStudy) -> None:
        self._weights: RubricWeights = plan.rubric_weights
        self._plan = plan

    def prompt_hash(self, judged: JudgedObject) -> str:
        """Of rubric, context and template."""
        return prompt.prompt_hash(judged, self._weights)

    def call(self, judged: JudgedObject, attempt: Attempt) -> Call:
        """One planned call."""
        return prompt.build_call(judged, attempt, self._weights)

    def read(self, raw: str | None, item_id: str) -> Parsed:
        """By the form that the prompt asks for."""
        return parse_answer(raw, item_id, self._weights, self._plan.score_source)


class RecordedScores(AppearanceQuestion):
    """What was asked is not known: the answers are scores on a scale, without sub-scores."""

    def __init__(self, plan: FidelityStudy, scale: tuple[float, float]) -> None:
        super().__init__(plan)
        self._scale = scale

    def read(self, raw: str | None, item_id: str) -> Parsed:
        """One number."""
        return of_one_number(raw, self._scale)


class OwnQuestion:
    """A task of the user's own."""

    def __init__(self, task: OwnTask, plan: FidelityStudy) -> None:
        self._task, self._plan = task, plan
        self.prompt_hash, self.call = task.prompt_hash, task.call

    def read(self, raw: str | None, item_id: str) -> Parsed:
        """On the task's own scale."""
        return self._task.read(raw, self._plan.score_source)


def question_of(plan: FidelityStudy, texts: Mapping[str, Text] | None = None) -> Question:
    """What the configured judge is asked.

    Args:
        plan: The study.
        texts: What is judged, or goes with its images, by object; that of the study's file where left out.

    Raises:
        FileFault: The prompt of its own task is missing or wrong, or the file of texts is.
    """
    judge = plan.judge
    if isinstance(judge, ModelJudge) and judge.task is not None:
        if texts is None and plan.texts is not None:
            texts = with_altered_texts(read_texts(plan.texts), plan)
        elif texts is None and shown_to(judge) == "both":
            texts = texts_of_renders(plan)
        return OwnQuestion(own_task(judge.task, texts), plan)
    if isinstance(judge, ReplayJudge) and judge.scale is not None:
        return RecordedScores(plan, judge.scale)
    return AppearanceQuestion(plan)
