"""The verdict on each setting of study A: the judge against annotators, on objects that did not choose the setting."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.agreement.alternative_annotator import EPSILON
from analysis.agreement.setting_choice import NONE, choose, least_lacking
from analysis.agreement.setting_measures import Measures
from analysis.gates import Gate
from analysis.messages import message
from analysis.resampling.bootstrap import Interval
from analysis.significance.wilson import wilson
from analysis.verdict.people import People
from analysis.verdict.rule import Condition, Seen, Verdict, needed_at_least, reached
from analysis.verdict.stated import Against, Row, Stated, against_people, not_flattered
from assets.fidelity.logic.judge_answers import judge_scores
from assets.fidelity.logic.selection_split import Choosing, products_that_choose
from assets.fidelity.logic.setting_conditions import COLUMNS, rule_of
from assets.shared.partitions import Frames
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import judge_in
from resources.errors import listing
from resources.tables.fidelity.golden import IN_PART, NOT_SEEN, UNKNOWN

NOT_COMPARED = "not compared: "
ALL_CHOSE = "every object took part in choosing the setting"
# Groups of fewer objects say nothing of their own.
FEWEST_OF_GROUP = 10
SHOWN_NAMES = 12


class Evidence(NamedTuple):
    """The tables behind the verdicts; matrices and agreement with people by setting, `stripes` the gate on them."""

    matrices: Frames
    human_scores: pd.DataFrame
    study_objects: pd.DataFrame
    recommended: pd.DataFrame
    human_agreement: Frames
    sensitivity: pd.DataFrame
    stripes: Gate


def setting_verdicts(evidence: Evidence, judge: str, study: FidelityStudy) -> list[Stated]:
    """One verdict per setting that was made; that of the recommended one, else of the nearest, answers the question.

    Of several judges each has an answer: that of its own best setting.
    """
    settings = [str(key) for key in evidence.recommended["setting"] if key in evidence.matrices]
    rows = {str(row["setting"]): row for row in evidence.recommended.to_dict("records")}
    compared = [key for key in settings if rows[key]["n_settings_tried"] > 0]
    leading = {
        _leading(evidence.recommended, [key for key in compared or settings if judge_in(key) == one], study)
        or _first(settings, one)
        for one in map(judge_in, settings)
    }
    n_tried = Counter(map(judge_in, compared))
    choosing = products_that_choose(evidence.study_objects, evidence.human_scores, study)
    found = []
    for key in settings:
        if key not in compared:
            why = str(rows[key]["failed"]).removeprefix(NOT_COMPARED).rstrip(".")
            said, against = Verdict("cannot say", (why,), ()), _against(evidence.human_scores)
            people: tuple[Row, ...] = ()
        else:
            common = _common(evidence.matrices, compared, study.minimum_repeats)
            chose = choosing if n_tried[judge_in(key)] > 1 else None
            against, said, people = _judged(evidence, rows[key], common, chose, study)
        found.append(
            Stated(judge_in(key) or judge, key, against, said, key in leading, people,
                   _not_covered(evidence, key, study), ("objects", "products"))
        )  # fmt: skip
    return found


def _leading(recommended: pd.DataFrame, keys: list[str], study: FidelityStudy) -> str | None:
    """A judge's setting to use, else the nearest to it, else the first that can vary.

    The table flags one setting of the study; that of any other judge is chosen among its own by the same rule.
    """
    of_judge = recommended[recommended["setting"].isin(keys)]
    for flag in ("recommended", "nearest"):
        rows = of_judge if study.judges else recommended
        chosen = rows.loc[rows[flag].fillna(False).astype(bool), "setting"]
        if len(chosen):
            return str(chosen.iloc[0])
    tried = of_judge[of_judge["n_settings_tried"] > 0]
    if study.judges and len(tried):
        columns = (*(tried[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in COLUMNS),
                   ~tried["deterministic"].to_numpy(dtype=bool))  # fmt: skip
        measures, rule = Measures(*columns), rule_of(study)
        best = int(choose(measures, rule))
        place = least_lacking(measures, rule) if best == NONE else best
        if place is not None:
            return str(tried["setting"].iloc[place])
    varying = recommended.loc[~recommended["deterministic"].fillna(False).astype(bool), "setting"].astype(str)
    return next((key for key in keys if key in set(varying)), keys[0] if keys else None)


def _first(settings: list[str], judge: str | None) -> str:
    """The first setting of a judge of which none is compared."""
    return next(key for key in settings if judge_in(key) == judge)


def _common(matrices: Frames, keys: list[str], minimum: int) -> set[str]:
    valid = [set(matrices[key].loc[matrices[key]["n_valid"] >= minimum, "object"]) for key in keys]
    return set.intersection(*valid) if valid else set()


def _against(human_scores: pd.DataFrame) -> Against:
    return "people" if len(set(human_scores["annotator"])) > 1 else "this person"


def _judged(
    evidence: Evidence,
    row: Mapping[Any, Any],
    common: set[str],
    choosing: Choosing | None,
    study: FidelityStudy,
) -> tuple[Against, Verdict, tuple[Row, ...]]:
    """On the half that did not choose where it is large enough; else on all, where only what is bad for it counts.

    Whichever setting it is: with several tried, any of them was among those that the same objects chose from. A judge
    of one setting (`choosing` is none) chose nothing.
    """
    policy = study.verdict.policy(epsilon=EPSILON[study.annotators], confidence=study.confidence, seed=study.seed)
    matrix = evidence.matrices[str(row["setting"])]
    matrix = matrix[matrix["object"].isin(common)]
    people, scores = people_of(evidence.human_scores, matrix), judge_scores(matrix, study.aggregate)
    needed = study.thresholds.spearman
    others = conditions_of(row, evidence, study)
    chose = choosing.products if choosing is not None else ()
    free = ~matrix["product_id"].isin(list(chose)).to_numpy(dtype=bool)
    several = (~np.isnan(people.answers)).sum(axis=1) >= min(2, people.answers.shape[1])
    n_free = int((free & several & ~np.isnan(scores)).sum())
    kept = free if n_free >= policy.fewest_objects else np.ones(len(matrix), dtype=bool)
    against, said, rows = against_people(people.of(kept), scores[kept], others, policy=policy, needed=needed)
    if not free[kept].all():
        why = message(
            "only {n} objects had no part in choosing the setting, fewer than {fewest}",
            n=n_free,
            fewest=policy.fewest_objects,
        )
        said = not_flattered(said, why if n_free else message(ALL_CHOSE))
    return against, said, rows


def people_of(human_scores: pd.DataFrame, matrix: pd.DataFrame) -> People:
    """The annotators' scores of the objects of a matrix, clustered by product; those who scored none are left out."""
    wide = human_scores.pivot(index="object", columns="annotator", values="score")  # noqa: PD010
    wide = wide.reindex(matrix["object"]).dropna(axis=1, how="all")
    names = tuple(map(str, wide.columns))
    answers = wide.to_numpy(dtype=np.float64)
    if not names:
        answers, names = np.full((len(matrix), 1), np.nan), ("nobody",)
    return People(answers, matrix["product_id"].to_numpy(dtype=str), names=names)


