"""`touchstone run`: a study through Dagster, in this process, with progress and a summary."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from pipeline.command_line.terminal import terminal
from resources.errors import UserError, did_you_mean
from resources.runtime.home import touchstone_home

if TYPE_CHECKING:
    from resources.judges.openai.estimate import EstimateRow
    from resources.study import Study

NOTHING_FOUND = 1
StudyName = Literal["fidelity", "pairwise", "evaluation", "reliability", "drift"]
EngineName = Literal["local", "ray"]
JUDGE_KINDS = ("openai", "local")


def run(
    study: Annotated[StudyName, typer.Argument(help="Which study; drift judges the anchor of fidelity again.")],
    setting: Annotated[
        list[str] | None,
        typer.Option(help="fidelity: only this setting, such as t0.2_p0.95; can be given several times."),
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="evaluation: only this data set; can be given several times.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="pairwise: only this method; can be given several times.")
    ] = None,
    engine: Annotated[
        EngineName | None,
        typer.Option(help="pairwise: who computes photo features, this machine or a Ray cluster (RAY_ADDRESS)."),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="fidelity, drift: this judge of the list `judges` instead of the configured one; or openai or local, "
            "as configured if it is of this kind.",
            metavar="NAME",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="All but evaluation: calls, tokens, price, hours; ask nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to what a judge will be asked and cost.")] = False,
) -> None:
    """Run a study: what is answered already is not asked again."""
    from pipeline.samples.prepare import prepare_samples
    from resources.configuration.place import configuration_file

    console = terminal()
    home = touchstone_home()
    if study in ("pairwise", "reliability") and judge:
        raise UserError(f"`--judge` goes with fidelity and drift: study {study} names its judges in touchstone.yaml.")
    if study != "pairwise" and (engine or method):
        raise UserError("`--engine` and `--method` go with pairwise.")
    if (study != "evaluation" and dataset) or (study != "fidelity" and setting):
        raise UserError("`--setting` goes with fidelity, `--dataset` with evaluation.")
    if study == "evaluation" and (judge or yes or dry_run):
        raise UserError(
            "`--judge`, `--dry-run` and `--yes` go with fidelity and drift, the last two with pairwise and "
            "reliability too."
        )
    if configuration_file(home) is None and "TOUCHSTONE_HOME" in os.environ and not home.holds_a_study():
        raise UserError(
            f"There is no study in {home.local}: no touchstone.yaml, and the demo was not run there. "
            "`touchstone init` makes one, `touchstone demo` runs the samples."
        )
    if prepare_samples(home, console):
        console.print(f"There is no touchstone.yaml in {home.local}: the built-in sample study runs.", soft_wrap=True)
    partitions = tuple(setting or dataset or method or ())
    chosen = study_with(judge)
    if judge and chosen.fidelity.judges:
        partitions = _settings_of(chosen, judge, partitions, study)
    if engine:
        chosen = with_pairwise(chosen, engine=engine)
    if study == "pairwise":
        from pipeline.command_line.pairwise_home import refuse_unusable

        refuse_unusable(chosen.pairwise)
        tell_the_price_of_pairs(console, chosen, partitions, dry_run=dry_run, yes=yes)
    if study == "drift" or (study == "fidelity" and (dry_run or _asks_a_model(chosen))):
        _tell_the_price(console, chosen, None if study == "drift" else partitions, dry_run, yes)
    if study == "reliability":
        _tell_the_price_of_relevance(console, chosen, dry_run, yes)
    if not dry_run:
        if study == "fidelity":
            with console.status("Loading"):
                from pipeline.command_line.recording_ahead import tell_of_recordings
            tell_of_recordings(console, chosen.fidelity, partitions)
        run_and_show(console, study, partitions, chosen)


def study_with(judge: str | None) -> "Study":
    """The study that the environment names, with another judge where one is asked for, by its name in the list.

    A judge of the kind that is configured keeps its settings; any other has the defaults.

    Raises:
        UserError: There is no such judge, or none that scores objects.
    """
    from pydantic import ValidationError

    from resources.configuration.fidelity import LocalJudge, ReplayJudge
    from resources.configuration.openai_judge import OpenAIJudge
    from resources.study import study_from_environment

    study = study_from_environment()
    if judge is None or study.fidelity.judges or study.fidelity.judge.kind == judge:
        return study
    other = study.judges.get(judge) or {"openai": OpenAIJudge(kind="openai"), "local": LocalJudge()}.get(judge)
    if not isinstance(other, OpenAIJudge | LocalJudge | ReplayJudge):
        known = [*study.judges, *JUDGE_KINDS]
        raise UserError(
            f"There is no judge '{judge}' that scores objects{did_you_mean(judge, known)}; there are "
            f"{', '.join(known)}."
        )
    try:
        plan = type(study.fidelity)(**{**dict(study.fidelity), "judge": other})
    except ValidationError as problem:
        said = problem.errors()[0]["msg"].removeprefix("Value error, ")
        raise UserError(f"The judge {judge} cannot be asked in this study: {said}.") from problem
    return replace(study, fidelity_section=plan)


def _settings_of(study: "Study", judge: str, chosen: tuple[str, ...], name: StudyName) -> tuple[str, ...]:
    """The settings of one judge of several; those chosen may be named without the judge.

    Raises:
        UserError: The study does not compare it, it has no such setting, or the watch on drift has a judge of its own.
    """
    from resources.configuration.settings import AT, judge_in

    known = study.fidelity.judges
    if judge not in known:
        raise UserError(
            f"The study compares {', '.join(known)}, and not '{judge}'{did_you_mean(judge, known)}. Add it to `judges`."
        )
    if name == "drift":
        raise UserError("The watch on drift asks the judge of `anchor.setting`, else the first. Name a setting there.")
    own = [key for key in study.fidelity.partition_keys if judge_in(key) == judge]
    wanted = [key if AT in key else f"{judge}{AT}{key}" for key in chosen]
    # None left would mean all, of every judge.
    if strange := [key for key in wanted if key not in own]:
        near = did_you_mean(strange[0], own)
        raise UserError(f"The judge {judge} has no setting '{strange[0]}'{near}. It has {', '.join(own)}.")
    return tuple(key for key in own if not wanted or key in wanted)


def _asks_a_model(study: "Study") -> bool:
    return any(plan.judge.kind in ("openai", "model") for plan, _ in study.fidelity.by_judge())


def with_pairwise(study: "Study", **changes: object) -> "Study":
    """The study with other settings of its section `pairwise`.

    Raises:
        UserError: It has no such section.
    """
    return replace(study, pairwise_section=study.pairwise.model_copy(update=changes))


def _tell_the_price(
    console: Console, study: "Study", settings: tuple[str, ...] | None, dry_run: bool, yes: bool
) -> None:
    """Show what a run, or the watch on drift (no settings), would take, and ask a person whether it may cost that."""
    with console.status("Counting calls"):
        from assets.fidelity.anchor_scores import watched
        from pipeline.command_line.planned_calls import (
            agree_to_pay,
            planned_anchor_calls,
            planned_by_judge,
            show_estimate,
        )

        if settings is None:
            plan, watched_name = watched(study.fidelity)
            asked = [(watched_name, replace(study, fidelity_section=plan), planned_anchor_calls(study))]
        else:
            asked = planned_by_judge(study, settings)
        midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        spent = study.ledger.spent(study.name, midnight)
    before: list[EstimateRow] = []
    for judge, alone, planned in asked:
        if dry_run or planned.n_open:
            if judge is not None:
                console.print(f"Judge {judge}:", style="bold", highlight=False)
            total = show_estimate(console, alone, planned, spent, before)
            before += [] if total is None else [total]
    if not dry_run:
        agree_to_pay(((alone.fidelity.judge, planned.n_open) for _, alone, planned in asked if planned.n_open), yes)


def _tell_the_price_of_relevance(console: Console, study: "Study", dry_run: bool, yes: bool) -> None:
    with console.status("Loading"):
        from pipeline.command_line.relevance_ahead import tell_the_price
    tell_the_price(console, study, dry_run=dry_run, yes=yes)


def tell_the_price_of_pairs(
    console: Console, study: "Study", methods: tuple[str, ...], *, dry_run: bool = False, yes: bool = False
) -> None:
    """Show what judges of pairs will be asked, where there are any, and ask whether it may cost that."""
    if not (dry_run or study.pairwise.judges):
        return
    with console.status("Loading"):
        from pipeline.command_line.pairs_ahead import tell_the_price
    tell_the_price(console, study, methods, dry_run=dry_run, yes=yes)


def run_and_show(
    console: Console,
    name: StudyName,
    partitions: tuple[str, ...],
    study: "Study | None" = None,
    ask_judges: bool = True,
    *,
    in_short: bool = False,
) -> None:
    """Run one study and print its verdict and its summary.

    Args:
        console: Where its progress and its summary go.
        name: Which study.
        partitions: Settings, methods or data sets; all where empty.
        study: As it is to run; the one that the environment names where left out.
        ask_judges: Of study reliability; otherwise it validates the judgments that are there.
        in_short: The verdict, what fails, one table and the number of notes, in a dozen lines.

    Raises:
        UserError: A user's file or a blocking gate stopped the study.
    """
    with console.status("Loading"):
        from pipeline.command_line.evaluation_summary import show_evaluation
        from pipeline.command_line.pairwise_summary import show_pairwise, unavailable_in_short
        from pipeline.command_line.reliability_summary import show_reliability
        from pipeline.command_line.study_verdict import show_in_short, show_verdict_first, stops_of
        from pipeline.command_line.summary import show_drift, show_made_up, show_outcome, show_summary
        from pipeline.definitions import definitions_of
        from pipeline.instance import open_instance
        from pipeline.pool_waits import waits_said
        from pipeline.runs import run_drift, run_evaluation, run_pairwise, run_reliability, run_revalidation, run_study
        from resources.runtime.progress import BarProgress
        from resources.study import study_from_environment

        study = replace(study or study_from_environment())
        home = study.home
        definitions = definitions_of(study)
    bars = {"progress": BarProgress(console, transient=in_short)}
    getattr(study, "fidelity" if name == "drift" else name)  # refuses what is not configured
    with open_instance(home) as instance, waits_said(instance, partial(_say, console)):
        if name == "fidelity":
            outcome = run_study(definitions, name, instance, partitions, bars)
        elif name == "drift":
            outcome = run_drift(definitions, instance, bars)
        elif name == "pairwise":
            outcome = run_pairwise(definitions, instance, partitions, bars)
        elif name == "reliability" and ask_judges:
            outcome = run_reliability(definitions, instance, study, bars)
        elif name == "reliability":
            outcome = run_revalidation(definitions, instance, study)
        else:
            outcome = run_evaluation(definitions, instance, study, partitions)
    made_up = study.made_up.get("fidelity" if name == "drift" else name, ())
    if in_short and name != "drift" and outcome.succeeded and not outcome.user_errors and not outcome.other_errors:
        left_out = unavailable_in_short(home.tables / name) if name == "pairwise" else ""
        show_in_short(study, name, console, outcome.checks, left_out)
        return
    stops = stops_of(outcome.checks)
    if stops or f"{name}_trust_verdict" in outcome.tables:
        # A run that made none says nothing of the verdict of an earlier one.
        show_verdict_first(home, name, console, stops)
    show_outcome(outcome, console, ("judges_agree",) if outcome.succeeded else ())
    show_made_up(console, made_up)
    if name == "evaluation" and "evaluation_summary" in outcome.tables:
        # One bad file does not hide what the good ones gave.
        show_evaluation(home, console)
    if name == "fidelity" and {"setting_summary", "recommended_setting"} <= set(outcome.tables):
        # A report or a late table that cannot be written does not hide what was found.
        show_summary(home, console, outcome.by_setting)
        _show_all_calls(study, partitions, console)
    if name == "fidelity" and "fidelity_report" not in outcome.tables:
        _tell_of_the_old_report(study, console)
    if outcome.user_errors:
        raise UserError("\n".join(dict.fromkeys(outcome.user_errors)))
    if outcome.other_errors:
        raise RuntimeError("\n".join(dict.fromkeys(outcome.other_errors)))
    if name == "fidelity" and "fidelity_report" in outcome.tables:
        console.print(f"Report: {study.home.report('fidelity')}", style="bold", soft_wrap=True, highlight=False)
    if not outcome.succeeded:
        whom = f"{', '.join(outcome.stopped)}; the others went on" if outcome.stopped else "the study"
        raise UserError(f"A blocking gate stopped {whom}; the line marked STOP above says which and why.")
    if name == "pairwise" and not show_pairwise(study, console):
        raise typer.Exit(NOTHING_FOUND)
    if name == "reliability":
        show_reliability(study, console)
    if name == "drift":
        show_drift(home, console)


def _say(console: Console, words: str) -> None:
    console.print(words, soft_wrap=True, highlight=False, markup=False)


def _show_all_calls(study: "Study", settings: tuple[str, ...], console: Console) -> None:
    """What the golden set and the anchor add to the calls that the summary counts."""
    import pandas as pd

    from resources.database.call_queries import STUDY_CALLS, state_counts
    from resources.tables.call_states import FAULT_STATES

    folder = study.home.tables / "fidelity" / "judge_calls"
    paths = [folder / f"{key}.parquet" for key in settings or study.fidelity.partition_keys]
    asked = pd.concat([pd.read_parquet(str(path), columns=["judge_identity"]) for path in paths if path.exists()])
    counts = state_counts(study.ledger.engine, study.name)
    ours = counts[counts["judge_identity"].isin(asked["judge_identity"])]
    if ours["kind"].eq(STUDY_CALLS).all():
        return
    faults = int(ours.loc[ours["state"].isin(FAULT_STATES), "n"].sum())
    answers = int(ours["n"].sum()) - faults
    console.print(
        "Answers and cost above are without the golden set and the anchor; with them: "
        f"{answers:,} answers and {faults:,} faults, {ours['cost_usd'].sum():.2f} USD.",
        highlight=False,
    )


def _tell_of_the_old_report(study: "Study", console: Console) -> None:
    """A run that made no report leaves the one of an earlier run, perhaps of another judge: say so."""
    import pandas as pd

    table = study.home.tables / "fidelity" / "fidelity_report.parquet"
    if not study.home.report("fidelity").is_file() or not table.is_file():
        return
    judges = ", ".join(pd.read_parquet(str(table))["judge"].dropna().astype(str).unique()) or "of no name"
    console.print(
        f"The report on disk is of an earlier run (judge {judges}), not of this one: {study.home.report('fidelity')}",
        soft_wrap=True,
        highlight=False,
        markup=False,
    )
