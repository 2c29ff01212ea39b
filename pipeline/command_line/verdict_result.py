"""The result of `touchstone verdict`, as JSON values and for people: the verdict first, then what it rests on."""

import csv
import io
import shlex
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alternative_annotator import EPSILON
from analysis.messages import Name, message, message_list
from analysis.resampling.bootstrap import Estimate
from analysis.undefined import UndefinedStatistic
from analysis.verdict.errors import Dependence, Errors
from analysis.verdict.findings import Findings, OfJudge, findings, on_another_scale, on_one_scale
from analysis.verdict.judges import AgainstOne
from analysis.verdict.panel import Line, Shares
from analysis.verdict.people import AGREEMENT, Levels, Measure, People, Quantity, Standing, mean_of
from analysis.verdict.rule import Policy, Verdict
from analysis.verdict.unrated import Unrated, calibrated
from analysis.words import bounded
from assets.shared.intervals import estimate_values
from resources.errors import FileFault, UserError, did_you_mean, listing
from resources.inputs.any_file import AS_IT_IS, Opening
from resources.inputs.column_names import own_name
from resources.inputs.ratings.layout import RatingColumns
from resources.inputs.ratings.likely import has_peoples_unit, names_a_metric
from resources.inputs.ratings.other_columns import factor
from resources.inputs.ratings.table import Ratings, read_ratings
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.provenance import Provenance, now


@dataclass(frozen=True)
class Question:
    """What is asked of a file.

    Attributes:
        files: Paths or fsspec addresses; several of TREC.
        columns: What its columns mean.
        opening: What it does not say of itself.
        lower_is_better: Judges whose scores fall as quality rises.
        same_scale: Judges whose scores have people's unit, whatever they look like.
        annotators: Who the people are, a key of `EPSILON`.
    """

    files: tuple[str, ...]
    columns: RatingColumns
    opening: Opening = AS_IT_IS
    lower_is_better: tuple[str, ...] = ()
    same_scale: tuple[str, ...] = ()
    annotators: str = "expert"


@dataclass(frozen=True)
class Answer:
    """The ratings of a file, people's among them, each judge's with its sign turned where lower is better."""

    question: Question
    ratings: Ratings
    people: People
    judges: dict[str, NDArray[np.float64]]
    found: Findings


def answer(question: Question) -> Answer:
    """The findings on the judges of a file.

    Raises:
        UserError: The file cannot be read so.
    """
    ratings = read_ratings(list(question.files), question.columns, question.opening)
    if not ratings.judges or not ratings.people:
        whose = "judge's" if not ratings.judges else "person's"
        raise UserError(f"{ratings.name}: there is no {whose} rating. Both are needed.")
    for option, names in (("--lower-is-better", question.lower_is_better), ("--same-scale", question.same_scale)):
        if names and ratings.labels:
            raise UserError(f"`{option}` is of scores; these ratings are labels. Leave it out.")
    lower = {_judge("--lower-is-better", name, ratings) for name in question.lower_is_better}
    same = {_judge("--same-scale", name, ratings) for name in question.same_scale}
    if both := sorted(lower & same):
        raise UserError(
            f"{listing(both)}: scores that fall as quality rises have no scale of people's. Keep one option."
        )
    people = people_of(ratings)
    policy = Policy(levels=Levels(epsilon=EPSILON[question.annotators]))
    units = {
        name: name in same or has_peoples_unit(name, scores, people.answers) for name, scores in ratings.judges.items()
    }
    factors = [one for one in map(factor, ratings.others) if one is not None]
    found = findings(ratings.judges, people, lower_is_better=lower, units=units, policy=policy, factors=factors)
    judges = {name: -scores if name in lower else scores for name, scores in ratings.judges.items()}
    return Answer(question, ratings, people, judges, found)


def people_of(ratings: Ratings) -> People:
    """The people of a file.

    Raises:
        FileFault: One of them rates on another scale.
    """
    people = People(
        np.column_stack(list(ratings.people.values())),
        ratings.clusters,
        _measure(ratings),
        tuple(ratings.people),
        ratings.labels,
        steps=_steps(ratings),
        positive=ratings.positive,
    )
    other = on_another_scale(people)
    if other is not None:
        name, own, others = other
        problem = f"'{name}' rates {own} and the other people {others}: another scale, of which no mean can be taken."
        raise FileFault(ratings.name, problem, "Bring all people to one scale, or leave that column out.")
    return people


@lru_cache
def provenance(question: Question) -> Provenance:
    """Where the numbers come from: the files' hashes, and when they were read."""
    inputs = {path.name: sha256_of_file(path) for path in map(Path, question.files) if path.is_file()}
    return Provenance(now(), inputs=inputs, seed=0)


