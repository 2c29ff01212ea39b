"""What every part of the configuration has in common."""

from collections.abc import Mapping
from typing import Any, get_origin

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.fields import FieldInfo


def with_empty_sections(values: Any, fields: Mapping[str, FieldInfo]) -> Any:
    """The values, where a section or mapping with nothing under it, which YAML reads as null, asks for its defaults.

    One that may be absent stays absent, as do values that are no section: neither has a default to ask for.
    """
    if not isinstance(values, dict):
        return values
    empty = [name for name, value in values.items() if value is None and name in fields and _is_mapping(fields[name])]
    return values | {name: {} for name in empty}


def _is_mapping(field: FieldInfo) -> bool:
    kind = field.annotation
    return get_origin(kind) is dict or (isinstance(kind, type) and issubclass(kind, BaseModel))


class Section(BaseModel):
    """A part of the configuration: unknown keys are errors, values cannot be changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def empty_sections(cls, values: Any) -> Any:
        """A section with nothing under it asks for its defaults."""
        return with_empty_sections(values, cls.model_fields)
