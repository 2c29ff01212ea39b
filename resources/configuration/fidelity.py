"""The `fidelity` section of the configuration: inputs, judge, settings, repeats, thresholds, seeds."""

from collections.abc import Collection
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from analysis.resampling.bootstrap import Resampling
from resources.configuration.limits import MOST_RESAMPLES
from resources.configuration.openai_judge import ModelJudge, OpenAIJudge
from resources.configuration.reliability import JudgeName
from resources.configuration.section import Section
from resources.configuration.settings import AT, SettingsGrid, setting_from_key
from resources.configuration.task import Shows
from resources.configuration.verdict import FidelityVerdict

Part = Annotated[float, Field(gt=0, lt=1)]
Larger = Annotated[float, Field(gt=1)]
Amount = Annotated[float, Field(gt=0)]
HexColour = Annotated[str, Field(pattern=r"^#[0-9A-Fa-f]{6}$")]
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


class Weights(Section):
    """Weights of parts, each 0 or more; only their proportions count."""

    @model_validator(mode="after")
    def some_weight(self) -> "Weights":
        """Refuse weights that sum to nothing, or to more than a number holds."""
        if not 0 < sum(self.model_dump().values()) < inf:
            raise ValueError("at least one weight must be above 0, and their sum finite")
        return self

    @property
    def shares(self) -> dict[str, float]:
        """Each part's share by name; they sum to 1."""
        weights = self.model_dump()
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}


class RecommendationWeights(Weights):
    """Weights of the four parts of a setting's score; they are divided by their sum."""

    icc: float = Field(0.25, ge=0)
    json_validity: float = Field(0.25, ge=0)
    human: float = Field(0.25, ge=0)
    mad: float = Field(0.25, ge=0)


class Recommendation(Section):
    """How a setting is chosen among those that keep the thresholds.

    `split` chooses on one random half of the products and reports from the other, `optimism` uses all of them and takes
    off by how much the best of several looks better than it is. `auto` splits from `fewest_products_to_split` on.
    """

    weights: RecommendationWeights = RecommendationWeights()
    method: Literal["auto", "split", "optimism"] = "auto"
    fewest_products_to_split: int = Field(12, ge=4)


class Stopping(Section):
    """No object is asked again once the half-width of its mean, over all planned looks, is at most `ci_half_width`."""

    at_least: int = Field(3, ge=3, description="repeats that every object gets")
    stop: Literal["half_width"] = "half_width"


class Anchor(Section):
    """A pinned set of objects that is judged again now and then, so that a judge that drifts is seen."""

    n_objects: int = Field(10, ge=3)
    setting: str | None = Field(None, description="left out: as for the golden set")


class Stripes(Section):
    """Diagonal bands across the object."""

    colours: tuple[HexColour, HexColour] = ("#FF00FF", "#FFFF00")
    bands: int = Field(7, ge=2, le=99)
    blend: Literal["multiply", "overlay", "normal"] = "multiply"
    opacities: tuple[Part, ...] = (0.3, 0.5, 0.7)
    shaded_opacities: tuple[Part, ...] = (0.7,)


class GoldenSet(Section):
    """Controlled alterations of the candidate, on the object only; an empty list leaves a kind out.

    `items` names the items; left out, `n_items` are drawn among products that did not choose the setting. `setting` is
    the one at which they are judged; left out, the recommended one, else the nearest, else the baseline. `pairs` is a
    file of the user's own altered images or texts, which are judged too.
    """

    n_items: int = Field(10, ge=2)
    items: tuple[str, ...] | None = None
    pairs: Path | None = Field(None, description="file of own pairs: object, altered, kind, and what is expected")
    setting: str | None = None
    stripes: Stripes = Stripes()
    hue_degrees: tuple[Amount, ...] = (5, 10, 20, 40)
    saturation: tuple[Part, ...] = (0.75, 0.5, 0.25)
    brightness: tuple[Part, ...] = (0.9, 0.75, 0.6)
    blur_px: tuple[Amount, ...] = Field((1, 2, 4), description="sigma in pixels on an image of 512 px")
    texture_scale: tuple[Larger, ...] = (1.25, 1.5, 2)
    logo_share: tuple[Part, ...] = Field((0.05, 0.1, 0.2), description="share of the object that the patch covers")
    same_tolerance: float = Field(0.05, gt=0, lt=1, description="scores nearer than this count as the same")


def refuse_falling(scale: tuple[float, float] | None) -> None:
    """Refuse a scale that ends where it begins, or before.

    Raises:
        ValueError: It does.
    """
    if scale is not None and not scale[0] < scale[1]:
        raise ValueError(f"scale [{scale[0]:g}, {scale[1]:g}] must rise")


