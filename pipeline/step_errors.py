"""Errors of failed steps as Dagster keeps them: what caused which, and which are the user's to fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import dagster as dg

from resources.errors import UserError

if TYPE_CHECKING:
    from resources.runtime.dagster_internals import SerializableErrorInfo


def error_chain(error: SerializableErrorInfo | None) -> Iterator[SerializableErrorInfo]:
    """An error and what caused it, the outermost first."""
    while error is not None:
        yield error
        error = error.cause


def users_words(errors: Iterable[SerializableErrorInfo]) -> str | None:
    """What the outermost error says that is the user's to fix; null where none is."""
    users = [error for error in errors if is_users(error.cls_name)]
    return users[0].message.partition(": ")[2].strip() if users else None


def is_users(class_name: str | None) -> bool:
    """Whether an error of this class is the user's to fix."""
    # A folder that cannot be written or a full disk is the user's to fix, and the system's words name it.
    # Assets raise `dg.Failure` for a gate that does not hold: that too is the user's to fix.
    return class_name in class_names(UserError) | class_names(OSError) | {dg.Failure.__name__}


def class_names(base: type[Exception]) -> set[str]:
    """The names of a class and of all that derive from it."""
    return {base.__name__}.union(*map(class_names, base.__subclasses__()))
