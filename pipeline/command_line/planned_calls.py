"""The calls that a run of the fidelity study or of its watch on drift would make now, found without making a table."""

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from itertools import groupby

import pandas as pd
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.gates import Gate
from assets.fidelity.anchor_scores import anchor_plan, of_judge, require_a_judge_that_answers_anew, watched
from assets.fidelity.golden_scores import golden_name, records_items_only
from assets.fidelity.logic.anchor import judged_again, occasion_rows
from assets.fidelity.logic.golden_choice import golden_objects, other_object, refuse_unknown_items, setting_in_force
from assets.fidelity.logic.judge_answers import judged_objects
from assets.fidelity.logic.selection_split import products_that_choose
from assets.fidelity.study_objects import enough_objects_gate, mismatch_gate, missing_gate, selected_objects
from pipeline.command_line.terminal import grid
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.section import Section
from resources.configuration.settings import Setting, judge_in, setting_from_key
from resources.database.call_queries import measured_calls
from resources.database.call_records import Spent
from resources.database.engine import open_engine
from resources.errors import UserError, did_you_mean
from resources.inputs.fidelity.golden_pairs import own_altered
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.fidelity.study_objects import find_study_objects
from resources.judges.contract import Attempt, Call, Judge, JudgedObject
from resources.judges.judging import Judging, judge_of
from resources.judges.openai.access import access_of, require_key
from resources.judges.openai.chat_judge import ChatJudge
from resources.judges.openai.estimate import EstimateRow, Estimator, Planned
from resources.judges.openai.limits import APPEARANCE_SIZE
from resources.judges.openai.prices import ModelPrice, costs_money, price_age_gate, price_of
from resources.judges.question import question_of
from resources.photos.golden_set import alterations_of, golden_folder, made_before
from resources.study import Study, stored_table

GOLDEN_SET, ANCHOR = "golden set", "anchor"
HEADINGS = (">calls", ">tokens in", ">tokens out", ">USD", ">at most", ">time")
OTHER_PARTS = (GOLDEN_SET, ANCHOR)
WHOLE_CENTS_FROM_USD = 0.1
FEW_CALLS = 20  # of judges that cost nothing, which need no consent


@dataclass(frozen=True)
class PlannedCalls:
    """Calls by setting key, then those of the golden set; for the watch on drift those of the anchor.

    `gates` are those of the inputs that would stop the run.
    """

    judge: Judge
    by_part: dict[str, list[Planned]]
    n_answered: int
    gates: list[Gate]

    @property
    def n_open(self) -> int:
        """All calls to make."""
        return sum(one.n_calls for calls in self.by_part.values() for one in calls)


def planned_by_judge(study: Study, keys: Sequence[str] = ()) -> list[tuple[str | None, Study, PlannedCalls]]:
    """For each judge its name, where there are several, the study with it alone, and what it would be asked.

    The golden set goes to the judge of its setting, though no other setting of that judge is chosen. Before one is
    recommended it is counted for each of them.

    Args:
        study: With the current judges.
        keys: Partition keys; all where empty.

    Raises:
        UserError: As `planned_calls`.
    """
    known = study.fidelity.partition_keys
    for key in keys:
        if key not in known:
            raise UserError(f"The study has no setting '{key}'{did_you_mean(key, known)}. It has {', '.join(known)}.")
    golden, found = _golden_key(study), []
    for plan, own in study.fidelity.by_judge(keys):
        alone = replace(study, fidelity_section=plan)
        planned = planned_calls(alone, [setting_from_key(key).key for key in own])
        if golden is not None and judge_in(golden) != judge_in(own[0]):
            planned.by_part.pop(GOLDEN_SET, None)
        found.append((judge_in(own[0]), alone, planned))
    if golden is not None and golden in known and judge_in(golden) not in [name for name, _, _ in found]:
        alone = replace(study, fidelity_section=study.fidelity.asking(golden))
        planned = planned_calls(alone, [setting_from_key(golden).key])
        if calls := planned.by_part.get(GOLDEN_SET):
            found.append((judge_in(golden), alone, replace(planned, by_part={GOLDEN_SET: calls}, n_answered=0)))
    return found


