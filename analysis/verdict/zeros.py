"""Whether a 0 next to a scale of 1 to k is a rating or stands for none, by how the others rate these objects."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Zero = Literal["no rating", "a rating", "cannot say"]
# So many standard errors make a question: of 800 made files whose 0 is a rating 4 had one, of 800 whose 0 is none 735.
SURE: Final = 3.0
# So many, and nothing needs to be said.
LIKELY: Final = 2.0
# From this part of the way on, from where a rating of 0 would be to where all others are, they are no ratings.
NEAR_THE_REST: Final = 0.6
FEWEST_STEPS: Final = 3
FEWEST_OBJECTS: Final = 10


class _Gap(NamedTuple):
    """One rater's zeros: sums over their objects, and variances of these sums.

    `seen` and `whole` are how far others' ratings, and those of all other objects, are above where a line through the
    rater's other ratings meets 0; `slope` is the line's in standard errors.
    """

    seen: float
    whole: float
    from_line: float
    from_rest: float
    slope: float


def zeros_next_to_a_scale(given: Floats) -> bool:
    """Whether the lowest number is 0 and the others are three or more, from 1 on."""
    there = np.unique(given[~np.isnan(given)])
    return len(there) > FEWEST_STEPS and bool(there[0] == 0.0 and there[1] >= 1.0)


def what_zero_is(ratings: Mapping[str, Floats], raters: Sequence[str], people: Sequence[str]) -> Zero:
    """Whether zeros are where a line through the raters' other ratings puts a 0, or where all other objects are.

    Args:
        ratings: By rater, shape ``(n,)``, NaN where there is none.
        raters: Whose zeros are asked about, together.
        people: They are the others; where there is no other person, everyone else is.

    Returns:
        "no rating" where the others rate these objects significantly higher than a 0, and nearer to the rest.
    """
    gaps = [gap for rater in raters if (gap := _gap(ratings, rater, people)) is not None]
    seen, whole, from_line, from_rest = (sum(part) for part in list(zip(*gaps, strict=True))[:4] or [()] * 4)
    if not whole:
        return "cannot say"
    is_clear = all(gap.slope > SURE for gap in gaps)
    if is_clear and seen > NEAR_THE_REST * whole and seen > SURE * np.sqrt(from_line):
        return "no rating"
    is_low = seen <= NEAR_THE_REST * whole and whole - seen > LIKELY * np.sqrt(from_rest)
    return "a rating" if is_low else "cannot say"


def _gap(ratings: Mapping[str, Floats], rater: str, people: Sequence[str]) -> _Gap | None:
    names = [name for name in people if name != rater] or [name for name in ratings if name != rater]
    own, others = ratings[rater], np.column_stack([ratings[name] for name in names])
    is_rated = ~np.isnan(others) & (others != 0.0)
    n_others = is_rated.sum(axis=1)
    of_others = np.where(is_rated, others, 0.0).sum(axis=1) / np.maximum(n_others, 1)
    rest, zero = ((n_others > 0) & which for which in ((own > 0.0), (own == 0.0)))
    n, n_zeros = int(rest.sum()), int(zero.sum())
    if n < FEWEST_OBJECTS or not n_zeros or not np.ptp(own[rest]):
        return None
    x, y = own[rest], of_others[rest]
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float((x - x.mean()) @ (y - y.mean())) / spread
    left = y - y.mean() - slope * (x - x.mean())
    noise = float(left @ left) / (n - 2)
    at_zero = y.mean() - slope * x.mean()
    seen = float(np.sign(slope) * (of_others[zero] - at_zero).sum())
    return _Gap(
        seen=seen,
        whole=n_zeros * abs(slope) * float(x.mean()),
        from_line=noise * n_zeros * (1.0 + n_zeros * (1.0 / n + float(x.mean()) ** 2 / spread)),
        from_rest=float(y.var(ddof=1)) * n_zeros * (1.0 + n_zeros / n),
        slope=abs(slope) / np.sqrt(noise / spread) if noise else np.inf,
    )
