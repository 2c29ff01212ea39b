"""What is sent: one call as a chat-completion request, and how it gives way to what a server does not know."""

import re
import threading
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, get_args

from resources.configuration.openai_judge import AnswerForm, OpenAIJudge
from resources.judges.contract import Call
from resources.judges.openai.task import AnswerSchema

FORMS: Final[tuple[AnswerForm, ...]] = get_args(AnswerForm)  # each gives way to the one behind it
SETTINGS: Final = ("temperature", "top_p", "seed", "reasoning_effort", "detail")

_ABOUT_THE_FORM = re.compile(
    r"response[ _]?format|json[ _]?schema|json[ _]?object|json mode|structured output|guided", re.I
)
_ABOUT_TOKENS = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)


class Refused(NamedTuple):
    """What a server says about a request that it refuses to take: the field by name, where it names one."""

    param: str
    message: str


@dataclass(frozen=True)
class RequestForm:
    """The parts of a request that not every server knows."""

    form: AnswerForm
    form_is_fixed: bool
    tokens_field: Literal["max_completion_tokens", "max_tokens"]
    tokens_field_is_fixed: bool = False
    left_out: frozenset[str] = frozenset()

    def without(self, refused: Refused, dispensable: Collection[str] = ()) -> "RequestForm | None":
        """The next form to try; null where no other form cures the refusal.

        `dispensable` are settings without which a call is the same call.
        """
        about = f"{refused.param} {refused.message}"
        if is_about_the_form(refused) and not self.form_is_fixed and self.form != "plain":
            return replace(self, form=FORMS[FORMS.index(self.form) + 1])
        if _ABOUT_TOKENS.search(about) and not self.tokens_field_is_fixed:
            other: Literal["max_completion_tokens", "max_tokens"]
            other = "max_tokens" if self.tokens_field == "max_completion_tokens" else "max_completion_tokens"
            return replace(self, tokens_field=other, tokens_field_is_fixed=True)
        blamed = setting_blamed(refused)
        if blamed and blamed in dispensable and blamed not in self.left_out:
            return replace(self, left_out=self.left_out | {blamed})
        return None

    def instead_of(self, earlier: "RequestForm") -> str:
        """What is different from an earlier form, in words."""
        if left_out := self.left_out - earlier.left_out:
            return f"without `{', '.join(sorted(left_out))}`"
        if self.tokens_field != earlier.tokens_field:
            return f"with `{self.tokens_field}` instead of `{earlier.tokens_field}`"
        return f"with answer_form `{self.form}` instead of `{earlier.form}`"


class SharedForm:
    """The form that all calls use; the first that a server refuses changes it for all."""

    def __init__(self, configuration: OpenAIJudge, is_openai: bool, has_schema: bool = True) -> None:
        wanted = configuration.answer_form if has_schema else "plain"
        self._form = RequestForm(
            form="json_schema" if wanted == "auto" else wanted,
            form_is_fixed=wanted != "auto",
            # OpenAI's newer models know only the one, most other servers only the other.
            tokens_field="max_completion_tokens" if is_openai else "max_tokens",
        )
        self._lock = threading.Lock()

    @property
    def now(self) -> RequestForm:
        """The form in use."""
        return self._form

    def give_way(self, used: RequestForm, refused: Refused, call: Call) -> RequestForm | None:
        """Change the form, unless another call did since; null where no other form cures the refusal.

        A seed makes a provider's answers repeat at best, and a top_p of 1 changes nothing: both can be left out.
        """
        dispensable = ("seed", "top_p") if call.setting.top_p == 1 else ("seed",)
        with self._lock:
            if self._form is not used:
                return self._form
            following = used.without(refused, dispensable)
            self._form = following or used
            return following


def request_of(
    call: Call,
    parts: list[dict[str, Any]],
    model: str,
    configuration: OpenAIJudge,
    form: RequestForm,
    schema: AnswerSchema | None,
) -> dict[str, Any]:
    """The arguments of `chat.completions.create`.

    The parts come first and the nonce last, so that a provider's cache can serve what repeats have in common.
    """
    text = call.user_message
    request: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": "system", "content": call.system_message},
            {"role": "user", "content": [*parts, {"type": "text", "text": text}] if parts else text},
        ],
        "temperature": call.setting.temperature,
        form.tokens_field: configuration.max_output_tokens,
    }
    if call.setting.top_p != 1 or (configuration.send_neutral_top_p and "top_p" not in form.left_out):
        request["top_p"] = call.setting.top_p
    if configuration.send_seed and "seed" not in form.left_out:
        request["seed"] = call.seed
    if configuration.reasoning_effort is not None:
        request["reasoning_effort"] = configuration.reasoning_effort
    if form.form == "json_object":
        request["response_format"] = {"type": "json_object"}
    elif form.form == "json_schema" and schema is not None:
        described = {"name": schema.name, "strict": True, "schema": schema.schema}
        request["response_format"] = {"type": "json_schema", "json_schema": described}
    return request


def is_about_the_form(refused: Refused) -> bool:
    """Whether a refusal is about the form in which the answer was asked for."""
    return _ABOUT_THE_FORM.search(f"{refused.param} {refused.message}") is not None


def setting_blamed(refused: Refused) -> str | None:
    """The sampling setting that a refusal is about; null where it is about none."""
    for name in SETTINGS:
        if refused.param == name or re.search(rf"(?<![a-z_]){name}(?![a-z_])", refused.message, re.IGNORECASE):
            return name
    return None
