"""Missing answers as the worst and the best for the judge, by hand."""

import numpy as np
import pytest

from analysis.agreement.missing_answers import filled_against_people, filled_between_repeats

NAN = np.nan


def test_against_people_the_worst_is_the_far_end_of_the_scale_and_the_best_their_score() -> None:
    # People gave 0.3 (1 is further), 0.8 (0 is further), 0.5 (both as far: 1).
    found = filled_against_people([[0.4, NAN], [NAN, NAN], [NAN, 0.5]], [0.3, 0.8, 0.5])
    np.testing.assert_array_equal(found.worst, [[0.4, 1], [0, 0], [1, 0.5]])
    np.testing.assert_array_equal(found.best, [[0.4, 0.3], [0.8, 0.8], [0.5, 0.5]])


def test_between_repeats_the_worst_takes_both_ends_in_turn_and_the_best_the_objects_mean() -> None:
    found = filled_between_repeats([[0.2, NAN, 0.4, NAN, NAN], [NAN] * 5, [0.9] * 5])
    np.testing.assert_array_equal(found.worst, [[0.2, 0, 0.4, 1, 0], [0, 1, 0, 1, 0], [0.9] * 5])
    # Means of the objects that have answers: 0.3 and 0.9, together 0.6.
    np.testing.assert_allclose(found.best, [[0.2, 0.3, 0.4, 0.3, 0.3], [0.6] * 5, [0.9] * 5])


def test_where_nothing_is_missing_both_are_the_scores() -> None:
    scores = [[0.1, 0.2], [0.3, 0.5]]
    for found in (filled_against_people(scores, [0.2, 0.9]), filled_between_repeats(scores)):
        np.testing.assert_array_equal(found.worst, scores)
        np.testing.assert_array_equal(found.best, scores)


def test_no_answer_at_all_and_people_outside_the_scale_are_refused() -> None:
    with pytest.raises(ValueError, match="no answer at all"):
        filled_between_repeats([[NAN, NAN]])
    for people in ([1.2], [NAN], [0.1, 0.2]):
        with pytest.raises(ValueError, match="one human score on 0-1 per object"):
            filled_against_people([[0.1, NAN]], people)
