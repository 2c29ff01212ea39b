"""Which keys of the configuration are read while a table and its checks are made, seen by listening to every read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.configuration.section import Section

# Copies are made of these while a run goes on, so that they are known by their class.
BY_CLASS: dict[type[Section], str] = {Dataset: "datasets.", EvaluationGates: "datasets.gates."}


class Listener:
    """`heard` are the keys, dotted, that were read since it was emptied; `section.*` where a whole one was written."""

    def __init__(self, section: Section) -> None:
        self.heard: set[str] = set()
        self._by_class = BY_CLASS | {type(section): ""}
        self._prefix: dict[int, str] = {}
        self._walk(section, "")

    def hear(self, section: Section, name: str, value: Any) -> None:
        """Note one attribute of a section that was read."""
        prefix = self._prefix.get(id(section), self._by_class.get(type(section)))
        if prefix is None:
            return
        if name == "model_dump":
            self.heard.add(f"{prefix}*")
        elif name in type(section).model_fields and not isinstance(value, Section):
            self.heard.add(f"{prefix}{name}")

    def _walk(self, section: Section, prefix: str) -> None:
        self._prefix[id(section)] = prefix
        for name in type(section).model_fields:
            value = section.__dict__[name]
            if isinstance(value, Section):
                self._walk(value, f"{prefix}{name}.")
            several = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
            for one in several:
                if isinstance(one, Section):
                    self._walk(one, f"{prefix}{name}.")


@contextmanager
def listening(section: Section) -> Iterator[Listener]:
    """Every read of this section and what is in it is heard."""
    listener, read = Listener(section), Section.__getattribute__

    def heard_read(self: Section, name: str) -> Any:
        value = read(self, name)
        if not name.startswith("_"):
            listener.hear(self, name, value)
        return value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Section, "__getattribute__", heard_read)
        yield listener
