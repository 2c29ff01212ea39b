"""Rows of table `recommended_setting`: which setting is chosen on which objects, and what is reported from which."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.agreement.selection import Reported, behind_best, holm_bounds, reported, without_optimism
from analysis.agreement.setting_choice import NONE, Rule, choose, least_lacking
from analysis.agreement.setting_measures import Compared, Evidence, Judged, compared, evidence_of, or_none
from analysis.messages import labelled, message, message_list
from analysis.resampling.bootstrap import Interval
from analysis.resampling.simultaneous import distinguishable
from assets.fidelity.logic.judge_answers import Judgements, first_answers, scores_of
from assets.fidelity.logic.selection_split import Choosing
from assets.fidelity.logic.setting_conditions import COLUMNS, condition_gates, conditions_of, misses, rule_of
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.fidelity import FidelityStudy

REPORTED = {"icc": "icc", "spearman": "spearman", "json_validity": "json_validity", "median_mad": "mad"}


class Sides(NamedTuple):
    """The settings on the objects that choose, and on those that report: the same ones where nothing is split.

    `free` says that choosing did not flatter those that report, so that nothing is to be corrected.
    """

    choosing: Evidence
    reporting: Evidence
    free: bool
    words: str


def on_common_objects(keys: list[str], common: set[str], tables: Judgements, study: FidelityStudy) -> Compared:
    """The settings as the analysis takes them, objects in one order."""
    objects, matrices = sorted(common), tables.matrices
    known = matrices[keys[0]].set_index("object").loc[objects]
    heirs = _heirs(matrices[keys[0]], objects)
    settings = []
    for key in keys:
        first = first_answers(tables.calls[key])
        # The answers of an object that is left out count all the same: leaving it out must not improve their validity.
        first = first.assign(
            valid=first["state"] == "valid", object=first["object"].map(lambda one: heirs.get(one, one))
        )
        answered = first.groupby("object")["valid"].agg(["sum", "size"])
        counts = answered.reindex(objects, fill_value=0).to_numpy(dtype=float)
        scores = scores_of(matrices[key].set_index("object").loc[objects])
        settings.append(Judged(scores, counts[:, 0], counts[:, 1]))
    return compared(
        settings,
        tables.human_scores.groupby("object")["score"].mean().reindex(objects).to_numpy(dtype=float),
        known["product_id"].to_numpy(dtype=str),
        planned_repeats=study.reliable_repeats,
        aggregate=study.aggregate,
        match_keys=known["item_id"].to_numpy(dtype=str) if study.match_by == "item" else None,
    )


def _heirs(matrix: pd.DataFrame, objects: list[str]) -> dict[str, str]:
    """For each object that is left out, the one whose answers its own count with: of its product, else the first."""
    kept = matrix[matrix["object"].isin(objects)].sort_values("object").drop_duplicates("product_id")
    of_product = kept.set_index("product_id")["object"]
    gone = matrix[~matrix["object"].isin(objects)]
    return {
        name: of_product.get(product, objects[0])
        for name, product in zip(gone["object"], gone["product_id"], strict=True)
    }


def why_not_split(given: Compared, choosing: Choosing) -> str | None:
    """Why the objects to compare cannot choose and report as was fixed before anything was judged; null where they can.

    They are not all made to choose instead: the golden set was drawn from the half that was not to.
    """
    inside = np.isin(given.clusters, sorted(choosing.products))
    if choosing.method == "optimism" or len(given.settings) == 1 or (inside.any() and not inside.all()):
        return None
    half = message("reports the numbers") if inside.all() else message("chooses the setting")
    return message(
        "no object is valid in every setting among the half of the products that {half}. Judge more of its objects, "
        "or let all products choose: `recommendation: {{method: optimism}}`",
        half=half,
    )


def sides_of(given: Compared, choosing: Choosing, study: FidelityStudy) -> Sides:
    """The two sides, with the measures on each and on its resamples, where `why_not_split` has no objection."""

    def evidence(part: Compared) -> Evidence:
        return evidence_of(part, resamples=study.bootstrap_resamples, seed=study.seed)

    if len(given.settings) == 1:
        whole = evidence(given)
        return Sides(
            whole, whole, True, message("one setting, none to choose from: reported from {size}", size=_size(given))
        )
    if choosing.method == "split":
        inside = np.isin(given.clusters, sorted(choosing.products))
        first, second = evidence(given.part(inside)), evidence(given.part(~inside))
        words = message(
            "split ({why}): chosen on {size}, reported from {other_size}",
            why=choosing.why,
            size=_size(first.given),
            other_size=_size(
                second.given, message("{n:,} other product|{n:,} other products", n=second.given.n_clusters)
            ),
        )
        return Sides(first, second, True, words)
    whole = evidence(given)
    words = message("optimism ({why}): chosen on and reported from {size}", why=choosing.why, size=_size(given))
    return Sides(whole, whole, False, words)


def selection_columns(sides: Sides, study: FidelityStudy) -> list[dict[str, Any]]:
    """For every compared setting, in their order, what the table says about choosing and reporting it."""
    evidence, rule = sides.choosing, rule_of(study)
    passes, scores = rule.passes(evidence.sample), rule.scores(evidence.sample)
    best = int(choose(evidence.sample, rule))
    closest = least_lacking(evidence.sample, rule) if best == NONE else None
    order = sorted(np.flatnonzero(passes).tolist(), key=lambda place: (-round(float(scores[place]), 12), place))
    behind = {} if best == NONE else behind_best(evidence, best, passes, rule, confidence=study.confidence)
    rows = []
    for place in range(len(evidence.given.settings)):
        row = _chosen_on(evidence, place, study) | _counts(sides, place)
        row |= {"recommended": place == best, "nearest": place == closest, "passes": bool(passes[place])}
        words = [sides.words]
        if place in behind:
            row |= {"score": float(scores[place]), "rank": order.index(place) + 1} | _behind(
                behind[place], float(scores[best] - scores[place])
            )
            words.append(message("behind the best: {method}", method=interval_words(behind[place])))
        found, how = _reported(sides, place, best, rule, study)
        row |= _reported_columns(sides, place, found, study)
        words += how
        if place == best:
            row |= _holm(sides, place, words, study)
        rows.append(row | {"method": message_list(words)})
    return rows


def _chosen_on(evidence: Evidence, place: int, study: FidelityStudy) -> dict[str, Any]:
    values = _measured(evidence, place)
    deterministic = not bool(evidence.sample.varies[place])
    gates = condition_gates(conditions_of(evidence.given, place, values), study.thresholds, deterministic=deterministic)
    return values | {"deterministic": deterministic, "failed": misses(gates)}


def _measured(evidence: Evidence, place: int) -> dict[str, float | None]:
    return dict(zip(COLUMNS, (or_none(measure[place]) for measure in evidence.sample[:4]), strict=True))


def _counts(sides: Sides, place: int) -> dict[str, Any]:
    choosing, reporting = sides.choosing.given, sides.reporting.given
    return {
        "n_settings_tried": len(choosing.settings),
        "n_choosing": choosing.n_objects,
        "n_reporting": reporting.n_objects,
        "n_products_choosing": choosing.n_clusters,
        "n_products_reporting": reporting.n_clusters,
        "n_matched_choosing": choosing.n_matched,
        "n_matched_reporting": reporting.n_matched,
        "n_matched_products_choosing": choosing.n_matched_clusters,
        "n_matched_products_reporting": reporting.n_matched_clusters,
        "n_first_choosing": int(choosing.settings[place].first_answers.sum()),
        "n_first_reporting": int(reporting.settings[place].first_answers.sum()),
    }


def _behind(interval: Interval, difference: float) -> dict[str, Any]:
    apart = distinguishable(interval)
    return {
        "behind_best": difference,
        **bound_columns("behind_best", interval),
        "as_good_as_best": None if apart is None else not apart,
    }


def _reported(
    sides: Sides, place: int, best: int, rule: Rule, study: FidelityStudy
) -> tuple[dict[str, Reported], list[str]]:
    """From objects that did not choose every setting is reported; where all chose, only the chosen one, corrected."""
    if sides.free:
        found = reported(sides.reporting, place, study.confidence, seed=study.seed)
        return found, [_both_in_words(*(found[name].interval for name in ("icc", "spearman")))]
    if place != best:
        return {}, []
    corrected = without_optimism(sides.choosing, place, rule, confidence=study.confidence, seed=study.seed)
    intervals = [corrected.reported[name].interval for name in ("icc", "spearman")]
    return corrected.reported, [corrected.method, _both_in_words(*intervals)]


def _both_in_words(icc: Interval, spearman: Interval) -> str:
    of_icc, of_spearman = interval_words(icc), interval_words(spearman)
    if of_icc == of_spearman:
        return message("ICC and Spearman: {method}", method=of_icc)
    return message_list([labelled("ICC", of_icc), labelled("Spearman", of_spearman)])


def _size(given: Compared, products: str | None = None) -> str:
    return message(
        "{n:,} object of {products}|{n:,} objects of {products}",
        n=given.n_objects,
        products=products or message("{n:,} product|{n:,} products", n=given.n_clusters),
    )


def _reported_columns(sides: Sides, place: int, found: dict[str, Reported], study: FidelityStudy) -> dict[str, Any]:
    if not found:
        return {}
    row: dict[str, Any] = {f"{column}_reported": found[name].value for name, column in REPORTED.items()}
    for name in ("icc", "spearman"):
        row |= bound_columns(f"{name}_reported", found[name].interval)
    values = dict(
        zip(COLUMNS, (found[n].value for n in ("icc", "json_validity", "spearman", "median_mad")), strict=True)
    )
    gates = condition_gates(
        conditions_of(sides.reporting.given, place, values, None if sides.free else _measured(sides.choosing, place)),
        study.thresholds,
        deterministic=not bool(sides.reporting.sample.varies[place]),
    )
    return row | {"lacks_when_reported": misses(gates)}


def _holm(sides: Sides, place: int, words: list[str], study: FidelityStudy) -> dict[str, Any]:
    given = sides.reporting.given
    bounds = holm_bounds(
        given,
        place,
        len(given.settings),
        confidence=study.confidence,
        seed=study.seed,
    )
    words.append(f"lower bounds of {_both_in_words(bounds['icc'], bounds['spearman'])}")
    return {"icc_holm_low": bounds["icc"].low, "spearman_holm_low": bounds["spearman"].low}
