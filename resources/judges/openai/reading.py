"""What an answer with status 200 holds: text, usage and who answered, whatever state it is in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from resources.judges.answers import without_reasoning
from resources.judges.openai.access import Access
from resources.judges.openai.client import MOST_BYTES, Body, NoAnswer, no_answer_of
from resources.judges.openai.error_bodies import has_error, said_in, status_in

KEPT_CHARACTERS: Final = 20_000  # of an answer that no end was seen of
# Words of OpenAI, Anthropic, Google, Mistral, Cohere, DeepSeek, Zhipu, vLLM, TGI and Ollama; letter case differs. One
# that is none of these ends an answer before its time too: a part of a number is a number.
NORMAL_STOPS: Final = ("stop", "stop_sequence", "end_turn", "eos", "eos_token", "complete", "completed")
AT_THE_LIMIT: Final = ("length", "max_tokens", "max_output_tokens", "model_length", "error_limit")
FILTERS: Final = (
    "content_filter",
    "content_filtered",
    "safety",
    "image_safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "sensitive",
    "error_toxic",
    "guardrail_intervened",
)
REASONING_FIELDS: Final = ("reasoning_content", "reasoning", "thinking")
_REASONING_PARTS: Final = ("thinking", "reasoning")
_MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counts them; those served from a cache or written to one are part of `tokens_in`."""

    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_written: int


@dataclass(frozen=True)
class Read:
    """An answer, a fault, or an error that came with status 200 and counts as with the status that it should have had.

    `state` only where the text alone does not say it, `usage` null where none came.
    """

    text: str | None
    state: str | None = None
    fault: str | None = None
    message: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    usage: Usage | None = None
    error: NoAnswer | None = None


def read_body(body: Body, access: Access) -> Read:
    """Read one body; nothing in it, or missing from it, is an error of the program."""
    if not body.is_whole:
        begins = body.data[: 4 * KEPT_CHARACTERS].decode("utf-8", "replace")[:KEPT_CHARACTERS]
        return Read(
            access.without_key(begins),
            "cut_off",
            message=f"an answer of more than {MOST_BYTES:,} bytes was cut off",
        )
    try:
        text, is_utf8 = body.data.decode("utf-8"), True
    except UnicodeDecodeError:
        text, is_utf8 = body.data.decode("utf-8", "replace"), False
    text = access.without_key(text)
    try:
        completion = json.loads(text)
    except (ValueError, RecursionError):
        completion = None
    if isinstance(completion, list) and has_error(completion):
        return Read(None, error=_error(completion, body, access, "status 200 with an error"))
    if not isinstance(completion, dict):
        said = access.masked(text) or "nothing"
        return Read(None, fault="provider_error", message=f"the server's answer is no JSON object: {said[:200]}")
    known: dict[str, Any] = {
        "model": _text(completion.get("model")),
        "fingerprint": _text(completion.get("system_fingerprint")),
        "usage": _usage(completion.get("usage")),
    }
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        if has_error(completion):
            return Read(None, error=_error(completion, body, access, "status 200 with an error"), **known)
        return Read(None, fault="provider_error", message="the server sent no message: it has no choices", **known)
    finish = choice.get("finish_reason")
    if str(finish).lower() == "error":
        where = "the answer ended with an error"
        if has_error(inside := {"error": choice.get("error") or completion.get("error")}):
            error = replace(_error(inside, body, access, where), may_be_billed=True)
            return Read(None, error=error, **known)
        return Read(None, fault="provider_error", message=f"{where}: it does not say which", **known)
    content, reasoning = _apart(message)
    if has_error(inside := {"error": completion.get("error")}) and not (content or reasoning):
        return Read(None, error=_error(inside, body, access, "status 200 with an error"), **known)
    state, problem = _state(message, content, finish)
    if not is_utf8 and state is None:
        state, problem = "invalid_json", "the answer is not UTF-8; what could not be read is replaced"
    # What a refusal says is all that there is to keep of it.
    words = content or _text(message.get("refusal"))
    # Where there is nothing else the reasoning is kept, in the marks by which any text is known for it.
    return Read(words or (reasoning and f"<think>\n{reasoning}\n</think>"), state, message=problem, **known)


def _error(found: object, body: Body, access: Access, where: str) -> NoAnswer:
    """An error within a body: as with the status that it names or means; one of unknown kind may pass."""
    said, status = said_in(found), status_in(found)
    said = said._replace(message=access.masked(said.message))
    if status is not None:
        return no_answer_of(status, said, where, body.asked_s)
    wait_s = said.retry_after_s if body.asked_s is None else body.asked_s
    return NoAnswer("provider_error", f"{where}: {said.message}", True, True, code=said.code, retry_after_s=wait_s)


def _state(message: Mapping[str, Any], content: str | None, finish: object) -> tuple[str | None, str | None]:
    """State and problem where the server's own words decide; null where the text does."""
    if refusal := _text(message.get("refusal")):
        return "refused", f"the judge refused: {refusal[:200]}"
    word = str(finish or "stop").lower()
    reason = f"finish_reason '{str(finish)[:40]}'"
    if word in NORMAL_STOPS:
        return None, None
    if word == "refusal":
        return "refused", f"the judge refused ({reason})"
    if word in FILTERS:
        return "filtered", f"the provider's content filter stopped the answer ({reason})"
    if word not in AT_THE_LIMIT:
        return "cut_off", f"the server ended the answer before its time ({reason})"
    if without_reasoning(content):
        return "cut_off", f"the answer was cut off at max_output_tokens ({reason})"
    return "cut_off", f"no answer within max_output_tokens ({reason}): a model that reasons needs more of them"


def _apart(message: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """A message's text and its reasoning; what is neither is text as JSON, so that nothing is lost."""
    content = message.get("content")
    reasoning = [text for name in REASONING_FIELDS if (text := _text(message.get(name)))][:1]
    if content is None or isinstance(content, str):
        return content, "".join(reasoning) or None
    texts = []
    for part in content if isinstance(content, list) else [content]:
        fields = part if isinstance(part, dict) else {"text": part}
        if fields.get("type") in _REASONING_PARTS:
            reasoning += _words(fields)
        elif isinstance(fields.get("text"), str):
            texts.append(fields["text"])
        else:
            return json.dumps(content), "".join(reasoning) or None
    return "".join(texts), "".join(reasoning) or None


def _words(part: object) -> list[str]:
    """The texts of a part of reasoning, at any depth."""
    if isinstance(part, list):
        return [word for one in part for word in _words(one)]
    if isinstance(part, dict):
        return [word for name in ("text", *_REASONING_PARTS) for word in _words(part.get(name))]
    return [part] if isinstance(part, str) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    tokens_in, tokens_out = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if tokens_in is None or tokens_out is None:
        return None
    total = _count(usage.get("total_tokens")) or 0
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    cached = min(_count(details.get("cached_tokens")) or 0, tokens_in)
    written = min(_count(details.get("cache_write_tokens")) or 0, tokens_in - cached)
    # Some servers leave the tokens of reasoning, which are billed as output, out of all but the total.
    return Usage(tokens_in, max(tokens_out, total - tokens_in), cached, written)


def _count(value: object) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if is_count and isinstance(value, int) else None
