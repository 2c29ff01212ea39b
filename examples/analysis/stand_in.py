"""May a judge stand in for three annotators? Sixty answers to twenty questions, rated from 1 to 5 (made data).

It prints:

    Ada   Spearman 0.520 with the other two, the judge 0.878 (52 answers)
    Ben   Spearman 0.616 with the other two, the judge 0.768 (52 answers)
    Cleo  Spearman 0.604 with the other two, the judge 0.778 (55 answers)
    Ada   judge at least as near 0.73, Ada 0.37 of answers, p 0.0005 (epsilon 0.2)
    Ben   judge at least as near 0.73, Ben 0.37 of answers, p 0.0001 (epsilon 0.2)
    Cleo  judge at least as near 0.76, Cleo 0.33 of answers, p 0.0001 (epsilon 0.2)
    The judge wins against 3 of 3: 1.00
    Agreement less people's own: +0.228 [0.061, 0.396] over 20 questions
    May it stand in for them? yes (it may stay behind by 0.100)
      - it agrees with the others at 0.808 [0.675, 0.891], a person at 0.580 [0.285, 0.774]: difference
        0.228 [0.061, 0.396], margin 0.100 (55 objects in 20 clusters)
      - object by object it is as near to the others as 3 of 3 people within epsilon 0.2
      - it scores -0.035 [-0.173, 0.102] against the mean of the people
"""

from textwrap import fill

import numpy as np

from analysis.verdict.people import People, standing
from analysis.verdict.rule import decided
from analysis.words import decimals, with_bounds

NAMES = ("Ada", "Ben", "Cleo")


def ratings() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings (60, 3) of people and (60,) of the judge, and the question of each answer; not everybody rated all."""
    random = np.random.default_rng(1)
    quality = random.normal(3.0, 1.2, 60)
    people = np.clip(np.rint(quality[:, None] + random.normal(0.0, 0.7, (60, 3))), 1, 5)
    judge = np.clip(quality + random.normal(0.0, 0.5, 60), 1, 5)
    people[random.random(people.shape) < 0.1] = np.nan
    return people, judge, np.repeat(np.arange(20), 3)


def main() -> None:
    """Print who agrees with the others how well, the test, and the verdict with its reasons."""
    people, judge, questions = ratings()
    found = standing(People(people, questions, "scores", NAMES), judge)
    for row in found.rows:
        print(
            f"{row.name:<5} Spearman {row.person:.3f} with the other two, the judge {row.judge:.3f} ({row.n} answers)"
        )
    assert found.test is not None
    assert found.order is not None
    for name, part in found.test.annotators.items():
        print(
            f"{name:<5} judge at least as near {part.judge_share:.2f}, {name} {part.annotator_share:.2f} of answers, "
            f"p {part.p_adjusted:.4f} (epsilon {found.test.epsilon})"
        )
    print(f"The judge wins against {found.test.n_rejected} of {found.test.n_tested}: {found.test.winning_rate:.2f}")
    difference = with_bounds(found.order.value, found.order.low, found.order.high, sign=True)
    print(f"Agreement less people's own: {difference} over {found.n_clusters} questions")
    verdict = decided(found)
    assert verdict.margin is not None
    print(f"May it stand in for them? {verdict.word} (it may stay behind by {decimals(verdict.margin)})")
    for reason in verdict.reasons:
        print(fill(reason, 100, initial_indent="  - ", subsequent_indent="    "))


if __name__ == "__main__":
    main()