class HumanScoreColumns(Section):
    """Column names of the human-score file."""

    filename: str = "3D Object filename"
    score: str = "Visual Fidelity"
    annotator: str = "annotator"


class Texts(Section):
    """Objects that are texts, such as a chat model's answers; they take the place of photos and renders.

    `columns` gives the file's names of `id`, `query`, `document`, `group` (what is one cluster; the query where
    there is none) and `source` (who wrote it). `scale` is what people's scores run from and to.
    """

    file: Path
    columns: dict[Literal["id", "query", "document", "group", "source"], str] = {}
    scale: tuple[float, float] = (0.0, 1.0)

    @property
    def columns_by_name(self) -> dict[str, str]:
        """The file's name of every column."""
        return {name: self.columns.get(name, name) for name in ("id", "query", "document", "group", "source")}

    @model_validator(mode="after")
    def a_scale(self) -> "Texts":
        """Refuse a scale that ends where it begins, or before."""
        refuse_falling(self.scale)
        return self


MANIFEST_COLUMNS = ("candidate", "references", "group", "rater", "score", "source")
TEXT = "text"


class Manifest(Section):
    """One file with a row for each rating, which names render and photos by any names in any common image format.

    `columns` gives the file's names of `candidate`, `references`, `score` and, where there are such, `group` (what is
    one cluster; what the photos show where there is none), `rater` and `source` (what made the render). A `text`
    that goes with the render, such as the words that it was made from, is read where `columns` names it. Images are
    looked for below `candidates` and `references`, where the study names them, and below the file's own folder.
    """

    file: Path
    columns: dict[Literal["candidate", "references", "group", "rater", "score", "source", "text"], str] = {}

    @property
    def columns_by_name(self) -> dict[str, str]:
        """The file's name of every column, that of texts where it is given."""
        return {name: name for name in MANIFEST_COLUMNS} | dict(self.columns)


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
    """Answers from recorded calls: a JSONL file of ledger rows, or a VFScore `llm_calls/{model}` folder.

    With a `scale` the rows hold a `score` on it, without sub-scores and answer.
    """

    kind: Literal["replay"]
    path: Path
    scale: tuple[float, float] | None = None

    @model_validator(mode="after")
    def a_scale(self) -> "ReplayJudge":
        """Refuse a scale that ends where it begins, or before."""
        refuse_falling(self.scale)
        return self


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


FidelityJudge = Annotated[LocalJudge | ReplayJudge | OpenAIJudge | ModelJudge, Field(discriminator="kind")]


def shown_to(judge: FidelityJudge) -> Shows:
    """What a judge sees of an object."""
    return judge.task.shows if isinstance(judge, ModelJudge) and judge.task is not None else "images"


