"""What a judge is sent: the two messages, their hash, and the nonce and seed that follow from a call's key."""

import hashlib
import json
from collections.abc import Callable
from functools import lru_cache, partial
from string import Template
from typing import Final

from resources.configuration.fidelity import RubricWeights
from resources.judges.contract import Attempt, Call, Judged, JudgedObject

RUBRIC_VERSION: Final = "appearance-1"

SYSTEM_MESSAGE: Final = """\
You are a meticulous rater of product images. You see real photos of one product, labelled "GT #1", "GT #2" and so on, \
and one rendered 3D object, labelled "CANDIDATE".
Score only how faithfully the candidate reproduces the product's appearance:
- color_palette: the colours and their proportions;
- material_finish: gloss, roughness, transparency, metal or fabric look;
- texture_identity: which texture or pattern it is;
- texture_scale_placement: how large the texture is and where it sits.
Ignore geometry, silhouette, pose, camera and background. Compare the candidate with the set of photos jointly, not \
with one of them.
Answer with one strict JSON object and nothing else: no text before or after it, no code fence."""

USER_TEMPLATE: Final = Template("""\
Context
- item_id: $item_id
- categories: l1 $category_l1; l2 $category_l2; l3 $category_l3
- photos: $n_photos ($labels)
- candidate: "CANDIDATE"
- run_id: $run_id

Rubric, weights in percent
$weights

Give each sub-score a number from 0 (nothing matches) to 100 (cannot be told from the photos). The score is the \
weighted sum of the sub-scores, rounded to a whole number. Give 2 to 4 short reasons.

Answer in exactly this form:
{"item_id": $item_id, "subscores": {"color_palette": 0-100, "material_finish": 0-100, "texture_identity": 0-100, \
"texture_scale_placement": 0-100}, "score": 0-100, "rationale": ["...", "..."]}""")

_SEED_LIMIT = 2**31
_RUN_ID_DIGITS = 16
_KEPT = 4096


def photo_labels(n_photos: int) -> tuple[str, ...]:
    """The labels under which the judge sees the photos, in order."""
    return tuple(f"GT #{number}" for number in range(1, n_photos + 1))


def prompt_hash(judged: JudgedObject, weights: RubricWeights) -> str:
    """SHA-256 in hex of template, rubric and context, without the nonce."""
    return _prompt_hash(judged.item_id, judged.categories, len(judged.reference_paths), weights)


def build_call(judged: JudgedObject, attempt: Attempt, weights: RubricWeights) -> Call:
    """One planned call with its messages; the same arguments always give the same call."""
    user = partial(_user_message, judged.item_id, judged.categories, len(judged.reference_paths), weights)
    return call_of(judged, attempt, prompt_hash(judged, weights), lambda nonce: (SYSTEM_MESSAGE, user(nonce)))


def call_of(judged: Judged, attempt: Attempt, prompt_hash: str, messages: Callable[[str], tuple[str, str]]) -> Call:
    """The call whose system and user message a prompt gives for a nonce, whichever study it is of.

    Nonce, 16 hex digits, and seed, below 2 ** 31, follow from the call's key. Image hashes tell calls apart in the
    ledger and are not in it: a pixel that one processor rounds otherwise than another would draw other samples.
    """
    by = attempt.identity.digest
    key = [attempt.study, judged.object, attempt.setting.key, attempt.repeat, by, prompt_hash, attempt.number]
    digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()
    nonce, seed = digest[:_RUN_ID_DIGITS], int(digest[-_RUN_ID_DIGITS:], 16) % _SEED_LIMIT
    system, user = messages(nonce)
    return Call(judged, attempt.setting, attempt.repeat, attempt.number, system, user, prompt_hash, nonce, seed)


@lru_cache(_KEPT)
def _prompt_hash(item_id: str, categories: tuple[str | None, ...], n_photos: int, weights: RubricWeights) -> str:
    user_message = _user_message(item_id, categories, n_photos, weights, run_id="")
    return hashlib.sha256(json.dumps([RUBRIC_VERSION, SYSTEM_MESSAGE, user_message]).encode()).hexdigest()


def _user_message(
    item_id: str, categories: tuple[str | None, ...], n_photos: int, weights: RubricWeights, run_id: str
) -> str:
    first, second, third = (json.dumps(category, ensure_ascii=False) for category in categories)
    return USER_TEMPLATE.substitute(
        item_id=json.dumps(item_id, ensure_ascii=False),
        category_l1=first,
        category_l2=second,
        category_l3=third,
        n_photos=n_photos,
        labels=", ".join(f'"{label}"' for label in photo_labels(n_photos)),
        weights="\n".join(f"- {name}: {100 * share:g}" for name, share in weights.shares.items()),
        run_id=run_id,
    )
