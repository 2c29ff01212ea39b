"""A judge on a server of the tests, and calls about small real images."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from resources.configuration.fidelity import RubricWeights
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.configuration.settings import Setting
from resources.database.call_records import Spent
from resources.judges.contract import Attempt, Call, JudgedObject, Reply
from resources.judges.openai.access import access_of
from resources.judges.openai_judge import OpenAIJudge
from resources.judges.prompt import build_call
from resources.runtime.file_hash import sha256_of_file
from tests.openai_server import OpenAIServer

KEY = "sk-test-0123456789abcdefghij"
SETTING = Setting(0.2, 0.95)
FREE = {"input": 0, "output": 0}
PAID = {"input": 2, "output": 8, "cached_input": 0.5}


def judge_on(server: OpenAIServer, spent: Spent | None = None, **configuration: Any) -> OpenAIJudge:
    """The judge, begun; it is free and impatient unless told otherwise."""
    judge = judge_of(server.base_url, **configuration)
    judge.begin(spent or Spent())
    return judge


def judge_of(base_url: str, key: str = KEY, **configuration: Any) -> OpenAIJudge:
    """The judge as the three variables name it."""
    described = Configuration(**{"kind": "openai", "price": FREE, "timeout_s": 5, "image_side_px": 64, **configuration})
    environment = {"OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": key, "OPENAI_MODEL": "gpt-4o"}
    return OpenAIJudge(described, RubricWeights(), access_of(described, environment))


def claude_of(base_url: str, key: str = KEY, **configuration: Any) -> OpenAIJudge:
    """A judge of the list, asked in Anthropic's format."""
    where = {"model": "anthropic:claude-test", "base_url": base_url, "key_variable": "MY_KEY", "name": "claude"}
    free = {"price": FREE, "timeout_s": 5, "image_side_px": 64}
    described = ModelJudge(**{"kind": "model", **where, **free, **configuration})
    return OpenAIJudge(described, RubricWeights(), access_of(described, {"MY_KEY": key}))


def judged_in(folder: Path, item: str = "558736", n_photos: int = 2) -> JudgedObject:
    """An object with its images on the disk."""
    photos = [write_image(folder / f"gt_{number}.png", number) for number in range(1, n_photos + 1)]
    candidate = write_image(folder / "candidate.png", 9)
    return JudgedObject(
        object="0a1b2c3d",
        item_id=item,
        candidate_path=str(candidate),
        candidate_sha256=sha256_of_file(candidate) or "",
        reference_paths=tuple(str(photo) for photo in photos),
        reference_sha256=tuple(sha256_of_file(photo) or "" for photo in photos),
    )


def write_image(path: Path, seed: int, size: tuple[int, int] = (48, 32)) -> Path:
    """Noise, `size` is width and height."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), np.uint8)
    assert cv2.imwrite(str(path), picture)
    return path


def call_of(
    judge: OpenAIJudge, judged: JudgedObject, repeat: int = 1, attempt: int = 1, setting: Setting = SETTING
) -> Call:
    """One planned call."""
    return build_call(judged, Attempt("study", setting, judge.identity, repeat, attempt), RubricWeights())


def ask(judge: OpenAIJudge, judged: JudgedObject, repeat: int = 1, attempt: int = 1) -> Reply:
    """One attempt."""
    return judge.reply(call_of(judge, judged, repeat, attempt))
