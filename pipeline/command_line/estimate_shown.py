"""The estimate on the terminal, and a person's consent to what it says."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from itertools import groupby

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.command_line.planned_calls import ANCHOR, GOLDEN_SET, PlannedCalls
from resources.configuration.openai_judge import OpenAIJudge
from resources.database.engine import open_engine
from resources.database.measured_calls import measured_calls
from resources.errors import UserError
from resources.judges.contract import Spent
from resources.judges.openai.access import access_of, require_key
from resources.judges.openai.estimate import EstimateRow, Estimator, Planned
from resources.judges.openai.price_age import price_age_gate
from resources.judges.openai.prices import ModelPrice, price_of
from resources.study import Study

HEADINGS = ("", "calls", "tokens in", "tokens out", "USD", "at most", "time")
OTHER_PARTS = (GOLDEN_SET, ANCHOR)
WHOLE_CENTS_FROM_USD = 0.1


def show_estimate(console: Console, study: Study, planned: PlannedCalls, spent: Spent) -> None:
    """Print calls, tokens, price and hours of every part, how they were found, and what would stop the run.

    Raises:
        UserError: The judge has no model, or its price is not known.
    """
    judge = study.fidelity.judge
    console.print(f"{planned.n_open:,} calls to make, {planned.n_answered:,} answered before.", highlight=False)
    for gate in planned.gates:
        console.print(Text.assemble(("STOP", "bold red"), f" {gate.sentence}"), soft_wrap=True, highlight=False)
    if not isinstance(judge, OpenAIJudge):
        for name, n_calls in _counts(planned.by_part):
            console.print(f"  {name:20} {n_calls:>8,}", highlight=False)
        console.print(f"The judge {judge.kind} costs nothing.", highlight=False)
        return
    access = access_of(judge)
    price = price_of(access.model, judge, own_server=access.is_own, base_url=access.base_url)
    measured = measured_calls(open_engine(study.home.database_url), study.name, planned.judge.identity.digest)
    estimator = Estimator(judge, price, measured)
    total = estimator.row("in all", [one for calls in planned.by_part.values() for one in calls])
    if planned.n_open:
        console.print(estimate_table([*_alike(estimator.rows(planned.by_part)), total]))
    for line in (f"'{access.model}' at {access.public_url}.", f"{price.sentence}.", estimator.method):
        console.print(line, soft_wrap=True, highlight=False)
    for line in (*money_words(judge, price, total, spent), *quota_words(judge, planned.n_open)):
        console.print(line, soft_wrap=True, highlight=False)
    if not (gate := price_age_gate(judge)).passed:
        console.print(Text.assemble(("WARN", "yellow"), f" {gate.sentence}"), soft_wrap=True, highlight=False)
    try:
        require_key(access)
    except UserError as problem:
        console.print(Text.assemble(("STOP", "bold red"), f" {problem}"), soft_wrap=True, highlight=False)


def require_consent(yes: bool) -> None:
    """Ask whether to go on; `yes` is the consent given on the command line.

    Raises:
        UserError: There is no terminal to ask at.
        Exit: The person does not agree.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError(
            "This judge costs money, and there is no terminal to ask at. Nothing was sent; agree with `--yes`."
        )
    if not typer.confirm("Go on?"):
        raise typer.Exit(1)


def estimate_table(rows: Sequence[EstimateRow]) -> Table:
    """Parts of a run side by side: calls, tokens, dollars and time."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "" else "right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.name,
            f"{row.n_calls:,}",
            f"{row.tokens_in:,.0f}",
            f"{row.tokens_out:,.0f}",
            _usd(row.usd),
            _usd(row.worst_usd),
            _time(row.hours),
        )
    return table


def _counts(by_part: Mapping[str, Sequence[Planned]]) -> list[tuple[str, int]]:
    """Calls by part; settings next to each other with as many calls are one."""
    counts = [(name, sum(one.n_calls for one in calls)) for name, calls in by_part.items()]
    groups = [list(group) for _, group in groupby(counts, key=lambda part: (part[0] in OTHER_PARTS, part[1]))]
    return [(_name([name for name, _ in group], group[0][1]), sum(n for _, n in group)) for group in groups]


def _alike(rows: Sequence[EstimateRow]) -> list[EstimateRow]:
    """Settings next to each other that take the same are one row with their sum."""
    groups = [list(group) for _, group in groupby(rows, key=lambda row: (row.name in OTHER_PARTS, astuple(row)[1:]))]
    return [
        EstimateRow(
            _name([row.name for row in group], group[0].n_calls),
            *(sum(values) for values in zip(*(astuple(row)[1:] for row in group), strict=True)),
        )
        for group in groups
    ]


def _name(names: Sequence[str], n_calls: int) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} settings x {n_calls:,}"


def _usd(usd: float) -> str:
    """Cents, and two digits at least."""
    if usd == 0 or abs(usd) >= WHOLE_CENTS_FROM_USD:
        return f"${usd:,.2f}"
    return f"${usd:.{1 - math.floor(math.log10(abs(usd)))}f}"


def _time(hours: float) -> str:
    return f"{hours:,.1f} h" if hours >= 1 else f"{math.ceil(60 * hours)} min"


def money_words(judge: OpenAIJudge, price: ModelPrice, total: EstimateRow, spent: Spent) -> list[str]:
    """What the budget says to what a run takes."""
    if price.is_free:
        return ["The judge costs nothing."]
    if judge.budget_usd is None:
        return [f"No budget_usd is set: only the number of calls limits what is spent ({_usd(spent.usd)} so far)."]
    left = judge.budget_usd - spent.usd
    remains = f"left {_usd(left)}" if left > 0 else "nothing is left"
    money = f"Budget {_usd(judge.budget_usd)}, spent {_usd(spent.usd)}, {remains}"
    if not total.n_calls:
        return [f"{money}; nothing is to be asked."]
    fits = "suffices"
    if total.usd > left:
        fits = "does not suffice: the run stops when it is used up"
    elif total.worst_usd > left:
        fits = "suffices for the estimate, not for the worst case: the run stops when it is used up"
    return [f"{money}: it {fits}."]


def quota_words(judge: OpenAIJudge, n_open: int) -> list[str]:
    """How many days a daily limit of requests makes of it; nothing where it fits into one."""
    if judge.requests_per_day is None or n_open <= judge.requests_per_day:
        return []
    days = -(-n_open // judge.requests_per_day)
    return [f"requests_per_day: {judge.requests_per_day:,} makes it at least {days} days; run it again on each."]
