"""The command of `touchstone verdict` that reads a file as its columns look."""

import shlex
from collections.abc import Iterable, Sequence
from typing import Final

from analysis.spelling import one_spelling
from resources.inputs.ratings.likely import LikelyColumns, Role, is_reversed

# For what the user fills in; a shell takes none of them apart.
A_JUDGE, A_PERSON, AN_OBJECT = "JUDGE", "PERSON", "OBJECT"
_OPTIONS: Final[dict[Role, str]] = {
    "object": "--item",
    "source": "--cluster",
    "rater": "--rater",
    "rating": "--score",
}
# Of these what was found is added to what was given.
_ADDED: Final = ("--lower-is-better", "--where", "--blank")


def likely_command(
    found: LikelyColumns,
    paths: Sequence[str],
    where: Sequence[tuple[str, str]] = (),
    given: Sequence[tuple[str, str]] = (),
) -> str:
    """The command that reads the file so; JUDGE, PERSON and OBJECT are to be filled in."""
    judges = found.names("judge")
    if found.names("rater"):
        options = [("--judge", name) for name in found.models or (A_JUDGE,)]
        options += [] if found.names("object") else [("--item", AN_OBJECT)]
    else:
        options = [("--judge", name) for name in judges or [A_JUDGE]]
        options += [("--human", name) for name in found.names("person") or [A_PERSON]]
        options += [("--lower-is-better", name) for name in judges if is_reversed(name)]
    options += [(option, name) for role, option in _OPTIONS.items() for name in found.options(role)[:1]]
    options += [("--where", "=".join(pair)) for pair in where]
    options += [("--blank", text) for text in found.blanks]
    decided = {option for option, _ in given if option not in _ADDED}
    spelled = {(option, one_spelling(value)) for option, value in given}
    left = [one for one in options if not (one[0] in decided or (one[0], one_spelling(one[1])) in spelled)]
    return verdict_command(paths, [*left, *given])


def verdict_command(paths: Sequence[str], options: Iterable[tuple[str, str]]) -> str:
    """A command line of `touchstone verdict`."""
    parts = ["touchstone", "verdict", *map(shlex.quote, paths)]
    return " ".join([*parts, *(part for option, value in options for part in (option, shlex.quote(value)))])
