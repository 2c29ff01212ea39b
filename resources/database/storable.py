"""What every database can hold of a text."""

from typing import Any


def storable(value: Any) -> Any:
    """The value with NUL as the symbol for it and lone surrogates as the replacement character, at any depth."""
    if isinstance(value, str):
        return value.replace("\x00", "\u2400").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {storable(name): storable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value
