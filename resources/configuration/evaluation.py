"""The `evaluation` section of the configuration: datasets, what their columns mean, gates, resamples."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from analysis.resampling.bootstrap import Resampling
from resources.configuration.limits import MOST_RESAMPLES
from resources.configuration.section import Section
from resources.configuration.verdict import EvaluationVerdict

MappingFunction = Literal["logistic_4", "logistic_5", "cubic"]


class EvaluationGates(Section):
    """What a dataset must reach; a gate without a number is not asked."""

    min_srcc: float | None = Field(None, ge=-1, le=1)
    min_accuracy: float | None = Field(None, ge=0, le=1)
    max_paper_deviation: float | None = Field(None, ge=0, description="largest difference from the paper's value")


class Dataset(Section):
    """One file of predictions with the truth, or of answers to multiple-choice questions."""

    file: Path | None = None
    kind: Literal["scores", "answers"] | None = None
    prediction: str | None = None
    truth: str | Annotated[tuple[str, ...], Field(min_length=1)] | None = Field(
        None, description="field of the truth, or a list with each person's field: their mean counts, or their majority"
    )
    options: tuple[str, ...] = Field((), description="of every question, in their order, where rows do not name them")
    scale: tuple[float, float] | None = Field(None, description="what people's scores run from and to")
    higher_is_better: bool = True
    same_scale: bool = False
    mapping: MappingFunction = "logistic_4"
    opinion_sd: str | None = Field(None, description="field with the standard deviation of a sample's opinions")
    votes: str | None = Field(None, description="field with the number of opinions behind a sample")
    cluster: str | None = Field(None, description="field whose equal values are one cluster, case ignored")
    group_by: tuple[tuple[str, ...], ...] = ()
    ties: float | None = Field(None, gt=0, lt=1e-3, description="values nearer than this share of their size are one")
    skip_bad_rows: bool = False
    normalise_answers: bool = Field(True, description='read "(B)", "Answer: B" and the like as the option B')
    gates: EvaluationGates = EvaluationGates()

    @model_validator(mode="after")
    def one_kind(self) -> "Dataset":
        """Refuse a scale that does not rise, and options of scores."""
        if self.scale is not None and not self.scale[0] < self.scale[1]:
            raise ValueError(f"scale [{self.scale[0]:g}, {self.scale[1]:g}] must rise")
        if self.options and (self.kind == "scores" or self.scale is not None):
            raise ValueError("options: they are of answers, and `kind: scores` or a `scale` says that it holds scores")
        return self

    @model_validator(mode="after")
    def both_of_the_opinions(self) -> "Dataset":
        """Refuse half of what the noise of opinions is computed from."""
        if (self.opinion_sd is None) != (self.votes is None):
            given, lacking = ("opinion_sd", "votes") if self.votes is None else ("votes", "opinion_sd")
            raise ValueError(f"`{given}` needs `{lacking}` next to it: give both or neither")
        return self


class EvaluationStudy(Section):
    """Study C: how well does a score or a multiple-choice model match the truth?"""

    inbox: Path | None = Field(None, description="each file dropped here is a dataset, named like the file")
    datasets: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.\-]*$")], Dataset] = Field(
        default_factory=dict
    )
    defaults: Dataset = Dataset()
    baseline: Path | None = None
    verdict: EvaluationVerdict = EvaluationVerdict()
    max_unusable_share: float = Field(0.05, ge=0, le=1, description="largest share of rows that cannot be used")
    bootstrap_resamples: int = Field(1000, ge=100, le=MOST_RESAMPLES)
    bca_resamples: int = Field(10_000, ge=100, le=MOST_RESAMPLES)
    confidence: float = Field(0.95, gt=0.5, lt=1)
    workers: int = Field(1, ge=1)
    seed: int = Field(42, ge=0)

    @property
    def resampling(self) -> Resampling:
        """How the study makes intervals."""
        return Resampling(self.seed, self.confidence, self.workers, self.bootstrap_resamples, self.bca_resamples)
