"""What a generated object's file name says: product, variant, algorithm and the job's hash."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from resources.errors import UserError, listing

# Anchored on the tail: variants hold any text, so that nothing in front of it can be counted on.
_NAME = re.compile(
    r"(?P<product>[^_]+)_(?P<middle>.+)"
    r"_N(?P<n_images>\d+)_(?P<views>[a-z](?:-[a-z])*)_(?P<date>\d{4}-\d{2}-\d{2})_v(?P<version>\d+)"
    r"_h(?P<hash>[0-9a-f]{8})\.glb",
    re.IGNORECASE,
)
_FORM = "{product}[_{variant}]_{algorithm}_N{n}_{views}_{yyyy-mm-dd}_v{k}_h{8 hex}.glb"
_NEAR = 0.6


@dataclass(frozen=True)
class ObjectName:
    """The parts of a file name; `object` is the 8 hex digits in lower case, `variant` null where there is none."""

    filename: str
    object: str
    product_id: str
    variant: str | None
    algorithm: str

    @property
    def item_id(self) -> str:
        """The item that the object depicts."""
        return item_id(self.product_id, self.variant)


class BadObjectName(UserError):
    """A file name cannot be read; `problem` and `remedy` are sentences for a message that adds file and row."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem} {remedy}")
        self.problem = problem
        self.remedy = remedy


def item_id(product_id: str, variant: str | None) -> str:
    """``{product}`` or ``{product}_{variant}``, the variant in lower case with hyphens for spaces."""
    return f"{product_id}_{variant_slug(variant)}" if variant else product_id


def variant_slug(variant: str) -> str:
    """The variant as file names and item ids spell it."""
    return re.sub(r"\s+", "-", variant.strip().lower())


def vocabulary(*sources: Iterable[str]) -> tuple[str, ...]:
    """Known algorithms, each once whatever its letter case; the first source's spelling stays."""
    known: dict[str, str] = {}
    for source in sources:
        for algorithm in source:
            known.setdefault(algorithm.casefold(), algorithm)
    return tuple(known.values())


def parse_object_name(path: str, algorithms: Sequence[str]) -> ObjectName:
    """The parts of a generated object's file name.

    Args:
        path: File name; a folder in front of it, Windows or POSIX, is dropped.
        algorithms: Known algorithms, in the spelling wanted back; the longest that fits wins.

    Raises:
        BadObjectName: The name has another form, or no known algorithm stands in it.
    """
    filename = re.split(r"[\\/]", path.strip())[-1]
    match = _NAME.fullmatch(filename)
    if match is None:
        raise BadObjectName(f"'{filename}' is not of the form {_FORM}.", "Correct the file name.")
    middle = match["middle"]
    fitting = [known for known in algorithms if f"_{middle}".casefold().endswith(f"_{known}".casefold())]
    if not fitting:
        raise BadObjectName(
            f"the algorithm in '{filename}' is unknown{_nearest_in(middle, algorithms)}; known are: "
            f"{listing(algorithms, 30) or 'none'}.",
            "Add it to `algorithms` in touchstone.yaml or to the catalogue, or correct the name.",
        )
    algorithm = max(fitting, key=len)
    variant = middle[: len(middle) - len(algorithm)].strip("_")
    return ObjectName(filename, match["hash"].lower(), match["product"], variant or None, algorithm)


def _nearest_in(middle: str, algorithms: Sequence[str]) -> str:
    """Like `nearest`, for a word of which only the end is known: the variant may stand in front of it."""
    words = middle.strip("_").casefold().split("_")
    endings = ["_".join(words[start:]) for start in range(len(words))]
    likeness = {
        known: max(SequenceMatcher(None, ending, known.casefold()).ratio() for ending in endings)
        for known in algorithms
    }
    best = max(likeness, key=lambda known: likeness[known], default=None)
    return f" (did you mean '{best}'?)" if best is not None and likeness[best] >= _NEAR else ""
