"""A benchmark small enough to reason about: four judged pairs and three methods: a tie, a gap, no weights.

Winners are 1, 2, 1, 2. `sharpness_only` picks 1, 2, tie, 1: accuracy (1 + 1 + 0.5 + 0) / 4 = 0.625, tie rate 0.25.
`contrast_only` picks 1, 2, 1, all right, and has no score for the last pair. `vit_base` is unavailable.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from reports.pairwise.export.folder import Benchmark
from resources.configuration.pairwise import PairwiseStudy
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.tables.pairwise import METHOD_METRICS, PAIRWISE_RESULTS, PHOTO_PAIRS
from resources.tables.parquet import checked
from tests.resources.inputs.made_pairs import pairs_file, pairwise_study, row

REMEDY = "no weights; name a local file in clip_model.weights"
# The third row is a tie of votes, which is not judged.
ROWS = (
    row("1", 0, 1, 4, 0, compareFile1="1-1.JPG", compareFile2="1-2.JPG"),
    row("2", 0, 1, 0, 5, compareFile1="2-1.JPG", compareFile2="2-2.JPG"),
    row("3", 0, 1, 2, 2),
    row("4", 0, 1, 3, 1),
    row("5", 1, 0, 3, 0),
)
SCORES = {
    "sharpness_only": [(2.0, 1.0, 1), (1.0, 2.5, 2), (3.0, 3.0, 0), (0.1 + 0.2, 0.25, 1)],
    "contrast_only": [(0.4, 0.3, 1), (0.1, 0.2, 2), (0.5, 0.4, 1), (None, None, None)],
}

SHARED = ("pair_idx", "series_id", "cluster", "winner", "agreement", "num_reviewers")


def study_in(folder: Path, **changes: Any) -> PairwiseStudy:
    return pairwise_study(folder, **({"dataset_name": "small", "seed": 7} | changes))


def benchmark_in(folder: Path, **changes: Any) -> Benchmark:
    """The benchmark; the pairs' file and the photos lie in the folder."""
    pairs_file(folder, ROWS)
    (folder / "photos").mkdir(exist_ok=True)
    for series in (1, 2, 4, 5):
        for number in (1, 2):
            (folder / "photos" / f"{series:06d}-{number:02d}.JPG").write_bytes(b"x")
    study = study_in(folder, **changes)
    pairs = checked(PHOTO_PAIRS, read_photo_pairs(study).frame)
    results = {name: results_of(name, pairs) for name in SCORES} | {"vit_base": nothing()}
    return Benchmark(study, None, pairs, results, metrics())


def results_of(method: str, pairs: pd.DataFrame) -> pd.DataFrame:
    judged = pairs[pairs["excluded"].isna()]
    rows = []
    for pair, (one, two, picked) in zip(judged.to_dict("records"), SCORES[method], strict=True):
        shared = {name: pair[name] for name in SHARED}
        credit = None if picked is None else 0.5 if picked == 0 else float(picked == pair["winner"])
        rows.append(
            shared
            | {
                "method": method,
                "fold_group": pair["pair_idx"],
                "score_image1": one,
                "score_image2": two,
                "predicted_winner": picked,
                "credit": credit,
                "time_ms": 4.0,
                "undefined": "all black" if picked is None else None,
            }
        )
    return checked(PAIRWISE_RESULTS, pd.DataFrame(rows))


def nothing() -> pd.DataFrame:
    return checked(PAIRWISE_RESULTS, pd.DataFrame(columns=[column.name for column in PAIRWISE_RESULTS.columns]))


def metrics() -> pd.DataFrame:
    """Table `method_metrics` with numbers worked out by hand; what is not given is null."""
    none = dict.fromkeys(("n", "n_series", "n_clusters", "n_70_80", "n_80_90", "n_90_100"), 0)
    common = {
        "n_total": 4,
        "accuracy_low": 0.1,
        "accuracy_high": 0.9,
        "n_70_80": 1,
        "n_80_90": 0,
        "interval_method": "i",
        "accuracy_70_80_interval_method": "none: 1 cluster, fewer than 5",
    }
    sharp = {
        **{"method": "sharpness_only", "n": 4, "n_series": 4, "n_clusters": 4, "n_90_100": 3},
        **{"accuracy": 0.625, "tie_rate": 0.25},
        **{"accuracy_decided": 2 / 3, "precision": 0.5, "recall": 0.5, "f1_score": 0.5, "log_likelihood": -7.5},
        **{"bt_agreement": -0.4, "avg_time_ms": 4.0, "throughput": 250.0, "shared_time_ms": 1.5},
        **confusion([(1, 0, 1), (1, 1, 0)]),
    }
    contrast = {
        **{"method": "contrast_only", "n": 3, "n_series": 3, "n_clusters": 3, "n_90_100": 2},
        **{"accuracy": 1.0, "tie_rate": 0.0},
        **{"accuracy_decided": 1.0, "avg_time_ms": 9.0, "throughput": 1000 / 9},
        **confusion([(2, 0, 0), (0, 1, 0)]),
    }
    vit = none | {"method": "vit_base", "n_total": 4, "unavailable": REMEDY}
    rows = [common | sharp, common | contrast, vit]
    return checked(METHOD_METRICS, pd.DataFrame(rows, columns=[column.name for column in METHOD_METRICS.columns]))


def confusion(table: list[tuple[int, int, int]]) -> dict[str, int]:
    return {
        f"truth_{truth}_predicted_{said}": count
        for truth, counts in enumerate(table, start=1)
        for said, count in zip(("1", "2", "tie"), counts, strict=True)
    }
