"""The judge `local`: compares what can be measured on pixels, without a network and without weights. A baseline."""

import hashlib
import json
import os
from typing import Any, Final

import numpy as np

from analysis.images.appearance.comparison import Comparison, Photos, compare, patches_in_view, photos_together
from analysis.images.appearance.descriptors import Patches, described, patches
from analysis.words import count_noun
from resources.configuration import fidelity
from resources.errors import UserError
from resources.judges.bounded_cache import BoundedCache
from resources.judges.contract import Call, FreeJudge, JudgedObject, JudgeIdentity, Reply
from resources.judges.prompt import RUBRIC_VERSION
from resources.photos.images import UnreadableImage, decode_image, read_image_file
from resources.tables.call_states import SUBSCORES

MODEL: Final = "appearance-baseline"
CODE_VERSION: Final = "2"  # 2: draws follow from the call without its images' hashes
KEPT_CANDIDATES: Final = 2048  # about 80 kB each
KEPT_PHOTO_SETS: Final = 4096  # about 5 kB each


class LocalJudge(FreeJudge):
    """Scores a candidate against its photos by colour, gloss, texture and scale measured on the object.

    Temperature sets how much of the candidate one reply sees (at 0 all of it, so repeats agree exactly), `top_p`
    keeps the most textured share. Photos are always seen whole.
    """

    faults_are_final = False  # a file that could not be read may have been put right
    attempts = 1  # it will not be put right within the run

    def __init__(self, configuration: fidelity.LocalJudge, weights: fidelity.RubricWeights) -> None:
        self._side_px = configuration.image_side_px
        self.workers = configuration.workers or os.cpu_count() or 1
        self._weights = weights.shares
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
        """The answer in the rubric's JSON form, or the fault ``provider_error`` where an image cannot be read.

        Raises:
            UserError: An image is another than the one whose hash was recorded.
        """
        judged = call.shown
        try:
            photos = self._photo_sets.get(judged.reference_sha256, lambda: self._photos(judged))
            candidate = self._candidates.get(
                judged.candidate_sha256, lambda: self._patches(judged.candidate_path, judged.candidate_sha256)
            )
        except UnreadableImage as error:
            return Reply(None, fault="provider_error", fault_message=str(error))
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

    def _patches(self, path: str, sha256: str) -> Patches:
        data = read_image_file(path)
        # The ledger says which bytes were judged, so that no others may be.
        if hashlib.sha256(data).hexdigest() != sha256:
            raise UserError(f"{path} changed since study_objects was made; make study_objects again.")
        return patches(decode_image(data, path, self._side_px))

    def _photos(self, judged: JudgedObject) -> Photos:
        photos = zip(judged.reference_paths, judged.reference_sha256, strict=True)
        return photos_together([described(self._patches(path, sha256)) for path, sha256 in photos])


def _reasons(seen: Comparison, n_photos: int, looked: str) -> list[str]:
    far, own = seen.distances, seen.floors
    return [
        f"Palette: {far['palette']:.1f} CIELAB units away, beyond the {own['palette']:.1f} by which light and view "
        f"move the {count_noun(n_photos, 'photo')}; {looked}.",
        f"Finish: highlights differ by {far['highlights']:.1f} and the spread of light by {far['light_spread']:.1f} "
        f"of 100 levels, fine grain by {far['lbp_1']:.0%}.",
        f"Texture: local binary patterns differ by {far['lbp']:.0%}, directionality by {far['coherence']:.2f}.",
        f"Scale: texture energy per band differs by {far['bands']:.2f} octaves, coarse patterns by {far['lbp_4']:.0%}.",
    ]