def conditions_of(row: Mapping[Any, Any], evidence: Evidence, study: FidelityStudy) -> list[Condition]:
    """What the study asks of a setting besides people: repeatability, spread, validity, Spearman, stripes."""
    limits, required = study.thresholds, study.verdict.required
    reported = not pd.isna(row["icc_reported"]) or not pd.isna(row["spearman_reported"])
    side, of = ("reporting", "_reported") if reported else ("choosing", "")
    validity = row["json_validity_reported" if reported else "json_validity_rate"]
    n, n_products, n_first = row[f"n_{side}"], row[f"n_products_{side}"], row[f"n_first_{side}"]
    wide = None if pd.isna(validity) or not n_first else wilson(round(validity * n_first), int(n_first))

    def bounds(name: str) -> tuple[Any, Any]:
        return (row[f"{name}_reported_low"], row[f"{name}_reported_high"]) if reported else (None, None)

    icc = reached(message("repeatability (ICC)"), "repeatable", _seen(row[f"icc{of}"], bounds("icc"), n, n_products),
                  limits.icc)  # fmt: skip
    mad = reached(message("spread of repeats (MAD)"), "repeats_agree", _seen(row[f"mad{of}"], (None, None), n,
                  n_products), limits.median_mad, at_most=True)  # fmt: skip
    if row["deterministic"]:
        # Repeats that are equal by construction show nothing.
        icc, mad = (
            one._replace(state="does not apply", estimate=None, low=None, high=None, why=message("deterministic"))
            for one in (icc, mad)
        )
    valid = _seen(validity, _both(wide), n_first)
    spearman = _seen(row["spearman_reported" if reported else "spearman_r"], bounds("spearman"),
                     row[f"n_matched_{side}"], row[f"n_matched_products_{side}"])  # fmt: skip
    asked = {
        "icc": icc,
        "median_mad": mad,
        "json_validity": reached(message("validity of answers"), "answers_are_valid_json", valid,
                                 limits.json_validity),
        "spearman": reached(message("Spearman with the mean of people"), "orders_like_people", spearman,
                            limits.spearman),
    }  # fmt: skip
    conditions = [one._replace(required=name in required) for name, one in asked.items()]
    return [*conditions, _of_stripes(str(row["setting"]), evidence, study)]


