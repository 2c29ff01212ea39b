"""Answer samples of known confusion: 1,000 multiple-choice questions, two sets of options, four tasks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

INVALID = "invalid"
LETTERS, WORDS = ("A", "B", "C", "D"), ("Yes", "No")
# How often which answer was given, by the true option; B is often taken for C.
CONFUSION: Mapping[tuple[str, ...], Mapping[str, tuple[int, ...]]] = {
    LETTERS: {"A": (170, 12, 10, 6, 2), "B": (8, 130, 55, 5, 2), "C": (10, 20, 160, 8, 2), "D": (25, 4, 4, 165, 2)},
    WORDS: {"Yes": (90, 10, 0), "No": (28, 72, 0)},
}
N_QUESTIONS = sum(sum(counts) for rows in CONFUSION.values() for counts in rows.values())
# Right answers among the questions of each group; the groups are equally large.
CORRECT_BY_TASK_TYPE = {"planner": 222, "executor_distortion": 160, "executor_tool": 190, "summarizer": 215}
CORRECT_BY_REFERENCE_MODE = {"FR": 410, "NR": 377}
N_CORRECT = sum(CORRECT_BY_TASK_TYPE.values())
INVALID_ANSWERS = ("E", "", "I cannot tell", "A or B", "N/A", "none", "?", "ABCD")
SPELLINGS = ("{lower}", "{0}.", "({0})", "Option {0}", "{lower}) ", "option {lower}.")
N_RESPELLED = 60
N_REFERENCES = 25


def answer_records(seed: int) -> list[dict[str, Any]]:
    """One record per question, in no order; all counts above hold exactly."""
    rng = np.random.default_rng(seed)
    cells = [
        (options, truth, given, number)
        for options, rows in CONFUSION.items()
        for truth, counts in rows.items()
        for given, count in zip((*options, INVALID), counts, strict=True)
        for number in range(count)
    ]
    correct = [truth == given for _, truth, given, _ in cells]
    tasks = _groups(rng, correct, CORRECT_BY_TASK_TYPE)
    modes = _groups(rng, correct, CORRECT_BY_REFERENCE_MODE)
    given = _spelled(rng, [given for _, _, given, _ in cells])
    kinds = {LETTERS: ("what", "which", "how"), WORDS: ("yes_no",)}
    records = []
    for place, index in enumerate(rng.permutation(len(cells)).tolist()):
        options, truth, _, _ = cells[index]
        records.append(
            {
                "sample_id": f"q{place + 1:04d}",
                "task_type": tasks[index],
                "reference_mode": modes[index],
                "options": list(options),
                "answer": truth,
                "prediction": given[index],
                "metadata": {
                    "question_type": str(rng.choice(kinds[options])),
                    "reference": f"i{int(rng.integers(N_REFERENCES)) + 1:02d}.bmp",
                },
            }
        )
    return records


def _groups(rng: np.random.Generator, correct: Sequence[bool], n_correct: Mapping[str, int]) -> list[str]:
    """A group for each question, so that the groups are equally large and have their numbers of right answers."""
    size = len(correct) // len(n_correct)
    labels = {
        True: rng.permutation([name for name, right in n_correct.items() for _ in range(right)]).tolist(),
        False: rng.permutation([name for name, right in n_correct.items() for _ in range(size - right)]).tolist(),
    }
    return [labels[right].pop() for right in correct]


def _spelled(rng: np.random.Generator, given: Sequence[str]) -> list[str]:
    """The answers as a model writes them: some letters in another way, invalid ones in words of their own."""
    letters = [index for index, answer in enumerate(given) if answer in LETTERS]
    respelled = {int(index): place for place, index in enumerate(rng.permutation(letters)[:N_RESPELLED])}
    words = iter(INVALID_ANSWERS)
    texts = []
    for index, answer in enumerate(given):
        if answer == INVALID:
            texts.append(next(words))
        elif index in respelled:
            texts.append(SPELLINGS[respelled[index] % len(SPELLINGS)].format(answer, lower=answer.lower()))
        else:
            texts.append(answer)
    return texts
