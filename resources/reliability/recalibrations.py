"""Which queries people had judged again, and under which prompt."""

from collections.abc import Iterator
from typing import NamedTuple

from resources.reliability.validation_store import ValidationStore


class Recalibrated(NamedTuple):
    """Queries judged again under a prompt; those held out are kept back from whoever writes the next one."""

    prompt_version: str
    queries: frozenset[str]
    held_out: frozenset[str]


def recalibrations(validations: ValidationStore) -> Iterator[Recalibrated]:
    """Every recalibration that was started, the first one first."""
    for row in validations.actions().to_dict("records"):
        if row["action"] == "recalibration_started":
            details = row["details"]
            yield Recalibrated(details["prompt_version"], frozenset(details["queries"]), frozenset(details["held_out"]))


def latest_recalibration(validations: ValidationStore) -> Recalibrated | None:
    """The last one; none before the first."""
    return next(reversed(list(recalibrations(validations))), None)
