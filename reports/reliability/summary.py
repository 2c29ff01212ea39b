"""The verdict in one sentence, the numbers behind it, and the step that is due."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from analysis.agreement.contingency import CONTINGENCY, PASSED
from analysis.agreement.cuts import grade_above, kappas_by_cut
from analysis.agreement.kappa import macro_says_little
from analysis.one_answer import one_answers
from analysis.ties import compare
from reports.reliability.contents import Contents, band, bounds_of, say
from reports.shared.headline import Figure
from reports.shared.numbers import is_number, number, percent, plain_number, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import records
from reports.shared.text import Text, joined, same

Grade = Literal["", "provisionally", "none"]


@dataclass(frozen=True)
class Summary:
    """The first thing that a reader sees; `grade` is its look, `command` empty where nothing is to be typed."""

    grade: Grade
    headline: Text
    figures: list[Figure]
    sentences: list[Text]
    due: Text | None
    command: str | None


def summary(contents: Contents) -> Summary:
    """What the report begins with, first of all which judge answers everything alike."""
    found = _verdict(contents)
    judgments, pair = contents.tables["judgments"], contents.pair
    of_grades = [] if pair is None else said_of_grades(judgments, pair, contents.thresholds, contents.plan.grades)
    return replace(found, sentences=[*said_of_one_answer(judgments), *found.sentences, *of_grades])


def said_of_one_answer(judgments: pd.DataFrame) -> list[Text]:
    """Which judges answer everything alike, a sentence each, for the page and the terminal."""
    by_judge = judgments[judgments["counts"].astype(bool)].groupby("judge", sort=False)
    found = one_answers((judge, rows["query_id"] + "/" + rows["doc_id"], rows["score"]) for judge, rows in by_judge)
    return [
        say("summary.one_answer", judge=same(judge), score=number(one.score), n=whole(one.n_things))
        for one, judges in found.items()
        for judge in judges
    ]


def said_of_grades(
    judgments: pd.DataFrame, pair: tuple[str, str], thresholds: Mapping[str, float], grades: Sequence[str]
) -> list[Text]:
    """Which declared grades count as relevant, and micro kappa at every other cut, for the page and the terminal.

    Args:
        judgments: Table `judgments`.
        pair: The two judges that decide.
        thresholds: Of each judge.
        grades: As declared; nothing is said where there are none.
    """
    if not grades:
        return []
    n = len(grades)
    cuts = {judge: grade_above(thresholds[judge], n) for judge in pair if judge in thresholds}
    listed = joined([same(grade) for grade in grades], ", ")
    names = {cut: [judge for judge in cuts if cuts[judge] == cut] for cut in dict.fromkeys(cuts.values())}
    said = [
        say("summary.grades", grade=same(grades[min(cut, n - 1)]), grades=listed)
        if len(names) == 1
        else say("summary.grades_of", judge=same(judge), grade=same(grades[min(cut, n - 1)]), grades=listed)
        for cut, judges in names.items()
        for judge in judges[: 1 if len(names) == 1 else None]
    ]
    counting = judgments[judgments["counts"].astype(bool) & judgments["judge"].isin(pair)]
    wide = counting.pivot(index=["query_id", "doc_id"], columns="judge", values="score")  # noqa: PD010
    if n < 3 or set(pair) - set(wide.columns):
        return said
    both = wide.dropna()
    queries, _ = pd.factorize(both.index.get_level_values("query_id"))
    found = kappas_by_cut(both[pair[0]], both[pair[1]], queries, n) if len(both) else []
    shown = [joined([grades[one.grade], number(one.micro)], ": ") for one in found]
    return [*said, say("summary.cuts", cuts=joined(shown, "; "))] if shown else said


def _verdict(contents: Contents) -> Summary:
    last, standing = contents.last, contents.standing
    if last is None:
        why = phrase(standing.reason) if standing.reason else say("headline.no_reason")
        before = say("summary.earlier", n=whole(len(contents.history))) if contents.history else None
        said = [one for one in (before, say("summary.no_row"), _left_out(contents)) if one is not None]
        return Summary("none", say("headline.no_verdict", why=why), [], said, None, None)
    status = str(last["status"])
    words = {
        "judges": contents.named(),
        "macro": number(last["kappa_macro"]),
        "micro": number(last["kappa_micro"]),
        "n": whole(last["total_queries"]),
    }
    key = "not_proven" if status == PASSED and last["not_proven"] else status
    grade: Grade = "none" if status == CONTINGENCY else "provisionally" if key == "not_proven" else ""
    due = step_in_words(contents)
    return Summary(
        grade,
        say(f"headline.{key}", **words),
        _figures(contents, last),
        _sentences(contents, last),
        due,
        standing.command,
    )


def step_in_words(contents: Contents) -> Text:
    """The step that is due, in both languages: `ContingencyStep` says the same in English alone."""
    facts, name = contents.standing.facts, contents.standing.step.name
    if name == "none":
        return say(f"step.none_{facts.status}")
    if name == "validate":
        return say("step.validate_changed" if facts.changed else "step.validate_decided")
    if name == "review":
        missing = whole(facts.quota - facts.n_reviewed)
        done, needed = whole(facts.n_reviewed), whole(facts.quota)
        key = "review_moved" if facts.moved else "review" if facts.n_reviewed else "review_first"
        return say(f"step.{key}", n=missing, disputed=whole(facts.n_disputed), done=done, needed=needed)
    if name == "recalibrate":
        return say(f"step.recalibrate_{'biased' if facts.biased else 'unbiased'}", n=whole(facts.n_low))
    if name == "manual_review":
        why = "recalibrated" if facts.recalibrated else "nothing_low"
        return say(f"step.manual_review_{why}", n=whole(facts.n_undecided))
    return say(f"step.{name}")


def _figures(contents: Contents, last: dict[str, Any]) -> list[Figure]:
    n_defined = last["total_queries"] - last["n_undefined"]
    facts, gate = contents.standing.facts, contents.plan.gate
    reviewed = say("figure.of", n=whole(facts.n_reviewed), total=whole(facts.n_disputed))
    reviewing = last["status"] == CONTINGENCY and contents.standing.step.name != "verdict"
    asked = say("figure.needed", n=whole(facts.quota)) if reviewing else None
    little = macro_says_little(*(int(last[name]) for name in ("total_queries", "n_undefined", "n_documents")))
    both = [
        Figure(say(f"figure.{name}"), number(last[kappa]), _beside(last, kappa, band_too=name == "micro" or not little),
               kappa)
        for name, kappa in (("macro", "kappa_macro"), ("micro", "kappa_micro"))
    ]  # fmt: skip
    return [
        *(reversed(both) if little else both),
        Figure(
            say("figure.defined"),
            number(last["kappa_macro_defined"]),
            say("figure.of_queries", n=whole(n_defined), total=whole(last["total_queries"])),
            "convention",
        ),
        Figure(
            say("figure.low", limit=plain_number(gate.low_kappa)),
            percent(last["low_share"]),
            say("figure.at_most", share=_limit(gate.max_low_share), n=whole(n_defined)),
            "low_share",
        ),
        Figure(say("figure.reviewed"), reviewed, asked, "disagreement"),
    ]


def _unproven(contents: Contents, last: dict[str, Any]) -> list[Text]:
    """Which lower bound lies below its limit, and which kappa has none."""
    said = []
    for name, needed in (("kappa_macro", contents.plan.gate.min_macro), ("kappa_micro", contents.plan.gate.min_micro)):
        low = last[f"{name}_low"]
        if not is_number(low):
            said.append(say("summary.no_bound", kappa=say(f"gate.{name}"), n=whole(last["total_queries"])))
        elif compare(low, needed) < 0:
            bound, limit = (number(value) for value in (low, needed))
            said.append(say("summary.bound_below", kappa=say(f"gate.{name}"), bound=bound, limit=limit))
    return said


def _beside(last: dict[str, Any], name: str, *, band_too: bool) -> Text:
    low, high = last[f"{name}_low"], last[f"{name}_high"]
    bounds = bounds_of(last, name) if is_number(low) and is_number(high) else say("figure.no_interval")
    return joined([bounds, band(last[name])] if band_too else [bounds], " ")


def _limit(share: float) -> Text:
    return joined([plain_number(round(100 * share, 10)), "%"], "\u00a0")


def _sentences(contents: Contents, last: dict[str, Any]) -> list[Text]:
    said = []
    gate = contents.standing.gate
    missed = [one for one in gate.gates if not one.passed] if gate is not None else []
    if missed:
        said.append(say("summary.missed", n=whole(len(missed)), gates=joined([say(f"gate.{g.name}") for g in missed])))
    if last["not_proven"]:
        said += [*_unproven(contents, last), say("summary.narrow")]
    if macro_says_little(*(int(last[name]) for name in ("total_queries", "n_undefined", "n_documents"))):
        said.append(say("summary.micro_leads"))
    if last["n_undefined"]:
        kappa = number(last["kappa_macro_defined"])
        said.append(say("summary.convention", n=whole(last["n_undefined"]), kappa=kappa))
    if last["depends_on_convention"]:
        said.append(say("summary.depends"))
    parts = {str(row["part"]): int(row["n_queries"]) for row in records(contents.tables["recalibration"])}
    if last["status"] == PASSED and parts.get("untouched"):
        said.append(say("summary.chosen_low"))
    if len(contents.pairs) > 1:
        said.append(say("summary.decides", n=whole(len(contents.pairs)), judges=contents.named()))
    return said + [one for one in (_left_out(contents),) if one is not None]


def _left_out(contents: Contents) -> Text | None:
    """How many documents lack a score of one of the two judges."""
    rows = contents.kappas
    total, both = int(rows["n_documents"].sum()), int(rows["n_both"].sum())
    return say("summary.left_out", n=whole(total - both), total=whole(total)) if total > both else None


def thresholds_in_words(contents: Contents) -> Text:
    """Each judge's threshold, the same one once."""
    if not contents.thresholds:
        return same("\u2013")
    if len(set(contents.thresholds.values())) == 1:
        return plain_number(next(iter(contents.thresholds.values())))
    return joined([joined([judge, plain_number(value)], " ") for judge, value in contents.thresholds.items()], "; ")
