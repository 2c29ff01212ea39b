"""Study D in the demo: both samples through every step that is due, the people's part played by a script."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Final
from uuid import uuid4

from rich.console import Console
from upath import UPath

from analysis.agreement.contingency import ContingencyStep
from analysis.words import count_noun, queries
from assets.reliability.logic.contingency_state import due, recalibration_under_way, undecided_now
from assets.reliability.logic.recalibration_plan import recalibration_plan
from pipeline.command_line import reliability_steps as steps
from pipeline.command_line.reliability_shown import ground_truth_in_words, history_table, say
from pipeline.command_line.reliability_steps import show_recalibration, show_thresholds
from pipeline.command_line.reliability_summary import bias_in_words, recalibration_in_words
from pipeline.command_line.run_study import run_and_show
from pipeline.command_line.study_verdict import show_in_short
from pipeline.command_line.summary import show_made_up
from resources.configuration.load import read_configuration
from resources.errors import UserError
from resources.extras import install_command, missing_modules
from resources.runtime.home import Home
from resources.study import Study, study_from_environment

REVIEWER: Final = "sample reviewer"
OPERATOR: Final = "sample"
MOST_STEPS: Final = 12
Truth = dict[tuple[str, str], bool]


def show_both_samples(home: Home, console: Console, *, in_short: bool = False) -> None:
    """The study that recalibration fixes, then the one that people resolve.

    Args:
        home: Where the samples and the first study lie; the second has a home of its own below the samples.
        console: Where the steps are reported.
        in_short: Of each sample the verdict and its table, without the steps.

    Raises:
        UserError: A step could not be taken.
    """
    from pipeline.samples.reliability import scripted_votes, write_reliability_samples, write_review_samples

    if missing_modules("models"):
        needs = (
            f"The first sample is left out: its judge `embedding` needs the extra `models`: {install_command('models')}"
        )
        say(console, needs, "yellow")
    else:
        first = write_reliability_samples(home.samples / "reliability")
        say(console, "First sample: two judges that disagree; made-up answers about the unclear queries then agree.")
        study = study_from_environment()
        _shown(console, study, _truth(scripted_votes(first.truth)), in_short)
    second = write_review_samples(home.samples / "reliability_by_review")
    say(console, "Second sample: two made-up judges that go on differing, so that people decide.")
    configuration = read_configuration(second.configuration)
    own = Home(UPath(second.home), second.home)
    study = Study(
        configuration.study,
        None,
        own,
        None,
        second.configuration,
        reliability_section=configuration.reliability,
        made_up=configuration.made_up,
    )
    _shown(console, study, _truth(scripted_votes(second.truth)), in_short)
    console.print(f"Its home: TOUCHSTONE_HOME={second.home}", soft_wrap=True, highlight=False)


def _shown(console: Console, study: Study, truth: Truth, in_short: bool) -> None:
    if not in_short:
        go_through(console, study, truth)
        show_report(console, study)
        return
    with _unseen() as unseen:
        go_through(unseen, study, truth)
    history = study.validations.validations()
    status = f"{str(history['status'].iloc[-1]).replace('_', ' ')}: {ground_truth_in_words(study, history)}"
    show_in_short(study, "reliability", console, (), f"Validation {status}")


def show_report(console: Console, study: Study) -> None:
    """Where a sample's report lies."""
    console.print(
        f"Report: {study.home.report('reliability')}", style="bold", soft_wrap=True, highlight=False, markup=False
    )


def go_through(console: Console, study: Study, truth: Truth) -> None:
    """Validate, then take whatever step is due until none is; what was done before is not done again.

    Raises:
        UserError: A step changed nothing, such as a document on which other reviewers hold the vote at a tie.
    """
    if study.validations.validations().empty:
        _validate(console, study, "Validation", ask_judges=True)
    else:
        say(console, "Validated before: what was done is kept, the demo goes on from there.")
    last: ContingencyStep | None = None
    for _ in range(MOST_STEPS):
        step = due(study)
        if step.name == "none":
            break
        if step == last:
            raise UserError(f"The demo cannot go on: {step.sentence} Vote yourself, by `touchstone review`.")
        say(console, f"Due: {step.sentence}", "bold")
        _take(console, study, step, truth)
        last = step
    history = study.validations.validations()
    say(console, str(history["notes"].iloc[-1]), "green")
    show_made_up(console, study.made_up.get("reliability", ()))
    say(console, ground_truth_in_words(study, history))
    console.print(history_table(history))


def vote(study: Study, truth: Truth, *, until_quota: bool) -> int:
    """The scripted reviewer's votes on what is offered, each document once; on how many queries."""
    n = 0
    while not (until_quota and study.reviews.quota_met()):
        task = study.reviews.next_query(REVIEWER)
        if task is None:
            break
        votes = {one.document_row: truth[task.query_id, one.doc_id] for one in task.documents}
        study.reviews.vote(REVIEWER, uuid4().hex, votes, "sample vote, from the answer key")
        n += 1
    return n


def _take(console: Console, study: Study, step: ContingencyStep, truth: Truth) -> None:
    match step.name:
        case "review":
            n = vote(study, truth, until_quota=True)
            say(console, f"  '{REVIEWER}' votes on {queries(n)}: {study.reviews.progress()}.")
            for words in bias_in_words(study):
                say(console, f"  {words}")
        case "accept_thresholds":
            chosen = steps.thresholds_asked_for(study, ())
            show_thresholds(console, study, chosen, advised=True)
            steps.accept_thresholds(study, chosen, OPERATOR)
            _validate(console, study, "Validation with the accepted threshold", ask_judges=False)
        case "recalibrate":
            plan = recalibration_plan(study)
            show_recalibration(console, study, plan)
            steps.start_recalibration(study, plan.again, OPERATOR)
            made = ", made up" if study.made_up.get("reliability") else ""
            _validate(console, study, f"Validation after judging again (recorded answers{made})", ask_judges=True)
            for words in recalibration_in_words(study):
                say(console, f"  {words}")
        case "manual_review":
            left = steps.open_manual_review(study, OPERATOR)
            vote(study, truth, until_quota=False)
            after = undecided_now(study, steps.tables_or_refuse(study).disputed_documents)
            say(console, f"  '{REVIEWER}' decides {count_noun(len(left) - len(after), 'document')}; {len(after)} left.")
        case _:
            begun = recalibration_under_way(study) is not None
            _validate(console, study, "Validation", ask_judges=begun or step.name == "more_data")


def _validate(console: Console, study: Study, what: str, *, ask_judges: bool) -> None:
    """Run the study and tell its validation in a line.

    Raises:
        UserError: The run stopped.
    """
    with console.status(what), _unseen() as unseen:
        run_and_show(unseen, "reliability", (), study, ask_judges)
    history = study.validations.validations()
    if history.empty:
        raise UserError("The sample gave no validation. Run `touchstone run reliability` to see why.")
    last = history.iloc[-1]
    say(
        console,
        f"{what}: kappa macro {last['kappa_macro']:.3f}, micro {last['kappa_micro']:.3f} over "
        f"{queries(last['total_queries'])}: {str(last['status']).replace('_', ' ')}.",
    )


@contextmanager
def _unseen() -> Iterator[Console]:
    """A console that is not shown: the demo reports each step in its own words."""
    yield Console(file=StringIO(), width=100)


def _truth(votes: Iterator[tuple[str, str, bool]]) -> Truth:
    return {(query, doc): relevant for query, doc, relevant in votes}