def _of_stripes(setting: str, evidence: Evidence, study: FidelityStudy) -> Condition:
    """The stripes that show least, where they were judged at this setting."""
    gate, name = evidence.stripes, message("sensitivity to stripes")
    needed = needed_at_least(study.thresholds.effect_size)
    is_required = "stripes" in study.verdict.required
    settings = evidence.sensitivity["setting"].astype(str)
    judged = settings.eq(setting)
    if gate.n is None or not judged.any():
        # What one judge had to show is asked of every other too: without it no judge is as proven as that one.
        by_others = gate.n is not None and judge_in(setting) not in set(settings.map(judge_in))
        why = message("no golden set was judged at this setting")
        if by_others:
            why = message("the golden set was judged by another judge alone")
        elif judged.any():
            why = message("the golden set has no stripes")
        required = is_required and by_others
        return Condition(name, "not measured", required, None, None, None, needed, None, None, "stripes_are_seen", why)
    seen = _seen(gate.seen, (gate.low, gate.high), gate.n)
    return reached(name, "stripes_are_seen", seen, study.thresholds.effect_size)._replace(required=is_required)


def _seen(value: Any, bounds: tuple[Any, Any], n: Any, n_clusters: Any = None) -> Seen:
    seen, low, high = (None if number is None or pd.isna(number) else float(number) for number in (value, *bounds))
    return Seen(seen, low, high, int(n), None if n_clusters is None else int(n_clusters))


def _both(interval: Interval | None) -> tuple[Any, Any]:
    return (None, None) if interval is None else (interval.low, interval.high)


def by_kind(alterations: Sequence[str]) -> list[str]:
    """Names of alterations, those of one kind put together: ``hue_5, hue_10, blur_1`` as ``hue (5, 10), blur_1``."""
    kinds: dict[str, list[str]] = {}
    for name in alterations:
        kinds.setdefault(name.rpartition("_")[0] or name, []).append(name)
    return [
        names[0] if len(names) == 1 else f"{kind} ({', '.join(name.rpartition('_')[2] for name in names)})"
        for kind, names in kinds.items()
    ]


def _not_covered(evidence: Evidence, setting: str, study: FidelityStudy) -> tuple[str, ...]:
    """Alterations that it does not see at this setting, and groups in which it does not sort as people do."""
    said = []
    seen = evidence.sensitivity[evidence.sensitivity["setting"].astype(str).eq(setting)]
    altered = seen[seen["expected"] != "same"]
    if altered["seen"].eq(UNKNOWN).all():
        said.append("golden: none")
    for kind, word in (("alterations", NOT_SEEN), ("seen_in_part", IN_PART)):
        if names := altered.loc[altered["seen"] == word, "alteration"].tolist():
            said.append(f"{kind}: {listing(by_kind(names), SHOWN_NAMES)}")
    if (frame := evidence.human_agreement.get(setting)) is not None:
        groups = frame[(frame["grouped_by"] != "overall") & (frame["statistic"] == "spearman_r")]
        # One group of all objects, such as those without a category, is no part of them.
        groups = groups[groups.groupby("grouped_by")["group"].transform("nunique") > 1]
        low = groups[(groups["n_used"] >= FEWEST_OF_GROUP) & (groups["value"] < study.thresholds.spearman)]
        if names := [str(name) for name in low["group"]]:
            said.append(f"categories: {listing(names, SHOWN_NAMES)}")
    return tuple(said)
