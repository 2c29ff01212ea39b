"""Gates of table `recommended_setting`, and what else is read from its rows: the setting to use, and its equals."""

from typing import Any, Literal, NamedTuple

import pandas as pd

from analysis.gates import Gate, at_least
from analysis.intervals.measured import reliable_from
from analysis.messages import message
from analysis.words import count_noun
from assets.fidelity.logic.setting_conditions import FOUR_CONDITIONS, is_corrected
from resources.configuration.fidelity import FidelityThresholds
from resources.errors import listing

# Each number to report in words, its column, and the column of the same on the objects that choose.
REPORTED = (
    ("ICC(1,k)", "icc_reported", "icc"),
    ("Spearman", "spearman_reported", "spearman_r"),
    ("median MAD", "mad_reported", "mad"),
    ("JSON validity", "json_validity_reported", "json_validity_rate"),
)
NOTHING_TO_CONFIRM = "No setting is recommended, so there is nothing to confirm."
PROVISIONALLY = "Use the setting provisionally, and judge more objects."


class Chosen(NamedTuple):
    """The key of the setting to use; where there is none, `nearest` lacks the least (none: all are deterministic)."""

    setting: str | None
    nearest: str | None


def chosen_setting(recommended: pd.DataFrame) -> Chosen:
    """The recommended setting, or none and the nearest."""

    def only(flag: str) -> str | None:
        keys = recommended.loc[recommended[flag].astype(bool), "setting"]
        return str(keys.iloc[0]) if len(keys) else None

    return Chosen(only("recommended"), only("nearest"))


def recommended_gate(recommended: pd.DataFrame) -> Gate:
    """How many settings keep the four conditions, against one."""
    chosen = chosen_setting(recommended)
    compared = recommended[recommended["n_settings_tried"] > 0]
    n_passing = int(compared["passes"].astype(bool).sum())
    remedy = "No setting was compared whose repeats vary: add one with a temperature above 0."
    if compared.empty and len(recommended):
        remedy = f"None was compared: {listing(recommended['failed'].unique(), 3)} Fix that and run the settings again."
    if chosen.nearest is not None:
        lacks = recommended.loc[recommended["setting"] == chosen.nearest, "failed"].iloc[0]
        remedy = f"Nearest is {chosen.nearest}: {lacks} Fix that, or add settings."
    gate = at_least(
        "a_setting_is_recommended",
        float(n_passing),
        1,
        n=len(compared),
        counted="setting" if len(compared) == 1 else "settings",
        what=f"Number of settings that keep {FOUR_CONDITIONS}",
        remedy=remedy,
    )
    equals = [key for key in as_good_as_best(recommended) if key != chosen.setting]
    like = f" Not distinguishable from it: {', '.join(equals)}." if equals else ""
    keep = "keeps" if n_passing == 1 else "keep"
    passing = f"{n_passing} of {count_noun(len(compared), 'setting')} {keep} {FOUR_CONDITIONS}"
    words = f"{chosen.setting} is recommended: {passing}.{like}"
    return gate.passing_as(words)


def confirmed_gate(recommended: pd.DataFrame) -> Gate:
    """Whether the numbers to report keep the four conditions, with the lower bounds next to them."""
    row = _recommended_row(recommended)
    if row is None:
        return _nothing_to_confirm("recommendation_confirmed", FOUR_CONDITIONS, len(recommended))
    bounds = f"Lower bounds for {_tried(row)} (Holm): "
    bounds += f"ICC(1,k) {_shown(row['icc_holm_low'])}, Spearman {_shown(row['spearman_holm_low'])}."
    where = f"over {count_noun(int(row['n_reporting']), 'object')} of {_products(row['n_products_reporting'])}"
    if (row["n_matched_reporting"], row["n_matched_products_reporting"]) != (
        row["n_reporting"],
        row["n_products_reporting"],
    ):
        matched = count_noun(int(row["n_matched_reporting"]), "object")
        where += f" (Spearman over {matched} of {_products(row['n_matched_products_reporting'])})"
    if pd.isna(row["lacks_when_reported"]):
        numbers = ", ".join(
            f"{what} {_shown(row[name])}{f' ({_shown(row[column])} seen)' if is_corrected(row.to_dict()) else ''}"
            for what, name, column in REPORTED
        )
        if is_corrected(row.to_dict()):
            where += ", corrected for the choice"
        words = f"{row['setting']} keeps {FOUR_CONDITIONS} in the numbers to report, {where}: {numbers}. {bounds}"
        return Gate("recommendation_confirmed", True, None, FOUR_CONDITIONS, words)
    words = (
        f"{row['setting']} misses conditions in the numbers to report, {where}: {row['lacks_when_reported']} {bounds} "
        f"{PROVISIONALLY}"
    )
    n = int(row["n_reporting"])
    return Gate("recommendation_confirmed", False, None, FOUR_CONDITIONS, words, n, None, PROVISIONALLY)


