"""Settings made from a seed, and their measures by the plain functions on objects written out."""

import numpy as np
from scipy import stats

from analysis.agreement.icc import icc
from analysis.agreement.setting_measures import Compared, Judged, compared
from analysis.undefined import UndefinedStatistic


def made(
    n_products: int = 12,
    per_product: int = 2,
    noises: tuple[float, ...] = (0.02, 0.05, 0.1),
    *,
    n_repeats: int = 4,
    missing: float = 0.0,
    unscored: int = 0,
    steady: int = 0,
    seed: int = 1,
    by_item: bool = False,
    aggregate: str = "mean",
) -> Compared:
    """One setting per noise: repeats around a judge's view of what people think, product effects in both.

    The first `steady` objects got one score in all repeats.
    """
    random = np.random.default_rng(seed)
    products = np.repeat([f"p{number:02d}" for number in range(n_products)], per_product)
    n = len(products)
    human = np.clip(0.5 + 0.15 * np.repeat(random.normal(size=n_products), per_product), 0.1, 0.9)
    human = human + 0.05 * random.normal(size=n)
    settings = []
    for noise in noises:
        view = human + noise * random.normal(size=n)
        scores = view[:, None] + 0.5 * noise * random.normal(size=(n, n_repeats))
        gone = random.random(scores.shape) < missing
        gone[:, 0] = False
        scores[gone] = np.nan
        scores[:steady] = scores[:steady, :1]
        first = np.full(n, n_repeats)
        settings.append(Judged(scores, first - (random.random(n) < 0.1), first))
    human[random.permutation(n)[:unscored]] = np.nan
    keys = products if by_item else None
    return compared(settings, human, products, planned_repeats=n_repeats, aggregate=aggregate, match_keys=keys)


def written_out(given: Compared, counts: np.ndarray) -> np.ndarray:
    """The measures of every setting on one resample, an object drawn twice standing twice: ``(n_settings, 4)``."""
    rows = []
    for setting in given.settings:
        scores = np.repeat(setting.scores, counts, axis=0)
        try:
            found = icc(scores, given.planned_repeats)
            # 1 by construction where no object drawn varies.
            coefficient = None if found.deterministic else found.icc_1k_planned.value
        except UndefinedStatistic:
            coefficient = None
        first = np.repeat(setting.first_answers, counts).sum()
        valid = np.repeat(setting.valid_first_answers, counts).sum()
        centre = np.nanmedian(scores, axis=1, keepdims=True)
        mads = np.nanmedian(np.abs(scores - centre), axis=1)
        rows.append(
            [
                np.nan if coefficient is None else coefficient,
                valid / first if first else np.nan,
                spearman_of_keys(given, setting, counts),
                np.median(mads),
            ]
        )
    return np.array(rows, dtype=float)


def spearman_of_keys(given: Compared, setting: Judged, counts: np.ndarray) -> float:
    """scipy's coefficient over keys written out; a key is drawn as often as any of its objects."""
    combine = np.nanmean if given.aggregate == "mean" else np.nanmedian
    judge, human = combine(setting.scores, axis=1), given.human
    pairs = []
    for key in dict.fromkeys(given.match_keys.tolist()):
        of_key = (given.match_keys == key) & np.isfinite(human)
        if of_key.any():
            pairs += [(judge[of_key].mean(), human[of_key].mean())] * counts[of_key][0]
    x, y = np.array(pairs, dtype=float).reshape(-1, 2).T
    x, y = np.round(x, 12), np.round(y, 12)
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return float(stats.spearmanr(x, y).statistic)
