"""The `pairwise` section of the configuration: photo pairs with people's votes, images, methods, filter."""

import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, field_validator, model_validator

from analysis.resampling.bootstrap import Resampling
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.reliability import JudgeName
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
# Of pairs of texts: the one with more characters is picked, which any judge should do better than.
TEXT_METHODS = ("longer_text",)
LEARNED_METHODS = ("vit_base", "clip_probe", "efficientnet_probe")
# Of the CSV of votes: those that decide, and those that are checked or used where they are there.
NEEDED_COLUMNS = ("series_id", "compareID1", "compareID2", "LEFT", "RIGHT")
OPTIONAL_COLUMNS = ("compareFile1", "compareFile2", "Agreement", "MaxVote", "num_reviewers", "Total", "TIES")
# Of a file with pairs of texts, as MT-Bench and the arenas write them; turn, judge and questions need not be there.
TEXT_COLUMNS = (
    *("question_id", "question", "turn", "model_a", "model_b", "winner", "judge"),
    *("conversation_a", "conversation_b", "response_a", "response_b"),
)
OF_JUDGES: Final = "judge_"
DEVICES = r"auto|cpu|mps|cuda(:\d+)?"
RuleMeasure = Literal["sharpness", "contrast", "exposure", "colorfulness"]
Weight = Annotated[float, Field(gt=0)]


def method_of_judge(name: str) -> str:
    """What a judge is called among the methods."""
    return OF_JUDGES + re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


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
    pairs_of: Literal["photos", "texts"] = Field(
        "photos", description="texts: pairs_csv is a file as MT-Bench or an arena writes it, and there is no image_root"
    )
    judges: dict[JudgeName, ModelJudge] = Field(
        {}, description="of the list `judges`, whose task says `object: pair`; each is a method, asked in both orders"
    )
    recorded_judges: tuple[str, ...] = Field(
        (), description="of pairs of texts: names in the column judge that are of models; the others are people"
    )
    own_sources: dict[str, tuple[str, ...]] = Field(
        {}, description="judge to the sources (model_a, model_b) that are its own texts, where its model's name differs"
    )
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
    bootstrap_resamples: int = Field(1000, ge=100, description="of no effect: no interval here is resampled")
    confidence: float = Field(0.95, gt=0.5, lt=1)
    seed: int = Field(42, ge=0)

    @model_validator(mode="before")
    @classmethod
    def texts_alone(cls, values: Any) -> Any:
        """Texts need no photos and no measures of them, and one vote a pair is all that an arena has."""
        if not isinstance(values, dict) or values.get("pairs_of") != "texts":
            return values
        taken = {"image_root": values.get("pairs_csv", "."), "rule_based_methods": TEXT_METHODS, "min_reviewers": 1}
        return taken | {"clip_attributes": (), "dl_methods": ()} | values

    @field_validator("judges", mode="before")
    @classmethod
    def judges_of_the_list(cls, judges: Any) -> Any:
        """Refuse names where there is no list, and judges that are no models."""
        if isinstance(judges, list | tuple):
            raise ValueError("names judges, and there is no list `judges`; docs/judges.md shows one")
        for name, judge in judges.items() if isinstance(judges, dict) else ():
            if isinstance(judge, Section) and not isinstance(judge, ModelJudge):
                kind = getattr(judge, "kind", "")
                raise ValueError(f"'{name}' is `kind: {kind}`; a judge of pairs is a model with a `task` of pairs")
        return judges

    @model_validator(mode="after")
    def judges_that_fit(self) -> "PairwiseStudy":
        """Refuse a judge that does not pick one of two, or is shown what the pairs are not."""
        for name, judge in self.judges.items():
            if judge.task is None or judge.task.object != "pair":
                raise ValueError(f"judges: '{name}' needs a `task` that says `object: pair`")
            shown = {"images": "photos", "text": "texts"}[judge.task.shows]
            if shown != self.pairs_of:
                needed = {"photos": "images", "texts": "text"}[self.pairs_of]
                raise ValueError(
                    f"judges: '{name}' is shown {judge.task.shows}, and the pairs are of {self.pairs_of}; its task has "
                    f"to say `shows: {needed}`"
                )
        if self.recorded_judges and self.pairs_of != "texts":
            raise ValueError("recorded_judges: names of the column judge in a file with `pairs_of: texts`")
        if both := [name for name in self.recorded_judges if name in self.judges]:
            raise ValueError(f"'{both[0]}' is in `judges` and in `recorded_judges`; keep one")
        known = [*self.judges, *self.recorded_judges]
        if strange := [name for name in self.own_sources if name not in known]:
            raise ValueError(f"own_sources: there is no judge '{strange[0]}'{did_you_mean(strange[0], known)}")
        return self

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
        """Refuse a name that no method has, one of photos where the pairs are of texts, and a mixture of nothing."""
        of_texts = self.pairs_of == "texts"
        for key, names, known in (
            ("rule_based_methods", self.rule_based_methods, TEXT_METHODS if of_texts else RULE_METHODS),
            ("dl_methods", self.dl_methods, () if of_texts else LEARNED_METHODS),
            ("clip_attributes", [one.name for one in self.clip_attributes], () if of_texts else None),
            ("composites", self.composites, () if of_texts else None),
            ("own_methods", self.own_methods, () if of_texts else None),
        ):
            if known is None:
                continue
            if names and not known:
                raise ValueError(f"{key}: methods of photos, and the pairs are of texts; leave it out")
            for name in names:
                if name not in known:
                    raise ValueError(f"{key} names '{name}', which is no such method{did_you_mean(name, known)}")
        if empty := [name for name, weights in self.composites.items() if not weights]:
            raise ValueError(f"composites without a weight: {', '.join(empty)}")
        return self

    @model_validator(mode="after")
    def known_columns(self) -> "PairwiseStudy":
        """Refuse another name for a column that is not read, and one column of the file in two places."""
        known = TEXT_COLUMNS if self.pairs_of == "texts" else (*NEEDED_COLUMNS, *OPTIONAL_COLUMNS)
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
        of_photos = (*clip, *self.rule_based_methods, *self.composites, *self.dl_methods, *self.own_methods)
        return (*of_photos, *(method_of_judge(name) for name in (*self.judges, *self.recorded_judges)))

    @property
    def judge_methods(self) -> dict[str, str]:
        """The methods that are judges, each with the judge's name: `gpt-4` is the method `judge_gpt_4`."""
        return {method_of_judge(name): name for name in (*self.judges, *self.recorded_judges)}
