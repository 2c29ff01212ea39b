"""The measures of photos as methods see them, read from the shards of `image_features`."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from assets.pairwise.image_features import features_of, text_vectors_of, vectors_of
from resources.photos.methods.features import VECTORS, Features
from resources.study import Study


def measured(study: Study, photos: pd.Series, stages: Sequence[str]) -> Features:
    """These stages of the photos.

    Args:
        study: Whose features they are.
        photos: Name to address.
        stages: Only these are read: networks' features fill memory.
    """
    names = list(photos.index)
    frame = features_of(study, names, stages, vectors=False)
    vectors = {stage: vectors_of(study, names, stage) for stage in stages if stage in VECTORS}
    return Features(frame, list(photos), partial(text_vectors_of, study), vectors)


def measured_times(study: Study, photos: pd.Series) -> Features:
    """What decoding and every stage took, not what they found.

    Args:
        study: Whose features they are.
        photos: Name to address.
    """
    frame = features_of(study, list(photos.index), vectors=False)
    return Features(frame.filter(like="_ms"), list(photos), partial(text_vectors_of, study))


def unavailable_stages(image_features: pd.DataFrame) -> dict[str, str]:
    """Stages that could not be computed, each with the reason and the remedy."""
    said = dict.fromkeys(text for texts in image_features["unavailable"] for text in texts)
    return {stage: reason for stage, _, reason in (text.partition(": ") for text in said)}