def planned_calls(study: Study, keys: Sequence[str] = ()) -> PlannedCalls:
    """What is planned and not answered; reads the inputs and the ledger.

    Args:
        study: With one judge.
        keys: Settings; all where empty.

    Raises:
        UserError: An input file is wrong, the judge cannot be opened, or there is no such setting or golden item.
    """
    settings = [one for one in study.fidelity.settings.settings if not keys or one.key in keys]
    scores = read_human_scores(study.fidelity).frame
    frame = find_study_objects(scores, selected_objects(study.fidelity), study.fidelity)
    refuse_unknown_items(frame, study.fidelity)
    objects = judged_objects(frame)
    judge = judge_of(study.fidelity, objects)
    judging = Judging(study.name, study.fidelity, judge, objects, settings, study.ledger)
    still_open = judging.open_calls()
    counts = Counter((key.setting, key.object) for key in still_open)
    by_part = {
        setting.key: [
            Planned(_example(study, judge, judged, setting), counts[setting.key, judged.object])
            for judged in objects
            if counts[setting.key, judged.object]
        ]
        for setting in settings
    }
    golden = _golden_calls(study, judge, frame, scores)
    return PlannedCalls(
        judge,
        by_part | ({GOLDEN_SET: golden} if golden else {}),
        judging.n_answered,
        [gate for gate in _input_gates(frame, study) if not gate.passed],
    )


def _example(study: Study, judge: Judge, judged: JudgedObject, setting: Setting) -> Call:
    return question_of(study.fidelity).call(judged, Attempt(study.name, setting, judge.identity))


def _golden_calls(study: Study, judge: Judge, frame: pd.DataFrame, scores: pd.DataFrame) -> list[Planned]:
    """The calls about altered images, of which those count as answered that a run would not make again.

    An image that was never made, or a setting that is not known yet, was not asked about.
    """
    if records_items_only(study.fidelity):
        return []
    alterations = alterations_of(study.fidelity.golden)
    chosen = golden_objects(frame, products_that_choose(frame, scores, study.fidelity).products, study.fidelity)
    key = _golden_key(study)
    known = None if key is None else setting_from_key(key)
    setting = known or study.fidelity.settings.baseline
    planned = []
    for row, judged in zip(chosen[chosen["excluded"].isna()].to_dict("records"), judged_objects(chosen), strict=True):
        n_open = len(alterations) * study.fidelity.repeats
        if known is not None:
            other = other_object(row, frame, study.fidelity.seed)
            other_sha256 = None if other is None else str(other["candidate_sha256"])
            folder, original = golden_folder(study.home), judged.candidate_sha256
            made = made_before(folder, judged.item_id, original, other_sha256, alterations)
            altered = [
                replace(judged, object=golden_name(judged.object, name), candidate_sha256=sha256)
                for name, sha256 in made.items()
            ]
            asked = Judging(study.name, study.fidelity, judge, altered, [known], study.ledger)
            n_open -= len(altered) * study.fidelity.repeats - len(asked.open_calls())
        planned.append(Planned(_example(study, judge, judged, setting), n_open))
    objects = {one.object: one for one in judged_objects(frame)}
    for own in own_altered(frame, study.fidelity):
        if (judged_too := objects.get(own.object)) is not None:
            name = golden_name(own.object, own.pair.alteration)
            pair = replace(judged_too, object=name, candidate_sha256=own.sha256)
            asked = Judging(study.name, study.fidelity, judge, [pair], [setting], study.ledger)
            n_open = study.fidelity.repeats if known is None else len(asked.open_calls())
            planned.append(Planned(_example(study, judge, judged_too, setting), n_open))
    return [one for one in planned if one.n_calls]


