"""YAML as the configuration takes it: keys are text, each is there once, and no file fills the memory."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from resources.configuration.limits import DEFAULTS, Limits, raise_it
from resources.configuration.place import configuration_file
from resources.database.storable import storable
from resources.errors import UserError
from resources.runtime.home import touchstone_home

_TEXT = "tag:yaml.org,2002:str"
# The section in a file's first bytes, before the file itself is read: it may be what lets the file be read.
_SECTION = re.compile(r"^limits:[^\n]*(?:\n(?:[ \t#][^\n]*)?)*", re.MULTILINE)
_MERGE = "tag:yaml.org,2002:merge"
# A key of ours that YAML 1.1 takes for "true".
_ON = "on"


class KeyFaults(Exception):
    """Keys that stand twice or are no text, values that hold NUL; `faults` has a sentence with its line for each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


class TooLarge(yaml.YAMLError):
    """The text is larger, deeper or repeats more than the limits allow; the message is sentences."""


def values_in_yaml(path: Path, limits: Limits | None = None) -> Any:
    """What a YAML file holds.

    Raises:
        OSError: The file cannot be read.
        TooLarge: It is larger than the limits allow.
        KeyFaults: A key is no text, or stands twice; a text holds NUL or half a letter.
        yaml.YAMLError: It is no YAML.
        ValueError: It is not UTF-8, or a date is none.
    """
    limits = limits or current_limits()
    with path.open("rb") as file:
        written = file.read(limits.yaml_bytes + 1)
    if len(written) > limits.yaml_bytes:
        remedy = f"Shorten it, {raise_it('yaml_bytes', path.stat().st_size)}"
        raise TooLarge(f"the file is larger than {limits.yaml_bytes:,} bytes. {remedy}")
    return values_of(written.decode("utf-8-sig"), limits)


def values_of(text: str, limits: Limits) -> Any:
    """What the text holds.

    Raises:
        KeyFaults: A key is no text, or stands twice, of which YAML's own reader would silently take the last.
        TooLarge: It is nested deeper, or holds more values with its aliases, than the limits allow.
        yaml.YAMLError: It is no YAML.
        ValueError: A date is none.
    """
    loader = _Loader(text, limits)
    try:
        values = loader.get_single_data()
    finally:
        loader.dispose()
    if loader.faults:
        raise KeyFaults(loader.faults)
    return values


def limits_of(path: Path) -> Limits:
    """The limits that a configuration sets, by its first bytes alone; the defaults where it sets none or wrong ones."""
    try:
        written = path.stat()
        return _limits_of(path, written.st_mtime_ns, written.st_size)
    except OSError:
        return DEFAULTS


def current_limits() -> Limits:
    """The limits of the configuration that the environment names; the defaults without one."""
    try:
        path = configuration_file(touchstone_home())
    except UserError:
        return DEFAULTS
    return DEFAULTS if path is None else limits_of(path)


@lru_cache(8)
def _limits_of(path: Path, mtime_ns: int, size: int) -> Limits:
    """Read once for each state of the file."""
    with path.open("rb") as file:
        head = file.read(DEFAULTS.yaml_bytes).decode("utf-8-sig", "replace")
    section = _SECTION.search(head)
    try:
        values = values_of(section[0], DEFAULTS) if section else None
        return Limits(**values["limits"]) if values and values["limits"] else DEFAULTS
    except (yaml.YAMLError, KeyFaults, ValueError, TypeError, ValidationError):
        # The reading of the whole file names the fault.
        return DEFAULTS


class _Loader(yaml.SafeLoader):
    """Looks at keys before merge keys (`<<`) are resolved, which may repeat one on purpose.

    Counts the values that the text stands for, with all those behind an alias each time it occurs: a few lines of
    aliases of aliases stand for billions.
    """

    def __init__(self, text: str, limits: Limits) -> None:
        super().__init__(text)
        self.faults: list[str] = []
        self._limits, self._depth, self._n_values = limits, 0, 0
        self._n_behind: dict[str, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        line, before = event.start_mark.line + 1, self._n_values
        is_alias = isinstance(event, yaml.AliasEvent)
        if is_alias and event.anchor in self.anchors and event.anchor not in self._n_behind:
            raise TooLarge(f"line {line}: '*{event.anchor}' is within what it names. Write it out.")
        self._n_values += self._n_behind.get(event.anchor, 0) if is_alias else 1
        self._refuse_many(line)
        self._depth += 1
        if self._depth > self._limits.yaml_depth:
            problem = f"line {line}: lists and mappings are nested more than {self._limits.yaml_depth:,} levels deep."
            raise TooLarge(f"{problem} Write it flatter, {raise_it('yaml_depth')}")
        node = super().compose_node(parent, index)
        self._depth -= 1
        if not is_alias and event.anchor is not None:
            self._n_behind[event.anchor] = self._n_values - before
        return node

    def _refuse_many(self, line: int) -> None:
        if self._n_values > self._limits.yaml_values:
            problem = f"line {line}: up to here the file stands for more than {self._limits.yaml_values:,} values"
            raise TooLarge(
                f"{problem}, those behind each alias (`*name`) counted again. Write less, {raise_it('yaml_values')}"
            )

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        if storable(node.value) != node.value:
            problem = f"line {node.start_mark.line + 1}: {node.value!r:.100} holds NUL or half a letter. Remove it."
            self.faults.append(problem)
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            line = key.start_mark.line + 1
            if key.value == _ON:
                key.tag = _TEXT
            if key.value in lines:
                first = lines[key.value]
                self.faults.append(f"line {line}: key '{key.value}' stands in line {first} already. Keep one.")
            elif key.tag not in (_TEXT, _MERGE):
                self.faults.append(
                    f"line {line}: key {key.value} is no text. Correct it, or put it in quotation marks."
                )
            lines.setdefault(key.value, line)
        return node
