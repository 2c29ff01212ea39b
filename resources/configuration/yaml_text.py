"""YAML as the configuration takes it: keys are text, and each stands once."""

from typing import Any

import yaml

_TEXT = "tag:yaml.org,2002:str"
_MERGE = "tag:yaml.org,2002:merge"
# A key of ours that YAML 1.1 takes for "true".
_ON = "on"


class KeyFaults(Exception):
    """Keys that stand twice or are no text; `faults` has a sentence with its line for each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


def values_of(text: str) -> Any:
    """What the text holds.

    Raises:
        KeyFaults: A key is no text, or stands twice, of which YAML's own reader would silently take the last.
        yaml.YAMLError: It is no YAML.
        ValueError: A date is none.
    """
    loader = _Loader(text)
    try:
        values = loader.get_single_data()
    finally:
        loader.dispose()
    if loader.faults:
        raise KeyFaults(loader.faults)
    return values


class _Loader(yaml.SafeLoader):
    """Looks at keys before merge keys (`<<`) are resolved, which may repeat one on purpose."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.faults: list[str] = []

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
