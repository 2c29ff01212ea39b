"""What judging relevance will cost, and a person's consent to it, before a run or a recalibration."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from analysis.words import count_noun
from assets.reliability.judgments import documents_of
from pipeline.command_line.estimate_shown import estimate_table, money_words, quota_words, require_consent
from pipeline.command_line.relevance_ahead import (
    Round,
    gates_on,
    known_texts,
    later_problems,
    problems_ahead,
    rounds_ahead,
    show_problems,
)
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import RelevanceJudge
from resources.database.reliability.recalibrations import Recalibrated, latest_recalibration
from resources.errors import UserError
from resources.inputs.reliability.relevance import read_relevance
from resources.judges.openai.access import require_key
from resources.judges.openai.estimate import EstimateRow
from resources.judges.openai.paid import costs_money
from resources.judges.openai.price_age import price_age_gate
from resources.judges.relevance.estimate import RelevanceEstimate, estimate
from resources.study import Study


class Asked(NamedTuple):
    """One judge under one prompt version, and how many documents it is asked about."""

    name: str
    judge: RelevanceJudge
    version: str
    n_documents: int
    estimate: RelevanceEstimate | None

    @property
    def n_open(self) -> int:
        """Calls to a model that are still to be made."""
        return self.estimate.row.n_calls if self.estimate else 0


def tell_the_price(
    console: Console, study: Study, *, dry_run: bool, yes: bool, again: Recalibrated | None = None
) -> None:
    """Show what judges will be asked, and ask a person whether it may cost that; nothing is sent.

    Args:
        console: Where to.
        study: The running study.
        dry_run: Show it in any case, and ask for no consent.
        yes: The consent given on the command line.
        again: A recalibration that is not recorded yet.

    Raises:
        UserError: The input or a judge is wrong, or there is no terminal to ask at.
        Exit: The person does not agree.
    """
    if not dry_run and not any(isinstance(judge, OpenAIJudge) for judge in _judges(study).values()):
        return
    with console.status("Counting calls"):
        asked = asked_ahead(console, study, again)
    n_open = sum(one.n_open for one in asked)
    if dry_run or n_open:
        show_asked(console, study, asked)
    if not dry_run and any(one.n_open and costs_money(one.judge) for one in asked):
        require_consent(yes)


def asked_ahead(console: Console, study: Study, again: Recalibrated | None = None) -> list[Asked]:
    """Everything that the next run asks, with an estimate where a model answers; what its gates would stop is shown.

    Raises:
        UserError: The input is wrong or contradicts what is kept, a file is missing, or a model has no price, no
            prompt or nothing to read.
    """
    plan, read = study.reliability, read_relevance(study.reliability)
    ahead = rounds_ahead(study, read)
    if again is not None:
        asked = documents_of(known_texts(study, read.documents), again.queries)
        ahead.append(Round(again.prompt_version, _judges(study), asked))
    if problems := problems_ahead(study, ahead, read):
        raise UserError("\n".join(problems))
    if not plan.judges:
        show_problems(console, [gate.sentence for gate in gates_on(read, plan) if not gate.passed])
    if again is None and latest_recalibration(study.validations) is None:
        show_problems(console, later_problems(study), "before a recalibration:", "yellow")
    found = []
    for one in ahead:
        for name, judge in one.judges.items():
            row = None
            if isinstance(judge, OpenAIJudge):
                row = estimate(study.name, plan, name, judge, one.version, one.asked, study.ledger)
            found.append(Asked(name, judge, one.version, len(one.asked), row))
    return found


def show_asked(console: Console, study: Study, asked: list[Asked]) -> None:
    """Calls, tokens, dollars and time of each judge, how they were found, and what would stop the run."""
    if not asked:
        console.print("The scores come with the input: no judge is asked.")
    for one in asked:
        if one.estimate is None:
            documents = count_noun(one.n_documents, "document")
            words = f"{one.name}, {one.version}: {documents}, judge {one.judge.kind}: costs nothing."
        else:
            to_make = count_noun(one.n_open, "call")
            words = f"{one.name}, {one.version}: {to_make} to make, {one.estimate.n_answered:,} answered."
        console.print(Text(words))
    rows = [one.estimate.row for one in asked if one.estimate]
    if sum(row.n_calls for row in rows):
        total = [_total(rows)] if len(rows) > 1 else []
        console.print(estimate_table([*rows, *total]))
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    spent = study.ledger.spent(study.name, midnight)
    lines: dict[str, None] = {}
    for one in asked:
        if one.estimate is None or not isinstance(one.judge, OpenAIJudge):
            continue
        access, price = one.estimate.access, one.estimate.price
        lines |= dict.fromkeys((f"'{access.model}' at {access.public_url}.", f"{price.sentence}."))
        lines |= dict.fromkeys((one.estimate.method, *money_words(one.judge, price, one.estimate.row, spent)))
        lines |= dict.fromkeys(quota_words(one.judge, one.n_open))
        if not (gate := price_age_gate(one.judge)).passed:
            lines[f"WARN {gate.sentence}"] = None
        try:
            require_key(access)
        except UserError as problem:
            lines[f"STOP {problem}"] = None
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False)


def _judges(study: Study) -> Mapping[str, RelevanceJudge]:
    return {**study.reliability.judges, **study.reliability.recalibration.judges}


def _total(rows: list[EstimateRow]) -> EstimateRow:
    return EstimateRow(
        "in all",
        sum(row.n_calls for row in rows),
        sum(row.tokens_in for row in rows),
        sum(row.tokens_out for row in rows),
        sum(row.usd for row in rows),
        sum(row.worst_usd for row in rows),
        sum(row.hours for row in rows),
    )
