"""The verdict on each score data set of study C: scores against means of opinions, which are one person at most."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.agreement.alternative_annotator import EPSILON
from analysis.correlation.score_correlation import oriented
from analysis.verdict.judges import against_one
from analysis.verdict.people import People
from analysis.verdict.stated import Stated, copies
from analysis.verdict.stated import of_one_person as verdict_next_to
from assets.evaluation.logic.rows import sides_of
from resources.configuration.evaluation import Dataset, EvaluationStudy


def mean_verdicts(
    samples: Mapping[str, pd.DataFrame], known: Mapping[str, Dataset], study: EvaluationStudy
) -> list[Stated]:
    """One verdict per data set of scores; answers to questions with a key have no people to stand in for.

    Args:
        samples: Rows of `evaluation_samples` by data set.
        known: The data sets as configured.
        study: What the verdict asks for; a data set's own `min_srcc` comes first.
    """
    found = []
    for name in sorted(samples.keys() & known.keys()):
        frame, dataset = samples[name], known[name]
        if not len(frame) or frame["kind"].iloc[0] != "scores":
            continue
        sides = sides_of(frame, dataset)
        clusters = np.arange(len(sides.truth)) if sides.clusters is None else sides.clusters
        own = dataset.gates.min_srcc
        needed = study.verdict.spearman if own is None else own
        policy = study.verdict.policy(epsilon=EPSILON["expert"], confidence=study.confidence, seed=study.seed)
        people, judge = People(sides.truth[:, None], clusters), oriented(sides.prediction, dataset.higher_is_better)
        against = against_one(people, judge, policy.levels, needed=needed, fewest_objects=policy.fewest_objects)
        said = verdict_next_to(against, copies(people, judge), "these means", policy=policy)
        found.append(Stated(name, "", "these means", said, things=("samples", "clusters")))
    return found
