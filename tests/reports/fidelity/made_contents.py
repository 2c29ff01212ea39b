"""A study's tables for reports: every column as declared, numbers drawn with a seed, sizes and names as asked."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assets.fidelity.fidelity_report import contents_of
from reports.fidelity.agreement_tables import TERMS
from reports.fidelity.contents import Contents
from resources.configuration.fidelity import FidelityStudy, LocalJudge
from resources.tables.all_tables import TABLES
from resources.tables.fidelity.statistics import FORMS
from resources.tables.parquet import checked
from tests.reports.fidelity.made_decisions import decisions, golden
from tests.reports.made_size import KEYS, Size, item_of

ALGORITHMS = ("rodin_multi", "trellis_single", "triposr_single")


def plan_of(size: Size, **changes: Any) -> FidelityStudy:
    """The plan behind the tables."""
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    plan = {**files, "repeats": size.n_repeats, "minimum_repeats": 2, "judge": LocalJudge(), **changes}
    return FidelityStudy(**plan)


def contents_of_size(size: Size | None = None, **tables: Any) -> Contents:
    """A report's contents; `tables` replaces some of them, None empties one."""
    size = size or Size()
    if not tables:
        return _whole_contents(size)
    frames = frames_of(size) | {name: frame for name, frame in tables.items() if frame is not None}
    frames |= {name: frames[name].iloc[:0] for name, frame in tables.items() if frame is None}
    return contents_of("Made study", plan_of(size), frames)


@lru_cache
def _whole_contents(size: Size) -> Contents:
    return contents_of("Made study", plan_of(size), frames_of(size))


def frames_of(size: Size, folder: Path | None = None) -> dict[str, pd.DataFrame]:
    """Every table that the report reads; golden images are written into the folder, where one is given."""
    return dict(_frames_of(size, folder))


@lru_cache
def _frames_of(size: Size, folder: Path | None) -> dict[str, pd.DataFrame]:
    random = np.random.default_rng(7)
    objects = [f"{place:08x}" for place in range(size.n_objects)]
    frames = {
        "study_objects": _objects(objects),
        "human_scores": _people(objects, size, random),
        "judge_calls": _calls(objects, size, random),
        **_by_object(objects, size, random),
        **_by_setting(size, random),
        **decisions(size),
        **golden(objects, size, folder),
    }
    return {name: checked(TABLES[name], filled(name, frame)) for name, frame in frames.items()}


