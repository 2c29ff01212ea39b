"""The `pairwise` section of the configuration: photo pairs with people's votes, images, methods, filter."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from analysis.resampling.bootstrap import Resampling
from resources.configuration.section import Section
from resources.configuration.verdict import PairwiseVerdict
from resources.errors import did_you_mean

Share = Annotated[float, Field(ge=0, le=1)]
MethodName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
RULE_METHODS = (
    "sharpness_only",
    "contrast_only",
    "exposure_only",
    "colorfulness_only",
    "composite_balanced",
    "composite_sharpness_focused",
    "composite_exposure_focused",
)
LEARNED_METHODS = ("vit_base", "clip_probe", "efficientnet_probe")
# Of the CSV of votes: those that decide, and those that are checked or used where they are there.
NEEDED_COLUMNS = ("series_id", "compareID1", "compareID2", "LEFT", "RIGHT")
OPTIONAL_COLUMNS = ("compareFile1", "compareFile2", "Agreement", "MaxVote", "num_reviewers", "Total", "TIES")
DEVICES = r"auto|cpu|mps|cuda(:\d+)?"
RuleMeasure = Literal["sharpness", "contrast", "exposure", "colorfulness"]
Weight = Annotated[float, Field(gt=0)]


class ClipAttribute(Section):
    """A quality as two sentences; the score is cos(image, positive) - cos(image, negative)."""

    name: MethodName
    positive: str = Field(min_length=1)
    negative: str = Field(min_length=1)


ATTRIBUTES = (
    ClipAttribute(
        name="aesthetic_overall",
        positive="a highly aesthetic, visually pleasing, beautiful photograph",
        negative="an unattractive, poorly composed, ugly photograph",
    ),
    ClipAttribute(
        name="composition",
        positive="a well-composed photograph with excellent visual balance",
        negative="a poorly-composed photograph with bad visual balance",
    ),
    ClipAttribute(
        name="subject_placement",
        positive="a photo with the subject well placed in the frame",
        negative="a photo with the subject not well placed in the frame",
    ),
    ClipAttribute(
        name="cropping",
        positive="a photo that is well cropped and shows the complete subject",
        negative="a photo that is poorly cropped or cuts off the subject",
    ),
    ClipAttribute(
        name="sharpness",
        positive="a sharp, in-focus photograph with clear details",
        negative="a blurry, out-of-focus photograph with unclear details",
    ),
    ClipAttribute(
        name="exposure",
        positive="a photo with good exposure and lighting",
        negative="a photo with poor exposure, too dark or too bright",
    ),
    ClipAttribute(
        name="color",
        positive="a photo with vibrant, natural colors",
        negative="a photo with dull, washed out colors",
    ),
)


class ClipModel(Section):
    """The CLIP model; `weights` is a local .safetensors file where the hub's cache has none."""

    architecture: str = "ViT-B-32-quickgelu"
    tag: str = "openai"
    weights: Path | None = None


class VitModel(Section):
    """The ViT whose features the preference head is fitted on; `weights` is a local folder of transformers."""

    repository: str = "google/vit-base-patch16-224"
    weights: Path | None = None