def _golden_key(study: Study) -> str | None:
    """At which setting the golden set is judged, by its partition key; null before a setting is recommended."""
    if study.fidelity.golden.setting is not None:
        return study.fidelity.golden.setting
    try:
        recommended = stored_table(study, "recommended_setting")
    except UserError:
        # The run that is planned makes it anew, and must not be kept from it.
        return None
    if recommended is None:
        return None
    return setting_in_force(None, recommended, "golden") if len(recommended) else None


def planned_anchor_calls(study: Study) -> PlannedCalls:
    """What the watch on drift would ask today, of the judge that it watches.

    Raises:
        UserError: The judge is a recorded one or cannot be opened, the study was not run yet, or no setting is known.
    """
    plan, name = watched(study.fidelity)
    require_a_judge_that_answers_anew(plan)
    objects, recommended = stored_table(study, "study_objects"), stored_table(study, "recommended_setting")
    if objects is None or recommended is None:
        raise UserError("The anchor is drawn from a study that was run. `touchstone run fidelity` comes first.")
    recommended = of_judge(recommended, name)
    today = datetime.now(UTC).date().isoformat()
    earlier = occasion_rows(study.ledger.occasion_rows(study.name), plan)
    anchor = anchor_plan(earlier, today, objects, recommended, plan)
    judged, _ = judged_again(objects, anchor.objects, today)
    judge = judge_of(plan, judged)
    judging = Judging(study.name, plan, judge, judged, [anchor.setting], study.ledger)
    counts = Counter(key.object for key in judging.open_calls())
    asked = [
        Planned(_example(replace(study, fidelity_section=plan), judge, one, anchor.setting), counts[one.object])
        for one in judged
        if counts[one.object]
    ]
    gates = [gate for gate in [mismatch_gate(objects)] if not gate.passed]
    return PlannedCalls(judge, {ANCHOR: asked} if asked else {}, judging.n_answered, gates)


def _input_gates(frame: pd.DataFrame, study: Study) -> list[Gate]:
    missing = missing_gate(frame, study.fidelity.max_missing_share)
    return [mismatch_gate(frame), missing, enough_objects_gate(frame)]


def show_estimate(
    console: Console, study: Study, planned: PlannedCalls, spent: Spent, before: Sequence[EstimateRow] = ()
) -> EstimateRow | None:
    """Print calls, tokens, price and hours of every part, how they were found, and what would stop the run.

    Args:
        console: Where to.
        study: With one judge.
        planned: What it would be asked.
        spent: By the study so far.
        before: What the same run asks of other judges first.

    Returns:
        What it takes in all; null where the judge costs nothing by its kind.

    Raises:
        UserError: The judge has no model, or its price is not known.
    """
    judge = study.fidelity.judge
    console.print(f"{planned.n_open:,} calls to make, {planned.n_answered:,} answered before.", highlight=False)
    if planned.n_open and (stopping := study.fidelity.stopping) is not None:
        fewer = (
            f"At most: objects that are known well enough after {stopping.at_least} repeats or more are not asked on."
        )
        console.print(fewer, soft_wrap=True, highlight=False)
    for gate in planned.gates:
        console.print(Text.assemble(("STOP", "bold red"), f" {gate.sentence}"), soft_wrap=True, highlight=False)
    if column := study.fidelity.unread_text:
        note = (
            f"This judge is shown images alone, and no text of the manifest's column '{column}': `shows: both` does it."
        )
        console.print(note, soft_wrap=True, highlight=False, markup=False)
    if not isinstance(judge, OpenAIJudge):
        for name, n_calls in _counts(planned.by_part):
            console.print(f"  {name:20} {n_calls:>8,}", highlight=False)
        console.print(f"The judge {judge.kind} costs nothing.", highlight=False)
        return None
    access = access_of(judge)
    price = price_of(access.model, judge, own_server=access.is_own, base_url=access.base_url)
    measured = measured_calls(open_engine(study.home.database_url), study.name, planned.judge.identity.digest)
    size = planned.judge.size if isinstance(planned.judge, ChatJudge) else APPEARANCE_SIZE
    estimator = Estimator(judge, price, measured, size, has_pictures=study.fidelity.texts is None)
    total = estimator.row("in all", [one for calls in planned.by_part.values() for one in calls])
    if planned.n_open:
        console.print(estimate_table([*_alike(estimator.rows(planned.by_part)), total]))
    for line in (f"'{access.model}' at {access.public_url}.", f"{price.sentence}.", estimator.method):
        console.print(line, soft_wrap=True, highlight=False)
    for line in (*money_words(judge, price, total, spent, before), *quota_words(judge, planned.n_open)):
        console.print(line, soft_wrap=True, highlight=False)
    if not (gate := price_age_gate(judge)).passed:
        console.print(Text.assemble(("WARN", "yellow"), f" {gate.sentence}"), soft_wrap=True, highlight=False)
    try:
        require_key(access)
    except UserError as problem:
        console.print(Text.assemble(("STOP", "bold red"), f" {problem}"), soft_wrap=True, highlight=False)
    return total


