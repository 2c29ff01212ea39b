"""The chart of kappa: words for people, not the names of columns."""

import json

import pandas as pd

from review.history import chart


def drawn() -> str:
    found = pd.DataFrame(
        {
            "timestamp": pd.to_datetime(["2026-03-03", "2026-03-09"], utc=True),
            "kappa_macro": [0.5, 0.6],
            "kappa_micro": [0.4, -0.1],
            "status": ["contingency_triggered", "resolved_by_review"],
            "total_queries": [24, 24],
        }
    )
    return json.dumps(chart(found, 0.7, 0.7).to_dict())


def test_the_legend_says_what_the_lines_are_in_words() -> None:
    words = drawn()
    assert '"domain": ["macro", "micro"]' in words
    assert "kappa_m" not in words
    assert "contingency triggered" in words
    assert "_triggered" not in words


def test_a_kappa_below_zero_is_not_cut_off_and_labels_lie_on_their_lines() -> None:
    words = drawn()
    assert '"domain": [-0.1, 1.0]' in words
    assert '"labelBaseline": "middle"' in words
