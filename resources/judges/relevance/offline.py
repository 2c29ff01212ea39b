"""The judges that need no network: something measured on query and document, and a curve from it to relevance."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from analysis.words import count_noun, noun
from resources.errors import FileFault, UserError, listing
from resources.judges.contract import JudgeIdentity
from resources.judges.relevance.documents import AskedDocument, Judged, JudgedBy
from resources.judges.relevance.prompts import RUBRIC_VERSION
from resources.judges.relevance.recorded import ScoredColumns, scored_rows

COLUMNS: Final = ("query", "document")
RELEVANCE: Final = "relevance"
FEWEST_ROWS: Final = 10


class Example(NamedTuple):
    """A query, a document, and its true relevance on 0-1."""

    query: str
    document: str
    relevance: float


@dataclass(frozen=True)
class Calibration:
    """The examples of one file; `digest` is the SHA-256 of what they say, whatever the file's form and order."""

    file: str
    examples: tuple[Example, ...]

    @property
    def digest(self) -> str:
        """In hex."""
        return hashlib.sha256(json.dumps(sorted(self.examples)).encode()).hexdigest()

    def refuse_evaluated(self, asked: Iterable[AskedDocument]) -> None:
        """Keep apart what is fitted on and what is evaluated.

        Raises:
            UserError: A query of the study is among the examples, whatever its case and spaces.
        """
        examples = {_plain(example.query) for example in self.examples}
        both = dict.fromkeys(one.query_id for one in asked if _plain(one.query) in examples)
        if both:
            verb = noun(len(both), "is", "are")
            raise UserError(
                f"{self.file}: {len(both)} of its queries {verb} evaluated too: {listing(both)} (query_id). A judge "
                "would be measured on what it was fitted on. Remove them from one of the two files; nothing was "
                "changed."
            )


def read_calibration(path: Path) -> Calibration:
    """The examples in a file with the columns query, document and relevance.

    Raises:
        FileFault: The file cannot be read, lacks a column, or has too few examples or only one relevance.
        FileFaults: Several rows are wrong.
    """
    rows = scored_rows(path, ScoredColumns(COLUMNS, RELEVANCE), score_may_be_missing=False)
    examples = tuple(Example(row.texts[0], row.texts[1], row.score) for row in rows if row.score is not None)
    if len(examples) < FEWEST_ROWS:
        raise FileFault(
            path,
            f"{count_noun(len(examples), 'example')} {noun(len(examples), 'does', 'do')} not fix a curve.",
            f"Give {FEWEST_ROWS}, better some dozens.",
        )
    if len({example.relevance for example in examples}) == 1:
        raise FileFault(
            path,
            f"every example has the relevance {examples[0].relevance:g}.",
            "Give documents that are relevant and documents that are not.",
        )
    return Calibration(Path(path).name, examples)


@dataclass(frozen=True)
class Curve:
    """A logistic curve that rises with the judge's measure; both parameters unitless."""

    slope: float
    intercept: float

    def relevance(self, measure: float) -> float:
        """On 0-1."""
        return float(1 / (1 + math.exp(-max(-700.0, min(700.0, self.slope * measure + self.intercept)))))


def fitted_curve(judge: str, calibration: Calibration, measures: Sequence[float]) -> Curve:
    """The curve nearest to the examples.

    Logistic and not isotonic: steps would give many documents one score, and order within a step would be lost. The
    slope is held back a little (an L2 penalty of half its square, on standardised measures), so that examples that a
    threshold separates do not make it infinite.

    Args:
        judge: Its name, for messages.
        calibration: The examples.
        measures: Shape ``(n,)``: what the judge measured on each, in order.

    Raises:
        UserError: The measure is the same on all examples, or does not rise with relevance.

    Source:
        Platt (1999), with relevance as the share of a positive outcome in place of labels.
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    measured = np.asarray(measures, dtype=float)
    relevance = np.asarray([example.relevance for example in calibration.examples])
    mean, spread = measured.mean(), measured.std()
    if spread < 1e-9:
        raise UserError(
            f"{calibration.file}: judge '{judge}' measures {mean:.3f} on every example, so that nothing can be fitted. "
            "Give examples in which documents share words with their query and others that do not; nothing was changed."
        )
    standardised = ((measured - mean) / spread).reshape(-1, 1)
    # Each example is a positive outcome with a weight of its relevance, and a negative one with the rest.
    fit = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(
        np.vstack([standardised, standardised]),
        np.repeat([1, 0], len(relevance)),
        sample_weight=np.concatenate([relevance, 1 - relevance]),
    )
    steepness = float(fit.coef_[0, 0])
    if steepness <= 0:
        raise UserError(
            f"{calibration.file}: what judge '{judge}' measures does not rise with `relevance` in the examples. See "
            "whether the column holds relevance from 0 (none) to 1; nothing was changed."
        )
    return Curve(steepness / float(spread), float(fit.intercept_[0]) - steepness * float(mean) / float(spread))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


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
        by = JudgedBy(self._name, self.identity.digest, prompt_version, datetime.now(UTC))
        return [
            Judged.without_prompt(
                one,
                by,
                score=self.curve.relevance(measure.value),
                measured=measure.value,
                message=measure.message,
            )
            for one, measure in zip(asked, measured, strict=True)
        ]
