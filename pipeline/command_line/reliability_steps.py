"""The steps of a contingency that people take: each is recorded with a name before anything follows from it."""

import getpass
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from analysis.agreement.kappa import kappa_summary
from assets.reliability.logic.contingency_state import (
    ContingencyTables,
    advised_thresholds,
    recalibration_under_way,
    require_contingency,
    stored_tables,
    thresholds_now,
    undecided_now,
)
from assets.reliability.logic.judge_pairs import pairs_of_judges, scored_documents
from resources.database.reliability.recalibrations import Recalibrated
from resources.database.reliability.review_records import LONGEST_NAME, visible_name
from resources.database.reliability.stored_table import stored_table
from resources.errors import UserError, did_you_mean, listing
from resources.study import Study


class Kappas(NamedTuple):
    """Kappa of one pair of judges over all queries; micro is null where it is 0/0."""

    judge_1: str
    judge_2: str
    macro: float
    micro: float | None


def who_takes_it(name: str | None) -> str:
    """The name given, else the login name; as it can be read.

    Raises:
        UserError: There is neither, or it is too long.
    """
    if name is not None:
        who = visible_name(name)
        if not any(sign.isalnum() for sign in who):
            raise UserError("`--who` names nobody. Nothing was changed: say who takes the step, by letters or digits.")
        if len(who) > LONGEST_NAME:
            raise UserError(f"`--who` has {len(who)} characters; {LONGEST_NAME} are allowed. Nothing was changed.")
        return who
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UserError("This account has no login name. Nothing was changed: say who, by `--who NAME`.") from None


def thresholds_asked_for(study: Study, judge: Sequence[str]) -> dict[str, float]:
    """The thresholds that a person wants in force: those named, else the advised ones.

    Args:
        study: The running study.
        judge: Each ``NAME=VALUE``.

    Raises:
        UserError: It is not the time for it, a name or a value is wrong, or none is named and none is advised.
            Nothing was changed.
    """
    require_contingency(study)
    if recalibration_under_way(study) is not None:
        raise UserError(
            "A recalibration was started and not finished. Nothing was changed. `touchstone reliability recalibrate` "
            "goes on with it."
        )
    tables = tables_or_refuse(study)
    now = thresholds_now(study, tables.query_kappa)
    if judge:
        return _thresholds(judge, now)
    advised = advised_thresholds(tables, now)
    if not advised:
        said = " ".join(f"{text[:1].upper()}{text[1:]}." for text in tables.threshold_advice["advice"])
        raise UserError(
            f"No threshold is advised that is not in force. {_why(tables)} {said} Nothing was changed. "
            "`--judge NAME=VALUE` sets one all the same."
        )
    return advised


def kappas_at(study: Study, thresholds: Mapping[str, float]) -> list[Kappas]:
    """Kappa of every pair of judges at these thresholds, on the scores of the latest run.

    Raises:
        UserError: The table of the scores is not there.
    """
    judgments = stored_table(study, "judgments")
    if judgments is None:
        raise _no_tables()
    scored = scored_documents(judgments, study.reliability, documents=stored_table(study, "query_documents"))
    found = []
    for pair in pairs_of_judges(scored, dict(thresholds)):
        summary = kappa_summary(pair.counts, study.reliability.gate.low_kappa)
        found.append(Kappas(pair.judge_1, pair.judge_2, summary.macro, summary.micro))
    return found


def accept_thresholds(study: Study, thresholds: Mapping[str, float], who: str) -> None:
    """Put current thresholds; the next validation counts with them."""
    study.validations.take_action("thresholds_accepted", {"thresholds": dict(thresholds)}, who)


def start_recalibration(study: Study, again: Recalibrated, who: str) -> None:
    """Have queries judged again by the next run."""
    details = {
        "prompt_version": again.prompt_version,
        "queries": sorted(again.queries),
        "held_out": sorted(again.held_out),
    }
    study.validations.take_action("recalibration_started", details, who)


def open_manual_review(study: Study, who: str) -> pd.DataFrame:
    """Record that people decide what is left, once; the documents that are left.

    Raises:
        UserError: It is not the time for it. Nothing was changed.
    """
    require_contingency(study)
    left = undecided_now(study, tables_or_refuse(study).disputed_documents)
    if not study.validations.manual_review_is_open():
        study.validations.take_action("manual_review_opened", {}, who)
    return left


def tables_or_refuse(study: Study) -> ContingencyTables:
    """The tables of the latest run.

    Raises:
        UserError: They are not in this home.
    """
    tables = stored_tables(study)
    if tables is None:
        raise _no_tables()
    return tables


def _thresholds(written: Sequence[str], now: Mapping[str, float]) -> dict[str, float]:
    chosen: dict[str, float] = {}
    for name, value in (_threshold(one, now) for one in written):
        if name in chosen:
            raise UserError(
                f"--judge: '{name}' stands twice, with {chosen[name]:g} and {value:g}. Nothing was changed. Name each "
                "judge once."
            )
        chosen[name] = value
    return chosen


def _threshold(written: str, now: Mapping[str, float]) -> tuple[str, float]:
    name, sign, value = written.rpartition("=")
    if not sign or not name:
        raise UserError(f"--judge {written!r}: NAME=VALUE is needed, such as judge2=0.62. Nothing was changed.")
    if name not in now:
        raise UserError(
            f"--judge {written!r}: there is no judge '{name}'{did_you_mean(name, now)}; there are {listing(now)}. "
            "Nothing was changed."
        )
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise UserError(f"--judge {written!r}: '{value}' is no threshold, a number from 0 to 1. Nothing was changed.")
    return name, number


def _why(tables: ContingencyTables) -> str:
    decides: Any = tables.bias_test[tables.bias_test["test"] == "query_medians"]
    return "" if decides["biased"].fillna(False).any() else "Neither judge scores higher by the test that decides."


def _no_tables() -> UserError:
    return UserError(
        "The tables of the latest validation are not in this home. Nothing was changed. Run `touchstone run "
        "reliability`."
    )
