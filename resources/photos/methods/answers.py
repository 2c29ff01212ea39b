"""What a method must give: one number for each image, or two for each pair; anything else is refused by name."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from resources.errors import UserError
from resources.photos.methods.features import Floats


def one_for_each(called: str, scores: ArrayLike | Sequence[object], n: int, each: str) -> Floats:
    """The scores as numbers, shape ``(n,)``.

    Args:
        called: The method, as an error names it.
        scores: What it gave.
        n: How many it was asked for.
        each: What it scores, such as ``image``.

    Raises:
        UserError: They are of another shape, or no numbers.
    """
    try:
        numbers = np.asarray(scores)
        if np.iscomplexobj(numbers):
            raise TypeError("they are complex")
        numbers = numbers.astype(np.float64)
    except Exception as error:
        # Arrays of other libraries raise what they like: one of torch that has a gradient, a RuntimeError.
        raise UserError(f"{called} gives scores that are no numbers ({error}).") from error
    if numbers.shape != (n,):
        raise UserError(f"{called} gives scores of shape {numbers.shape}; it must give one per {each}, shape ({n},).")
    return numbers


def two_for_each_pair(called: str, both: object, n: int) -> tuple[Floats, Floats]:
    """The scores of images 1 and of images 2 as numbers, shape ``(n,)`` each.

    Args:
        called: The method, as an error names it.
        both: What it gave.
        n: How many pairs there are.

    Raises:
        UserError: They are no two arrays, of another shape, or no numbers.
    """
    if not isinstance(both, tuple | list) or len(both) != 2:
        raise UserError(
            f"{called} gives {type(both).__name__} for pairs; it must give two arrays, the scores of images 1 "
            "and of images 2."
        )
    return one_for_each(called, both[0], n, "pair"), one_for_each(called, both[1], n, "pair")
