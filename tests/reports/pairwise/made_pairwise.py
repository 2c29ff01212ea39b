"""A pairwise study for reports: photos on the disk, votes drawn with a seed, and the tables that its assets make."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

from analysis.messages import message
from assets.pairwise.bradley_terry import strength_rows
from assets.pairwise.logic.method_scores import no_rows
from assets.pairwise.logic.method_verdicts import method_verdicts
from assets.pairwise.logic.pair_judging import judge_rows, no_answers
from assets.pairwise.logic.photo_pair_counts import strengths_of
from assets.pairwise.method_metrics import metrics_rows
from assets.pairwise.method_significance import common_credit, significance_rows
from assets.pairwise.pairwise_report import contents_of
from assets.shared.verdicts import verdict_table
from reports.pairwise.contents import Contents
from resources.configuration.pairwise import PairwiseStudy
from resources.photos.weights import NOT_HERE
from resources.tables.all_tables import TABLES
from resources.tables.pairwise import PAIRWISE_TRUST_VERDICT
from resources.tables.pairwise_rows import judged_pairs
from resources.tables.parquet import checked
from tests.assets.pairwise.made_photo_pairs import Votes, photo_pairs_of, plan, results_of

LACKS_CLIP = message(
    NOT_HERE,
    model="CLIP ViT-B-32-quickgelu (openai)",
    command="python -c \"import open_clip; open_clip.create_model('ViT-B-32-quickgelu', 'openai')\"",
    file="open_clip_model.safetensors",
    setting="clip_model.weights",
)
# How much of people's taste each method sees, and how much noise it adds.
SEEN = {"composite_balanced": (1.0, 0.6), "sharpness_only": (1.0, 1.0), "exposure_only": (-1.0, 1.2), "own": (0.0, 1.0)}
N_SERIES = 40
PHOTO_PX = (48, 36)
FOOLED: Votes = (900, 0, 1, 9, 0)
ALMOST_FOOLED: Votes = (901, 0, 1, 0, 3)


def votes_drawn(n_series: int = N_SERIES, seed: int = 3) -> list[Votes]:
    """Three photos a series with strengths, five votes on every pair; some tie and some are narrow."""
    rng = np.random.default_rng(seed)
    votes = []
    for series in range(1, n_series + 1):
        strength = rng.normal(0.0, 1.5, 3)
        for one, two in ((0, 1), (0, 2), (1, 2)):
            total = int(rng.integers(4, 8))
            first = int(rng.binomial(total, 1.0 / (1.0 + np.exp(strength[two] - strength[one]))))
            votes.append((series, one, two, first, total - first))
    return votes


def frames_of_study(
    study: PairwiseStudy,
    folder: Path | None = None,
    votes: Sequence[Votes] = (),
    *,
    lacking: Mapping[str, str] | None = None,
    **columns: Any,
) -> dict[str, Any]:
    """Every table that the report reads; photos are written into the folder, where one is given.

    Two pairs are there by design: of one with 9 to 0 votes every method but `own` picks the other photo, of one with
    3 to 0 too.
    """
    pairs = photo_pairs_of([*(votes or votes_drawn()), FOOLED, ALMOST_FOOLED], n_orders=2, **columns)
    if folder is not None:
        pairs = pairs.assign(**{f"path_{side}": _written(pairs[f"image_{side}"], folder) for side in (1, 2)})
    results = {name: _results(pairs, name, *seen) for name, seen in SEEN.items()}
    absent = {"clip_color": LACKS_CLIP, "vit_base": "The moon was full."} if lacking is None else dict(lacking)
    results |= {name: checked(TABLES["pairwise_results"], no_rows()) for name in absent}
    metrics = metrics_rows(results, pairs, dict.fromkeys(SEEN) | absent, study)
    credit, series = common_credit(results)
    return {
        "photo_pairs": pairs,
        "pairwise_results": results,
        "method_metrics": checked(TABLES["method_metrics"], metrics.assign(shared_time_ms=1.5)),
        "method_significance": checked(TABLES["method_significance"], significance_rows(credit, series)),
        "bradley_terry": checked(
            TABLES["bradley_terry"], strength_rows(pairs, strengths_of(pairs, study), study.confidence)
        ),
        "image_features": checked(TABLES["image_features"], pd.DataFrame([_shard()])),
        "pair_judges": checked(TABLES["pair_judges"], judge_rows(no_answers(), judged_pairs(pairs), study)),
        "pairwise_trust_verdict": _verdicts(results, pairs, metrics, study),
    }


def contents_of_votes(folder: Path | None = None, name: str = "Made study", **tables: Any) -> Contents:
    """A report's contents; `tables` replaces some of them, None empties one."""
    study = plan(own_methods={"own": Path("own.py")})
    frames = frames_of_study(study, folder)
    for table, frame in tables.items():
        frames[table] = frames[table].iloc[:0] if frame is None else frame
    return contents_of(name, study, frames)


