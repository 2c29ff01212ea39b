"""A model behind any OpenAI-compatible chat endpoint, paid or one's own, asked what a study's task asks."""

import random
import re
import threading
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, Final, Literal, get_args

from resources.configuration.openai_judge import AnswerForm, OpenAIJudge
from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges.contract import Call, JudgeIdentity, Reply
from resources.judges.openai.access import Access, require_key
from resources.judges.openai.client import Client, Read
from resources.judges.openai.error_bodies import WRONG_KEY, NoAnswer, Refused
from resources.judges.openai.limits import DOWN, REFUSES, SLOW, Allowance, Circuit, Passage, WorstCase, dollars
from resources.judges.openai.prices import ModelPrice, costs_money, price_of
from resources.judges.openai.task import AnswerSchema, CallSize, Remedies, Task
from resources.photos.images import UnreadableImage

FORMS: Final[tuple[AnswerForm, ...]] = get_args(AnswerForm)  # each gives way to the one behind it
SETTINGS: Final = ("temperature", "top_p", "seed", "reasoning_effort", "detail")
_ABOUT_THE_FORM = re.compile(
    r"response[ _]?format|output[ _]?(format|config\.format)|json[ _]?schema|json[ _]?object|json mode|"
    r"structured output|guided",
    re.I,
)
# Anthropic's field that holds the form of the answer and the effort.
_OUTPUT_CONFIG = re.compile(r"output[ _]?config", re.IGNORECASE)
_ABOUT_TOKENS = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)
_ABOUT_LENGTH = re.compile(r"input|prompt|context", re.IGNORECASE)
UNAUTHORISED, PAYMENT_REQUIRED, FORBIDDEN, NOT_FOUND, TOO_LARGE = 401, 402, 403, 404, 413
REDIRECTS: Final = (300, 400)
OUT_OF_QUOTA: Final = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
_NO_IMAGES: Final = re.compile(
    r"\b(images?|image_url|vision)\b[^.]{0,60}(\bnot[ -]?|\bun-?|n't )(supported|accepted|available|enabled)"
    r"|(\bnot|n't)\b[^.]{0,30}\b(support|accept|take)\w*\b[^.]{0,30}\b(images?|image_url|vision)\b",
    re.IGNORECASE,
)
_NO_CREDIT: Final = re.compile(r"credit balance is too low", re.IGNORECASE)  # Anthropic, with status 400
FILTERED: Final = ("content_filter", "content_policy_violation")
FIRST_PAUSE_S: Final = 1.0
KEPT = "What came is kept, and running again goes on from here."
NAME_A_KEY: Final = "Name by `key_variable` an environment variable that holds a key."
CODE_VERSION: Final = "1"


