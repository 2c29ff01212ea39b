"""The server of `tests.openai_server`, answering in the form of Anthropic's messages.

with anthropic_server([refused(529, "overloaded_error"), Message()]) as server:
    ...  # base_url: server.base_url, model: anthropic:claude-test
"""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from tests.openai_server import Asked, OpenAIServer, Script, Scripted, openai_server, valid_text

MODEL = "claude-test-20260101"
USAGE = {"input_tokens": 700, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 100, "output_tokens": 90}


@dataclass(frozen=True)
class Message(Scripted):
    """One answer of `/messages`; `parts` are its content where it is more than a text."""

    finish_reason: str | None = "end_turn"
    usage: Mapping[str, Any] | None = field(default_factory=lambda: dict(USAGE))
    model: str = MODEL
    parts: tuple[Mapping[str, Any], ...] | None = None

    def bytes_for(self, asked: Asked) -> bytes:
        """The body."""
        if self.raw is not None:
            return self.raw
        text = valid_text(asked.item_id) if self.text is None else self.text
        parts = [{"type": "text", "text": text}] if self.parts is None else list(self.parts)
        body = {"id": f"msg_{asked.number}", "type": "message", "role": "assistant", "content": parts}
        body |= {"model": self.model, "stop_reason": self.finish_reason, "stop_sequence": None, "usage": self.usage}
        return json.dumps(body).encode()


def refused(status: int, kind: str, message: str = "no", **changed: Any) -> Message:
    """An error in Anthropic's form."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return Message(status=status, raw=json.dumps(body).encode(), **changed)


def anthropic_server(script: Script = ()) -> AbstractContextManager[OpenAIServer]:
    """As `openai_server`; without a script every call gets a valid answer about its own item."""
    return openai_server(script or [Message()])
