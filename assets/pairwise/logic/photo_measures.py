"""The measures of photos as methods see them, read from the shards of `image_features`."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from resources.photos.features.reading import read_features, read_vectors
from resources.photos.features.shards import features_folder
from resources.photos.features.stages import STAGES
from resources.photos.features.texts import sentence_vectors
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
    """What decoding and every stage took, not what they found."""
    frame = features_of(study, list(photos.index), vectors=False)
    return Features(frame.filter(like="_ms"), list(photos), partial(text_vectors_of, study))


def unavailable_stages(image_features: pd.DataFrame) -> dict[str, str]:
    """Stages that could not be computed, each with the reason and the remedy."""
    said = dict.fromkeys(text for texts in image_features["unavailable"] for text in texts)
    return {stage: reason for stage, _, reason in (text.partition(": ") for text in said)}


def features_of(
    study: Study, images: Sequence[str], stages: Sequence[str] = STAGES, *, vectors: bool = True
) -> pd.DataFrame:
    """The photos' features as `resources.photos.features.reading.read_features` gives them, by name.

    Args:
        study: Whose table it is.
        images: Names, as `photo_pairs` gives them.
        stages: Only the columns of these are read.
        vectors: Whether the models' arrays are read too.
    """
    return read_features(features_folder(study.home, study.pairwise), images, stages, vectors=vectors)


def vectors_of(study: Study, images: Sequence[str], stage: str) -> NDArray[np.float32]:
    """One model's features of the photos, as `resources.photos.features.reading.read_vectors` gives them."""
    return read_vectors(features_folder(study.home, study.pairwise), images, stage)


def text_vectors_of(study: Study, sentences: Sequence[str]) -> NDArray[np.float64]:
    """CLIP's unit vectors of sentences, shape ``(k, d)``: those of the attributes are stored, others are computed.

    Raises:
        UserError: CLIP is unavailable, and why.
    """
    return sentence_vectors(features_folder(study.home, study.pairwise), study.pairwise.clip_model, sentences)
