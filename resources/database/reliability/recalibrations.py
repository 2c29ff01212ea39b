"""Which queries were judged again under another prompt, from the steps that people took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from resources.database.reliability.validation_store import ValidationStore


class Recalibrated(NamedTuple):
    """Queries judged again under a prompt; those held out are kept back from the author of the next one."""

    prompt_version: str
    queries: frozenset[str]
    held_out: frozenset[str]


def recalibrations(validations: ValidationStore) -> Iterator[Recalibrated]:
    """Every recalibration that was started, the first one first."""
    for row in validations.actions().to_dict("records"):
        if row["action"] == "recalibration_started":
            details = row["details"]
            yield Recalibrated(details["prompt_version"], frozenset(details["queries"]), frozenset(details["held_out"]))


def judged_again(validations: ValidationStore) -> Recalibrated | None:
    """Every query that was judged again under the latest prompt, in one round or several; none before the first."""
    latest = latest_recalibration(validations)
    if latest is None:
        return None
    rounds = [one for one in recalibrations(validations) if one.prompt_version == latest.prompt_version]
    queries, held_out = (
        frozenset[str]().union(*parts) for parts in zip(*((one.queries, one.held_out) for one in rounds), strict=True)
    )
    return Recalibrated(latest.prompt_version, queries, held_out)


def latest_recalibration(validations: ValidationStore) -> Recalibrated | None:
    """The last one; none before the first."""
    return next(reversed(list(recalibrations(validations))), None)