def agree_to_pay(judges: Iterable[tuple[Section, int]], yes: bool) -> None:
    """Ask whether to go on where a judge costs money or has much to do, once each of them can be asked at all.

    A judge without its key would end a run in which others were paid for. A script is not asked about what is free.

    Args:
        judges: Those that have calls to make, and how many.
        yes: The consent given on the command line.

    Raises:
        UserError: A judge lacks its key, or there is no terminal to ask at.
        Exit: The person does not agree.
    """
    asked = [(judge, n_calls) for judge, n_calls in judges if isinstance(judge, OpenAIJudge)]
    for judge, _ in asked:
        require_key(access_of(judge))
    is_paid, by_hand = any(costs_money(judge) for judge, _ in asked), sys.stdin.isatty()
    is_long = by_hand and sys.stdout.isatty() and sum(n_calls for _, n_calls in asked) > FEW_CALLS
    if yes or not (is_paid or is_long):
        return
    if not by_hand:
        raise UserError(
            "This judge costs money, and there is no terminal to ask at. Nothing was sent; agree with `--yes`."
        )
    try:
        agrees = typer.confirm("Go on?")
    except typer.Abort:  # Ctrl+C, too
        agrees = False
    if not agrees:
        raise typer.Exit(1)


def estimate_table(rows: Sequence[EstimateRow]) -> Table:
    """Parts of a run side by side: calls, tokens, dollars and time."""
    table = grid("", *HEADINGS, wrapped=())
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


def money_words(
    judge: OpenAIJudge, price: ModelPrice, total: EstimateRow, spent: Spent, before: Sequence[EstimateRow] = ()
) -> list[str]:
    """What the budget says to what a run takes, after what the same run asks of other judges `before` this one."""
    if price.is_free:
        return ["The judge costs nothing."]
    if judge.budget_usd is None:
        return [f"No budget_usd is set: only the number of calls limits what is spent ({_usd(spent.usd)} so far)."]
    others, worst_of_others = (sum(getattr(one, name) for one in before) for name in ("usd", "worst_usd"))
    left = judge.budget_usd - spent.usd - others
    remains = f"left {_usd(left)}" if left > 0 else "nothing is left"
    first = f", {_usd(others)} for the judges before it" if others else ""
    money = f"Budget {_usd(judge.budget_usd)}, spent {_usd(spent.usd)}{first}, {remains}"
    if not total.n_calls:
        return [f"{money}; nothing is to be asked."]
    fits = "suffices"
    if total.usd > left:
        fits = "does not suffice: the run stops when it is used up"
    elif total.worst_usd + worst_of_others - others > left:
        fits = "suffices for the estimate, not for the worst case: the run stops when it is used up"
    return [f"{money}: it {fits}."]


def quota_words(judge: OpenAIJudge, n_open: int) -> list[str]:
    """How many days a daily limit of requests makes of it; nothing where it fits into one."""
    if judge.requests_per_day is None or n_open <= judge.requests_per_day:
        return []
    days = -(-n_open // judge.requests_per_day)
    return [f"requests_per_day: {judge.requests_per_day:,} makes it at least {days} days; run it again on each."]
