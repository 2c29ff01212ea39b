"""The judges that need no network: something measured on query and document, and a curve from it to relevance."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from resources.judges.contract import JudgeIdentity
from resources.judges.relevance.calibration import Calibration, fitted_curve
from resources.judges.relevance.documents import AskedDocument, Judged
from resources.judges.relevance.prompts import RUBRIC_VERSION


class Measure(NamedTuple):
    """What was measured, unitless, and what a person should know of it."""

    value: float
    message: str | None = None


class Text(NamedTuple):
    """A query and one of its documents; `group` is the same for all documents of a query."""

    group: str
    query: str
    document: str


class Measures(Protocol):
    """Something measured on texts, higher where they belong together."""

    @property
    def model(self) -> str:
        """Its name."""
        ...

    @property
    def code_version(self) -> str:
        """Another version may measure another value."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the values depend on."""
        ...

    def measure(self, texts: Sequence[Text]) -> list[Measure]:
        """One for each, in order; all documents of a query are there."""
        ...


class OfflineJudge:
    """Scores documents at once and always the same; it reads no prompt, so that its `prompt_hash` is empty."""

    def __init__(self, name: str, kind: str, measures: Measures, calibration: Calibration) -> None:
        """Fit the curve.

        Raises:
            UserError: The calibration does not fix a rising curve.
        """
        self._name, self._measures = name, measures
        examples = [Text(example.query, example.query, example.document) for example in calibration.examples]
        self.curve = fitted_curve(name, calibration, [one.value for one in measures.measure(examples)])
        self.identity = JudgeIdentity(
            judge=kind,
            model=measures.model,
            rubric_version=RUBRIC_VERSION,
            code_version=measures.code_version,
            parameters={**measures.parameters, "calibration_sha256": calibration.digest},
        )

    def judged(self, asked: Sequence[AskedDocument], prompt_version: str) -> list[Judged]:
        """The judgment of each document, in order; whole queries at a time."""
        measured = self._measures.measure([Text(one.query_id, one.query, one.text) for one in asked])
        now = datetime.now(UTC)
        return [
            Judged.without_prompt(
                one,
                judge=self._name,
                judge_identity=self.identity.digest,
                prompt_version=prompt_version,
                judged_at=now,
                score=self.curve.relevance(measure.value),
                measured=measure.value,
                message=measure.message,
            )
            for one, measure in zip(asked, measured, strict=True)
        ]