def _nothing_to_confirm(name: str, needed: str, n: int) -> Gate:
    remedy = "a_setting_is_recommended says what is lacking."
    sentence = f"{NOTHING_TO_CONFIRM} Recommended is 0 over {count_noun(n, 'setting')}; needed: 1. {remedy}"
    return Gate(name, False, None, needed, sentence, n, message("no setting is recommended"), remedy)


def sure_gate(recommended: pd.DataFrame, thresholds: FidelityThresholds) -> Gate:
    """The Holm-adjusted lower bounds of ICC and Spearman against their thresholds; a failing one is named first."""
    row = _recommended_row(recommended)
    if row is None:
        return _nothing_to_confirm("recommended_for_sure", "lower bounds", len(recommended))
    gates = [
        at_least(
            "recommended_for_sure",
            None if pd.isna(row[column]) else float(row[column]),
            needed,
            n=int(row[n]),
            counted=f"{'object' if row[n] == 1 else 'objects'} of {_products(row[n_products])}",
            what=f"For {_tried(row)} (Holm), the lower bound of {what}",
            reason="too few products, undefined in too many resamples, or the same in all; column `method` says which",
            remedy="Judge objects of more products: the interval narrows.",
        )
        for column, what, needed, n, n_products in (
            ("icc_holm_low", "ICC(1,k)", thresholds.icc, "n_reporting", "n_products_reporting"),
            (
                "spearman_holm_low",
                "Spearman with people",
                thresholds.spearman,
                "n_matched_reporting",
                "n_matched_products_reporting",
            ),
        )
    ]
    first, second = sorted(gates, key=lambda gate: gate.passed)
    return first._replace(sentence=f"{first.sentence} {second.sentence}")


def as_good_as_best(recommended: pd.DataFrame) -> list[str]:
    """The settings that the data do not tell from the best, the best among them; also where there is no interval."""
    passing = recommended[recommended["passes"].astype(bool)]
    same = zip(passing["setting"], passing["as_good_as_best"], strict=True)
    return [str(key) for key, as_good in same if pd.isna(as_good) or bool(as_good)]


def _recommended_row(recommended: pd.DataFrame) -> "pd.Series | None":
    rows = recommended[recommended["recommended"].astype(bool)]
    return rows.iloc[0] if len(rows) else None


def _tried(row: pd.Series) -> str:
    return f"{count_noun(int(row['n_settings_tried']), 'setting')} tried"


def _products(n: Any) -> str:
    """So many products, and a mark where an interval over them is not to be relied on."""
    enough = reliable_from("spearman")
    few = f" (unreliable: under {enough})" if n < enough else ""
    return f"{count_noun(int(n), 'product')}{few}"


def _shown(value: Any) -> str:
    return "undefined" if pd.isna(value) else f"{float(value):.3f}"


class Grade(NamedTuple):
    """`use`: the conditions hold when reported too, and for sure. `provisionally`: one of these does not: `doubts`."""

    name: Literal["use", "provisionally", "none"]
    doubts: tuple[str, ...] = ()


def grade_of(recommended: pd.DataFrame, thresholds: FidelityThresholds) -> Grade:
    """What may be said of the recommended setting.

    Args:
        recommended: Table `recommended_setting`.
        thresholds: The study's; ICC and Spearman must reach theirs with their lower bounds (Holm over settings tried).
    """
    key = chosen_setting(recommended).setting
    if key is None:
        return Grade("none")
    row = recommended[recommended["setting"] == key].iloc[0]
    doubts = []
    if not pd.isna(row["lacks_when_reported"]):
        doubts.append(f"not confirmed: {str(row['lacks_when_reported']).rstrip('.')}")
    short = [
        f"{what} {_shown(row[column])}, needed {needed:g}"
        for what, column, needed in (
            ("ICC(1,k)", "icc_holm_low", thresholds.icc),
            ("Spearman", "spearman_holm_low", thresholds.spearman),
        )
        if not _reaches(row[column], needed)
    ]
    if short:
        tried = int(row["n_settings_tried"])
        over = "1 setting" if tried == 1 else f"{tried} settings"
        doubts.append(f"not for sure: lower bounds over {over} tried: {'; '.join(short)}")
    return Grade("provisionally" if doubts else "use", tuple(doubts))


def _reaches(bound: Any, needed: float) -> bool:
    return at_least("bound", None if pd.isna(bound) else float(bound), needed, n=0, what="").passed
