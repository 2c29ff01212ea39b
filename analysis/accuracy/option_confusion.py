"""The confusion of multiple-choice answers: which option was taken for which."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.accuracy.option_answers import normalised_answer
from analysis.messages import message
from analysis.spelling import one_spelling
from analysis.undefined import UndefinedStatistic

INVALID = "invalid"
MOST_CONFUSED = 5


class Share(NamedTuple):
    """A share of counts (0-1); none where nothing could be counted, and `reason` says why."""

    value: float | None
    reason: str


class OptionResult(NamedTuple):
    """One option. `excess` is how much more often it was answered than it was right: above 0, over-predicted."""

    precision: Share
    recall: Share
    n_true: int
    n_predicted: int
    excess: int


class ConfusedPair(NamedTuple):
    """How often the answer `prediction` was given where `truth` was right."""

    truth: str
    prediction: str
    n: int


class OptionConfusion(NamedTuple):
    """Answers to samples with one set of options.

    `matrix` has a row per true option and a column per answered one in the order of `options`, and a last column for
    answers that are no option; these are wrong and count in `n`. `cells` are its row and column of each sample, and
    `samples` the places of these among all, both in the samples' order.
    """

    options: tuple[str, ...]
    columns: tuple[str, ...]
    matrix: NDArray[np.int64]
    accuracy: float
    by_option: dict[str, OptionResult]
    over_predicted: tuple[str, ...]
    under_predicted: tuple[str, ...]
    most_confused: tuple[ConfusedPair, ...]
    n: int
    n_correct: int
    n_invalid: int
    n_blank: int
    n_normalised: int
    cells: NDArray[np.intp]
    samples: NDArray[np.intp]


def option_confusion(truth: Sequence[str], prediction: Sequence[str | None], options: Sequence[str]) -> OptionConfusion:
    """How answers spread over the options, for samples that share one set of options.

    Args:
        truth: The right option of each sample.
        prediction: The answer to each sample, same order; none or blank: not answered, and so not an option.
        options: The options in their order.

    Returns:
        Both sides are matched by `normalised_answer`; `n_normalised` counts the predictions that needed it. Over- and
        under-predicted options are sorted by how far they are off, ties in the order of the options.

    Raises:
        ValueError: Lengths differ, options that `normalised_answer` refuses, or a truth that is no option.
        UndefinedStatistic: No sample.

    Source:
        docs/statistics.md, Multiple choice.
    """
    if len(truth) != len(prediction):
        raise ValueError(f"one truth and one answer per sample, got shapes ({len(truth)},) and ({len(prediction)},)")
    if not truth:
        raise UndefinedStatistic("no sample, so there is no accuracy")
    names = tuple(str(option) for option in options)
    if INVALID in (one_spelling(name) for name in names):
        raise ValueError(f"{INVALID!r} cannot be an option: it is the column of answers that are none")
    # The same few texts come again and again.
    of_text = {text: normalised_answer(text, names) for text in {*truth, *prediction}}
    place: dict[str | None, int] = {name: number for number, name in enumerate(names)} | {None: len(names)}
    unknown = [f"{text!r} (sample {row})" for row, text in enumerate(truth) if of_text[text].option is None]
    if unknown:
        raise ValueError(f"{len(unknown)} right answers are none of the options {names}: {', '.join(unknown[:5])}")
    rows = np.array([place[of_text[text].option] for text in truth])
    taken = np.array([place[of_text[text].option] for text in prediction])
    size = len(names)
    matrix = np.bincount(rows * (size + 1) + taken, minlength=size * (size + 1)).reshape(size, size + 1)
    by_option = {name: _of_option(matrix, number) for number, name in enumerate(names)}
    n_correct = int(np.trace(matrix))
    return OptionConfusion(
        names,
        (*names, INVALID),
        matrix,
        n_correct / len(truth),
        by_option,
        tuple(sorted((n for n in names if by_option[n].excess > 0), key=lambda name: -by_option[name].excess)),
        tuple(sorted((n for n in names if by_option[n].excess < 0), key=lambda name: by_option[name].excess)),
        _most_confused(matrix, names),
        len(truth),
        n_correct,
        int(matrix[:, size].sum()),
        sum(text is None or not text.strip() for text in prediction),
        sum(of_text[text].normalised for text in prediction),
        np.column_stack([rows, taken]),
        np.arange(len(truth)),
    )


def confusions_by_options(
    truth: Sequence[str], prediction: Sequence[str | None], options: Sequence[Sequence[str]]
) -> list[OptionConfusion]:
    """One confusion for each set of options that occurs, the most frequent set first.

    Args:
        truth: The right option of each sample.
        prediction: The answer to each sample.
        options: The options of each sample.

    Returns:
        `option_confusion` of each set, its options in the order and spelling of the first sample that has it; sets with
        equally many samples in the order of their first one.

    Raises:
        ValueError: As `option_confusion`, or lengths differ.
        UndefinedStatistic: No sample.
    """
    if not len(truth) == len(prediction) == len(options):
        raise ValueError(
            f"one truth, answer and set of options per sample, got shapes "
            f"({len(truth)},), ({len(prediction)},), ({len(options)},)"
        )
    if not truth:
        raise UndefinedStatistic("no sample, so there is no accuracy")
    members: dict[frozenset[str], list[int]] = {}
    for row, names in enumerate(options):
        members.setdefault(frozenset(one_spelling(name) for name in names), []).append(row)
    return [
        option_confusion([truth[row] for row in rows], [prediction[row] for row in rows], options[rows[0]])._replace(
            samples=np.array(rows)
        )
        for rows in sorted(members.values(), key=len, reverse=True)
    ]


def _of_option(matrix: NDArray[np.int64], number: int) -> OptionResult:
    n_right, n_predicted, n_true = (
        int(count) for count in (matrix[number, number], matrix[:, number].sum(), matrix[number].sum())
    )
    return OptionResult(
        Share(n_right / n_predicted, "") if n_predicted else Share(None, message("never predicted")),
        Share(n_right / n_true, "") if n_true else Share(None, message("never the right answer")),
        n_true,
        n_predicted,
        n_predicted - n_true,
    )


def _most_confused(matrix: NDArray[np.int64], names: tuple[str, ...]) -> tuple[ConfusedPair, ...]:
    found = [
        ConfusedPair(true, given, int(matrix[i, j]))
        for i, true in enumerate(names)
        for j, given in enumerate(names)
        if i != j and matrix[i, j]
    ]
    # A stable sort: ties stay in the order of the options.
    return tuple(sorted(found, key=lambda pair: -pair.n)[:MOST_CONFUSED])
