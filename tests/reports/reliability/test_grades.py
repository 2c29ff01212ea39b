"""Which grades count as relevant, and how micro kappa changes with the cut, in a sentence of both languages."""

import pandas as pd

from reports.reliability.summary import said_of_grades
from tests.assets.reliability.made_judgments import TWO, judgments_of


def judged() -> pd.DataFrame:
    """Grades 0 1 2 2 and 0 0 2 1 of 0, 1, 2."""
    pairs = [(0.0, 0.0), (0.5, 0.0), (1.0, 1.0), (1.0, 0.5)]
    return judgments_of({"q": {f"d{place}": pair for place, pair in enumerate(pairs)}})


def test_the_cut_and_what_another_would_give_are_said() -> None:
    grades = ("no", "partly", "yes")
    [relevant, cuts] = said_of_grades(judged(), ("careful", "hasty"), dict.fromkeys(TWO, 0.25), grades)
    assert relevant.plain("en") == "A document is relevant from grade partly on; the grades are no, partly, yes."
    # 2 (n_11 n_00 - n_10 n_01) / ... is 2 (2 * 1) / (3 * 2 + 1 * 2) at either cut.
    assert cuts.plain("en") == (
        "Micro kappa by the grade from which a document counts as relevant: partly: 0.500; yes: 0.500."
    )
    assert cuts.plain("it").endswith("partly: 0,500; yes: 0,500.")


def test_judges_of_other_thresholds_are_told_apart() -> None:
    thresholds = {"careful": 0.25, "hasty": 0.75}
    said = said_of_grades(judged(), ("careful", "hasty"), thresholds, ("0", "1", "2"))
    assert said[0].plain("en").startswith("For judge careful a document is relevant from grade 1 on")
    assert said[1].plain("en").startswith("For judge hasty a document is relevant from grade 2 on")


def test_without_declared_grades_nothing_is_said() -> None:
    assert said_of_grades(judged(), ("careful", "hasty"), dict.fromkeys(TWO, 0.5), ()) == []
