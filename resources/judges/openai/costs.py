"""What one call may take and cost at most, before it is sent; the guess grows where a server counts more."""

import threading
from typing import Final

from resources.configuration.openai_judge import OpenAIJudge
from resources.judges.contract import Call
from resources.judges.openai.image_payload import CANDIDATE
from resources.judges.openai.image_tokens import most_tokens
from resources.judges.openai.prices import ModelPrice
from resources.judges.openai.reading import Usage
from resources.judges.openai.task import CallSize
from resources.judges.prompt import photo_labels

FRAME_TOKENS: Final = 60  # what a server wraps around messages and pictures, and the answer's schema
SCHEMA_BYTES: Final = 700
WRITTEN_TOKENS: Final = 180  # four sub-scores, a score and a few reasons
CHARACTERS_PER_TOKEN: Final = 4.0


class AppearanceSize:
    """Photos and a candidate, each behind its label, and an answer of four sub-scores, a score and a few reasons."""

    schema_bytes = SCHEMA_BYTES
    written_tokens = WRITTEN_TOKENS

    def labels(self, call: Call) -> str:
        """Of photos and candidate."""
        return "".join(photo_labels(len(call.shown.reference_paths))) + CANDIDATE

    def n_pictures(self, call: Call) -> int:
        """Photos and the candidate."""
        return len(call.shown.reference_paths) + 1


APPEARANCE_SIZE: Final = AppearanceSize()


class WorstCase:
    """Most tokens and dollars of a call."""

    def __init__(self, configuration: OpenAIJudge, price: ModelPrice, size: CallSize = APPEARANCE_SIZE) -> None:
        self._price, self._tokens_out = price, configuration.max_output_tokens
        self._picture = most_tokens(price.images, configuration.image_side_px, configuration.image_detail)
        self._size = size
        self._grown = 1.0
        self._lock = threading.Lock()

    def tokens_in(self, call: Call) -> int:
        """Tokens read at most: a text has no more of them than bytes, the pictures are as large as they may be."""
        return round(self._guessed(call) * self._grown)

    def usd(self, call: Call) -> float:
        """Dollars at most."""
        return self._price.most_usd(self.tokens_in(call), self._tokens_out)

    def tokens(self, call: Call) -> int:
        """Tokens read and written at most."""
        return self.tokens_in(call) + self._tokens_out

    def learn(self, call: Call, usage: Usage) -> None:
        """Take note of what a call took: a server that counts more than guessed will do so again."""
        with self._lock:
            self._grown = max(self._grown, usage.tokens_in / self._guessed(call))

    def _guessed(self, call: Call) -> int:
        size = self._size
        text = len((call.system_message + call.user_message + size.labels(call)).encode())
        return text + size.schema_bytes + FRAME_TOKENS + size.n_pictures(call) * self._picture
