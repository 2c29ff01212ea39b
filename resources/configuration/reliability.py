"""The `reliability` section of the configuration: queries, judges, thresholds, gate, review, recalibration."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, field_validator, model_validator

from analysis.agreement.coefficients import ANCHORS, grades_on
from analysis.agreement.cuts import threshold_below
from analysis.agreement.reliability_gate import KappaLimits
from analysis.resampling.bootstrap import Resampling
from analysis.spelling import one_spelling
from resources.configuration.limits import MOST_RESAMPLES
from resources.configuration.openai_judge import ModelJudge, OpenAIJudge
from resources.configuration.section import Section
from resources.configuration.verdict import VerdictPlan
from resources.errors import UserError, did_you_mean

Share = Annotated[float, Field(ge=0, le=1)]
JudgeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=60)]
PromptVersion = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=60)]
BUILT_IN_PROMPTS = ("v1", "recalibrated_v2")


class EmbeddingJudge(Section):
    """Cosine of sentence embeddings (all-MiniLM-L6-v2, from the package index), calibrated to 0-1: offline."""

    kind: Literal["embedding"]


class LexicalJudge(Section):
    """BM25 over the words that query and document share, calibrated to 0-1: offline."""

    kind: Literal["lexical"]


class RecordedJudge(Section):
    """Scores given earlier: a file with query_id, doc_id, judge, prompt_version, score.

    A judge without a prompt version, such as a person, is the same under each.
    """

    kind: Literal["recorded"]
    path: Path
    scale: tuple[float, float] = Field((0.0, 1.0), description="what its scores run from and to")

    @model_validator(mode="after")
    def a_scale(self) -> "RecordedJudge":
        """Refuse a scale that ends where it begins, or before."""
        if not self.scale[0] < self.scale[1]:
            raise ValueError(f"scale [{self.scale[0]:g}, {self.scale[1]:g}] must rise")
        return self


RelevanceJudge = Annotated[
    EmbeddingJudge | LexicalJudge | RecordedJudge | OpenAIJudge | ModelJudge,
    Field(discriminator="kind"),
]


class SourceTable(Section):
    """A Postgres table with one query a row and a `float[]` of scores for each judge; its address is a secret."""

    url_variable: str = Field("TOUCHSTONE_SOURCE_URL", description="environment variable with the address")
    table: str = "ground_truth"
    documents_table: str | None = Field(None, description="query_id, doc_id, document; numbered where left out")


class ReliabilityGate(Section):
    """When two judges agree well enough to make ground truth; all unitless."""

    min_macro: float = Field(0.70, ge=-1, le=1)
    min_micro: float = Field(0.70, ge=-1, le=1)
    low_kappa: float = Field(0.40, ge=-1, le=1)
    max_low_share: Share = Field(0.30, description="of the queries with a defined kappa")

    @property
    def limits(self) -> KappaLimits:
        """What has to be reached, as the gate takes it."""
        return KappaLimits(self.min_macro, self.min_micro, self.low_kappa, self.max_low_share)


class Review(Section):
    """The tiebreaks by people."""

    high_disagreement: Share = Field(0.4, description="scores further apart than this are in dispute")
    min_reviewed_share: Share = Field(0.20, description="of the disputed queries, before re-validation")
    overlap: Share = Field(0.1, description="of the disputed queries, offered to every reviewer")
    documents_at_a_time: int = Field(5, ge=1, le=50)
    blind: bool = Field(True, description="scores and kappa stay hidden until the reviewer has voted")
    guidelines: Path | None = Field(None, description="text that reviewers can open: what counts as relevant")

    @field_validator("overlap", mode="wrap")
    @classmethod
    def a_share(cls, value: Any, read: ValidatorFunctionWrapHandler) -> float:
        """Refuse what is no share, in words that say which number it is."""
        try:
            return float(read(value))
        except ValidationError:
            raise ValueError("must be a share of the queries from 0 (none) to 1 (all), such as 0.1") from None


class Recalibration(Section):
    """Queries of low kappa judged again under another prompt; `judges` where other ones than before answer it."""

    prompt_version: PromptVersion = "recalibrated_v2"
    judges: dict[JudgeName, RelevanceJudge] = {}
    held_out_share: float = Field(0.5, ge=0, lt=1, description="of those queries; not to be read for a new prompt")


class ReliabilityStudy(Section):
    """Study D: do two judges agree well enough to make ground truth?

    `judges` left out: the scores stand in the input. A judge's labels are score > threshold.
    """

    queries: Path | None = Field(None, description="CSV, JSONL or Parquet: queries, documents, scores where judged")
    postgres: SourceTable | None = None
    columns: dict[str, str] = Field({}, description="our column name to the file's")
    scale: tuple[float, float] = Field((0.0, 1.0), description="what the input's scores run from and to")
    people: tuple[str, ...] = Field((), description="which judges are people; the others are held against them")
    grades: tuple[str, ...] = Field((), description="the input's grades or labels, the least relevant first")
    relevant_from: str | None = Field(None, description="the grade from which a document is relevant")
    judges: dict[JudgeName, RelevanceJudge] = {}
    calibration: Path | None = Field(None, description="query, document, relevance 0-1; for the offline judges")
    prompt_version: PromptVersion = "v1"
    prompts: dict[PromptVersion, Path] = Field({}, description="your own prompts by version")
    prompt_scales: dict[PromptVersion, tuple[float, float]] = Field(
        {}, description="what an own prompt asks its answers to run from and to, where that is not 0-1"
    )
    threshold: Share = 0.5
    thresholds: dict[JudgeName, Share] = Field({}, description="thresholds of single judges")
    max_incomplete_share: Share = Field(0.05, description="documents that not every judge has scored")
    gate: ReliabilityGate = ReliabilityGate()
    review: Review = Review()
    recalibration: Recalibration = Recalibration()
    verdict: VerdictPlan = VerdictPlan()
    bootstrap_resamples: int = Field(1000, ge=100, le=MOST_RESAMPLES)
    confidence: float = Field(0.95, gt=0.5, lt=1)
    seed: int = Field(20260101, ge=0)

    @property
    def resampling(self) -> Resampling:
        """How the study makes intervals."""
        return Resampling(self.seed, self.confidence)

    @model_validator(mode="after")
    def one_input(self) -> "ReliabilityStudy":
        """Refuse none and two."""
        if (self.queries is None) == (self.postgres is None):
            raise ValueError("name the input once: `queries:` for a file or `postgres:` for a table")
        return self

    @model_validator(mode="after")
    def a_scale(self) -> "ReliabilityStudy":
        """Refuse a scale that ends where it begins, or before."""
        for key, (low, high) in {"scale": self.scale, **self.prompt_scales}.items():
            if not low < high:
                raise ValueError(f"{'' if key == 'scale' else 'prompt_scales: '}{key} [{low:g}, {high:g}] must rise")
        return self

    @field_validator("grades", "relevant_from", mode="before")
    @classmethod
    def as_text(cls, value: Any) -> Any:
        """Grades that are numbers are labels too; what YAML takes for true or false is no longer the word it was."""
        if any(isinstance(one, bool) for one in (value if isinstance(value, list | tuple) else (value,))):
            raise ValueError("YAML reads yes, no, true and false as truth values; put such words into quotes")
        if isinstance(value, list | tuple):
            return tuple(f"{one:g}" if isinstance(one, int | float) else one for one in value)
        return f"{value:g}" if isinstance(value, int | float) else value

    @model_validator(mode="after")
    def grades_that_fit(self) -> "ReliabilityStudy":
        """Refuse one grade, two that are alike, a scale next to grades, and a cut that is none of them."""
        if self.relevant_from is not None and not self.grades:
            raise ValueError("relevant_from: it is one of `grades`, which are not named")
        if not self.grades:
            return self
        if len(self.grades) < 2 or len({one_spelling(one) for one in self.grades}) < len(self.grades):
            raise ValueError("grades: name at least two that differ in more than letter case, the least relevant first")
        if self.scale != (0.0, 1.0):
            raise ValueError("grades: they are the scale; leave `scale` out")
        if self.relevant_from is not None and self.relevant_from not in self.grades[1:]:
            near = did_you_mean(self.relevant_from, self.grades)
            raise ValueError(f"relevant_from '{self.relevant_from}' is none of the grades above the lowest{near}")
        return self

    @model_validator(mode="after")
    def judges_that_fit(self) -> "ReliabilityStudy":
        """Refuse one judge, names that differ only in letter case, and offline judges without a calibration."""
        if len(self.judges) == 1:
            raise ValueError("agreement takes two judges or more; `judges` names one")
        for names in (self.judges, self.recalibration.judges):
            if len({name.lower() for name in names}) < len(names):
                raise ValueError("two judges differ only in the case of their letters")
        for key, named in (
            ("recalibration.judges", self.recalibration.judges),
            ("thresholds", self.thresholds),
            ("people", self.people),
        ):
            if self.judges and (strange := [name for name in named if name not in self.judges]):
                raise ValueError(f"{key}: there is no judge '{strange[0]}'{did_you_mean(strange[0], self.judges)}")
        asked = [*self.judges.values(), *self.recalibration.judges.values()]
        if self.calibration is None and any(isinstance(one, EmbeddingJudge | LexicalJudge) for one in asked):
            raise ValueError(
                "the judges `embedding` and `lexical` need `calibration`: a file with query, document, relevance 0-1"
            )
        return self

    @property
    def asks_embedding(self) -> bool:
        """Whether a judge here runs a model on this machine."""
        judges = [*self.judges.values(), *self.recalibration.judges.values()]
        return any(isinstance(judge, EmbeddingJudge) for judge in judges)

    @model_validator(mode="after")
    def no_own_task(self) -> "ReliabilityStudy":
        """Refuse a judge that brings a task of study A."""
        for name, judge in [*self.judges.items(), *self.recalibration.judges.items()]:
            if isinstance(judge, ModelJudge) and judge.task is not None:
                raise ValueError(f"judges: '{name}' has a `task`; study D's own prompts are named under `prompts`")
        return self

    @model_validator(mode="after")
    def prompts_that_exist(self) -> "ReliabilityStudy":
        """Refuse a prompt of a model that is neither built in nor named, and one version for two prompts."""
        known = [*BUILT_IN_PROMPTS, *self.prompts]
        for where, version, judges in (
            ("prompt_version", self.prompt_version, self.judges),
            (
                "recalibration.prompt_version",
                self.recalibration.prompt_version,
                self.recalibration.judges or self.judges,
            ),
        ):
            asks_a_model = any(isinstance(one, OpenAIJudge) for one in judges.values())
            if asks_a_model and version not in known:
                raise ValueError(
                    f"{where} '{version}' is no prompt{did_you_mean(version, known)}; name its file in `prompts`"
                )
        if self.recalibration.prompt_version == self.prompt_version:
            raise ValueError("recalibration.prompt_version must be another than prompt_version")
        if taken := set(self.prompts) & set(BUILT_IN_PROMPTS):
            raise ValueError(f"prompts: {sorted(taken)} are built in; give your own another version")
        if strange := [name for name in self.prompt_scales if name not in self.prompts]:
            near = did_you_mean(strange[0], self.prompts)
            raise ValueError(
                f"prompt_scales: '{strange[0]}' is no prompt of your own{near}; name its file in `prompts`"
            )
        return self

    @property
    def anchors(self) -> tuple[float, ...]:
        """Where the bins of weighted kappa and its like are on 0-1: the grades, or the usual ones of scores."""
        return grades_on(len(self.grades)) if self.grades else ANCHORS

    def threshold_of(self, judge: str) -> float:
        """The threshold above which this judge's score says relevant."""
        if self.relevant_from is not None and judge not in self.thresholds:
            return threshold_below(self.grades.index(self.relevant_from), len(self.grades))
        return self.thresholds.get(judge, self.threshold)

    def people_among(self, judges: Sequence[str]) -> tuple[str, ...]:
        """Those of the judges who are people, as the input spells them.

        Raises:
            UserError: One who is named as a person is none of the judges.
        """
        found, spelled = [], {one_spelling(one): one for one in judges}
        for name in self.people:
            own = spelled.get(one_spelling(name))
            if own is None:
                raise UserError(
                    f"reliability.people: there is no judge '{name}'{did_you_mean(name, judges)}; the judges are "
                    f"{', '.join(judges)}. Correct it in touchstone.yaml."
                )
            found.append(own)
        return tuple(dict.fromkeys(found))

    def thresholds_of(self, judges: Sequence[str]) -> dict[str, float]:
        """Each judge's threshold.

        Raises:
            UserError: One is set for a judge that is none of these.
        """
        for name in self.thresholds:
            if name not in judges:
                raise UserError(
                    f"reliability.thresholds: there is no judge '{name}'{did_you_mean(name, judges)}; the judges are "
                    f"{', '.join(judges)}. Correct it in touchstone.yaml."
                )
        return {judge: self.threshold_of(judge) for judge in judges}
