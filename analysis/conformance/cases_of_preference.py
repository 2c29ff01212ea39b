"""Published numbers of paired comparisons: strengths, ties, and what being shown first is worth."""

from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.conformance import published
from analysis.conformance.case import Case, Reader, of_result
from analysis.preference.bradley_terry import bradley_terry
from analysis.preference.position import position_with_strengths
from analysis.preference.strength_groups import rank_groups

STIGLER = "Stigler (1994), Stat. Sci. 9:94-108; Agresti (2002), 10.6; digits by R package BradleyTerry2, citations"
BASEBALL = "Agresti (2002), Categorical Data Analysis, 10.6.2; R package BradleyTerry2, vignette"
LEAGUE = "American League 1987, 273 games of 7 teams"
CITATIONS = "citations among four journals"


def against(image: Any, other: Any) -> Callable[[Any], float]:
    """Reads how much stronger an image is than another."""
    return lambda fit: float(fit.differences([image], [other]).values[0])


def error_against(image: Any, other: Any) -> Callable[[Any], float]:
    """Reads the standard error of that."""
    return lambda fit: float(fit.differences([image], [other]).errors[0])


def _of_strengths() -> list[Case]:
    one, two = np.triu_indices(4, 1)
    names, cited = published.JOURNALS, published.CITED
    journals: dict[str, tuple[Reader, str]] = {}
    for name, value, error in (
        ("Comm Statist", "-2.94907250", "0.10254534"),
        ("JASA", "-0.47956977", "0.060588729"),
        ("JRSS-B", "0.26895406", "0.070829965"),
    ):
        journals[f"{name} against Biometrika"] = (against(name, "Biometrika"), value)
        journals[f"{name}, standard error"] = (error_against(name, "Biometrika"), error)
    for place, error in enumerate(("0.04333047", "0.07257974", "0.04164102", "0.05304699")):
        journals[f"{names[place]}, centred, standard error"] = (f"errors.{place}", error)
    first, last = np.triu_indices(3, 1)
    wins = published.TIED_WINS
    games = (published.HOME, published.AWAY, published.HOME_WINS, published.AWAY_WINS)
    pairs_of_teams = [" ".join(sorted(teams)) for teams in zip(published.HOME, published.AWAY, strict=True)]
    printed = {"MIL": "1.58", "DET": "1.44", "TOR": "1.29", "NY": "1.25", "BOS": "1.11", "CLE": "0.68"}
    teams: dict[str, tuple[Reader, str]] = {
        f"{team} against BAL": (against(team, "BAL"), value) for team, value in printed.items()
    }
    votes = (names[one], names[two], cited[one, two], cited[two, one])
    return [
        *of_result(bradley_terry, *votes, data=CITATIONS, source=STIGLER, numbers=journals),
        *of_result(
            bradley_terry,
            first,
            last,
            wins[first, last],
            wins[last, first],
            published.TIES,
            tie_model="davidson",
            data="three images, 12 ties among 64 votes",
            source="Davidson (1970), J. Am. Stat. Assoc. 65:317-328: its equations solved to 40 digits",
            numbers={
                "Davidson, second against first": (against(1, 0), "-0.81230422"),
                "Davidson, third against first": (against(2, 0), "-1.62460844"),
                "Davidson, nu": ("tie_parameter", "0.53379270"),
            },
        ),
        *of_result(bradley_terry, *games, data=LEAGUE, source=BASEBALL, numbers=teams),
        *of_result(
            position_with_strengths,
            *games,
            pairs_of_teams,
            data=LEAGUE,
            source=BASEBALL,
            numbers={
                "Home advantage, log odds": ("log_odds", "0.3023"),
                "Home advantage, standard error": ("information_error", "0.131"),
            },
        ),
        Case(
            "Rank groups of four journals",
            rank_groups,
            (bradley_terry(*votes),),
            lambda letters: len(set(letters)),
            "4.0000",
            CITATIONS,
            "the standard errors above: every two differ by more than three",
        ),
    ]


OF_PREFERENCE = _of_strengths()