def verdict_values(said: Answer) -> dict[str, Any]:
    """What `--json` prints."""
    ratings, found = said.ratings, said.found
    turned = [_judge("--lower-is-better", name, ratings) for name in said.question.lower_is_better]
    return {
        "command": "verdict",
        "file": ratings.name,
        "provenance": provenance(said.question).as_json(),
        "n_rows": ratings.n_rows,
        "n_objects": found.n_objects,
        "n_clusters": found.n_clusters,
        "cluster": said.question.columns.cluster,
        "where": [list(one) for one in said.question.columns.where],
        "scale": ratings.scale,
        "labels": list(ratings.labels),
        "measure": AGREEMENT[said.people.measure],
        "people": list(found.people),
        "reference": found.reference,
        "annotators": said.question.annotators,
        "judges": [_of_judge(judge, said, judge.name in turned) for judge in found.judges],
        "comparison": _comparison(found),
        "notes": [*ratings.notes, *_notes(said)],
    }


def calibrated_text(said: Answer) -> tuple[str, list[str]]:
    """CSV of every object with people's mean, each judge's score and the same in people's unit; and what was done.

    Raises:
        UserError: Scores cannot be calibrated.
    """
    columns: list[tuple[str, Any]] = [("object", said.ratings.objects), ("people", mean_of(said.people.answers))]
    notes = []
    for name, scores in said.judges.items():
        try:
            one = calibrated(said.people, scores)
        except UndefinedStatistic as undefined:
            raise UserError(f"`--calibrated`: {name} cannot be calibrated: {undefined}.") from undefined
        columns += [(name, said.ratings.judges[name]), (f"{name}_calibrated", one.scores)]
        fit = message("a line") if one.method == "linear" else message("increasing steps")
        before, after = (bounded(error, None, None) for error in (one.mae_before, one.mae_after))
        by = "{judge} is calibrated by {fit}: mean absolute error {before} before, {after} after ({protocol})."
        notes.append(message(by, judge=Name(name), fit=fit, before=before, after=after, protocol=one.protocol))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(name for name, _ in columns)
    for row in zip(*(values for _, values in columns), strict=True):
        writer.writerow(["" if isinstance(value, float) and np.isnan(value) else value for value in row])
    return out.getvalue(), notes


def _judge(option: str, name: str, ratings: Ratings) -> str:
    own = own_name(name, ratings.judges)
    if own is None:
        near = did_you_mean(name, ratings.judges)
        raise UserError(f"`{option} {name}` is no `--judge`{near}. Those are: {listing(ratings.judges)}.")
    return own


def _measure(ratings: Ratings) -> Measure:
    if ratings.scale == "nominal":
        return "labels"
    return "ordered_labels" if ratings.labels else "scores"


def _steps(ratings: Ratings) -> bool:
    return ratings.scale == "ordinal" and not ratings.labels


def _of_judge(judge: OfJudge, said: Answer, turned: bool) -> dict[str, Any]:
    of_people = judge.standing
    rests_on = of_people or judge.against_one
    return {
        "name": judge.name,
        "n": judge.n if rests_on is None else rests_on.n,
        "n_clusters": None if rests_on is None else rests_on.n_clusters,
        "verdict": _verdict(judge, said, turned),
        "conditions": [one._asdict() for one in judge.verdict.conditions] if judge.verdict else [],
        "people": [person._asdict() for person in of_people.rows] if of_people else [],
        "people_agreement": _quantity(of_people.people) if of_people else None,
        "agreement": _quantity(of_people.own if of_people else judge.against_one and judge.against_one.agreement),
        "difference": _quantity(of_people.order) if of_people else None,
        "with_other_people": _with_other_people(of_people),
        "statistics": [_line(line) for line in judge.lines],
        "each_person": [_line(line) for line in judge.each],
        "confusion": [list(row) for row in judge.shares.confusion] if judge.shares else None,
        "marginal_homogeneity": _tests(judge.shares),
        "unrated": _unrated(judge.unrated),
        "errors": _errors(judge.errors),
        "same_scale": judge.same_scale,
        "lower_is_better": turned,
        "looks_reversed": judge.reversed or None,
    }


def _with_other_people(of_people: Standing | None) -> dict[str, Any] | None:
    if of_people is None or of_people.with_others is None:
        return None
    own, order = of_people.with_others
    return {"agreement": list(own), "difference": list(order)}


def _verdict(judge: OfJudge, answered: Answer, turned: bool) -> dict[str, Any]:
    dependence = answered.ratings.dependence
    also = [dependence] if dependence else []
    also += [message("its scores are turned, as lower is better")] if turned else []
    if judge.standing is not None and judge.standing.n < judge.n:
        n, more = judge.standing.n, judge.n
        also.append(
            message(
                "this is over the {n:,} objects that two people rated, the statistics below are over {more:,}",
                n=n,
                more=more,
            )
        )
    if isinstance(judge.against_one, AgainstOne):
        one = judge.against_one
        return {
            "word": one.word,
            "reasons": [*judge.copies, *one.reasons(answered.found.people[0]), *also],
            "margin": None,
            "n_needed": one.n_needed,
            "n_for": one.good if one.n_needed is not None else None,
        }
    assert isinstance(judge.verdict, Verdict)
    said = judge.verdict
    return {
        "word": said.word,
        "reasons": [*judge.copies, *said.reasons, *also],
        "margin": said.margin,
        "n_needed": said.n_needed,
        "n_for": said.n_for,
    }


