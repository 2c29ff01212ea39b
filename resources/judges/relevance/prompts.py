"""The prompts of relevance judges by version: those that come with Touchstone, and a study's own."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resources.configuration.reliability import BUILT_IN_PROMPTS
from resources.errors import FileFault, UserError, nearest

FOLDER: Final = Path(__file__).parent / "prompts"
LONGEST_BYTES: Final = 1_000_000


@dataclass(frozen=True)
class Prompt:
    """A system message under a version; `sha256` is of the file's bytes, in hex."""

    version: str
    text: str
    sha256: str


def prompt_of(version: str, own: Mapping[str, Path]) -> Prompt:
    """The prompt of a version.

    Args:
        version: `v1`, `recalibrated_v2`, or one of the study's own.
        own: Files of the study's own prompts by version.

    Raises:
        FileFault: The file is missing, empty, too long, or no UTF-8.
        UserError: There is no such version.
    """
    if version in BUILT_IN_PROMPTS:
        path = FOLDER / f"{version}.txt"
    elif version in own:
        path = own[version]
    else:
        known = [*BUILT_IN_PROMPTS, *own]
        raise UserError(
            f"There is no prompt '{version}'{nearest(version, known)}. Name its file under `prompts` in section "
            "`reliability`."
        )
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise FileFault(path, f"the prompt cannot be read ({error.strerror}).", "Correct its path.") from error
    except UnicodeDecodeError as error:
        raise FileFault(path, "the prompt is not UTF-8.", "Save it as UTF-8.") from error
    if not text.strip():
        raise FileFault(path, "the prompt is empty.", "Write what the judge is to do.")
    if len(data) > LONGEST_BYTES:
        raise FileFault(path, f"the prompt has {len(data):,} bytes, more than {LONGEST_BYTES:,}.", "Shorten it.")
    return Prompt(version, text, hashlib.sha256(data).hexdigest())
