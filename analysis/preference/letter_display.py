"""Compact letter display: groups of methods that the tests do not separate."""

from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike


def letter_display(separated: ArrayLike) -> list[tuple[str, ...]]:
    """The letters of each method: two methods share one exactly when they are not separated.

    Args:
        separated: Shape ``(m, m)``, symmetric, true where two methods differ; methods in the order of the display, best
            first.

    Returns:
        One tuple of letters per method, never empty. No letter could be left out for another that covers it; `a` is a
        group of the first method. After 52 letters come a2, b2 and so on.

    Raises:
        ValueError: Not square and symmetric, or a method separated from itself.

    Source:
        Piepho (2004), J. Comput. Graph. Stat. 13:456-466 (insert and absorb).
    """
    apart = np.asarray(separated, dtype=np.bool_)
    if apart.ndim != 2 or apart.shape[0] != apart.shape[1]:
        raise ValueError(f"one row and one column per method are needed, got shape {apart.shape}")
    if bool(np.any(apart != apart.T)) or bool(np.any(np.diag(apart))):
        raise ValueError("separation must be symmetric, and no method is separated from itself")
    size = len(apart)
    if size == 0:
        return []
    groups = [(1 << size) - 1]
    for one, two in zip(*np.nonzero(np.triu(apart)), strict=True):
        groups = _absorbed(_inserted(groups, 1 << int(one), 1 << int(two)))
    members = sorted([number for number in range(size) if group >> number & 1] for group in groups)
    found: list[list[str]] = [[] for _ in range(size)]
    for place, group in enumerate(members):
        for number in group:
            found[number].append(_letter(place))
    return [tuple(letters) for letters in found]


def _inserted(groups: list[int], one: int, two: int) -> list[int]:
    """Each group that holds both methods becomes two groups that hold one of them."""
    both = one | two
    return [part for group in groups for part in ((group & ~one, group & ~two) if group & both == both else (group,))]


def _absorbed(groups: list[int]) -> list[int]:
    """Groups inside another one are dropped, so that the largest come first and nothing is said twice."""
    kept: list[int] = []
    for group in sorted(set(groups), key=lambda group: (-group.bit_count(), group)):
        if not any(group & larger == group for larger in kept):
            kept.append(group)
    return kept


def _letter(place: int) -> str:
    turn, number = divmod(place, len(ascii_letters))
    return ascii_letters[number] + (str(turn + 1) if turn else "")