def _quantity(seen: Quantity | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    return estimate_values(seen.value, seen.low, seen.high, seen.method)


def _estimate(seen: Estimate) -> dict[str, Any]:
    values = estimate_values(seen.value, seen.interval.low, seen.interval.high, seen.interval.method)
    return values | {"unreliable": seen.interval.unreliable}


def _unrated(found: Unrated | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "n_rated": found.n_rated,
        "n_unrated": found.n_unrated,
        "corrected": [
            {
                "method": one.method,
                "label": one.label,
                "estimate": _estimate(one.estimate),
                "people_alone": _estimate(one.people_alone),
                "judge_alone": _estimate(one.judge_alone),
            }
            for one in found.corrected
        ],
        "shifts": [
            {
                "label": one.label,
                "of": one.of,
                "difference": _estimate(one.difference),
                "shifted": one.shifted,
            }
            for one in found.shifts
        ],
        "why": found.why or None,
    }


def _errors(found: Errors | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "error": found.error,
        "measure": found.measure,
        "overall": found.overall,
        "tried": [_dependence(one) for one in found.tried],
        "size_of": found.size_of or None,
        "sizes": [_dependence(one) for one in found.sizes],
        "worst": [one._asdict() | {"estimate": _estimate(one.estimate)} for one in found.worst],
        "n_slices": found.n_slices,
    }


def _dependence(one: Dependence) -> dict[str, Any]:
    effects = [{"name": e.name, "n": e.n, "estimate": _estimate(e.estimate)} for e in one.effects]
    return one._asdict() | {"effects": effects}


def _line(line: Line) -> dict[str, Any]:
    interval = line.interval
    return {
        "statistic": line.statistic,
        "against": line.against or None,
        **estimate_values(line.value, interval.low, interval.high, interval.method),
        "unreliable": interval.unreliable,
        "n": line.n,
        "n_clusters": interval.n_clusters,
    }


def _tests(shares: Shares | None) -> list[dict[str, Any]]:
    return [] if shares is None else [test._asdict() for test in shares.tests]


def _comparison(found: Findings) -> dict[str, Any] | None:
    if found.comparison is None:
        return {"not_made": found.no_comparison} if found.no_comparison else None
    compared = found.comparison
    return {
        "n": compared.n,
        "n_clusters": compared.n_clusters,
        "judges": [
            {"name": name, "letters": compared.letters[name], **(_quantity(seen) or {})}
            for name, seen in compared.agreement.items()
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": _quantity(pair.difference),
                "p": pair.p,
                "p_holm": pair.p_holm,
            }
            for pair in compared.pairs
        ],
    }


def _may_share_a_scale(name: str, said: Answer) -> bool:
    """Whether `--same-scale` is worth a try: not for a metric by its name whose scores are not where people's are."""
    return not names_a_metric(name) or on_one_scale(said.ratings.judges[name], said.people.answers)


def _notes(answered: Answer) -> list[str]:
    ratings, found, said = answered.ratings, answered.found, []
    lower = {_judge("--lower-is-better", name, ratings) for name in answered.question.lower_is_better}
    if _steps(ratings):
        said.append(message("Ratings that are a few whole numbers are read as steps (`--scale` changes it)."))
    for judge in found.judges:
        if judge.reversed:
            option = f"`--lower-is-better {shlex.quote(judge.name)}`"
            turned = message("If its scores fall as quality rises, add {option}.", option=option)
            if judge.name in lower:
                turned = message("{option} turned it: if its scores rise with quality, leave that out.", option=option)
            said.append(message("{judge}: {why}. {turned}", judge=Name(judge.name), why=judge.reversed, turned=turned))
    others = [judge.name for judge in found.judges if not judge.same_scale and not judge.reversed]
    if others:
        rising = [name for name in others if name not in lower and _may_share_a_scale(name, answered)]
        which = listing(map(Name, others))
        other = message("Another scale than the people's, so that only order is compared: {which}.", which=which)
        option = f"`--same-scale {shlex.quote(rising[0])}`" if rising else ""
        remedy = message("Where both share one, add {option}.", option=option) if rising else ""
        said.append(message_list([other, remedy], " "))
    if found.n_tied:
        tied = (
            "{n:,} object without a majority of people left out of the statistics."
            "|{n:,} objects without a majority of people left out of the statistics."
        )
        said.append(message(tied, n=found.n_tied))
    return said