@dataclass(frozen=True)
class RequestForm:
    """The parts of a request that not every server knows."""

    form: AnswerForm
    form_is_fixed: bool
    tokens_field: Literal["max_completion_tokens", "max_tokens"]
    tokens_field_is_fixed: bool = False
    forms: tuple[AnswerForm, ...] = FORMS
    left_out: frozenset[str] = frozenset()

    def without(self, refused: Refused, dispensable: Collection[str] = ()) -> "RequestForm | None":
        """The next form to try; null where no other form cures the refusal.

        `dispensable` are settings without which a call is the same call.
        """
        about = f"{refused.param} {refused.message}"
        if is_about_the_form(refused) and not self.form_is_fixed and self.form != "plain":
            return replace(self, form=self.forms[self.forms.index(self.form) + 1])
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

    def __init__(
        self, configuration: OpenAIJudge, is_openai: bool, has_schema: bool = True, is_anthropic: bool = False
    ) -> None:
        wanted = configuration.answer_form if has_schema else "plain"
        self._form = RequestForm(
            form="json_schema" if wanted == "auto" else wanted,
            form_is_fixed=wanted != "auto",
            # OpenAI's newer models know only the one, most other servers only the other.
            tokens_field="max_completion_tokens" if is_openai else "max_tokens",
            # Anthropic's format has one name of the field, and no object without a schema.
            tokens_field_is_fixed=is_anthropic,
            forms=("json_schema", "plain") if is_anthropic else FORMS,
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
    configuration: OpenAIJudge,
    form: RequestForm,
    schema: AnswerSchema | None,
) -> dict[str, Any]:
    """The arguments of `chat.completions.create`, but for the model.

    The parts come first and the nonce last, so that a provider's cache can serve what repeats have in common.
    """
    text = call.user_message
    request: dict[str, Any] = {
        "messages": [
            *([{"role": "system", "content": call.system_message}] if call.system_message else []),
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
    about = f"{refused.param} {refused.message}"
    if _OUTPUT_CONFIG.search(about) and not _names("reasoning_effort", about):
        return True
    return _ABOUT_THE_FORM.search(about) is not None


def setting_blamed(refused: Refused) -> str | None:
    """The sampling setting that a refusal is about; null where it is about none.

    Of temperature and top_p it is the top_p where both are named: newer Claude models take only one of the two.
    """
    found = [name for name in SETTINGS if refused.param == name or _names(name, refused.message)]
    if "top_p" in found and refused.param != "temperature":
        return "top_p"
    return next(iter(found), None)


def _names(setting: str, words: str) -> bool:
    """Whether words name a setting; Anthropic calls the effort of reasoning `effort`."""
    name = r"(?<!best[ -])(reasoning_)?effort" if setting == "reasoning_effort" else setting
    return re.search(rf"(?<![a-z_]){name}(?![a-z_])", words, re.IGNORECASE) is not None


def stops_the_run(
    no_answer: NoAnswer, call: Call, access: Access, configuration: OpenAIJudge, task: Task
) -> str | None:
    """What a person has to do before any other call makes sense; null where another call may fare better."""
    said, status, places, remedies = no_answer.message, no_answer.status, access.places, task.remedies
    key = places.key or "`key_variable`"
    if no_answer.code in OUT_OF_QUOTA or status == PAYMENT_REQUIRED or _NO_CREDIT.search(said):
        return (
            f"The key's quota or credit at {access.public_url} is used up ({said}). Add credit, then run again. {KEPT}"
        )
    # Google answers a wrong key with status 400, others with 403.
    if status == UNAUTHORISED or (status and WRONG_KEY.search(f"{no_answer.code} {said}")):
        if not places.key:
            return f"{access.public_url} asks for a key ({said}). {NAME_A_KEY} {KEPT}"
        return f"{access.public_url} does not take the key ({said}). Set {key} to one that it issued. {KEPT}"
    if status == FORBIDDEN:
        said_so = f"{access.public_url} does not let the key use '{access.model}' ({said})."
        return f"{said_so} Set another {key} or {places.model}."
    if status == NOT_FOUND:
        return (
            f"{access.public_url} has no model '{access.model}', or no chat endpoint below this address ({said}). "
            f"Correct {places.model} or {places.base_url}; most addresses end in /v1."
        )
    if status is not None and REDIRECTS[0] <= status < REDIRECTS[1]:
        return (
            f"{access.public_url} sends requests on to another address (status {status}). That is not followed, "
            f"because the key and what is judged would go there. Set {places.base_url} to the address itself, if you "
            "trust it."
        )
    if status == TOO_LARGE:
        return f"A call is too large for {access.public_url} ({said}). {remedies.too_large}"
    if no_answer.refused is not None and is_about_the_form(no_answer.refused) and configuration.answer_form != "auto":
        return (
            f"'{access.model}' does not take `answer_form: {configuration.answer_form}` ({said}). Set `answer_form: "
            f"auto` in the judge's section. {KEPT}"
        )
    if no_answer.refused is not None and task.size.n_pictures(call) and _NO_IMAGES.search(said):
        return f"'{access.model}' at {access.public_url} takes no images ({said}). Choose a model that sees. {KEPT}"
    if no_answer.refused is not None and access.dialect.name == "anthropic" and _is_about_tokens(no_answer.refused):
        return (
            f"'{access.model}' does not take `max_output_tokens: {configuration.max_output_tokens}` ({said}). Lower "
            f"`max_output_tokens` in the judge's section. {KEPT}"
        )
    if no_answer.refused is not None:
        return _refused_setting(no_answer, call, access, configuration, remedies)
    if no_answer.retry_after_s is not None and no_answer.retry_after_s > configuration.longest_wait_s:
        return (
            f"{access.public_url} asks to wait {no_answer.retry_after_s:,.0f} s, longer than longest_wait_s "
            f"({configuration.longest_wait_s:g} s) allows ({said}). Run again later. {KEPT}"
        )
    return None


def _is_about_tokens(refused: Refused) -> bool:
    """Whether a refusal is about the limit of tokens alone, and not about one call that is too long with it."""
    about = f"{refused.param} {refused.message}"
    return _ABOUT_TOKENS.search(about) is not None and not _ABOUT_LENGTH.search(about)


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


class ChatJudge:
    """Asks one model; one attempt a reply, within its limits of rate, quota and money.

    The first call goes alone: it finds out whether key, model and form of the answer are taken. `begin` must be called
    before `reply`.
    """

    faults_are_final = False

    def __init__(self, configuration: Configuration, task: Task, access: Access) -> None:
        """Nothing is opened or sent, and neither key nor price are looked at before `begin`."""
        self._configuration, self._task, self._access = configuration, task, access
        self.workers, self.attempts = configuration.concurrency, configuration.attempts
        self._form = SharedForm(
            configuration,
            access.is_openai,
            has_schema=task.schema is not None,
            is_anthropic=access.dialect.name == "anthropic",
        )
        self._circuit = Circuit(configuration.faults_until_open, configuration.longest_wait_s)
        self._client = Client(access, configuration.timeout_s)
        self._allowance = Allowance(configuration, self._circuit, task.remedies)
        self._identity = JudgeIdentity(
            judge=access.dialect.name,
            model=access.model,
            rubric_version=task.rubric_version,
            code_version=CODE_VERSION,
            parameters={
                "base_url": access.public_url,
                "answer_form": configuration.answer_form,
                "max_output_tokens": configuration.max_output_tokens,
                "reasoning_effort": configuration.reasoning_effort,
                "send_seed": configuration.send_seed,
                "send_neutral_top_p": configuration.send_neutral_top_p,
                **task.parameters(configuration),
            },
        )

    @property
    def identity(self) -> JudgeIdentity:
        """What tells this judge's answers from another's; no secret is in it."""
        return self._identity

    @property
    def size(self) -> CallSize:
        """What goes with a call's messages, for guesses before it is sent."""
        return self._task.size

    @cached_property
    def price(self) -> ModelPrice:
        """What the model costs.

        Raises:
            UserError: No price is known.
        """
        return price_of(
            self._access.model, self._configuration, own_server=self._access.is_own, base_url=self._access.base_url
        )

    @cached_property
    def worst_case(self) -> WorstCase:
        """What a call takes at most."""
        return WorstCase(self._configuration, self.price, self._task.size)

    def taken_in_turns(self, study: str) -> tuple[str, ...]:
        """The study's money, whichever model it is spent on, and the key's limits, whichever study it serves."""
        configuration = self._configuration
        limits = (configuration.requests_per_minute, configuration.tokens_per_minute, configuration.requests_per_day)
        money = [f"study {study}, money"] if costs_money(configuration, self._access) else []
        return (*money, *([f"key {self._access.key_id}"] if any(limits) else []))

    def begin(self, spent: Spent) -> None:
        """Take note of what was spent.

        Raises:
            UserError: The key or a price is missing, a budget or quota does not suffice for one call, or no person
                started the run and no daily budget is set.
        """
        require_key(self._access)
        smallest = self._task.smallest(self._identity)
        worst = self.worst_case
        self._allowance.begin(spent, self._access.key_id, worst.tokens(smallest), worst.usd(smallest))
        self._client.open()

    def reply(self, call: Call) -> Reply:
        """One attempt from top to bottom: its turn, money, rate, request, and what it came to; the run records it.

        A form of the request that the server does not know gives way to the next at once. The requests before it are
        attempts of their own, because they count against the day's quota.

        Raises:
            UserError: The run must end: no money, quota or working provider is left, or an image is another than the
                one whose hash was recorded.
        """
        try:
            parts = self._task.parts(call)
        except UnreadableImage as unreadable:
            return Reply(None, fault="provider_error", fault_message=str(unreadable))
        refused: list[Reply] = []
        with self._circuit.passed() as passage:
            # Only now: the calls before may have shown that a call takes more than was guessed.
            worst_usd, most_tokens = self.worst_case.usd(call), self.worst_case.tokens(call)
            with self._allowance.set_aside(worst_usd) as bill:
                while True:
                    try:
                        self._allowance.admit(0 if refused else most_tokens)
                    except UserError as problem:
                        if not refused:
                            raise
                        # The requests that went out count, though none of them brought an answer.
                        reply = replace(refused.pop(), stops_run=str(problem))
                        break
                    bill.usd, form, began = worst_usd, self._form.now, perf_counter()
                    read = self._client.send(self._request(call, parts, form))
                    latency_ms, key_id = (perf_counter() - began) * 1000, self._access.key_id
                    sent: dict[str, Any] = {"answer_form": form.form, "latency_ms": latency_ms, "key_id": key_id}
                    if (error := read.error) is None or (other := self._form.give_way(form, error, call)) is None:
                        reply = replace(self._came_to(call, read, worst_usd), **sent)
                        bill.usd = reply.cost_usd
                        break
                    bill.usd = 0.0
                    message = f"{error.message.rstrip('.')}. Asked again {other.instead_of(form)}."
                    refused.append(Reply(None, fault=error.fault, fault_message=message, **sent))
                if reply.tokens_in is not None:
                    self._allowance.settle_tokens(most_tokens, reply.tokens_in + (reply.tokens_out or 0))
                return self._noted(passage, replace(reply, earlier=tuple(refused)))

    def request(self, call: Call) -> dict[str, Any]:
        """The body that a call would be sent as.

        Raises:
            UserError: An image is another than the one whose hash was recorded.
            UnreadableImage: An image cannot be read.
        """
        return self._access.dialect.body_of(self._request(call, self._task.parts(call), self._form.now))

    def _request(self, call: Call, parts: list[dict[str, Any]], form: RequestForm) -> dict[str, Any]:
        """In OpenAI's form, which the client translates."""
        return {"model": self._access.model, **request_of(call, parts, self._configuration, form, self._task.schema)}

    def stop(self, why: str) -> None:
        """Let no request go out any more, whatever it waits for."""
        self._circuit.stop(why)

    def _came_to(self, call: Call, read: Read, worst_usd: float) -> Reply:
        """The answer as it came, or the fault with what to do about it."""
        error = read.error
        facts = self._facts(call, read, worst_usd if error is None or error.may_be_billed else 0.0)
        if error is None:
            message = read.message and _with_booking(read.message, read, worst_usd)
            return Reply(read.text, answer_state=read.state, fault_message=message, **facts)
        if error.code in FILTERED:
            return Reply(None, answer_state="filtered", fault_message=error.message, **facts)
        stops = stops_the_run(error, call, self._access, self._configuration, self._task)
        wait_s = pause_s(error, call, self._configuration.longest_wait_s)
        return Reply(
            None,
            fault=error.fault,
            fault_message=_with_booking(error.message, read, facts["cost_usd"]),
            retry_after_s=wait_s if error.may_pass and not stops else None,
            stops_run=stops,
            **facts,
        )

    def _facts(self, call: Call, read: Read, without_usage_usd: float) -> dict[str, Any]:
        """Who answered, the tokens, and what they cost; without a count of tokens the cost given."""
        known = {"model_answered": read.model, "fingerprint": read.fingerprint, "cost_usd": without_usage_usd}
        if (usage := read.usage) is None:
            return known
        self.worst_case.learn(call, usage)
        cost_usd = self.price.usd(usage.tokens_in, usage.tokens_out, usage.tokens_cached, usage.tokens_written)
        tokens = {name: getattr(usage, name) for name in ("tokens_in", "tokens_out", "tokens_cached")}
        return known | tokens | {"cost_usd": cost_usd}

    def _noted(self, passage: Passage, reply: Reply) -> Reply:
        """The reply, once the circuit knows of it; the fault that ends the run says so."""
        said = reply.fault_message or ""
        if reply.stops_run:
            self._circuit.stop(reply.stops_run)
        elif reply.fault == "rate_limited":
            self._circuit.rate_limited(passage, reply.retry_after_s or 0.0, said)
        elif reply.fault:
            refused = reply.fault == "provider_error" and reply.retry_after_s is None
            self._circuit.faulted(passage, said, REFUSES if refused else SLOW if reply.fault == "timeout" else DOWN)
        else:
            self._circuit.answered()
        stopped = self._circuit.stopped
        return replace(reply, stops_run=stopped, retry_after_s=None) if reply.fault and stopped else reply


def _with_booking(message: str, read: Read, worst_usd: float) -> str:
    """The message, and that the call is booked at its worst case where no count of tokens came."""
    if read.usage is not None or not worst_usd:
        return message
    booked = f"Booked at its worst case, {dollars(worst_usd)}, because the provider may bill it."
    return f"{message.rstrip('.')}. {booked}"
