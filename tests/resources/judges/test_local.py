"""The local judge answers in the rubric's form, repeatably, and reads every image once."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from resources.configuration import fidelity
from resources.configuration.settings import Setting
from resources.errors import UserError
from resources.judges import local
from resources.judges.answers import parse_answer
from resources.judges.contract import Call, JudgedObject
from tests.analysis.images.appearance.surfaces import cloth, cut_out, silhouette

WEIGHTS = fidelity.RubricWeights()
WHOLE = Setting(0.0, 1.0)


def written(path: Path, rgba: np.ndarray) -> tuple[str, str]:
    cv2.imwrite(str(path), cv2.cvtColor(rgba, cv2.COLOR_RGBA2BGRA))
    return str(path), hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def judged(tmp_path_factory) -> JudgedObject:
    folder = tmp_path_factory.mktemp("local")
    disc = silhouette("disc")
    photos = [written(folder / f"gt_{seed}.png", cut_out(cloth(16, seed), disc)) for seed in (1, 2, 3)]
    uneven = cloth(16, 4).astype(np.float32) * np.linspace(0.6, 1.2, disc.shape[1])[None, :, None]
    candidate = written(folder / "candidate.png", cut_out(np.clip(uneven, 0, 255).astype(np.uint8), disc, True))
    return JudgedObject(
        object="0123abcd",
        item_id="682267_soft-cloth",
        candidate_path=candidate[0],
        candidate_sha256=candidate[1],
        reference_paths=tuple(path for path, _ in photos),
        reference_sha256=tuple(sha for _, sha in photos),
    )


@pytest.fixture
def judge() -> local.LocalJudge:
    return local.LocalJudge(fidelity.LocalJudge(), WEIGHTS)


def call(judged: JudgedObject, setting: Setting = WHOLE, seed: int = 0) -> Call:
    return Call(judged, setting, 1, 1, "", "", "", "", seed)


def score(judge: local.LocalJudge, asked: Call) -> float:
    return parse_answer(judge.reply(asked).raw_answer, asked.judged.item_id, WEIGHTS).score


def test_the_answer_is_the_json_that_the_rubric_asks_for(judge, judged):
    answer = parse_answer(judge.reply(call(judged)).raw_answer, judged.item_id, WEIGHTS)
    assert answer.state == "valid"
    assert 2 <= len(answer.rationale) <= 4


def test_the_reasons_hold_the_numbers_seen(judge, judged):
    reasons = json.loads(judge.reply(call(judged)).raw_answer)["rationale"]
    assert all(any(character.isdigit() for character in reason) for reason in reasons)
    assert "100% of the object" in reasons[0]


def test_the_score_is_the_weighted_sum_of_the_subscores(judged):
    weights = fidelity.RubricWeights(color_palette=1, material_finish=0, texture_identity=0, texture_scale_placement=3)
    answer = json.loads(local.LocalJudge(fidelity.LocalJudge(), weights).reply(call(judged)).raw_answer)
    subscores = answer["subscores"]
    assert answer["score"] == round((subscores["color_palette"] + 3 * subscores["texture_scale_placement"]) / 4)


def test_at_temperature_0_all_repeats_agree_exactly(judge, judged):
    assert len({judge.reply(call(judged, seed=seed)).raw_answer for seed in range(5)}) == 1


def test_the_same_call_gives_the_same_answer_from_another_instance(judge, judged):
    asked = call(judged, Setting(0.5, 0.9), seed=11)
    assert judge.reply(asked) == local.LocalJudge(fidelity.LocalJudge(), WEIGHTS).reply(asked)


def test_spread_grows_with_temperature(judge, judged):
    spreads = [
        float(np.std([score(judge, call(judged, Setting(temperature, 1.0), seed)) for seed in range(40)]))
        for temperature in (0.0, 0.2, 0.5, 0.8)
    ]
    assert spreads[0] == 0
    assert spreads == sorted(spreads)
    assert len(set(spreads)) == 4


def test_top_p_restricts_what_is_seen_without_any_chance(judge, judged):
    reasons = json.loads(judge.reply(call(judged, Setting(0.0, 0.5))).raw_answer)["rationale"]
    assert "100% of the object" not in reasons[0]
    assert score(judge, call(judged, Setting(0.0, 0.5), 1)) == score(judge, call(judged, Setting(0.0, 0.5), 2))


def test_images_are_read_once_whatever_the_repeats_and_settings(judge, judged, monkeypatch):
    read = []
    load = local.read_image_file
    monkeypatch.setattr(local, "read_image_file", lambda path: read.append(path) or load(path))
    asked = [call(judged, Setting(temperature, 1.0), seed) for temperature in (0.2, 0.5) for seed in range(5)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(judge.reply, asked))
    assert sorted(read) == sorted([judged.candidate_path, *judged.reference_paths])


@pytest.mark.slow
def test_threads_get_the_answers_that_one_thread_gets(judge, judged):
    asked = [call(judged, Setting(0.5, 0.95), seed) for seed in range(12)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(judge.reply, asked))
    assert together == [local.LocalJudge(fidelity.LocalJudge(), WEIGHTS).reply(one) for one in asked]


@pytest.mark.parametrize("absent", ["candidate", "photo"])
def test_a_missing_image_is_a_fault_that_names_it_and_is_not_remembered(judge, judged, tmp_path, absent):
    path = tmp_path / f"{absent}.png"
    there = judged.candidate_path if absent == "candidate" else judged.reference_paths[0]
    places = {"candidate_path": str(path)} if absent == "candidate" else {}
    places |= {"reference_paths": (str(path), *judged.reference_paths[1:])} if absent == "photo" else {}
    broken = replace(judged, **places)
    reply = judge.reply(call(broken))
    assert (reply.raw_answer, reply.fault) == (None, "provider_error")
    assert f"{absent}.png: there is no such file" in reply.fault_message
    path.write_bytes(Path(there).read_bytes())
    assert score(judge, call(broken)) == score(judge, call(judged))


def test_a_file_that_is_no_image_is_a_fault(judge, judged, tmp_path):
    path = tmp_path / "candidate.png"
    path.write_bytes(b"no picture")
    sha256 = hashlib.sha256(b"no picture").hexdigest()
    reply = judge.reply(call(replace(judged, candidate_path=str(path), candidate_sha256=sha256)))
    assert (reply.raw_answer, reply.fault) == (None, "provider_error")
    assert "candidate.png: this is no image" in reply.fault_message


@pytest.mark.parametrize("changed", ["candidate", "photo"])
def test_an_image_that_is_not_the_one_recorded_ends_the_run(judge, judged, changed):
    other = judged.reference_paths[1]
    places = {"candidate_path": other} if changed == "candidate" else {}
    places |= {"reference_paths": (other, *judged.reference_paths[1:])} if changed == "photo" else {}
    with pytest.raises(UserError, match=r"gt_2\.png changed since study_objects was made; make study_objects again"):
        judge.reply(call(replace(judged, **places)))


def test_another_image_side_or_rubric_is_another_judge(judge):
    others = [
        local.LocalJudge(fidelity.LocalJudge(image_side_px=256), WEIGHTS),
        local.LocalJudge(fidelity.LocalJudge(), fidelity.RubricWeights(color_palette=50)),
    ]
    digests = {judge.identity.digest, *(other.identity.digest for other in others)}
    assert len(digests) == 3
    same = local.LocalJudge(fidelity.LocalJudge(workers=3), WEIGHTS)
    assert same.identity.digest == judge.identity.digest
