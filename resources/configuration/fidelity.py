"""The `fidelity` section of the configuration: inputs, judge, settings, repeats, thresholds, seeds."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from resources.configuration.golden import GoldenSet
from resources.configuration.grid import Setting, setting_from_key
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.recommendation import Anchor, Recommendation
from resources.configuration.section import Section
from resources.configuration.weights import Weights
from resources.errors import UserError

Share = Annotated[float, Field(ge=0, le=1)]
ALGORITHMS = (
    "hunyuan3d_v2_single",
    "hunyuan3d_v2p1_single",
    "rodin_multi",
    "trellis_multi_multidiffusion",
    "trellis_multi_stochastic",
    "trellis_single",
    "tripo3d_v2p5_multi",
    "tripo3d_v2p5_single",
    "triposr_single",
)


class HumanScoreColumns(Section):
    """Column names of the human-score file."""

    filename: str = "3D Object filename"
    score: str = "Visual Fidelity"
    annotator: str = "annotator"


class RubricWeights(Weights):
    """Weights of the four sub-scores; they are divided by their sum."""

    color_palette: float = Field(40, ge=0)
    material_finish: float = Field(25, ge=0)
    texture_identity: float = Field(15, ge=0)
    texture_scale_placement: float = Field(20, ge=0)


class LocalJudge(Section):
    """The appearance judge that needs no network and no weights: a baseline."""

    kind: Literal["local"] = "local"
    image_side_px: int = Field(512, ge=64, le=4096)
    workers: int | None = Field(None, ge=1, description="threads; all cores when left out")


class ReplayJudge(Section):
    """Answers from recorded calls: a JSONL file of ledger rows, or a VFScore `llm_calls/{model}` folder."""

    kind: Literal["replay"]
    path: Path


class SettingsGrid(Section):
    """The baseline plus every temperature with every top_p."""

    baseline_temperature: float = Field(0.0, ge=0, le=2)
    baseline_top_p: float = Field(1.0, gt=0, le=1)
    temperatures: tuple[Annotated[float, Field(ge=0, le=2)], ...] = (0.2, 0.5, 0.8)
    top_ps: tuple[Annotated[float, Field(gt=0, le=1)], ...] = (1.0, 0.95, 0.9)

    @model_validator(mode="after")
    def keys_read_back(self) -> "SettingsGrid":
        """Refuse numbers whose partition key would not name them, such as 0.00001."""
        for setting in self.settings:
            try:
                same = setting_from_key(setting.key) == setting
            except UserError:
                same = False
            if not same:
                raise ValueError(f"setting {setting.key} has no plain decimal key; round the number")
        return self

    @property
    def baseline(self) -> Setting:
        """The setting that the others are held against."""
        return Setting(self.baseline_temperature, self.baseline_top_p)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Every setting once, the baseline first."""
        grid = [Setting(temperature, top_p) for temperature in self.temperatures for top_p in self.top_ps]
        return tuple(dict.fromkeys([self.baseline, *grid]))


class FidelityThresholds(Section):
    """What the quality gates ask for: all unitless, scores on 0-1."""

    icc: float = Field(0.85, ge=-1, le=1)
    median_mad: Share = 0.05
    ci_half_width: float = Field(0.02, gt=0, le=1)
    spearman: float = Field(0.7, ge=-1, le=1)
    mae: Share = 0.10
    rmse: Share = 0.15
    json_validity: Share = 0.98
    effect_size: float = Field(0.8, gt=0)
    stripes_effect_size: float = Field(1.5, gt=0)
    hit_rate: Share = 0.80
    false_alarm_rate: Share = 0.20
    dose_response_r2: Share = 0.6
    stand_in_share: Share = 0.5
    drift_shift: Share = 0.05
    drift_icc: float = Field(0.85, ge=-1, le=1)


class FidelityStudy(Section):
    """Study A: is a visual-fidelity judge repeatable and right?"""

    human_scores: Path
    references: Path
    candidates: Path
    catalogue: Path | None = None
    selected_objects: Path | None = None
    columns: HumanScoreColumns = HumanScoreColumns()
    score_max: float = Field(1.0, gt=0)
    algorithms: tuple[str, ...] = ALGORITHMS
    match_by: Literal["object", "item"] = "object"
    annotators: Literal["expert", "skilled", "crowd"] = "expert"
    mismatched_objects: Literal["error", "exclude"] = "error"
    max_missing_share: Share = 0.05
    judge: LocalJudge | ReplayJudge | OpenAIJudge = Field(LocalJudge(), discriminator="kind")
    rubric_weights: RubricWeights = RubricWeights()
    score_source: Literal["stated", "recomputed"] = "stated"
    settings: SettingsGrid = SettingsGrid()
    repeats: int = Field(5, ge=2, le=1000)
    minimum_repeats: int = Field(3, ge=2)
    max_incomplete_share: Share = Field(0.05, description="objects of a setting with fewer valid repeats than that")
    aggregate: Literal["mean", "median"] = "mean"
    thresholds: FidelityThresholds = FidelityThresholds()
    recommendation: Recommendation = Recommendation()
    golden: GoldenSet = GoldenSet()
    anchor: Anchor = Anchor()
    bootstrap_resamples: int = Field(1000, ge=100)
    confidence: float = Field(0.95, gt=0.5, lt=1)
    seed: int = Field(20260101, ge=0)

    @model_validator(mode="after")
    def enough_planned(self) -> "FidelityStudy":
        """Refuse a plan that cannot meet its own minimum."""
        if self.minimum_repeats > self.repeats:
            raise ValueError(f"minimum_repeats {self.minimum_repeats} is above repeats {self.repeats}")
        return self

    @model_validator(mode="after")
    def settings_that_exist(self) -> "FidelityStudy":
        """Refuse a golden set or an anchor at a setting that the study does not have."""
        known = [setting.key for setting in self.settings.settings]
        for section, key in (("golden", self.golden.setting), ("anchor", self.anchor.setting)):
            if key is not None and key not in known:
                raise ValueError(f"{section}.setting '{key}' is none of the study's settings: {', '.join(known)}")
        return self
