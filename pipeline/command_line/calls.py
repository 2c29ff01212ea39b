"""`touchstone calls`: what the ledger holds of a study, and asking again what got an answer without a score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pipeline.command_line.terminal import terminal
from resources.errors import UserError, did_you_mean
from resources.runtime.home import Home, touchstone_home
from resources.tables.call_states import ANSWER_STATES, FAULT_STATES, SCORED_STATES

if TYPE_CHECKING:
    import pandas as pd

    from resources.database.call_queries import Scope
    from resources.study import Study

FAILED_ANSWERS = tuple(state for state in ANSWER_STATES if state not in SCORED_STATES)
STATES = (*ANSWER_STATES, *FAULT_STATES)


def calls(
    setting: Annotated[
        list[str] | None, typer.Option(help="Only this setting, such as t0.2_p0.95; can be given several times.")
    ] = None,
    state: Annotated[
        list[str] | None,
        typer.Option(help="List the single calls in this state, such as invalid_json; can be given several times."),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(help="Another judge's calls: its name, its identity or the beginning of it, or its model."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the single calls to this file; - is the terminal.")] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask again what was answered without a score, or is in --state.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to what asking a judge again will take and cost.")] = False,
) -> None:
    """Show what became of the judge calls and what they cost; only --retry asks anything."""
    from resources.configuration.settings import AT, judge_in
    from resources.database.call_queries import Scope
    from resources.study import study_from_environment

    home = touchstone_home()
    states = _known_states(state or [])
    study = study_from_environment()
    counts = _counts(study, home)
    settings = _known_settings(study, counts, setting or [])
    if retry:
        if judge is not None or csv is not None:
            raise UserError("`--retry` asks the configured judge: it goes with --setting and --state only.")
        _retry(study, counts, settings, states, yes)
        return
    # The ledger knows a judge by its identity, and holds the setting alone.
    alone = settings and tuple(key.rpartition(AT)[2] for key in settings)
    names = list(dict.fromkeys(name for name in map(judge_in, settings or ()) if name))
    if judge is None and len(names) > 1:
        raise UserError(f"`--setting` names the judges {', '.join(names)}. Look at one judge at a time.")
    name = judge if judge is not None else next(iter(names), None)
    shown = _identity_of(study, name) or _judge_identity(counts, name)
    _show(study, counts, Scope(study.name, shown, alone, states or None), csv)


def _show(study: Study, counts: pd.DataFrame, scope: Scope, csv: Path | None) -> None:
    from pipeline.command_line import calls_shown
    from resources.database.call_queries import attempts, messages

    engine = study.ledger.engine
    single = attempts(engine, scope) if scope.states or csv is not None else None
    if single is not None and csv is not None:
        calls_shown.write_csv(single, csv)
        if str(csv) in calls_shown.TO_STDOUT:
            return
    console = terminal(highlight=False)
    if single is not None and scope.states:
        calls_shown.show_single(single, console)
    else:
        calls_shown.show_counts(counts, study.name, scope.judge_identity, scope.settings, console)
        calls_shown.show_messages(messages(engine, scope), console)
        calls_shown.show_other_judges(counts, scope.judge_identity, console)
    if csv is not None:
        console.print(f"Wrote {csv}", soft_wrap=True)


def _retry(
    study: Study,
    counts: pd.DataFrame,
    settings: tuple[str, ...] | None,
    states: tuple[str, ...],
    yes: bool,
) -> None:
    """Run the study with these states open again, once it is said how many calls that is.

    Raises:
        UserError: A state is not one of answers without a score, or the study was not run yet.
    """
    from pipeline.command_line.planned_calls import agree_to_pay
    from pipeline.command_line.run_study import run_and_show
    from resources.configuration.settings import AT

    if wrong := [one for one in states if one not in FAILED_ANSWERS]:
        why = "has a score and is final" if wrong[0] in SCORED_STATES else "is a fault, which every run asks again"
        raise UserError(f"'{wrong[0]}' {why}. `--retry` takes {', '.join(FAILED_ANSWERS)}.")
    console = terminal(highlight=False)
    chosen = frozenset(states or FAILED_ANSWERS)
    known = study.fidelity.partition_keys
    # The ledger holds the setting alone, which names that of every judge.
    keys = tuple(key for key in known if settings and {key, key.rpartition(AT)[2]} & set(settings))
    if settings and not keys:
        raise UserError(f"The study has no setting '{settings[0]}' any more. It has {', '.join(known)}.")
    asked = study.fidelity.by_judge(keys)
    judged = [
        (plan, own, n_calls)
        for plan, own in asked
        if (n_calls := _tell_before(replace(study, fidelity_section=plan), counts, own, chosen, console))
    ]
    if judged:
        agree_to_pay(((plan.judge, n_calls) for plan, _, n_calls in judged), yes)
        # A judge with nothing to ask again is not asked: what it has not answered yet was not said above.
        of_these = keys if len(judged) == len(asked) else tuple(key for _, own, _ in judged for key in own)
        run_and_show(terminal(), "fidelity", of_these, replace(study, retry_states=chosen))


def _tell_before(
    study: Study,
    counts: pd.DataFrame,
    keys: list[str],
    states: frozenset[str],
    console: Console,
) -> int:
    """Print what a run would ask of one judge; how many calls, 0 where none of them was answered before."""
    import pandas as pd

    from assets.fidelity.logic.judge_answers import judged_objects
    from resources.configuration.settings import setting_from_key
    from resources.database.call_records import ALTERATION_SIGN, OCCASION_SIGN
    from resources.judges.judging import Judging, judge_of

    path = study.home.tables / "fidelity" / "study_objects.parquet"
    if not path.exists():
        raise UserError("There is no table study_objects yet. `touchstone run fidelity` makes it.")
    objects = judged_objects(pd.read_parquet(str(path)))
    judge = judge_of(study.fidelity, objects)
    chosen = [setting_from_key(key) for key in keys]
    judging = Judging(study.name, study.fidelity, judge, objects, chosen, study.ledger, retry_states=states)
    known = study.ledger.progress(study.name, judge.identity.digest, [one.key for one in chosen])
    open_calls = judging.open_calls()
    again = sum(one.state in states for one in open_calls.values())
    golden = sum(one.state in states and not one.scored for key, one in known.items() if ALTERATION_SIGN in key.object)
    anchor = sum(one.state in states and not one.scored for key, one in known.items() if OCCASION_SIGN in key.object)
    if anchor:
        console.print(
            f"{anchor} calls of the anchor came to that too and stay as they are: they are what the judge said "
            "on their day. `touchstone run drift` asks about the same objects once more on another day."
        )
    if not again and not golden:
        console.print(f"No call of {judge.identity.model} came to {', '.join(sorted(states))}: nothing to ask again.")
        failed = counts[counts["state"].isin(states) & counts["judge_identity"].ne(judge.identity.digest)]
        for model in sorted(failed["model_asked"].unique()):
            console.print(f"Calls of {model} did. Make it the configured judge to ask it again.")
        return 0
    also = f", and up to {golden} of golden images" if golden else ""
    rest = len(open_calls) - again
    others = f" The run makes the {rest} calls that have no answer too." if rest else ""
    console.print(f"{again} calls were answered without a score and are asked again{also}.{others}")
    so_far = counts[counts["judge_identity"] == judge.identity.digest]
    if (usd := so_far["cost_usd"].sum() / so_far["n"].sum()) > 0:
        console.print(f"At {usd:.4f} USD an attempt so far, about {(again + golden + rest) * usd:.2f} USD.")
    return again + golden + rest


def _counts(study: Study, home: Home) -> pd.DataFrame:
    """Attempts by judge, setting and state.

    Raises:
        UserError: There is none.
    """
    from resources.database.call_queries import state_counts
    from resources.database.engine import open_engine

    runs = "`touchstone run fidelity` or `touchstone run reliability`"
    none_yet = f"The ledger holds no call of study '{study.name}' yet. {runs} asks the judge."
    engine = open_engine(home.database_url)
    if engine.dialect.name == "sqlite" and not Path(engine.url.database or "").exists():
        raise UserError(none_yet)
    counts = state_counts(study.ledger.engine, study.name)
    if counts.empty:
        raise UserError(none_yet)
    return counts


def _known_states(given: list[str]) -> tuple[str, ...]:
    for state in given:
        if state not in STATES:
            raise UserError(f"There is no state '{state}'{did_you_mean(state, STATES)}. There are {', '.join(STATES)}.")
    return tuple(dict.fromkeys(given))


def _known_settings(study: Study, counts: pd.DataFrame, given: list[str]) -> tuple[str, ...] | None:
    configured = study.fidelity.partition_keys if study.fidelity_section else []
    known = list(dict.fromkeys([*configured, *counts["setting"]]))
    for key in given:
        if key not in known:
            raise UserError(f"The study has no setting '{key}'{did_you_mean(key, known)}. It has {', '.join(known)}.")
    return tuple(dict.fromkeys(given)) or None


def _identity_of(study: Study, name: str | None) -> str | None:
    """Of one of several judges, by its name; none where the study does not compare it, or it was not run yet."""
    import pandas as pd

    from resources.configuration.settings import judge_in

    if study.fidelity_section is None or name not in study.fidelity.judges:
        return None
    folder = study.home.tables / "fidelity" / "judge_calls"
    paths = [folder / f"{key}.parquet" for key in study.fidelity.partition_keys if judge_in(key) == name]
    frames = [pd.read_parquet(str(path), columns=["judge_identity"]) for path in paths if path.exists()]
    known = [str(identity) for frame in frames for identity in frame["judge_identity"].unique()]
    return known[-1] if known else None


def _judge_identity(counts: pd.DataFrame, judge: str | None) -> str:
    """The identity that is asked for, else the one that was asked last.

    Raises:
        UserError: No judge in the ledger is meant, or several.
    """
    if judge is not None and not judge.strip():
        raise UserError("`--judge` names no judge. Give a model, an identity, or the beginning of one.")
    last = counts.groupby(["judge_identity", "model_asked"])["last"].max().sort_values(ascending=False)
    known = list(last.index)
    if judge is None:
        return str(known[0][0])
    meant = [identity for identity, model in known if model == judge or identity.startswith(judge)]
    there = ", ".join(f"{identity} ({model})" for identity, model in known)
    if not meant:
        raise UserError(f"No judge '{judge}' in the ledger. There are {there}.")
    if len(set(meant)) > 1:
        raise UserError(f"'{judge}' could be {', '.join(meant)}. Name one by its identity; there are {there}.")
    return str(meant[0])
