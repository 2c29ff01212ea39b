"""The judge `openai` of study A: a vision model behind any OpenAI-compatible chat endpoint, paid or one's own."""

import json
from collections.abc import Mapping
from typing import Any, Final

from resources.configuration.fidelity import RubricWeights
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.configuration.settings import Setting
from resources.judges.contract import Attempt, Call, JudgedObject, JudgeIdentity
from resources.judges.openai.access import Access
from resources.judges.openai.chat_judge import ChatJudge
from resources.judges.openai.image_payload import ImagePayload
from resources.judges.openai.limits import APPEARANCE_SIZE, AppearanceSize
from resources.judges.openai.task import AnswerSchema, Remedies
from resources.judges.own_task import OWN_RUBRIC_VERSION, OwnTask, own_task
from resources.judges.prompt import RUBRIC_VERSION, build_call
from resources.tables.call_states import SUBSCORES

# Neither limits nor enumerations: a score of 140 is to be seen, not made impossible.
_NUMBER: Final = {"type": "number"}
SCHEMA: Final = AnswerSchema(
    "appearance_score",
    {
        "type": "object",
        "properties": {
            "item_id": {"type": "string"},
            "subscores": {
                "type": "object",
                "properties": dict.fromkeys(SUBSCORES, _NUMBER),
                "required": list(SUBSCORES),
                "additionalProperties": False,
            },
            "score": _NUMBER,
            "rationale": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["item_id", "subscores", "score", "rationale"],
        "additionalProperties": False,
    },
)
REMEDIES: Final = Remedies(
    too_large="Send smaller images: lower `image_side_px`.",
    temperature="Choose another model, or settings that it takes (`settings:`); models that reason may take a "
    "temperature with `reasoning_effort: none`.",
    top_p="Choose another model, or settings that it takes (`settings:`); `send_neutral_top_p: false` leaves a top_p "
    "of 1 out.",
    smaller="lower image_side_px or max_output_tokens",
    run_it_yourself="Run `touchstone run fidelity` yourself",
)
_NOTHING: Final = JudgedObject("", "", "", "", ("",), ("",))  # no call is smaller than one about it


class Appearance:
    """Images of one object, the rubric, and an answer in JSON."""

    rubric_version = RUBRIC_VERSION
    schema = SCHEMA
    remedies = REMEDIES
    size = APPEARANCE_SIZE

    def __init__(self, configuration: Configuration, weights: RubricWeights) -> None:
        self._weights = weights
        self._images = ImagePayload(configuration.image_side_px, configuration.image_format, configuration.image_detail)

    def parameters(self, configuration: Configuration) -> Mapping[str, Any]:
        """How images are sent, and what the sub-scores weigh."""
        return self._images.parameters | {"rubric_weights": self._weights.shares}

    def smallest(self, identity: JudgeIdentity) -> Call:
        """About an object without a name and with one photo."""
        return build_call(_NOTHING, Attempt("", Setting(0.0, 1.0), identity), self._weights)

    def parts(self, call: Call) -> list[dict[str, Any]]:
        """Photos in order, then the candidate.

        Raises:
            UserError: An image is another than the one whose hash was recorded.
            UnreadableImage: An image cannot be read.
        """
        return self._images.parts(call.shown)


class OwnAppearance:
    """Images of one object, its text or both, within a prompt of the user's own."""

    rubric_version = OWN_RUBRIC_VERSION
    remedies = REMEDIES

    def __init__(self, configuration: Configuration, task: OwnTask) -> None:
        self._task = task
        self._shows_images = task.task.shows != "text"
        self._images = ImagePayload(configuration.image_side_px, configuration.image_format, configuration.image_detail)
        self.schema = None if task.schema is None else AnswerSchema("own_score", task.schema)
        self.size = OwnSize(task)

    def parameters(self, configuration: Configuration) -> Mapping[str, Any]:
        """How images are sent, and the task."""
        return (self._images.parameters if self._shows_images else {}) | {"task": self._task.parameters}

    def smallest(self, identity: JudgeIdentity) -> Call:
        """About an object without a name and with one photo."""
        return self._task.call(_NOTHING, Attempt("", Setting(0.0, 1.0), identity))

    def parts(self, call: Call) -> list[dict[str, Any]]:
        """Photos in order, then the candidate.

        Raises:
            UserError: An image is another than the one whose hash was recorded.
            UnreadableImage: An image cannot be read.
        """
        return self._images.parts(call.shown) if self._shows_images else []


class OwnSize(AppearanceSize):
    """Photos and a candidate, or nothing but text, and an answer of which only the schema is known."""

    def __init__(self, task: OwnTask) -> None:
        self.schema_bytes = len(json.dumps(task.schema)) if task.schema else 0
        self._shows_images = task.task.shows != "text"

    def labels(self, call: Call) -> str:
        """Of photos and candidate."""
        return super().labels(call) if self._shows_images else ""

    def n_pictures(self, call: Call) -> int:
        """Photos and the candidate; a text has none."""
        return super().n_pictures(call) if self._shows_images else 0


def model_judge_of(configuration: Configuration, weights: RubricWeights, access: Access) -> ChatJudge:
    """The model with its own task, or with the built-in one.

    Raises:
        FileFault: The prompt of its own task is missing or wrong.
    """
    if isinstance(configuration, ModelJudge) and configuration.task is not None:
        return ChatJudge(configuration, OwnAppearance(configuration, own_task(configuration.task)), access)
    return OpenAIJudge(configuration, weights, access)


class OpenAIJudge(ChatJudge):
    """Looks at the images of one object and scores its appearance."""

    def __init__(self, configuration: Configuration, weights: RubricWeights, access: Access) -> None:
        super().__init__(configuration, Appearance(configuration, weights), access)
