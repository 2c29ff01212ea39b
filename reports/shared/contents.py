"""What the report of any study is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import pandas as pd

from resources.configuration.section import Section
from resources.runtime.provenance import Provenance

Plan = TypeVar("Plan", bound=Section)


@dataclass(frozen=True)
class StudyContents(Generic[Plan]):
    """The tables by name (all settings, methods or data sets in one frame), and what goes with them.

    Attributes:
        study: Name of the study.
        plan: Its configuration.
        tables: Frames that keep to their declarations; empty where nothing was made.
        provenance: Where the numbers come from; none where no run made them.
    """

    study: str
    plan: Plan
    tables: Mapping[str, pd.DataFrame]
    provenance: Provenance | None = field(default=None, kw_only=True)

    @property
    def verdicts(self) -> pd.DataFrame | None:
        """The study's table of verdicts; none where it was not made."""
        return next((frame for name, frame in self.tables.items() if name.endswith("_trust_verdict")), None)
