"""Ratings such as 4/5 or 4 out of 5, with the end of their scale, as numbers."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from analysis.messages import Name, message
from resources.errors import FileFault, listing
from resources.inputs.ratings.layout import RawRatings
from resources.inputs.ratings.seen_columns import is_nearly_all

_RATING: Final = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:/|out of|von|su|sur|de)\s*([1-9]\d{0,2})", re.IGNORECASE)


def without_scale_ends(raw: RawRatings) -> RawRatings:
    """The same with 4 for 4/5, of raters who write all but a few so; a part of a date, such as 12/5, is none.

    Raises:
        FileFault: Not all ends are the same.
    """
    ends, ratings = dict[str, set[str]](), dict(raw.ratings)
    for name, texts in raw.ratings.items():
        parts = {text: found for text in texts if text is not None and (found := _RATING.fullmatch(text))}
        n, given = sum(text in parts for text in texts), sum(text is not None for text in texts)
        are_rated = all(float(found[1].replace(",", ".")) <= float(found[2]) for found in parts.values())
        if parts and are_rated and (n == given or is_nearly_all(n, given)):
            ends[name] = {found[2] for found in parts.values()}
            ratings[name] = [parts[text][1] if text in parts else text for text in texts]
    if not ends:
        return raw
    every = sorted({end for of_one in ends.values() for end in of_one}, key=int)
    if len(every) > 1:
        raise FileFault(raw.name, f"{_several(ends)}.", "Bring all ratings to one scale, or leave a column out.")
    said = "Ratings of {which} such as {end}/{end} are numbers of a scale up to {end}."
    note = message(said, which=listing(map(Name, ends)), end=Name(every[0]))
    return replace(raw, ratings=ratings, notes=(*raw.notes, note))


def _several(ends: Mapping[str, set[str]]) -> str:
    rated = (f"'{name}' rates out of {' and '.join(sorted(of_one, key=int))}" for name, of_one in ends.items())
    return listing(rated)
