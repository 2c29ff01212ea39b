"""The stages that a study asks for, as far as this machine has what they need."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, Final

from analysis.images.photo_rules import STEPS
from resources.configuration.pairwise import PairwiseStudy
from resources.gpu import GpuResource
from resources.photos.features.clip import ClipEmbedding
from resources.photos.features.efficientnet import EfficientNetEmbedding
from resources.photos.features.model import EmbeddingModel, Record, Unavailable
from resources.photos.features.vit import VitEmbedding
from resources.runtime.file_hash import digest_of

STAGES: Final = ("rules", "clip", "vit", "efficientnet")
# Raised when decoding or reducing gives other pixels, or a measure another number.
DECODING_VERSION: Final = 2
RULES_VERSION: Final = 1
# Raised when a stored time means something else: a study's times must be of one clock.
TIMES_VERSION: Final = 2
# A photo is halved before a model's own preprocessing while this many times the model's side remain.
KEPT_OVER_SIDE: Final = 3


@dataclass(frozen=True)
class Stages:
    """What is computed of a photo: rule measures, at `rules_long_side` px if set, and models; `unavailable` has why."""

    rules: bool
    rules_long_side: int | None
    models: tuple[EmbeddingModel, ...]
    unavailable: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The stages that can be computed, in their order."""
        return (*(("rules",) if self.rules else ()), *(model.name for model in self.models))

    @property
    def records(self) -> dict[str, Record]:
        """All that the numbers of each stage depend on."""
        decoding = {
            "decoding": DECODING_VERSION,
            "times": TIMES_VERSION,
            "versions": {name: version(name) for name in ("opencv-python-headless", "pillow", "simplejpeg")},
        }
        rules = {"measures": RULES_VERSION, "long_side_px": self.rules_long_side, "timed": list(STEPS)}
        measured = {"rules": rules} if self.rules else {}
        models: dict[str, Any] = {
            model.name: {**model.record, "halved_above_sides": KEPT_OVER_SIDE} for model in self.models
        }
        return {name: {**record, "photo": decoding} for name, record in (measured | models).items()}

    @property
    def recipes(self) -> dict[str, str]:
        """A digest of each stage's record."""
        return {name: digest_of(record) for name, record in self.records.items()}

    @property
    def widths(self) -> dict[str, int]:
        """How many numbers each model gives a photo."""
        return {model.name: model.width for model in self.models}

    def only(self, names: Iterable[str]) -> "Stages":
        """The same, without other stages."""
        kept = set(names)
        models = tuple(model for model in self.models if model.name in kept)
        return replace(self, rules=self.rules and "rules" in kept, models=models)

    def open(self) -> None:
        """Load the models, so that threads find them there, and run each once: the first time takes longer."""
        if not self.models:
            return
        import torch

        for model in [one for one in self.models if one.open()]:
            model.embed(torch.zeros(1, 3, model.side_px, model.side_px))


def gpu_of(study: PairwiseStudy) -> GpuResource:
    """The device that the study names, with its batch size; through Ray the workers have it, this process need not."""
    return GpuResource(device="auto" if study.engine == "ray" else study.device, batch_size=study.batch_size)


def stages_of(study: PairwiseStudy, gpu: GpuResource, wanted: Iterable[str] = STAGES) -> Stages:
    """The stages that can be computed here, and for each other one why not.

    Raises:
        UserError: A model is misconfigured, or its weights are a pickle or damaged.
    """
    build: dict[str, Callable[[], EmbeddingModel]] = {
        "clip": lambda: ClipEmbedding(study.clip_model, gpu),
        "vit": lambda: VitEmbedding(study.vit_model, gpu),
        "efficientnet": lambda: EfficientNetEmbedding(gpu),
    }
    wanted = set(wanted)
    models: list[EmbeddingModel] = []
    unavailable: dict[str, str] = {}
    for name in STAGES:
        if name in wanted and name in build:
            try:
                models.append(build[name]())
            except Unavailable as error:
                unavailable[name] = str(error)
    return Stages("rules" in wanted, study.rules_long_side, tuple(models), unavailable)
