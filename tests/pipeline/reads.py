"""Which keys of the configuration are read while a table and its checks are made, seen by listening to every read."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from dagster._core.execution.context.system import StepExecutionContext
from dagster._core.execution.plan import execute_plan

from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.configuration.section import Section

# Copies are made of these while a run goes on, so that they are known by their class.
BY_CLASS: dict[type[Section], str] = {Dataset: "datasets.", EvaluationGates: "datasets.gates."}


class Listener:
    """`heard` are the keys, dotted, that were read for each table; `section.*` where a whole one was written.

    `table` is the one that is being made or checked; empty between the steps of a run.
    """

    def __init__(self, section: Section) -> None:
        self.heard: dict[str, set[str]] = defaultdict(set)
        self.table = ""
        self._by_class = BY_CLASS | {type(section): ""}
        self._prefix: dict[int, str] = {}
        self._walk(section, "")

    def hear(self, section: Section, name: str, value: Any) -> None:
        """Note one attribute of a section that was read."""
        prefix = self._prefix.get(id(section), self._by_class.get(type(section)))
        if prefix is None:
            return
        if name == "model_dump":
            self.heard[self.table].add(f"{prefix}*")
        elif name in type(section).model_fields and not isinstance(value, Section):
            self.heard[self.table].add(f"{prefix}{name}")

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
    """Every read of this section and what is in it is heard; a run does its steps one after the other."""
    listener, read, step = (
        Listener(section),
        Section.__getattribute__,
        execute_plan.core_dagster_event_sequence_for_step,
    )

    def heard_read(self: Section, name: str) -> Any:
        value = read(self, name)
        if not name.startswith("_"):
            listener.hear(self, name, value)
        return value

    def heard_step(context: StepExecutionContext) -> Iterator[Any]:
        listener.table = table_of(context)
        try:
            yield from step(context)
        finally:
            listener.table = ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Section, "__getattribute__", heard_read)
        patch.setattr(execute_plan, "core_dagster_event_sequence_for_step", heard_step)
        yield listener


def table_of(context: StepExecutionContext) -> str:
    """The table that a step makes or checks."""
    for output in context.step.step_outputs:
        made, checked = output.properties.asset_key, output.properties.asset_check_key
        if key := made or (checked and checked.asset_key):
            return key.path[-1]
    return ""
