"""What a run may still send and spend, and the waiting that keeps it so."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from resources.configuration.openai_judge import OpenAIJudge
from resources.errors import UserError
from resources.judges.contract import Spent
from resources.judges.openai.circuit import Circuit
from resources.judges.openai.limits import PerDay, PerMinute, Purse
from resources.judges.openai.task import Remedies


@dataclass
class Bill:
    """What a call costs, as far as is known."""

    usd: float = 0.0


class Allowance:
    """Rates, the day's quota and budgets of one judge; calls ask it from several threads."""

    def __init__(self, configuration: OpenAIJudge, circuit: Circuit, remedies: Remedies) -> None:
        """Nothing is known to be spent before `begin`."""
        self._configuration, self._circuit, self._remedies = configuration, circuit, remedies
        requests, tokens = configuration.requests_per_minute, configuration.tokens_per_minute
        self._requests = PerMinute(requests) if requests else None
        self._tokens = PerMinute(tokens) if tokens else None
        self._today: PerDay | None = None
        self._purses: Sequence[Purse] = ()

    def begin(self, spent: Spent, key_id: str, smallest_tokens: int, smallest_usd: float) -> None:
        """Take note of what was spent; the smallest call can take so many tokens and so much money.

        Raises:
            UserError: It does not suffice for one call, or no person started the run and no daily budget is set.
        """
        configuration = self._configuration
        if configuration.requests_per_day:
            self._today = PerDay(configuration.requests_per_day, spent.requests_today.get(key_id, 0))
            self._today.refuse_if_used_up()
        if configuration.tokens_per_minute and smallest_tokens > configuration.tokens_per_minute:
            raise UserError(
                f"tokens_per_minute: {configuration.tokens_per_minute} is less than one call can take "
                f"({smallest_tokens}). Raise it, or {self._remedies.smaller}."
            )
        self._purses = self._filled(spent) if smallest_usd else ()
        for purse in self._purses:
            purse.refuse_if_too_small(smallest_usd)

    @contextmanager
    def set_aside(self, worst_usd: float) -> Iterator[Bill]:
        """Keep the money of a call, and book what the bill says in the end.

        Raises:
            UserError: It does not fit a budget, or something within ended the run; no call goes out any more.
        """
        bill = Bill()
        held: list[Purse] = []
        try:
            for purse in self._purses:
                purse.set_aside(worst_usd)
                held.append(purse)
            yield bill
        except UserError as problem:
            self._circuit.stop(str(problem))
            raise
        finally:
            for purse in held:
                purse.settle(worst_usd, bill.usd)

    def admit(self, tokens: int) -> None:
        """Count one request, and wait until it keeps within the limits per minute with so many tokens.

        Raises:
            UserError: The day's quota is used up, or the run was stopped; the request must not go out.
        """
        wait_s = self._requests.take() if self._requests else 0.0
        if self._tokens:
            wait_s = max(wait_s, self._tokens.take(tokens))
        self._circuit.wait(wait_s)
        if self._today:
            self._today.take()

    def settle_tokens(self, booked: int, used: int | None) -> None:
        """Give back what a call was booked for and did not use."""
        if self._tokens and used is not None:
            self._tokens.give_back(max(0, booked - used))

    def _filled(self, spent: Spent) -> list[Purse]:
        configuration = self._configuration
        purses = []
        if configuration.budget_usd is not None:
            purses.append(Purse(configuration.budget_usd, spent.usd, "budget_usd"))
        if spent.unattended:
            if configuration.auto_budget_usd_per_day is None:
                raise UserError(
                    f"No person started this run, and the judge openai costs money. {self._remedies.run_it_yourself}, "
                    "or set `auto_budget_usd_per_day` in the judge's section."
                )
            purses.append(Purse(configuration.auto_budget_usd_per_day, spent.usd_today, "auto_budget_usd_per_day"))
        return purses
