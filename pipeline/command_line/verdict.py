"""The verdict of a run in words: which setting to use, how surely, and what the judge does not do at it."""

from typing import Any

import pandas as pd

from analysis.resampling.bootstrap import RELIABLE_CLUSTERS
from assets.fidelity.logic.recommendation_gates import as_good_as_best, chosen_setting
from assets.fidelity.logic.recommendation_grade import grade_of
from assets.fidelity.logic.setting_conditions import FOUR_CONDITIONS, is_corrected
from resources.configuration.fidelity import FidelityThresholds
from resources.errors import listing
from resources.tables.fidelity.decision import EVERYBODY
from resources.tables.fidelity.golden import NOT_SEEN, UNKNOWN

NAMED_ALTERATIONS = 5


def verdict(recommended: pd.DataFrame, thresholds: FidelityThresholds) -> str:
    """The setting to use, its numbers to report and what cannot be distinguished from it; or none, and why.

    Args:
        recommended: Table `recommended_setting`.
        thresholds: The study's.
    """
    chosen = chosen_setting(recommended)
    tried = int(recommended["n_settings_tried"].max()) if len(recommended) else 0
    if chosen.setting is None:
        if not tried:
            reasons = listing(recommended["failed"].unique(), 3)
            return f"no setting is recommended: none was compared. {reasons}".rstrip()
        words = f"no setting is recommended: none of {tried} that were compared keeps {FOUR_CONDITIONS}."
        if chosen.nearest is None:
            return f"{words} None is near: no setting was compared whose repeats vary."
        lacks = recommended.loc[recommended["setting"] == chosen.nearest, "failed"].iloc[0]
        return f"{words} Nearest is {chosen.nearest}: {lacks}"
    row = recommended[recommended["setting"] == chosen.setting].iloc[0]
    equals = [key for key in as_good_as_best(recommended) if key != chosen.setting]
    told = f" Cannot be told from it: {', '.join(equals)}." if equals else ""
    passing = int(recommended["passes"].astype(bool).sum())
    best = f"the best of {passing} settings that keep {FOUR_CONDITIONS}, {tried} tried"
    if passing == 1:
        best = f"the only one of {tried} settings tried that keeps {FOUR_CONDITIONS}"
    grade = grade_of(recommended, thresholds)
    doubts = f" ({'; '.join(grade.doubts)})" if grade.doubts else ""
    return f"{grade.name} {chosen.setting}{doubts}, {best}. {_numbers(row)}.{_few_products(row)}{told}"


def _numbers(row: Any) -> str:
    """The numbers to report, and which objects they are of."""
    corrected = is_corrected(row)

    def number(what: str, reported: str, seen: str, beside: str = "") -> str:
        low, high = row.get(f"{reported}_low"), row.get(f"{reported}_high")
        bounds = "" if pd.isna(low) or pd.isna(high) else f" [{low:.3f}, {high:.3f}]"
        before = f" ({_number(row[seen])} seen)" if corrected else ""
        return f"{what} {_number(row[reported])}{bounds}{before}{beside}"

    objects = f"{row['n_reporting']} objects of {row['n_products_reporting']} products"
    where = f"On products that did not choose it (n = {objects})"
    if corrected:
        where = f"Corrected for the choice, which was made on {objects}"
    parts = (
        number("ICC(1,k)", "icc_reported", "icc"),
        number("Spearman", "spearman_reported", "spearman_r", _scored(row)),
        number("median MAD", "mad_reported", "mad"),
        number("JSON validity", "json_validity_reported", "json_validity_rate"),
    )
    return f"{where}: {', '.join(parts)}"


def _scored(row: Any) -> str:
    """How many of these objects people scored, where that is not all of them."""
    if row["n_matched_reporting"] == row["n_reporting"]:
        return ""
    n_products = row["n_matched_products_reporting"]
    return f" (people scored {row['n_matched_reporting']} objects of {n_products} products)"


def _few_products(row: Any) -> str:
    n = min(row["n_products_reporting"], row["n_matched_products_reporting"])
    return f" Few products ({n}): intervals are unreliable under {RELIABLE_CLUSTERS}." if n < RELIABLE_CLUSTERS else ""


def _number(value: Any) -> str:
    return "undefined" if pd.isna(value) else f"{value:.3f}"


def stand_in(annotators: pd.DataFrame, needed: float) -> str:
    """Whether the judge may stand in for a person, in a line.

    Args:
        annotators: Table `annotator_test` at one setting.
        needed: Share of annotators that it must win against.
    """
    whole = annotators[annotators["annotator"] == EVERYBODY].iloc[0]
    if pd.isna(whole["omega"]):
        return f"Stands in for a person: not testable ({whole['undefined']})."
    tested = annotators.loc[annotators["annotator"] != EVERYBODY, "rejected"].dropna().astype(bool)
    may = "yes" if whole["omega"] >= needed else "no"
    return (
        f"Stands in for a person: {may}, it wins against {int(tested.sum())} of {len(tested)} annotators "
        f"(omega {whole['omega']:.2f}, needed {needed:g})."
    )


def unseen(sensitivity: pd.DataFrame) -> str | None:
    """What the judge does not see on the golden set, in a line; null where there is none.

    Args:
        sensitivity: Table `sensitivity`.
    """
    worse = sensitivity[sensitivity["expected"] == "worse"]
    if worse.empty:
        return None
    where = f"at {worse['setting'].iloc[0]}"
    missed = worse.loc[worse["seen"] == NOT_SEEN, "alteration"].tolist()
    unknown = int((worse["seen"] == UNKNOWN).sum())
    too_few = f" Unknown, too few pairs: {unknown}." if unknown else ""
    if not missed:
        return f"Does not see: none of {len(worse)} alterations ({where}).{too_few}"
    named = listing(missed, NAMED_ALTERATIONS)
    return f"Does not see: {len(missed)} of {len(worse)} alterations ({where}): {named}.{too_few}"