def nothing_measured(study: PairwiseStudy) -> dict[str, Any]:
    """Every method unavailable."""
    lacking = dict.fromkeys(("clip_color", "clip_probe"), LACKS_CLIP)
    frames = frames_of_study(study)
    results = {name: checked(TABLES["pairwise_results"], no_rows()) for name in lacking}
    metrics = metrics_rows(results, frames["photo_pairs"], dict(lacking), study)
    return frames | {
        "pairwise_results": results,
        "method_metrics": checked(TABLES["method_metrics"], metrics.assign(shared_time_ms=np.nan)),
        "method_significance": frames["method_significance"].iloc[:0],
        "pairwise_trust_verdict": _verdicts(results, frames["photo_pairs"], metrics, study),
    }


def _verdicts(results: Any, pairs: pd.DataFrame, metrics: pd.DataFrame, study: PairwiseStudy) -> pd.DataFrame:
    stated = method_verdicts(results, pairs, metrics, study)
    return checked(PAIRWISE_TRUST_VERDICT, verdict_table(stated, PAIRWISE_TRUST_VERDICT))


def _results(pairs: pd.DataFrame, name: str, slope: float, noise: float) -> pd.DataFrame:
    rng = np.random.default_rng(sum(map(ord, name)))
    judged = judged_pairs(pairs)
    wins: dict[str, float] = {}
    for row in judged.to_dict("records"):
        for side in (1, 2):
            image = row[f"image_{side}"]
            wins[image] = wins.get(image, 0.0) + (1.0 if row["winner"] == side else -1.0)
    scores = {image: slope * won + noise * float(rng.normal()) for image, won in wins.items()}
    if name != "own":
        scores |= {"000900-01": 0.0, "000900-02": 1.0, "000901-01": 1.0, "000901-02": 0.0}
    else:
        scores |= {"000900-01": 1.0, "000900-02": 0.0, "000901-01": 0.5, "000901-02": 0.5}
    frame = results_of(pairs, name, scores)
    return frame.assign(time_ms=22.0 if name == "own" else frame["time_ms"])


def _written(names: pd.Series, folder: Path) -> list[str]:
    paths = []
    for name in names:
        path = folder / f"{name}.JPG"
        if not path.exists():
            shade = sum(map(ord, str(name))) % 200
            Image.new("RGB", PHOTO_PX, (shade, 80, 255 - shade)).save(path)
        paths.append(str(path))
    return paths


def _shard() -> dict[str, Any]:
    return {
        "shard": "shard_000000",
        "path": "shards/shard_000000.parquet",
        "n_images": 124,
        "n_names": 124,
        "n_unreadable": 0,
        "n_computed": 100,
        "stages": ["rules"],
        "recipe": "a",
        "images_per_s": 50.0,
        "unavailable": [f"clip: {LACKS_CLIP}"],
    }
