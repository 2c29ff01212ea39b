"""The running study: its configuration, its home, and the ledger, opened when first used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from resources.configuration.alerts import Alerts
from resources.configuration.evaluation import EvaluationStudy
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.listed_judges import ListedJudge
from resources.configuration.load import load_configuration
from resources.configuration.made_up import MadeUp, StudyName
from resources.configuration.pairwise import PairwiseStudy
from resources.configuration.place import FILE_NAME, configuration_file
from resources.configuration.reliability import ReliabilityStudy
from resources.errors import UserError
from resources.runtime.home import Home, touchstone_home
from resources.tables.all_tables import BY_GROUP, TABLES
from resources.tables.parquet import read

# The database's libraries take a tenth of the time of loading, and what only describes the study needs none of them.
if TYPE_CHECKING:
    import sqlalchemy as sa

    from resources.database.ledger import Ledger
    from resources.database.reliability.query_store import QueryStore
    from resources.database.reliability.review_store import ReviewStore
    from resources.database.reliability.validation_store import ValidationStore


@dataclass
class Study:
    """What assets ask for by the resource key `study`; `file` is the configuration that it was read from.

    `retry_states` are states of answers without a score that a person wants asked again in this process.
    """

    name: str
    fidelity_section: FidelityStudy | None
    home: Home
    evaluation_section: EvaluationStudy | None = None
    file: Path | None = None
    retry_states: frozenset[str] = frozenset()
    pairwise_section: PairwiseStudy | None = None
    reliability_section: ReliabilityStudy | None = None
    fresh_within_hours: float | None = None
    alerts: Alerts = field(default_factory=Alerts)
    made_up: Mapping[StudyName, tuple[MadeUp, ...]] = field(default_factory=dict)
    judges: Mapping[str, ListedJudge] = field(default_factory=dict)

    @property
    def fidelity(self) -> FidelityStudy:
        """Study A.

        Raises:
            UserError: It is not configured.
        """
        if self.fidelity_section is None:
            raise self._lacks("fidelity")
        return self.fidelity_section

    @property
    def evaluation(self) -> EvaluationStudy:
        """Study C.

        Raises:
            UserError: It is not configured.
        """
        if self.evaluation_section is None:
            raise self._lacks("evaluation")
        return self.evaluation_section

    @property
    def pairwise(self) -> PairwiseStudy:
        """Study B.

        Raises:
            UserError: It is not configured.
        """
        if self.pairwise_section is None:
            raise self._lacks("pairwise")
        return self.pairwise_section

    @property
    def reliability(self) -> ReliabilityStudy:
        """Study D.

        Raises:
            UserError: It is not configured.
        """
        if self.reliability_section is None:
            raise self._lacks("reliability")
        return self.reliability_section

    def _lacks(self, section: str) -> UserError:
        written = "" if section == "fidelity" else " (`touchstone init` writes it commented out: remove the #)"
        return UserError(
            f"This study has no section `{section}`. Add the section `{section}:` to {self.file or FILE_NAME}{written}."
        )

    @cached_property
    def engine(self) -> sa.Engine:
        """The relational store, its schema brought up to date."""
        from resources.database.engine import open_engine
        from resources.database.migrate import migrate

        engine = open_engine(self.home.database_url)
        migrate(engine)
        return engine

    @cached_property
    def ledger(self) -> Ledger:
        """The judge calls' ledger."""
        from resources.database.ledger import Ledger

        return Ledger(self.engine)

    @cached_property
    def queries(self) -> QueryStore:
        """Queries, documents and judgments of study D."""
        from resources.database.reliability.query_store import QueryStore

        return QueryStore(self.engine, self.name)

    @cached_property
    def reviews(self) -> ReviewStore:
        """Disputes and people's votes."""
        from resources.database.reliability.review_store import ReviewStore

        return ReviewStore(self.engine, self.name, self.reliability.review, self.reliability.gate.low_kappa)

    @cached_property
    def validations(self) -> ValidationStore:
        """Validations, the steps that people took, and ground truth."""
        from resources.database.reliability.validation_store import ValidationStore

        return ValidationStore(self.engine, self.name)

    def thresholds(self, judges: Sequence[str]) -> dict[str, float]:
        """Each judge's current threshold: the one that a person accepted last, else the configured one.

        Raises:
            UserError: The configuration has one of a judge that is none of these.
        """
        return self.validations.thresholds_in_force(self.reliability.thresholds_of(judges))


def study_from_environment() -> Study:
    """The study that `TOUCHSTONE_HOME` and `TOUCHSTONE_CONFIG` name."""
    home = touchstone_home()
    configuration = load_configuration(home)
    file = configuration_file(home)
    return Study(
        configuration.study,
        configuration.fidelity,
        home,
        configuration.evaluation,
        file,
        pairwise_section=configuration.pairwise,
        reliability_section=configuration.reliability,
        fresh_within_hours=configuration.fresh_within_hours,
        alerts=configuration.alerts,
        made_up=configuration.made_up,
        judges=configuration.judges,
    )


def stored_table(study: Study, name: str) -> pd.DataFrame | None:
    """A table without partitions as it lies in the home; null where it was never made there.

    Raises:
        UserError: Its file is damaged, or of another version.
    """
    group = next(group for group, tables in BY_GROUP.items() if name in tables)
    path = study.home.tables / group / f"{name}.parquet"
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return read(TABLES[name], file, path=path)