class FidelityStudy(Section):
    """Study A: is a visual-fidelity judge repeatable and right?

    `judges` are several to compare, `judge` is then the first of them; `settings_of` has settings of single judges.
    """

    human_scores: Path
    references: Path
    candidates: Path
    manifest: Manifest | None = Field(None, description="one file that names renders, photos, raters and scores")
    texts: Texts | None = Field(None, description="what is judged where it is text; then no images are needed")
    catalogue: Path | None = None
    selected_objects: Path | None = None
    columns: HumanScoreColumns = HumanScoreColumns()
    score_max: float = Field(1.0, gt=0)
    scale: tuple[float, float] | None = Field(None, description="what people's scores run from and to; score_max else")
    algorithms: tuple[str, ...] = ALGORITHMS
    match_by: Literal["object", "item"] = "object"
    annotators: Literal["expert", "skilled", "crowd"] = "expert"
    mismatched_objects: Literal["error", "exclude"] = "error"
    max_missing_share: Share = 0.05
    judge: FidelityJudge = LocalJudge()
    judges: dict[JudgeName, FidelityJudge] = Field({}, description="several to compare, by name")
    rubric_weights: RubricWeights = RubricWeights()
    score_source: Literal["stated", "recomputed"] = "stated"
    settings: SettingsGrid = SettingsGrid()
    settings_of: dict[JudgeName, SettingsGrid] = Field({}, description="by judge, where they are not `settings`")
    repeats: int = Field(5, ge=2, le=1000, description="or {at_least: 3, at_most: 10, stop: half_width}")
    stopping: Stopping | None = Field(None, description="filled in from `repeats`")
    minimum_repeats: int = Field(3, ge=2)
    max_incomplete_share: Share = Field(0.05, description="objects of a setting with fewer valid repeats than that")
    aggregate: Literal["mean", "median"] = "mean"
    pass_score: Share = Field(0.5, description="an object that people score at least this passes")
    thresholds: FidelityThresholds = FidelityThresholds()
    recommendation: Recommendation = Recommendation()
    verdict: FidelityVerdict = FidelityVerdict()
    golden: GoldenSet = GoldenSet()
    anchor: Anchor = Anchor()
    bootstrap_resamples: int = Field(1000, ge=100, le=MOST_RESAMPLES)
    confidence: float = Field(0.95, gt=0.5, lt=1)
    seed: int = Field(20260101, ge=0)

    @property
    def resampling(self) -> Resampling:
        """How the study makes intervals."""
        return Resampling(self.seed, self.confidence)

    @property
    def partition_keys(self) -> list[str]:
        """The partition keys: each judge's settings, its baseline first."""
        return [key for _, keys in self.by_judge() for key in keys]

    def by_judge(self, chosen: Collection[str] = ()) -> list[tuple["FidelityStudy", list[str]]]:
        """For each judge the plan with it alone, and its partition keys; with `chosen` those and their judges only."""
        plans = {f"{name}{AT}": self._alone(name) for name in self.judges} or {"": self}
        found = [(plan, [f"{of}{setting.key}" for setting in plan.settings.settings]) for of, plan in plans.items()]
        kept = [(plan, [key for key in keys if not chosen or key in chosen]) for plan, keys in found]
        return [(plan, keys) for plan, keys in kept if keys]

    def asking(self, key: str) -> "FidelityStudy":
        """The plan with the judge of a partition key alone."""
        return self._alone(key.rpartition(AT)[0]) if self.judges else self

    def _alone(self, name: str) -> "FidelityStudy":
        own = {"judge": self.judges[name], "settings": self.settings_of.get(name, self.settings)}
        return self.model_copy(update=own | {"judges": {}, "settings_of": {}})

    @property
    def judge_name(self) -> str:
        """How the configuration calls the judge: its name in the list, else its kind; of several all names."""
        if self.judges:
            return ", ".join(self.judges)
        return (self.judge.name if isinstance(self.judge, ModelJudge) else None) or self.judge.kind

    @property
    def subscores(self) -> tuple[str, ...]:
        """The names of the sub-scores in answers, of any judge; none where answers are one number or label."""
        found: dict[str, None] = {}
        for judge in self.judges.values() or [self.judge]:
            if isinstance(judge, ModelJudge) and judge.task is not None:
                found |= dict.fromkeys(judge.task.rubric)
            elif not isinstance(judge, ReplayJudge) or judge.scale is None:
                found |= dict.fromkeys(RubricWeights.model_fields)
        return tuple(found)

    @property
    def unread_text(self) -> str | None:
        """The manifest's column of texts, where the judge is shown images alone."""
        column = self.manifest.columns_by_name.get(TEXT) if self.manifest else None
        return None if shown_to(self.judge) == "both" else column

    @property
    def people_scale(self) -> tuple[float, float]:
        """What people's scores run from and to."""
        return self.scale or (self.texts.scale if self.texts else (0.0, self.score_max))

    @model_validator(mode="before")
    @classmethod
    def manifest_alone(cls, values: Any) -> Any:
        """A manifest holds people's scores, and says which photos and renders there are."""
        if not isinstance(values, dict) or not isinstance(values.get("manifest"), dict | Manifest):
            return values
        manifest = values["manifest"]
        if not isinstance(manifest, Manifest):
            if not manifest.get("file"):
                return values
            manifest = Manifest(**manifest)
        names = manifest.columns_by_name
        columns = {"filename": names["candidate"], "score": names["score"], "annotator": names["rater"]}
        taken = dict.fromkeys(("human_scores", "references", "candidates"), manifest.file)
        return taken | {"columns": columns} | values

    @property
    def reliable_repeats(self) -> int:
        """Repeats of whose mean the reliability is said: what every object has, though some may have more."""
        return self.repeats if self.stopping is None else self.stopping.at_least

    @model_validator(mode="before")
    @classmethod
    def repeats_until(cls, values: Any) -> Any:
        """Take `repeats: {at_least: ..., at_most: ..., stop: ...}` apart."""
        if not isinstance(values, dict) or not isinstance(values.get("repeats"), dict):
            return values
        said = dict(values["repeats"])
        if "at_most" not in said:
            raise ValueError("repeats: say how many an object gets `at_most`, such as 10")
        return values | {"repeats": said.pop("at_most"), "stopping": said}

    @model_validator(mode="before")
    @classmethod
    def texts_alone(cls, values: Any) -> Any:
        """Texts need no photos and renders, and their golden set is the user's own; people's scores may be in them."""
        if not isinstance(values, dict) or not isinstance(values.get("texts"), dict | Texts):
            return values
        texts = values["texts"]
        file = texts.file if isinstance(texts, Texts) else texts.get("file")
        taken: dict[str, Any] = {"human_scores": file, "references": file, "candidates": file, "golden": {"items": []}}
        golden = values.get("golden")
        if isinstance(golden, dict) and golden.get("pairs"):
            values = values | {"golden": {"items": [], **golden}}
        return taken | {"columns": {"filename": "id", "score": "score"}} | values

    @model_validator(mode="before")
    @classmethod
    def one_judge_or_several(cls, values: Any) -> Any:
        """The first of several is `judge`; a list of one is the same as `judge`, with the same partition keys."""
        if not isinstance(values, dict) or not isinstance(judges := values.get("judges"), dict) or not judges:
            return values
        names, first, own = list(judges), next(iter(judges.values())), values.get("settings_of") or {}
        if values.get("judge", first) != first:
            raise ValueError("judge and judges: name one judge as `judge`, or several as `judges`, not both")
        if unknown := [name for name in own if name not in judges] if isinstance(own, dict) else []:
            raise ValueError(f"settings_of.{unknown[0]}: `judges` has {', '.join(names)}")
        if len(names) > 1:
            return values | {"judge": first}
        alone = {"judge": first, "judges": {}, "settings_of": {}}
        return values | alone | ({"settings": own[names[0]]} if own else {})

    @model_validator(mode="after")
    def judge_of_texts(self) -> "FidelityStudy":
        """Refuse texts for a judge that looks at images, the other way round, and what there is for images alone."""
        if self.settings_of and not self.judges:
            raise ValueError("settings_of: it is for several `judges`; write `settings`")
        judges = self.judges.values() or [self.judge]
        if any(one.task.object == "pair" for one in judges if isinstance(one, ModelJudge) and one.task):
            raise ValueError("judge: its task says `object: pair`, which is for study B; this study scores one thing")
        shown = {shown_to(one) for one in judges}
        if self.texts is not None and shown != {"text"}:
            raise ValueError("texts: the judge has to be a model of the list `judges` whose `task` says `shows: text`")
        if self.texts is None and "text" in shown:
            raise ValueError("judge: its task says `shows: text`, and the study has no `texts`")
        if "both" in shown and TEXT not in (self.manifest.columns if self.manifest else ()):
            raise ValueError(
                "judge: its task says `shows: both`, and no manifest names a column of texts; write `manifest: "
                "{file: ..., columns: {text: ...}}`"
            )
        if self.texts is not None and self.golden.items != ():
            raise ValueError(
                "golden: the golden set alters renders, and this study judges texts; name altered texts of your own as "
                "`golden.pairs`, without `items`, or leave `golden` out"
            )
        return self

    @model_validator(mode="after")
    def one_way_to_name_objects(self) -> "FidelityStudy":
        """Refuse a manifest next to what says the same in another way, and two scales."""
        refuse_falling(self.scale)
        others = [name for name in ("texts", "catalogue", "selected_objects") if getattr(self, name) is not None]
        if self.manifest is not None and others:
            raise ValueError(f"manifest: it says which objects there are; leave `{others[0]}` out")
        if self.scale is not None and (
            self.score_max != 1.0 or (self.texts and "scale" in self.texts.model_fields_set)
        ):
            raise ValueError("scale: it is given twice; leave `score_max` and `texts.scale` out")
        return self

    @model_validator(mode="after")
    def temperatures_that_are_taken(self) -> "FidelityStudy":
        """Refuse a temperature that the format of the judge's provider does not have."""
        for plan, keys in self.by_judge():
            provider = plan.judge.asked.provider if isinstance(plan.judge, ModelJudge) else None
            hot = next((key for key in keys if setting_from_key(key).temperature > 1), None)
            if provider is not None and provider.wire_format == "anthropic" and hot:
                raise ValueError(f"settings: {hot} has a temperature above 1, which Anthropic's format does not take")
        return self

    @model_validator(mode="after")
    def enough_planned(self) -> "FidelityStudy":
        """Refuse a plan that cannot meet its own minimum."""
        if self.minimum_repeats > self.repeats:
            raise ValueError(f"minimum_repeats {self.minimum_repeats} is above repeats {self.repeats}")
        if self.stopping is not None and not self.minimum_repeats <= self.stopping.at_least < self.repeats:
            raise ValueError(
                f"repeats: at_least {self.stopping.at_least} has to be below at_most {self.repeats}, and "
                f"minimum_repeats {self.minimum_repeats} may not be above it"
            )
        return self

    @model_validator(mode="after")
    def settings_that_exist(self) -> "FidelityStudy":
        """Refuse a golden set or an anchor at a setting that the study does not have."""
        known = self.partition_keys
        for section, key in (("golden", self.golden.setting), ("anchor", self.anchor.setting)):
            if key is not None and key not in known:
                raise ValueError(f"{section}.setting '{key}' is none of the study's settings: {', '.join(known)}")
        return self
