"""What a study asks a model: the seam between the judge `openai`, which knows servers, and what is judged."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from resources.configuration.openai_judge import OpenAIJudge
from resources.judges.contract import Call, JudgeIdentity


class AnswerSchema(NamedTuple):
    """A name and a JSON schema that a server may hold the answer to."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Remedies:
    """What a person of this study can do about a refusal, in sentences."""

    too_large: str
    temperature: str
    top_p: str
    smaller: str
    run_it_yourself: str


class CallSize(Protocol):
    """What goes with a call's two messages and comes back, for guesses of tokens before it is sent."""

    @property
    def schema_bytes(self) -> int:
        """Of the answer's schema; 0 without one."""
        ...

    @property
    def written_tokens(self) -> int:
        """That an answer has as a rule."""
        ...

    def labels(self, call: Call) -> str:
        """All text next to the two messages."""
        ...

    def n_pictures(self, call: Call) -> int:
        """Pictures that are sent."""
        ...


class Task(Protocol):
    """One study's question; `parts` runs in several threads."""

    @property
    def rubric_version(self) -> str:
        """Another version makes another judge."""
        ...

    @property
    def schema(self) -> AnswerSchema | None:
        """Null where the answer is no JSON."""
        ...

    @property
    def size(self) -> CallSize:
        """For guesses of tokens."""
        ...

    @property
    def remedies(self) -> Remedies:
        """What to do about refusals."""
        ...

    def parameters(self, configuration: OpenAIJudge) -> Mapping[str, Any]:
        """What of the configuration and the question changes an answer; it tells one judge from another."""
        ...

    def smallest(self, identity: JudgeIdentity) -> Call:
        """A call that none is smaller than."""
        ...

    def parts(self, call: Call) -> list[dict[str, Any]]:
        """What the user message holds before its text; a message without parts is plain text.

        Raises:
            UserError: An image is another than the one whose hash was recorded.
            UnreadableImage: An image cannot be read.
        """
        ...
