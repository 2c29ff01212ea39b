"""A model behind any OpenAI-compatible chat endpoint, paid or one's own, asked what a study's task asks."""

from dataclasses import replace
from functools import cached_property
from time import perf_counter
from typing import Any, Final

from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges.contract import Call, JudgeIdentity, Reply
from resources.judges.openai.access import Access, require_key
from resources.judges.openai.client import Client, Read
from resources.judges.openai.limits import DOWN, REFUSES, SLOW, Allowance, Circuit, Passage, WorstCase, dollars
from resources.judges.openai.paid import costs_money
from resources.judges.openai.prices import ModelPrice, price_of
from resources.judges.openai.request import FILTERED, SharedForm, pause_s, request_of, stops_the_run
from resources.judges.openai.task import Task
from resources.photos.images import UnreadableImage

CODE_VERSION: Final = "1"


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
        self._form = SharedForm(configuration, access.is_openai, has_schema=task.schema is not None)
        self._circuit = Circuit(configuration.faults_until_open, configuration.longest_wait_s)
        self._client = Client(access, configuration.timeout_s)
        self._allowance = Allowance(configuration, self._circuit, task.remedies)
        self._identity = JudgeIdentity(
            judge="openai",
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
                    model, schema = self._access.model, self._task.schema
                    read = self._client.send(request_of(call, parts, model, self._configuration, form, schema))
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
        stops = stops_the_run(error, call, self._access, self._configuration, self._task.remedies)
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
