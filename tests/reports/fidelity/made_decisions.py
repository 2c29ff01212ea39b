"""A made study's summary, recommendation, annotators and golden set, with numbers written by hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd

from resources.configuration.settings import setting_from_key
from resources.tables.call_states import SUBSCORES
from resources.tables.fidelity.decision import EVERYBODY
from tests.reports.made_size import KEYS, Size, item_of

ALTERATIONS = (
    ("stripes7_o30", "stripes", 0.3, "opacity", "worse", 1.2),
    ("stripes7_o50", "stripes", 0.5, "opacity", "worse", 1.9),
    ("stripes7_o70", "stripes", 0.7, "opacity", "worse", 2.6),
    ("hue_5", "hue", 5.0, "degrees", "worse", 0.1),
    ("untouched", "untouched", None, "none", "same", 0.0),
)


_MATCHED = {"n_matched_choosing": 6, "n_matched_reporting": 5}
_MATCHED |= {"n_matched_products_choosing": 3, "n_matched_products_reporting": 3}


def _named(key: str) -> dict[str, Any]:
    setting = setting_from_key(key)
    return {"setting": key, "temperature": setting.temperature, "top_p": setting.top_p, "baseline": key == KEYS[0]}


def decisions(size: Size) -> dict[str, pd.DataFrame]:
    summaries, chosen, retried, test, labels = [], [], [], [], []
    for place, key in enumerate(size.keys):
        fixed, best = key == KEYS[0], place == min(1, len(size.keys) - 1)
        summaries.append(
            _named(key)
            | {"icc": 1.0 if fixed else 0.953, "icc_low": None if fixed else 0.901, "icc_high": None if fixed else 0.98}
            | {"icc_band": "excellent", "deterministic": fixed, "mad": 0.0123, "half_width": 0.0234}
            | {"spearman_r": 0.853, "spearman_low": 0.72, "spearman_high": 0.93, "pearson_r": 0.861, "mae": 0.0912}
            | {"rmse": 0.1134, "bias": -0.0215, "json_validity_rate": 0.985, "n_evaluations": 1234, "n_faults": 3}
            | {"cost_usd": 1.2345, "n_total": size.n_objects, "n_objects": size.n_objects, "n_products": 6}
            | {"n_matched": size.n_objects, "n_left_out": 0}
        )
        chosen.append(
            _named(key)
            | {"deterministic": fixed, "recommended": best, "nearest": False, "passes": not fixed}
            | {"failed": "deterministic: every object's repeats are equal" if fixed else None, "as_good_as_best": best}
            | {"icc": 0.953, "json_validity_rate": 0.985, "spearman_r": 0.853, "mad": 0.0123, "icc_reported": 0.941}
            | {"icc_reported_low": 0.89, "icc_reported_high": 0.97, "spearman_reported": 0.832, "mad_reported": 0.0131}
            | {"spearman_reported_low": 0.701, "spearman_reported_high": 0.92, "json_validity_reported": 0.984}
            | {"icc_holm_low": 0.871, "spearman_holm_low": 0.644, "n_settings_tried": len(size.keys), "n_choosing": 6}
            | {
                "n_reporting": 6,
                "n_products_choosing": 3,
                "n_products_reporting": 3,
                **_MATCHED,
                "cost_per_item_usd": 0.0065,
            }
            | {"repeats_needed_median": 4.5, "repeats_needed_most": 1250, "n_without_projection": 0, "method": "split"}
        )
        retried.append(
            {"setting": key, "n_calls": 60, "n_retried_calls": 4, "n_retried_answers": 1, "n_retried_objects": 3}
            | {"n_other_objects": 9, "difference": -0.012, "difference_low": -0.03, "difference_high": 0.01}
            | {"mae_retried": 0.1, "mae_others": 0.09, "retried": "a"}
        )
        whole = {"setting": key, "annotator": EVERYBODY, "n_instances": size.n_objects, "epsilon": 0.2}
        if len(size.annotators) < 2:
            test.append(whole | {"undefined": "omega, rho: only 1 annotator, at least 2 needed"})
        else:
            each = {"share_judge_better": 0.6, "share_annotator_better": 0.5, "p": 0.03, "p_adjusted": 0.04}
            test += [whole | each | {"annotator": who, "rejected": True} for who in size.annotators]
            ceiling = {"human_icc_1_1": 0.7, "human_icc_1_1_low": 0.5, "human_icc_1_1_high": 0.8, "human_icc_1_k": 0.82}
            ceiling |= {"human_icc_n": 11}
            test.append(whole | ceiling | {"omega": 1.0, "rho": 0.6})
        for n in (5, 10):
            labels.append(
                {"setting": key, "n_labels": n, "n_unlabelled": 12 - n, "lambda_": 0.8, "labels_gained": 3.2}
                | _bounded("prediction_powered", 0.51, 0.2 / n)
                | _bounded("people_only", 0.5, 0.4 / n)
                | _bounded("judge_only", 0.56, 0.03)
                | {"all_labels": 0.52, "n_products": 6}
            )
    tables = {"setting_summary": summaries, "recommended_setting": chosen, "retried_calls": retried}
    tables |= {"annotator_test": test, "few_labels": labels}
    return {name: pd.DataFrame(rows) for name, rows in tables.items()}


def _bounded(name: str, value: float, width: float) -> Mapping[str, float]:
    return {name: value, f"{name}_low": value - width, f"{name}_high": value + width}


def golden(objects: Sequence[str], size: Size, folder: Path | None) -> dict[str, pd.DataFrame]:
    images, seen, scores = [], [], []
    for place, (name, kind, magnitude, unit, expected, d) in enumerate(ALTERATIONS):
        path = _picture(folder, name, 40 * place) if folder is not None else f"gone/{name}.png"
        described = {"alteration": name, "kind": kind, "magnitude": magnitude, "magnitude_unit": unit}
        described |= {"expected": expected}
        images += [
            {"object": one, "item_id": item_of(at), "product_id": item_of(at), **described, "original_path": path}
            | {"altered_path": path, "reference_paths": ["p"], "reference_sha256": ["1"], "chose_setting": False}
            for at, one in enumerate(objects[:4])
        ]
        scores += [
            {"setting": size.keys[-1], "object": one, "item_id": item_of(at), "product_id": item_of(at), **described}
            | {"original_score": 0.7, "altered_score": 0.7 - d / 10 - at / 100, "drop": d / 10 + at / 100}
            | {"n_original": size.n_repeats, "n_altered": size.n_repeats, "n_planned": size.n_repeats, "cost_usd": 0.0}
            | {"chose_setting": False}
            for at, one in enumerate(objects[:4])
        ]
        blind = d < 0.5 and expected == "worse"
        seen.append(
            {"setting": size.keys[-1], **described, "n_items": 4, "n_total": 4, "n_chose_setting": 0}
            | {"mean_original": 0.7, "mean_altered": 0.7 - d / 10, "mean_drop": d / 10}
            | _bounded("cohens_d", d, 0.4)
            | {"hedges_g": d * 0.9, "d_z": d * 1.2, "hit_rate": 0.25 if blind else 1.0, "hit_rate_low": 0.05}
            | {"hit_rate_high": 1.0, "n_hits": 1 if blind else 4, "n_misses": 3 if blind else 0, "n_ties": 1}
            | {"false_alarm_rate": 0.0 if expected == "same" else None, "auc": 0.9}
            | {"seen": "kept" if expected == "same" else "not seen" if blind else "seen"}
        )
    dose = {"setting": size.keys[-1], "kind": "stripes", "dose_unit": "opacity", "n_magnitudes": 3, "n_items": 4}
    dose |= {
        "n_line": 4,
        "n_missing_pairs": 0,
        "n_total": 4,
        "r2": 0.93,
        "pearson_r": 0.96,
        "slope": 0.35,
        "intercept": 0.015,
        "page_l": 55.5,
    }
    dose |= {"page_p": 0.00012, "slope_low": 0.3, "slope_high": 0.4}
    return {
        "golden_images": pd.DataFrame(images),
        "golden_scores": pd.DataFrame(scores),
        "sensitivity": pd.DataFrame(seen),
        "dose_response": pd.DataFrame([dose]),
        "subscore_sensitivity": _subscores(size.keys[-1]),
    }


def _subscores(setting: str) -> pd.DataFrame:
    """Stripes move the texture most, a hue shift moves all alike."""
    rows = []
    for kind, own, drops in (
        ("stripes", "texture_identity", (0.05, 0.02, 0.2, 0.04)),
        ("hue", "color_palette", (0.1, 0.1, 0.1, 0.1)),
    ):
        for name, drop in zip(SUBSCORES, drops, strict=True):
            row = {"setting": setting, "kind": kind, "expected": "worse", "subscore": name, "n_items": 4}
            row |= {"mean_original": 0.7, "mean_altered": 0.7 - drop, **_bounded("mean_drop", drop, 0.03)}
            rows.append(row | {"moves": name == own, "moved_most": kind == "stripes" and name == own})
    return pd.DataFrame(rows)


def _picture(folder: Path, name: str, shade: int) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    image = np.full((300, 400, 3), shade, np.uint8)
    image[60:200, 80:300] = (30, 200, 120)
    path = folder / f"{name}.png"
    assert cv2.imwrite(str(path), image)
    return str(path)
