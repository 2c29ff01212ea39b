"""What is sent, how it gives way to what a server does not know, and which refusals end the run."""

import random
import re
import threading
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from resources.configuration.openai_judge import AnswerForm, OpenAIJudge
from resources.judges.contract import Call
from resources.judges.openai.access import API_KEY, BASE_URL, MODEL, Access
from resources.judges.openai.error_bodies import WRONG_KEY, NoAnswer, Refused
from resources.judges.openai.task import AnswerSchema, Remedies

FORMS: Final[tuple[AnswerForm, ...]] = get_args(AnswerForm)  # each gives way to the one behind it
SETTINGS: Final = ("temperature", "top_p", "seed", "reasoning_effort", "detail")

_ABOUT_THE_FORM = re.compile(
    r"response[ _]?format|json[ _]?schema|json[ _]?object|json mode|structured output|guided", re.I
)
_ABOUT_TOKENS = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)
UNAUTHORISED, PAYMENT_REQUIRED, FORBIDDEN, NOT_FOUND, TOO_LARGE = 401, 402, 403, 404, 413
REDIRECTS: Final = (300, 400)
OUT_OF_QUOTA: Final = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
FILTERED: Final = ("content_filter", "content_policy_violation")
FIRST_PAUSE_S: Final = 1.0
KEPT = "What came is kept, and running again goes on from here."


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

    def give_way(self, used: RequestForm, error: NoAnswer, call: Call) -> RequestForm | None:
        """Change the form, unless another call did since; null where no other form cures the error.

        A seed makes a provider's answers repeat at best, and a top_p of 1 changes nothing: both can be left out.
        """
        if error.refused is None:
            return None
        dispensable = ("seed", "top_p") if call.setting.top_p == 1 else ("seed",)
        with self._lock:
            if self._form is not used:
                return self._form
            following = used.without(error.refused, dispensable)
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


def stops_the_run(
    no_answer: NoAnswer, call: Call, access: Access, configuration: OpenAIJudge, remedies: Remedies
) -> str | None:
    """What a person has to do before any other call makes sense; null where another call may fare better."""
    said, status = no_answer.message, no_answer.status
    if no_answer.code in OUT_OF_QUOTA or status == PAYMENT_REQUIRED:
        return (
            f"The key's quota or credit at {access.public_url} is used up ({said}). Add credit, then run again. {KEPT}"
        )
    # Google answers a wrong key with status 400, others with 403.
    if status == UNAUTHORISED or (status and WRONG_KEY.search(f"{no_answer.code} {said}")):
        return f"{access.public_url} does not take the key ({said}). Set {API_KEY} to one that it issued. {KEPT}"
    if status == FORBIDDEN:
        return (
            f"{access.public_url} does not let the key use '{access.model}' ({said}). Set another {API_KEY} or {MODEL}."
        )
    if status == NOT_FOUND:
        return (
            f"{access.public_url} has no model '{access.model}', or no chat endpoint below this address ({said}). "
            f"Correct {MODEL} or {BASE_URL}; most addresses end in /v1."
        )
    if status is not None and REDIRECTS[0] <= status < REDIRECTS[1]:
        return (
            f"{access.public_url} sends requests on to another address (status {status}). That is not followed, "
            f"because the key and what is judged would go there. Set {BASE_URL} to the address itself, if you trust it."
        )
    if status == TOO_LARGE:
        return f"A call is too large for {access.public_url} ({said}). {remedies.too_large}"
    if no_answer.refused is not None and is_about_the_form(no_answer.refused) and configuration.answer_form != "auto":
        return (
            f"'{access.model}' does not take `answer_form: {configuration.answer_form}` ({said}). Set `answer_form: "
            f"auto` in the judge's section. {KEPT}"
        )
    if no_answer.refused is not None:
        return _refused_setting(no_answer, call, access, configuration, remedies)
    if no_answer.retry_after_s is not None and no_answer.retry_after_s > configuration.longest_wait_s:
        return (
            f"{access.public_url} asks to wait {no_answer.retry_after_s:,.0f} s, longer than longest_wait_s "
            f"({configuration.longest_wait_s:g} s) allows ({said}). Run again later. {KEPT}"
        )
    return None


def _refused_setting(
    no_answer: NoAnswer, call: Call, access: Access, configuration: OpenAIJudge, remedies: Remedies
) -> str | None:
    """A setting is never left out silently: the table would name one that was not used."""
    assert no_answer.refused is not None
    blamed = setting_blamed(no_answer.refused)
    if blamed is None:
        return None
    remedy = {
        "temperature": remedies.temperature,
        "top_p": remedies.top_p,
        "seed": "Set `send_seed: false` in the judge's section.",
        "reasoning_effort": f"Correct `reasoning_effort: {configuration.reasoning_effort}` in the judge's section.",
        "detail": f"Set `image_detail: auto` in the judge's section (it is {configuration.image_detail}).",
    }[blamed]
    return (
        f"'{access.model}' does not take the {blamed} of {call.setting.key} ({no_answer.message}). It is not left out, "
        f"because the results would name a setting that was not used. {remedy}"
    )


def pause_s(no_answer: NoAnswer, call: Call, longest_wait_s: float) -> float:
    """How long to wait before the call is asked again: as the server asks, else twice as long at every try of the run.

    A little chance, drawn from the call's seed, keeps calls that failed together from coming back together.
    """
    chance = random.Random(call.seed).random()
    if no_answer.retry_after_s is not None:
        return no_answer.retry_after_s + chance * min(1.0, no_answer.retry_after_s)
    return min(longest_wait_s, FIRST_PAUSE_S * 2 ** (call.nth_try - 1)) * (0.5 + chance) / 1.5
