"""Checks of rows against a declaration: what passes without pandera is what pandera lets pass, value by value."""

from typing import Any

import numpy as np
import pandas as pd
import pandera.errors
import pytest

from resources.tables.declare import Table, flag, number, text, texts, time, whole

TABLE = Table(
    "made",
    "A table with a column of each kind.",
    (
        text("object", "A key."),
        text("state", "One of two.", among=("valid", "cut_off"), nullable=True),
        number("score", "Within limits.", low=0, high=1),
        number("share", "May be missing.", nullable=True, low=0),
        whole("n", "A count.", low=1),
        whole("n_more", "A count that may be missing.", nullable=True),
        flag("seen", "True or false."),
        flag("passed", "True, false or missing.", nullable=True),
        texts("reasons", "Words."),
        time("at", "An instant."),
    ),
    ("object", "n"),
)
NOW = pd.Timestamp("2026-03-02", tz="UTC")


def rows(**changed: Any) -> pd.DataFrame:
    good = {
        "object": ["a", "b"],
        "state": ["valid", None],
        "score": [0.0, 1.0],
        "share": [None, 2.5],
        "n": [1, 2],
        "n_more": [None, 3],
        "seen": [True, False],
        "passed": [None, True],
        "reasons": [["x"], []],
        "at": [NOW, NOW],
    }
    return pd.DataFrame(good | changed)


@pytest.mark.parametrize(
    "frame",
    [
        rows(),
        rows().iloc[:0],
        rows()[::-1],
        rows()[["n", *(name for name in rows() if name != "n")]],
        rows(score=[0, 1], n=[1.0, 2.0], share=[np.nan, "2.5"]),
        rows(object=pd.Categorical(["a", "b"]), n=pd.array([1, 2], dtype="Int64")),
        rows(object=["a", "a"]),
        rows(object=[1, 2]),
        rows(at=[NOW.tz_convert("Europe/Rome"), NOW]),
    ],
)
def test_rows_that_keep_to_it_come_back_as_pandera_gives_them(frame: pd.DataFrame) -> None:
    expected = TABLE.schema.validate(frame.reset_index(drop=True), lazy=True)
    quick = TABLE._without_a_fault(frame.reset_index(drop=True))
    assert quick is not None
    pd.testing.assert_frame_equal(quick, expected)
    pd.testing.assert_frame_equal(TABLE.validated(frame), expected)


@pytest.mark.parametrize(
    "frame",
    [
        rows(object=["a", None]),
        rows(object=["a", "a"], n=[1, 1]),
        rows(state=["valid", "odd"]),
        rows(score=[-0.1, 1]),
        rows(score=[0, 1.1]),
        rows(score=[0, np.nan]),
        rows(score=["x", 1]),
        rows(share=[None, -1]),
        rows(n=[0, 1]),
        rows(n=[1, 1.5]),
        rows(n=[1, None]),
        rows(seen=[True, None]),
        rows(seen=[True, "perhaps"]),
        rows(reasons=[["x"], None]),
        rows(at=[NOW, None]),
        rows(at=[NOW, "yesterday"]),
        rows().drop(columns="n"),
        rows(more=[1, 2]),
        rows().rename(columns={"n_more": "n"}),
    ],
)
def test_what_does_not_is_left_to_pandera_which_names_it(frame: pd.DataFrame) -> None:
    assert TABLE._without_a_fault(frame.reset_index(drop=True)) is None
    with pytest.raises((pandera.errors.SchemaErrors, pandera.errors.SchemaError)):
        TABLE.validated(frame)