def filled(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with every declared column: what it lacks is null, or zero where it may not be null."""
    columns = TABLES[name].columns
    nothing = {"whole": 0, "number": 0.0, "flag": False, "text": "none"}
    for column in columns:
        if column.name not in frame and not column.nullable and column.kind in nothing:
            frame = frame.assign(**{column.name: nothing[column.kind]})
    return frame.reindex(columns=[column.name for column in columns])


def _described(place: int) -> dict[str, Any]:
    item = item_of(place)
    categories = {"category_l1": "Home", "category_l2": "Seats", "category_l3": ("Stools", "Sofas")[place % 2]}
    return {"item_id": item, "product_id": item, "algorithm": ALGORITHMS[place % 3], **categories}


def _objects(objects: Sequence[str]) -> pd.DataFrame:
    rows = [
        {"object": name, "judged_object": name, **_described(place), "n_references": 1}
        | {"reference_paths": ["p.png"], "reference_sha256": ["1"]}
        for place, name in enumerate(objects)
    ]
    rows[-1] |= {"excluded": "no_photos", "exclusion_detail": "no photo"}
    return pd.DataFrame(rows)


def _people(objects: Sequence[str], size: Size, random: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"filename": f"{name}.glb", "object": name, "annotator": who, "score": float(random.uniform())}
            | _described(place)
            for place, name in enumerate(objects)
            for who in size.annotators
        ]
    )


def _calls(objects: Sequence[str], size: Size, random: np.random.Generator) -> pd.DataFrame:
    n = len(size.keys) * len(objects) * size.n_repeats
    index = pd.MultiIndex.from_product([size.keys, objects, range(1, size.n_repeats + 1)])
    frame = index.to_frame(index=False, name=["setting", "object", "repeat"])
    frame["item_id"] = [item_of(int(name, 16)) for name in frame["object"]]
    shared = {"attempt": 1, "run_id": "1", "judge": "local", "judge_identity": "1", "model_asked": "appearance"}
    shared |= {"model_answered": "appearance", "temperature": 0.2, "top_p": 0.95, "seed": 1, "prompt_hash": "1"}
    shared |= {"started_at": pd.Timestamp("2026-11-28T10:00", tz="UTC"), "latency_ms": 12.0, "cost_usd": 0.0013}
    frame = frame.assign(**shared, score=random.uniform(size=n).round(3))
    # Every eleventh call was late, and every thirteenth no JSON.
    place = np.arange(n)
    frame["state"] = np.select([place % 11 == 10, place % 13 == 12], ["timeout", "invalid_json"], "valid")
    frame.loc[frame["state"] != "valid", "score"] = None
    frame["image_hashes"] = [["1"]] * n
    frame["rationale"] = [["the colours match", "the texture is coarser"]] * n
    return frame


def _by_object(objects: Sequence[str], size: Size, random: np.random.Generator) -> dict[str, pd.DataFrame]:
    n = len(objects)
    described = pd.DataFrame([_described(place) for place in range(n)])
    spreads, curves, matched = [], [], []
    for key in size.keys:
        mad, human = random.uniform(0, 0.06, n), random.uniform(0, 1, n)
        judge = np.clip(human * 0.8 + 0.1 + random.normal(0, 0.07, n), 0, 1)
        width = random.uniform(0.005, 0.09, n)
        base = pd.DataFrame({"setting": key, "object": objects, "item_id": described["item_id"]})
        spreads.append(
            base.assign(product_id=described["product_id"], n_valid=size.n_repeats, mean=judge, median=judge)
            .assign(mad=mad, sd=mad * 1.4, ci_low=judge - width, ci_high=judge + width, half_width=width)
        )  # fmt: skip
        for look in range(1, size.n_repeats + 1):
            at_look = {"half_width": width * 3 / look, "half_width_all_looks": width * 5 / look}
            numbers = {"mean": judge, "median": judge, "mad": mad, **(at_look if look > 1 else {})}
            needed = {"first_n": 3, "stable_n": 4, "projected_n": 6, "first_n_all_looks": 5}
            curves.append(base[["setting", "object"]].assign(n=look, **numbers, **needed))
        pairs = described.assign(setting=key, match_key=objects, judge_score=judge, human_score=human)
        matched.append(pairs.assign(n_judge_scores=size.n_repeats, n_ratings=2, difference=judge - human))
    tables = {"stability": spreads, "convergence_curves": curves, "matched_scores": matched}
    return {name: pd.concat(parts, ignore_index=True) for name, parts in tables.items()}


def _by_setting(size: Size, random: np.random.Generator) -> dict[str, pd.DataFrame]:
    icc, agreement, summary = [], [], []
    for key in size.keys:
        fixed = key == KEYS[0]
        value = 1.0 if fixed else float(random.uniform(0.86, 0.97))
        bounds = (None, None) if fixed else (value - 0.05, value + 0.02)
        forms = {f"icc_{form}": value for form in FORMS}
        counts = {"n_objects": size.n_objects, "n_used": size.n_objects, "n_complete": size.n_objects}
        row = {"setting": key, **counts, "n_products": size.n_objects // 2, "n_planned": size.n_repeats, "n_missing": 0}
        row |= forms | {"icc_1k_low": bounds[0], "icc_1k_high": bounds[1], "deterministic": fixed}
        row |= {"icc_1k_low_by_product": bounds[0], "icc_1k_high_by_product": bounds[1]}
        words = "percentile bootstrap, 200 resamples, 6 clusters, unreliable: too few clusters"
        row |= {"interval_by_product": words, "method": "F, 95 %, one-way random effects", "two_way_rows": "all rows"}
        icc.append(
            row | {"standard_error_of_measurement": 0.02, "repeatability_limit": 0.055, "lower_bound": bounds[0]}
        )
        groups = [("overall", "all objects"), *(("category_l3", f"group {place}") for place in range(size.n_groups))]
        for kind, group in groups:
            for name in TERMS:
                seen = float(random.uniform(0.02, 0.98))
                agreement.append(
                    {"setting": key, "grouped_by": kind, "group": group, "statistic": name, "value": seen}
                    | {"ci_low": seen - 0.04, "ci_high": seen + 0.03, "p": 0.01, "unit": "0-1", "method": words}
                    | {"n_used": size.n_objects, "n_total": size.n_objects, "n_products": size.n_objects // 2}
                )
        looks = [{"setting": key, "n": n, "n_objects": size.n_objects, "threshold": 0.02} for n in _looks(size)]
        summary += [
            look | {"mean_half_width": 0.3 / look["n"], "median_half_width": 0.25 / look["n"]}
            | {"max_half_width": 0.7 / look["n"], "n_converged": look["n"], "n_without_spread": 0}
            for look in looks
        ]  # fmt: skip
    tables = {"icc_by_setting": icc, "human_agreement": agreement, "convergence_summary": summary}
    return {name: pd.DataFrame(rows) for name, rows in tables.items()}


def _looks(size: Size) -> range:
    return range(2, size.n_repeats + 1)
