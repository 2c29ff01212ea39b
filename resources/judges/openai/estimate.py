"""Before the first call: how many there are, what they take, cost and last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from resources.configuration.openai_judge import OpenAIJudge
from resources.judges.contract import Call
from resources.judges.openai.limits import APPEARANCE_SIZE, CHARACTERS_PER_TOKEN, FRAME_TOKENS, STEADY, WorstCase
from resources.judges.openai.prices import ModelPrice
from resources.judges.openai.task import CallSize

if TYPE_CHECKING:
    from resources.database.call_queries import MeasuredCalls

ENOUGH_MEASURED: Final = 20  # answers, from which on their means are better than a guess
LATENCY_S: Final = 6.0
HOUR_S: Final = 3600.0


@dataclass(frozen=True)
class Planned:
    """Calls alike: one of them as an example, and how many."""

    example: Call
    n_calls: int


@dataclass(frozen=True)
class EstimateRow:
    """A part of the run: tokens and hours expected, dollars expected and at most if no call is tried again."""

    name: str
    n_calls: int
    tokens_in: float
    tokens_out: float
    usd: float
    worst_usd: float
    hours: float


@dataclass(frozen=True)
class PerCall:
    """What one call takes."""

    tokens_in: float
    tokens_out: float
    usd: float


class Estimator:
    """Guesses for one judge, from its own recorded answers where there are enough of them."""

    def __init__(
        self,
        configuration: OpenAIJudge,
        price: ModelPrice,
        measured: MeasuredCalls | None = None,
        size: CallSize = APPEARANCE_SIZE,
        *,
        has_pictures: bool = True,
    ) -> None:
        self._configuration, self._price, self._size, self._has_pictures = configuration, price, size, has_pictures
        self._measured = measured if measured and measured.n_answers >= ENOUGH_MEASURED else None
        self._worst = WorstCase(configuration, price, size)

    @cached_property
    def method(self) -> str:
        """How the numbers came about, in words."""
        return f"{self._expected} {self._at_most}"

    @property
    def _at_most(self) -> str:
        words = (
            "At most: every call sent once, with as many tokens as it can have. A fault that may be billed is booked "
            "at as much"
        )
        attempts = self._configuration.attempts
        return f"{words}, and a call is tried up to {attempts} times (`attempts`)." if attempts > 1 else f"{words}."

    @property
    def _expected(self) -> str:
        if self._measured:
            return (
                f"Tokens and seconds a call are the means of this judge's {self._measured.n_answers:,} recorded "
                "answers, tokens that a cache served included."
            )
        side = self._configuration.image_side_px
        pictures = f", pictures as squares of {side} px by the model family's rule ({self._price.images.rule})"
        read = f"{CHARACTERS_PER_TOKEN:g} characters of text a token{pictures if self._has_pictures else ''}, no cache"
        return (
            f"Tokens read: {read}. Tokens written: {self._size.written_tokens} a call, more by a model that reasons. "
            f"{LATENCY_S:g} s a call. None of it is measured yet."
        )

    def row(self, name: str, planned: Sequence[Planned]) -> EstimateRow:
        """One part of the run."""
        each = [(self._per_call(one.example), one) for one in planned]
        n_calls = sum(one.n_calls for one in planned)
        tokens_in = sum(call.tokens_in * one.n_calls for call, one in each)
        tokens_out = sum(call.tokens_out * one.n_calls for call, one in each)
        return EstimateRow(
            name=name,
            n_calls=n_calls,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            usd=sum(call.usd * one.n_calls for call, one in each),
            worst_usd=sum(self._worst.usd(one.example) * one.n_calls for one in planned),
            hours=self._hours(n_calls, tokens_in + tokens_out),
        )

    def rows(self, planned: Mapping[str, Sequence[Planned]]) -> list[EstimateRow]:
        """Every part by name."""
        return [self.row(name, calls) for name, calls in planned.items()]

    def _per_call(self, call: Call) -> PerCall:
        if measured := self._measured:
            cached = round(measured.tokens_cached)
            usd = self._price.usd(round(measured.tokens_in), round(measured.tokens_out), cached)
            return PerCall(measured.tokens_in, measured.tokens_out, usd)
        side, detail = self._configuration.image_side_px, self._configuration.image_detail
        characters = len(call.system_message) + len(call.user_message) + self._size.schema_bytes
        pictures = self._size.n_pictures(call) * self._price.images.tokens(side, side, detail)
        tokens_in = round(characters / CHARACTERS_PER_TOKEN) + FRAME_TOKENS + pictures
        tokens_out = min(self._size.written_tokens, self._configuration.max_output_tokens)
        return PerCall(tokens_in, tokens_out, self._price.usd(tokens_in, tokens_out))

    def _hours(self, n_calls: int, tokens: float) -> float:
        """The longest of what latency, requests and tokens a minute allow."""
        configuration = self._configuration
        latency_s = self._measured.latency_s if self._measured else LATENCY_S
        slowest_s = [n_calls * latency_s / configuration.concurrency]
        for amount, limit in (
            (n_calls, configuration.requests_per_minute),
            (tokens, configuration.tokens_per_minute),
        ):
            if limit:
                slowest_s.append(60 * amount / (STEADY * limit))
        return max(slowest_s) / HOUR_S
