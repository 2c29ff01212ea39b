"""What judges of pairs will be asked in study B, and what that takes, before the first call."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from analysis.words import count_noun
from assets.pairwise.logic.pair_judging import pair_run, shown_pairs
from assets.pairwise.logic.photo_pair_counts import sampled
from pipeline.command_line.planned_calls import agree_to_pay
from pipeline.command_line.relevance_ahead import Asked, show_asked
from resources.database.call_queries import measured_calls
from resources.errors import UserError
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.judges.contract import Attempt
from resources.judges.openai.access import access_of
from resources.judges.openai.chat_judge import ChatJudge
from resources.judges.openai.estimate import Estimator, Planned
from resources.judges.pairs import SETTING, PairRun, ShownPair
from resources.judges.relevance.estimate import RelevanceEstimate
from resources.study import Study
from resources.tables.pairwise_rows import judged_pairs


def tell_the_price(console: Console, study: Study, methods: Sequence[str], *, dry_run: bool, yes: bool) -> None:
    """Show what judges will be asked, and ask a person whether it may cost that; nothing is sent.

    Args:
        console: Where to.
        study: The running study.
        methods: Those of the run; all where empty.
        dry_run: Show it in any case, and ask for no consent.
        yes: The consent given on the command line.

    Raises:
        UserError: No judge is asked, a file or a judge is wrong, or there is no terminal to ask at.
        Exit: The person does not agree.
    """
    if not study.pairwise.judges:
        if dry_run:
            raise UserError("Study pairwise asks no judge: `judges` in its section names none, so nothing costs money.")
        return
    with console.status("Counting calls"):
        asked = pairs_ahead(study, methods)
    if not asked:
        if dry_run:
            console.print("No judge is among these methods, so nothing costs money.")
        return
    n_open = sum(one.n_open for one in asked)
    if dry_run or n_open:
        show_asked(console, study, asked)
    if not dry_run:
        agree_to_pay(((one.judge, one.n_open) for one in asked if one.n_open), yes)


def pairs_ahead(study: Study, methods: Sequence[str] = ()) -> list[Asked]:
    """Every judge of the run with its open calls, two a pair.

    Raises:
        UserError: The votes, a photo, a text, a prompt or a price is missing or wrong.
    """
    plan = study.pairwise
    judged = judged_pairs(sampled(read_photo_pairs(plan).frame, plan.sample_size, plan.seed))
    pairs = shown_pairs(judged, plan)
    named = {name: method for method, name in plan.judge_methods.items() if name in plan.judges}
    return [_asked(study, name, pairs) for name, method in named.items() if not methods or method in methods]


def _asked(study: Study, name: str, pairs: Sequence[ShownPair]) -> Asked:
    judge, run = study.pairwise.judges[name], pair_run(study, name, pairs)
    assert isinstance(run.judge, ChatJudge)
    access, price = access_of(judge), run.judge.price
    measured = measured_calls(study.ledger.engine, study.name, run.judge.identity.digest)
    shows_images = judge.task is not None and judge.task.shows == "images"
    estimator = Estimator(judge, price, measured, run.judge.size, has_pictures=shows_images)
    n_open = Counter(key.object for key in run.open_calls())
    planned = _planned(study, run, n_open)
    row = estimator.row(name, planned)
    # A pair that is listed in both orders is asked once.
    n_calls = len({one.object for one in run.objects})
    n_pairs, n_answered = n_calls // 2, n_calls - sum(n_open.values())
    what = f"both orders of {count_noun(n_pairs, 'pair')}"
    return Asked(name, judge, what, n_pairs, RelevanceEstimate(row, n_answered, estimator.method, access, price))


def _planned(study: Study, run: PairRun, n_open: Counter[str]) -> list[Planned]:
    calls = {one.object: one for one in run.objects if n_open[one.object]}
    return [
        Planned(run.task.call(one, Attempt(study.name, SETTING, run.judge.identity)), n_open[name])
        for name, one in calls.items()
    ]
