"""Which of four image metrics follows opinion scores best? Thirty photos in five distorted versions each (made data).

Versions of one photo resemble each other, so photos are left out as wholes; all metrics see the same images, so their
differences are paired; six comparisons are made, so Holm corrects the p-values. It prints:

    150 images of 30 photos
    sharp    0.952 [0.940, 0.961] a
    plain    0.945 [0.928, 0.958] a
    blurred  0.832 [0.746, 0.888] b
    noise    0.295 [0.110, 0.458] c
    sharp - plain: +0.007 [-0.008, 0.022], p 0.35, by Holm 0.35
    sharp - blurred: +0.120 [0.058, 0.181], p 0.00042, by Holm 0.0013
    sharp - noise: +0.657 [0.482, 0.832], p 1.8e-08, by Holm 1.1e-07
    plain - blurred: +0.113 [0.053, 0.172], p 0.00054, by Holm 0.0013
    plain - noise: +0.650 [0.476, 0.825], p 2.1e-08, by Holm 1.1e-07
    blurred - noise: +0.538 [0.356, 0.720], p 1.4e-06, by Holm 5.7e-06
    Metrics that share a letter are not distinguishable.
"""

import numpy as np

from analysis.verdict.judges import judges_compared
from analysis.verdict.people import People
from analysis.words import with_bounds

PHOTOS, VERSIONS = 30, 5


def scores() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Mean opinions (150,), the photo of each image, and each metric's scores, all of them higher for better."""
    random = np.random.default_rng(3)
    photos = np.repeat(np.arange(PHOTOS), VERSIONS)
    quality = np.tile(np.linspace(1.0, 5.0, VERSIONS), PHOTOS) + random.normal(0.0, 0.5, PHOTOS)[photos]
    content = random.normal(0.0, 1.0, PHOTOS)[photos]  # what misleads a metric about a whole photo

    def metric(of_photo: float, of_image: float) -> np.ndarray:
        return quality + of_photo * content + random.normal(0.0, of_image, photos.size)

    opinions = quality + random.normal(0.0, 0.3, photos.size)
    return (
        opinions,
        photos,
        {"sharp": metric(0.3, 0.3), "plain": metric(0.3, 0.4), "blurred": metric(0.9, 0.6), "noise": metric(1.2, 3.0)},
    )


def main() -> None:
    """Print each metric's Spearman correlation with its group, then every difference with its p-value by Holm."""
    opinions, photos, metrics = scores()
    found = judges_compared(People(opinions[:, None], photos), metrics)
    print(f"{found.n} images of {found.n_clusters} photos")
    for name, seen in found.agreement.items():
        print(f"{name:<8} {with_bounds(seen.value, seen.low, seen.high)} {found.letters[name]}")
    for pair in found.pairs:
        seen = pair.difference
        difference = with_bounds(seen.value, seen.low, seen.high, sign=True)
        print(f"{pair.first} - {pair.second}: {difference}, p {pair.p:.2g}, by Holm {pair.p_holm:.2g}")
    print("Metrics that share a letter are not distinguishable.")


if __name__ == "__main__":
    main()