class PairwiseStudy(Section):
    """Study B: which image measure picks the photo that people pick?"""

    pairs_csv: Path
    image_root: Path
    dataset_name: str = Field("phototriage", min_length=1)
    cluster_column: str | None = Field(
        None,
        min_length=1,
        description="column of the CSV with what several series share, such as a scene or a photographer; intervals, "
        "tests and folds keep them together",
    )
    photo_number: Literal["compareID+1", "file"] | Path = Field(
        "compareID+1",
        description="which photo of its series a compareID means: the one of that number plus one, the one that "
        "compareFile1 and compareFile2 name (file), or what a CSV with series_id, compareID and photo says",
    )
    columns: dict[str, str] = Field({}, description="names of the CSV's columns where they differ: ours to the file's")
    orders: Literal["merged", "as_listed"] = "merged"
    min_agreement: Share = 0.7
    min_reviewers: int = Field(2, ge=1)
    sample_size: int | None = Field(None, ge=1, description="so many pairs, drawn by seed; all where left out")
    max_missing_share: Share = 0.05
    clip_model: ClipModel = ClipModel()
    clip_attributes: tuple[ClipAttribute, ...] = ATTRIBUTES
    vit_model: VitModel = VitModel()
    rule_based_methods: tuple[MethodName, ...] = RULE_METHODS
    dl_methods: tuple[MethodName, ...] = LEARNED_METHODS
    composites: dict[MethodName, dict[RuleMeasure, Weight]] = Field({}, description="more mixtures of rule measures")
    own_methods: dict[MethodName, Path] = Field({}, description="method name to a Python file, whose code is run")
    rules_long_side: int | None = Field(None, ge=64, description="fast mode: rules measured at this longer side, px")
    use_bradley_terry: bool = True
    tie_model: Literal["half_wins", "davidson", "rao_kupper"] = Field(
        "half_wins", description="how votes for neither (column TIES) count for strengths"
    )
    separation: Literal["prior", "refuse"] = Field(
        "prior", description="strengths where some photos win every vote against the rest: held by a prior, or refused"
    )
    output_dir: Path | None = None
    features_dir: Path | None = Field(
        None,
        description="where photo features lie, which studies of the same photos may share; in the home if left out",
    )
    save_per_pair_results: bool = True
    save_confusion_matrices: bool = True
    save_ranking_csvs: bool = True
    engine: Literal["local", "ray"] = Field("local", description="who computes image_features: this machine, or Ray")
    device: str = Field("auto", description="what models run on: auto, cpu, cuda, cuda:N or mps")
    batch_size: int = Field(32, ge=1)
    decoding_threads: int = Field(4, ge=1)
    shard_size: int = Field(50_000, ge=1)
    folds: int = Field(5, ge=2)
    verdict: PairwiseVerdict = PairwiseVerdict()
    bootstrap_resamples: int = Field(1000, ge=100)
    confidence: float = Field(0.95, gt=0.5, lt=1)
    seed: int = Field(42, ge=0)

    @field_validator("device")
    @classmethod
    def known_device(cls, device: str) -> str:
        """Refuse a name that no device has, before anything is looked at."""
        if not re.fullmatch(DEVICES, device):
            raise ValueError("no device is called so; write auto, cpu, cuda, cuda:N or mps")
        return device

    @model_validator(mode="after")
    def distinct_methods(self) -> "PairwiseStudy":
        """Refuse two methods of one name, and a study without any."""
        names = list(self.methods)
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"methods of one name: {', '.join(twice)}")
        if not names:
            raise ValueError("no method is left; name some in clip_attributes, rule_based_methods or dl_methods")
        return self

    @model_validator(mode="after")
    def known_methods(self) -> "PairwiseStudy":
        """Refuse a name that no method has, and a mixture of nothing."""
        for key, names, known in (
            ("rule_based_methods", self.rule_based_methods, RULE_METHODS),
            ("dl_methods", self.dl_methods, LEARNED_METHODS),
        ):
            for name in names:
                if name not in known:
                    raise ValueError(f"{key} names '{name}', which is no such method{did_you_mean(name, known)}")
        if empty := [name for name, weights in self.composites.items() if not weights]:
            raise ValueError(f"composites without a weight: {', '.join(empty)}")
        return self

    @model_validator(mode="after")
    def known_columns(self) -> "PairwiseStudy":
        """Refuse another name for a column that is not read, and one column of the file in two places."""
        known = (*NEEDED_COLUMNS, *OPTIONAL_COLUMNS)
        for name in self.columns:
            if name not in known:
                raise ValueError(
                    f"columns gives '{name}' another name, which is no column that is read{did_you_mean(name, known)}; "
                    f"they are {', '.join(known)}"
                )
        theirs = list(self.columns.values())
        if twice := sorted({name for name in theirs if theirs.count(name) > 1}):
            raise ValueError(f"columns names the same column of the file twice: {', '.join(twice)}")
        return self

    @property
    def resampling(self) -> Resampling:
        """How the study makes intervals."""
        return Resampling(self.seed, self.confidence)

    @property
    def level(self) -> float:
        """What a sure p lies below: the same risk of error as the intervals have."""
        return 1.0 - self.confidence

    @property
    def units(self) -> str:
        """What is taken as independent, in words: series, or what the cluster column names."""
        return f"clusters ({self.cluster_column})" if self.cluster_column else "series"

    @property
    def methods(self) -> tuple[str, ...]:
        """Every method's name, which is its partition key."""
        clip = tuple(f"clip_{one.name}" for one in self.clip_attributes)
        return (*clip, *self.rule_based_methods, *self.composites, *self.dl_methods, *self.own_methods)
