"""The judge `local`: compares what can be measured on pixels, without a network and without weights. A baseline."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, Final, Generic, TypeVar

import numpy as np

from analysis.appearance.comparison import Comparison, Photos, compare, photos_together
from analysis.appearance.descriptors import Patches, described, patches
from analysis.appearance.looks import patches_in_view
from resources.configuration import fidelity
from resources.images import load_image
from resources.judges.contract import SUBSCORES, Call, JudgedObject, JudgeIdentity, Reply
from resources.judges.prompt import RUBRIC_VERSION

MODEL: Final = "appearance-baseline"
CODE_VERSION: Final = "1"
KEPT_CANDIDATES: Final = 2048  # about 80 kB each
KEPT_PHOTO_SETS: Final = 4096  # about 5 kB each

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """Keeps the values used last; a value that several threads want at once is made by one of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Future[Value]] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made now if it is not kept.

        Raises:
            Exception: Whatever ``make`` raised; nothing is kept then.
        """
        with self._lock:
            future = self._kept.get(key)
            mine = future is None
            if future is None:
                future = self._kept[key] = Future()
                if len(self._kept) > self._limit:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
        if mine:
            try:
                future.set_result(make())
            except BaseException as error:
                with self._lock:
                    self._kept.pop(key, None)
                future.set_exception(error)
        return future.result()

    def __len__(self) -> int:
        return len(self._kept)


class LocalJudge:
    """Scores a candidate against its photos by colour, gloss, texture and scale measured on the object.

    Temperature sets how much of the candidate one reply sees (at 0 all of it, so repeats agree exactly), `top_p`
    keeps the most textured share. Photos are always seen whole.
    """

    def __init__(self, configuration: fidelity.LocalJudge, weights: fidelity.RubricWeights) -> None:
        self._side_px = configuration.image_side_px
        total = sum(getattr(weights, name) for name in SUBSCORES)
        self._weights = {name: getattr(weights, name) / total for name in SUBSCORES}
        self._candidates: BoundedCache[str, Patches] = BoundedCache(KEPT_CANDIDATES)
        self._photo_sets: BoundedCache[tuple[str, ...], Photos] = BoundedCache(KEPT_PHOTO_SETS)
        self._identity = JudgeIdentity(
            judge="local",
            model=MODEL,
            rubric_version=RUBRIC_VERSION,
            code_version=CODE_VERSION,
            parameters={"image_side_px": self._side_px, "rubric_weights": self._weights},
        )

    @property
    def identity(self) -> JudgeIdentity:
        """What tells this judge's answers from another's."""
        return self._identity

    def reply(self, call: Call) -> Reply:
        """The answer in the rubric's JSON form.

        Raises:
            UnreadableImage: An image cannot be decoded.
        """
        judged = call.judged
        photos = self._photo_sets.get(judged.reference_sha256, lambda: self._photos(judged))
        candidate = self._candidates.get(judged.candidate_sha256, lambda: self._patches(judged.candidate_path))
        rng = np.random.default_rng(call.seed)
        chosen = patches_in_view(candidate, call.setting.temperature, call.setting.top_p, rng)
        seen = compare(described(candidate, chosen), photos)
        subscores = {name: round(seen.subscores[name]) for name in SUBSCORES}
        share = float(candidate.pixels[chosen].sum() / candidate.pixels.sum())
        looked = f"{len(chosen)} of {len(candidate.pixels)} patches in view, {share:.0%} of the object"
        answer: dict[str, Any] = {
            "item_id": judged.item_id,
            "subscores": subscores,
            "score": round(sum(self._weights[name] * subscores[name] for name in SUBSCORES)),
            "rationale": _reasons(seen, len(judged.reference_paths), looked),
        }
        return Reply(raw_answer=json.dumps(answer), model_answered=MODEL, fingerprint=CODE_VERSION)

    def _patches(self, path: str) -> Patches:
        return patches(load_image(path, self._side_px))

    def _photos(self, judged: JudgedObject) -> Photos:
        return photos_together([described(self._patches(path)) for path in judged.reference_paths])


def _reasons(seen: Comparison, n_photos: int, looked: str) -> list[str]:
    far, own = seen.distances, seen.floors
    return [
        f"Palette: {far['palette']:.1f} CIELAB units away, beyond the {own['palette']:.1f} by which light and view "
        f"move the {n_photos} photo(s); {looked}.",
        f"Finish: highlights differ by {far['highlights']:.1f} and the spread of light by {far['light_spread']:.1f} "
        f"of 100 levels, fine grain by {far['lbp_1']:.0%}.",
        f"Texture: local binary patterns differ by {far['lbp']:.0%}, directionality by {far['coherence']:.2f}.",
        f"Scale: texture energy per band differs by {far['bands']:.2f} octaves, coarse patterns by {far['lbp_4']:.0%}.",
    ]
