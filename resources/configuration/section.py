"""What every part of the configuration has in common."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of the configuration: unknown keys are errors, values cannot be changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
