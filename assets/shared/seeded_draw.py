"""Draws by lot: the same seed draws the same names, whatever else is there and in whatever order."""

import hashlib

import pandas as pd


def lot(seed: int, name: str) -> str:
    """A name's place in a draw: names that come or go leave the order of the others as it is."""
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()


def products_in_turn(candidates: pd.DataFrame, column: str, seed: int, n: int) -> pd.DataFrame:
    """The first `n` rows of a draw in which each product gives one before any gives a second.

    Args:
        candidates: Columns `product_id` and the one that names what is drawn, each name once.
        column: Which one that is.
        seed: Of the lots.
        n: How many, or all where there are fewer.
    """
    lots = [lot(seed, name) for name in candidates[column]]
    drawn = candidates.assign(_lot=lots).sort_values("_lot")
    drawn = drawn.assign(_turn=drawn.groupby("product_id").cumcount()).sort_values(["_turn", "_lot"])
    return drawn.drop(columns=["_lot", "_turn"]).head(n)
