"""The estimate on the terminal, and a person's consent to what it says."""

import sys
from collections.abc import Sequence

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from pipeline.command_line.planned_calls import PlannedCalls
from resources.configuration.openai_judge import OpenAIJudge
from resources.database.engine import open_engine
from resources.database.measured_calls import measured_calls
from resources.errors import UserError
from resources.judges.contract import Spent
from resources.judges.openai.access import access_of, require_key
from resources.judges.openai.estimate import EstimateRow, Estimator, in_all
from resources.judges.openai.limits import dollars
from resources.judges.openai.price_age import price_age_gate
from resources.judges.openai.prices import ModelPrice, price_of
from resources.study import Study

HEADINGS = ("", "calls", "tokens in", "tokens out", "USD", "at most", "hours")


def show_estimate(console: Console, study: Study, planned: PlannedCalls, spent: Spent) -> None:
    """Print calls, tokens, price and hours of every part, how they were found, and what would stop the run.

    Raises:
        UserError: The judge has no model, or its price is not known.
    """
    judge = study.fidelity.judge
    console.print(f"{planned.n_open:,} calls to make, {planned.n_answered:,} answered before.", highlight=False)
    for gate in planned.gates:
        console.print(f"[bold red]STOP[/bold red] {gate.sentence}", soft_wrap=True, highlight=False)
    if not isinstance(judge, OpenAIJudge):
        for name, calls in planned.by_part.items():
            console.print(f"  {name:14} {sum(one.n_calls for one in calls):>8,}", highlight=False)
        console.print(f"The judge {judge.kind} costs nothing.", highlight=False)
        return
    access = access_of(judge)
    price = price_of(access.model, judge)
    measured = measured_calls(open_engine(study.home.database_url), study.name, planned.judge.identity.digest)
    estimator = Estimator(judge, price, measured)
    rows = estimator.rows(planned.by_part)
    console.print(_table([*rows, in_all(rows)]))
    for line in (f"'{access.model}' at {access.public_url}.", f"{price.sentence}.", estimator.method):
        console.print(line, soft_wrap=True, highlight=False)
    for line in (*_money(judge, price, in_all(rows), spent), *_quota(judge, planned.n_open)):
        console.print(line, soft_wrap=True, highlight=False)
    if not (gate := price_age_gate(judge)).passed:
        console.print(f"[yellow]WARN[/yellow] {gate.sentence}", soft_wrap=True, highlight=False)
    try:
        require_key(access)
    except UserError as problem:
        console.print(f"[bold red]STOP[/bold red] {problem}", soft_wrap=True, highlight=False)


def costs_money(study: Study) -> bool:
    """Whether the judge in force is a paid one.

    Raises:
        UserError: The judge has no model, or its price is not known.
    """
    judge = study.fidelity.judge
    return isinstance(judge, OpenAIJudge) and not price_of(access_of(judge).model, judge).is_free


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


def _table(rows: Sequence[EstimateRow]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "" else "right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.name,
            f"{row.n_calls:,}",
            f"{row.tokens_in:,.0f}",
            f"{row.tokens_out:,.0f}",
            dollars(row.usd),
            dollars(row.worst_usd),
            f"{row.hours:,.2f}",
        )
    return table


def _money(judge: OpenAIJudge, price: ModelPrice, total: EstimateRow, spent: Spent) -> list[str]:
    if price.is_free:
        return ["The judge costs nothing."]
    if judge.budget_usd is None:
        return [f"No budget_usd is set: only the number of calls limits what is spent ({dollars(spent.usd)} so far)."]
    left = judge.budget_usd - spent.usd
    fits = "suffices" if total.usd <= left else "[bold]does not suffice[/bold]: the run stops when it is used up"
    return [f"Budget {dollars(judge.budget_usd)}, spent {dollars(spent.usd)}, left {dollars(left)}: it {fits}."]


def _quota(judge: OpenAIJudge, n_open: int) -> list[str]:
    if judge.requests_per_day is None or n_open <= judge.requests_per_day:
        return []
    days = -(-n_open // judge.requests_per_day)
    return [f"requests_per_day: {judge.requests_per_day:,} makes it at least {days} days; run it again on each."]
