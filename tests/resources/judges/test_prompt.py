"""The messages say what the judge needs, and one key always makes the same call."""

import dataclasses

import pytest

from resources.configuration.fidelity import RubricWeights
from resources.configuration.settings import Setting
from resources.judges.contract import Attempt, JudgedObject, JudgeIdentity
from resources.judges.prompt import build_call, prompt_hash

JUDGED = JudgedObject("0000000a", "100_tall", "c.png", "cc", ("1.png", "2.png"), ("11", "22"), ("Home", None, 'A "b"'))
IDENTITY = JudgeIdentity("openai", "some-model", "appearance-1", "1")
WEIGHTS = RubricWeights()
ATTEMPT = Attempt("chairs", Setting(0.2, 0.95), IDENTITY)
ARGUMENTS = {"judged": JUDGED, "attempt": ATTEMPT, "weights": WEIGHTS}


def test_the_messages_hold_everything_that_was_asked_for() -> None:
    call = build_call(**ARGUMENTS)
    for part in ["geometry", "background", "jointly", "strict JSON", '"CANDIDATE"', '"GT #1"']:
        assert part in call.system_message
    for part in [
        '"100_tall"',
        'l1 "Home"; l2 null; l3 "A \\"b\\""',
        '2 ("GT #1", "GT #2")',
        call.run_id,
        "color_palette: 40",
        "material_finish: 25",
        "texture_identity: 15",
        "texture_scale_placement: 20",
        '"rationale"',
        "2 to 4",
        "rounded",
    ]:
        assert part in call.user_message


def test_weights_count_by_their_proportions() -> None:
    tenfold = RubricWeights(**{name: value / 10 for name, value in WEIGHTS.model_dump().items()})
    assert prompt_hash(JUDGED, tenfold) == prompt_hash(JUDGED, WEIGHTS)


def test_the_same_key_makes_the_same_call() -> None:
    assert build_call(**ARGUMENTS) == build_call(**ARGUMENTS)


@pytest.mark.parametrize(
    "change",
    [
        {"attempt": dataclasses.replace(ATTEMPT, study="sofas")},
        {"attempt": dataclasses.replace(ATTEMPT, setting=Setting(0.2, 0.9))},
        {"attempt": dataclasses.replace(ATTEMPT, repeat=2)},
        {"attempt": dataclasses.replace(ATTEMPT, number=2)},
        {"attempt": dataclasses.replace(ATTEMPT, identity=dataclasses.replace(IDENTITY, model="other"))},
        {"weights": RubricWeights(color_palette=10)},
        {"judged": dataclasses.replace(JUDGED, object="0000000b")},
        {"judged": dataclasses.replace(JUDGED, item_id="100")},
    ],
)
def test_any_part_of_the_key_but_the_images_changes_nonce_and_seed(change: dict[str, object]) -> None:
    one, other = build_call(**ARGUMENTS), build_call(**{**ARGUMENTS, **change})
    assert one.run_id != other.run_id
    assert one.seed != other.seed
    assert 0 <= other.seed < 2**31


def test_other_pixels_of_the_same_object_draw_the_same_samples() -> None:
    # A processor that rounds a pixel otherwise makes another file, and the same study.
    one = build_call(**ARGUMENTS)
    for change in ({"candidate_sha256": "dd"}, {"reference_sha256": ("11", "33")}):
        other = build_call(**{**ARGUMENTS, "judged": dataclasses.replace(JUDGED, **change)})
        assert (other.run_id, other.seed, other.prompt_hash) == (one.run_id, one.seed, one.prompt_hash)
        assert other.judged.image_hashes != one.judged.image_hashes


def test_the_prompt_hash_is_of_rubric_and_context_not_of_nonce_or_setting() -> None:
    first = build_call(**ARGUMENTS)
    second = build_call(**{**ARGUMENTS, "attempt": Attempt("chairs", Setting(0.0, 1.0), IDENTITY, 2)})
    assert first.user_message != second.user_message
    assert first.prompt_hash == second.prompt_hash == prompt_hash(JUDGED, WEIGHTS)
    for change in ({"item_id": "1"}, {"categories": (None, None, None)}, {"reference_paths": ("1.png",)}):
        assert prompt_hash(dataclasses.replace(JUDGED, **change), WEIGHTS) != first.prompt_hash
    assert prompt_hash(JUDGED, RubricWeights(color_palette=10)) != first.prompt_hash
