"""The real votes with made features: everything after the features, for the 15 methods."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.preference.bradley_terry import BradleyTerry
from assets.pairwise.bradley_terry import strength_rows
from assets.pairwise.logic.method_scores import images_of, result_rows
from assets.pairwise.logic.photo_pair_counts import strengths_of
from assets.pairwise.method_metrics import metrics_rows
from assets.pairwise.method_significance import common_credit, significance_rows
from resources.configuration.pairwise import RULE_METHODS
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.photos.methods.features import MEASURES, Features
from resources.photos.methods.registry import builders
from resources.tables.pairwise_rows import judged_pairs
from tests.assets.pairwise.made_photo_pairs import plan

WIDTHS = {"clip": 512, "vit": 768}


@pytest.mark.slow
def test_measures_that_follow_strengths_beat_chance_on_the_real_votes(
    shared_data: Path,
) -> None:
    study = plan(
        pairs_csv=shared_data / "pairwise" / "photo_triage_pairs.csv",
        orders="as_listed",
        dl_methods=["vit_base"],
        bootstrap_resamples=200,
    )
    pairs = read_photo_pairs(study).frame
    # The photos themselves are not there; their features are made up.
    pairs["excluded"] = pairs["excluded"].mask(pairs["excluded"] == "missing_image")
    judged = judged_pairs(pairs)
    features = made_features(images_of(judged), strengths_of(pairs, study))
    results = {name: result_rows(build(), judged, features, study) for name, build in builders(study).items()}
    metrics = metrics_rows(results, pairs, dict.fromkeys(results), study).set_index("method")
    credit, series = common_credit(results)
    couples = significance_rows(credit, series, merged=False)
    strengths = strength_rows(pairs, strengths_of(pairs, study), 0.95)
    assert (len(judged), len(features), len(metrics), len(couples)) == (12_073, 11_420, 15, 15 * 14 // 2)
    assert len(strengths) == 12_989
    assert (metrics.loc[list(RULE_METHODS), "accuracy_low"].astype(float) > 0.55).all()


def made_features(photos: pd.Series, fit: BradleyTerry | str) -> Features:
    """Rule measures that follow people's strengths a little, and networks' features that are noise."""
    assert isinstance(fit, BradleyTerry)
    random, n = np.random.default_rng(0), len(photos)
    strength = pd.Series(fit.strengths, index=fit.images)[list(photos.index)].to_numpy()
    frame = pd.DataFrame({name: np.exp(0.3 * strength + random.normal(size=n)) for name in MEASURES["rules"]})
    for network, width in WIDTHS.items():
        frame[network] = list(random.normal(size=(n, width)).astype(np.float32))
    for stage in ("decode", "rules", *WIDTHS):
        frame[f"{stage}_ms"] = 10.0
    sentences = random.normal(size=(2, WIDTHS["clip"]))
    return Features(frame.set_axis(photos.index), list(photos), lambda texts: sentences[: len(texts)])
