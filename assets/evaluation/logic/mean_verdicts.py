"""The verdict on each score data set of study C: scores against means of opinions, which are one person at most."""

import shlex
from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.agreement.alternative_annotator import EPSILON
from analysis.correlation.score_correlation import oriented
from analysis.messages import message
from analysis.ties import compare
from analysis.verdict.judges import against_one
from analysis.verdict.people import People
from analysis.verdict.rule import Condition, Verdict
from analysis.verdict.stated import UNUSABLE, Stated, with_copies
from analysis.verdict.stated import of_one_person as verdict_next_to
from assets.evaluation.logic.rows import Sides, sides_of
from resources.configuration.evaluation import Dataset, EvaluationStudy
from resources.inputs.ratings.likely import has_peoples_unit

ONLY_A_MAJORITY = "one answer of people's is read here, and the verdict needs each person's: {command}"


def mean_verdicts(
    samples: Mapping[str, pd.DataFrame], known: Mapping[str, Dataset], study: EvaluationStudy
) -> list[Stated]:
    """One verdict per data set of scores; answers to questions with a key have no people to stand in for.

    Labels of people, a list as `truth`, are only read as their majority here: that says nothing of how people agree.

    Args:
        samples: Rows of `evaluation_samples` by data set.
        known: The data sets as configured.
        study: What the verdict asks for; a data set's own `min_srcc` comes first.
    """
    found = []
    for name in sorted(samples.keys() & known.keys()):
        frame, dataset = samples[name], known[name]
        if not len(frame):
            continue
        if frame["kind"].iloc[0] != "scores":
            if isinstance(dataset.truth, tuple):
                why = message(ONLY_A_MAJORITY, command=verdict_command(dataset))
                found.append(
                    Stated(name, "", "people", Verdict("cannot say", (why,), ()), things=("samples", "clusters"))
                )
            continue
        sides = sides_of(frame, dataset)
        clusters = np.arange(len(sides.truth)) if sides.clusters is None else sides.clusters
        own = dataset.gates.min_srcc
        needed = study.verdict.spearman if own is None else own
        policy = study.verdict.policy(epsilon=EPSILON["expert"], confidence=study.confidence, seed=study.seed)
        people, judge = People(sides.truth[:, None], clusters), oriented(sides.prediction, dataset.higher_is_better)
        same_scale = _same_scale(sides, dataset, dataset.prediction or name)
        against = against_one(people, judge, policy, needed=needed, same_scale=same_scale)
        said = with_copies(verdict_next_to(against, (), "these means", policy=policy), people, judge)
        said = said._replace(conditions=(*said.conditions, *_unusable(frame, study.max_unusable_share)))
        found.append(Stated(name, "", "these means", said, things=("samples", "clusters")))
    return found


def _unusable(samples: pd.DataFrame, most: float) -> tuple[Condition, ...]:
    """The gate on rows without a usable score, where it fails: what is said of the others is not of all."""
    n = int(samples["n_rows_in_file"].iloc[0])
    share = (int(samples["n_unusable"].iloc[0]) if "n_unusable" in samples else n - len(samples)) / n
    if compare(share, most) <= 0:
        return ()
    return (Condition(UNUSABLE, "fails", False, share, None, None, message("at most {limit:g}", limit=most), n, None,
                      "few_rows_are_unusable", "", most),)  # fmt: skip


def _same_scale(sides: Sides, dataset: Dataset, prediction: str) -> bool:
    """Whether predictions have the unit of the means, as `touchstone verdict` decides it."""
    if dataset.same_scale or not dataset.higher_is_better:
        return dataset.same_scale
    return has_peoples_unit(prediction, sides.prediction, sides.truth)


def verdict_command(dataset: Dataset) -> str:
    """What gives the verdict on a judge's labels against each person's."""
    people = dataset.truth if isinstance(dataset.truth, tuple) else (str(dataset.truth),)
    parts = [str(dataset.file or "FILE"), "--judge", str(dataset.prediction)]
    parts += [part for name in people for part in ("--human", name)]
    return f"touchstone verdict {shlex.join(parts)}"
