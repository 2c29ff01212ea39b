"""What became of a study: its validations, the steps that people took, and the ground truth that they led to."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa

from resources.database.bulk_rows import alone
from resources.database.engine import usable
from resources.database.reliability.models import ACTIONS as KNOWN_ACTIONS
from resources.database.reliability.models import ContingencyAction, GroundTruth, Query, ValidationResult
from resources.database.reliability.records import ALLOWS_GROUND_TRUTH, GroundTruthRecord, ValidationRecord
from resources.errors import UserError
from resources.tables.declare import DTYPES
from resources.tables.reliability.decision import GROUND_TRUTH, KAPPA_VALIDATION

MEASURES = (
    "kappa_macro_defined",
    "kappa_macro_low",
    "kappa_macro_high",
    "kappa_micro_low",
    "kappa_micro_high",
    "low_share",
    "n_undefined",
    "n_documents",
    "judge_1",
    "judge_2",
    "thresholds",
)
ACTION_TYPES = {
    "id": "int64",
    "action": DTYPES["text"],
    "details": "object",
    "who": DTYPES["text"],
    "taken_at": DTYPES["time"],
}
VALIDATIONS, ACTIONS = ValidationResult.__table__, ContingencyAction.__table__
TRUTH, QUERIES = GroundTruth.__table__, Query.__table__
BATCH = 5_000


def plain(value: Any) -> Any:
    """The value with numpy's numbers as Python's, tuples as lists and mappings as dicts, at any depth."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def details_kept(action: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a step as they are stored.

    Raises:
        ValueError: There is no such action, or the details do not fit it.
    """
    kept: dict[str, Any] = plain(details)
    if action not in KNOWN_ACTIONS:
        raise ValueError(f"'{action}' is no action; those that are: {', '.join(KNOWN_ACTIONS)}")
    wanted = {
        "thresholds_accepted": {"thresholds"},
        "recalibration_started": {"prompt_version", "queries", "held_out"},
        "manual_review_opened": set(),
    }[action]
    if kept.keys() != wanted:
        raise ValueError(f"{action} takes {sorted(wanted) or 'no details'}, got {sorted(kept)}")
    if action == "thresholds_accepted":
        thresholds = kept["thresholds"]
        if not thresholds or not all(0 <= threshold <= 1 for threshold in thresholds.values()):
            raise ValueError(f"thresholds must lie in 0-1, got {thresholds}")
    if action == "recalibration_started" and not set(kept["held_out"]) <= set(kept["queries"]):
        raise ValueError("queries are held out that are not judged again")
    return kept


def row_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of table `kappa_validation`."""
    found = {**row, **{name: row["measures"][name] for name in MEASURES}}
    found["thresholds"] = json.dumps(found["thresholds"], sort_keys=True)
    found["contingency_actions"] = json.dumps(found["contingency_actions"], sort_keys=True, ensure_ascii=False)
    return {column.name: found[column.name] for column in KAPPA_VALIDATION.columns}


def validations_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Table `kappa_validation`."""
    columns = [column.name for column in KAPPA_VALIDATION.columns]
    return KAPPA_VALIDATION.validated(pd.DataFrame([row_of(row) for row in rows], columns=columns))


def actions_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per step; `details` is a dict."""
    found = [[row[name] for name in ACTION_TYPES] for row in rows]
    return pd.DataFrame(found, columns=list(ACTION_TYPES), dtype="object").astype(ACTION_TYPES)


def ground_truth_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Table `ground_truth`."""
    columns = [column.name for column in GROUND_TRUTH.columns]
    found = [
        {**row, "n_documents": len(next(iter(row["scores"].values()))), "validation": row["validation_row"]}
        for row in rows
    ]
    return GROUND_TRUTH.validated(pd.DataFrame(found, columns=columns))


class ValidationStore:
    """Reads and writes `validation_results`, `contingency_actions` and `ground_truth` of one study.

    Safe in several processes at once. Validations and actions are never changed or deleted.
    """

    def __init__(self, engine: sa.Engine, study: str) -> None:
        """Use a database whose tables are up to date (`resources.database.migrate`)."""
        self.engine, self.study = engine, study

    def record_validation(self, validation: ValidationRecord) -> dict[str, Any]:
        """Keep one validation; of a run that has one already, that one stays.

        Returns:
            The run's row in table `kappa_validation`.

        Raises:
            ValueError: A measure of the table is missing, or a number is not finite.
            UserError: The database cannot be used.
        """
        measured = plain(validation.measures)
        if missing := [name for name in MEASURES if name not in measured]:
            raise ValueError(f"measures lack {missing}")
        values = {
            "study": self.study,
            "timestamp": datetime.now(UTC),
            "kappa_macro": float(validation.kappa_macro),
            "kappa_micro": float(validation.kappa_micro),
            "status": validation.status,
            "total_queries": int(validation.total_queries),
            "contingency_actions": plain(validation.contingency_actions),
            "notes": validation.notes,
            "not_proven": bool(validation.not_proven),
            "depends_on_convention": bool(validation.depends_on_convention),
            "measures": measured,
            "run": validation.run,
        }
        with alone(self.engine, f"validations of {self.study}") as connection:
            own = (VALIDATIONS.c.study == self.study, VALIDATIONS.c.run == validation.run)
            if connection.scalar(sa.select(VALIDATIONS.c.id).where(*own)) is None:
                connection.execute(sa.insert(ValidationResult), [values])
            row = connection.execute(sa.select(VALIDATIONS).where(*own)).mappings().one()
            return row_of(dict(row))

    def validations(self) -> pd.DataFrame:
        """Table `kappa_validation`: every validation so far, the first one first."""
        question = sa.select(VALIDATIONS).where(VALIDATIONS.c.study == self.study).order_by(VALIDATIONS.c.id)
        with usable(self.engine), self.engine.connect() as connection:
            rows = [dict(row) for row in connection.execute(question).mappings()]
        return validations_table(rows)

    def take_action(self, action: str, details: Mapping[str, Any], who: str) -> int:
        """Keep a step that a person took.

        Args:
            action: One of `reliability_models.ACTIONS`.
            details: `thresholds_accepted`: `thresholds`, by judge. `recalibration_started`: `prompt_version`, and the
                ids in `queries` and `held_out`. `manual_review_opened`: nothing.
            who: Who took it.

        Returns:
            The number of the action.

        Raises:
            ValueError: The details do not fit the action.
            UserError: No one is named, or the database cannot be used.
        """
        if not who.strip():
            raise UserError("A step needs the name of who takes it. Nothing was changed: say who.")
        values = {
            "study": self.study,
            "action": action,
            "details": details_kept(action, details),
            "who": who.strip(),
            "taken_at": datetime.now(UTC),
        }
        with alone(self.engine, f"validations of {self.study}") as connection:
            return int(connection.scalar(sa.insert(ContingencyAction).values(values).returning(ACTIONS.c.id)) or 0)

    def actions(self) -> pd.DataFrame:
        """One row per step taken, the first one first: id, action, details (a dict), who, taken_at."""
        return actions_table(self._actions())

    def manual_review_is_open(self) -> bool:
        """Whether a person opened the manual review, and nothing else was begun after it."""
        actions = self.actions()
        return len(actions) > 0 and str(actions["action"].iloc[-1]) == "manual_review_opened"

    def actions_since_validation(self) -> list[dict[str, Any]]:
        """The steps since the latest validation, as they go into the next one's `contingency_actions`."""
        last = sa.select(sa.func.max(VALIDATIONS.c.timestamp)).where(VALIDATIONS.c.study == self.study)
        with usable(self.engine), self.engine.connect() as connection:
            since = connection.scalar(last)
        return [
            {"step": row["action"], "who": row["who"], "at": row["taken_at"].isoformat(), **row["details"]}
            for row in self._actions()
            if since is None or row["taken_at"] > since
        ]

    def thresholds_in_force(self, configured: Mapping[str, float]) -> dict[str, float]:
        """Each judge's threshold: the one accepted last, else the configured one.

        Args:
            configured: By judge, every judge of the study; accepted thresholds of others are passed over.
        """
        found = dict(configured)
        for row in self._actions():
            accepted = row["details"].get("thresholds", {})
            found |= {judge: float(accepted[judge]) for judge in found.keys() & accepted.keys()}
        return found

    def write_ground_truth(self, rows: Sequence[GroundTruthRecord]) -> int:
        """Put these rows in the place of the study's ground truth, all or none.

        Returns:
            How many rows there are now.

        Raises:
            ValueError: A query stands twice or is not of this study, or the validation is not.
            UserError: The validation does not allow it, or the database cannot be used. Nothing was changed.
        """
        with alone(self.engine, f"validations of {self.study}") as connection:
            self._refuse_validations(connection, {row.validation for row in rows})
            found = connection.execute(sa.select(QUERIES.c.query_id, QUERIES.c.id).where(QUERIES.c.study == self.study))
            row_of = {one.query_id: one.id for one in found}
            if unknown := [row.query_id for row in rows if row.query_id not in row_of]:
                raise ValueError(f"queries {unknown[:3]} are not of study '{self.study}'")
            if len({row.query_id for row in rows}) < len(rows):
                raise ValueError("a query stands twice in the ground truth")
            own = sa.select(QUERIES.c.id).where(QUERIES.c.study == self.study)
            connection.execute(sa.delete(GroundTruth).where(TRUTH.c.query_row.in_(own)))
            for start in range(0, len(rows), BATCH):
                batch = rows[start : start + BATCH]
                connection.execute(sa.insert(GroundTruth), [_values(row, row_of[row.query_id]) for row in batch])
        return len(rows)

    def ground_truth_rows(self) -> pd.DataFrame:
        """Table `ground_truth`: what was written last, in the order of the queries."""
        return ground_truth_table(self._ground_truth())

    def ground_truth_scores(self) -> dict[str, dict[str, list[float | None]]]:
        """The scores behind each query's ground truth, by judge, of the documents with a label."""
        return {row["query_id"]: row["scores"] for row in self._ground_truth()}

    def _actions(self) -> Sequence[Mapping[str, Any]]:
        question = sa.select(ACTIONS).where(ACTIONS.c.study == self.study).order_by(ACTIONS.c.id)
        with usable(self.engine), self.engine.connect() as connection:
            return [dict(row) for row in connection.execute(question).mappings()]

    def _ground_truth(self) -> Sequence[Mapping[str, Any]]:
        question = (
            sa.select(QUERIES.c.query_id, QUERIES.c.query, TRUTH)
            .join(QUERIES, QUERIES.c.id == TRUTH.c.query_row)
            .where(QUERIES.c.study == self.study)
            .order_by(QUERIES.c.position, QUERIES.c.id)
        )
        with usable(self.engine), self.engine.connect() as connection:
            return [dict(row) for row in connection.execute(question).mappings()]

    def _refuse_validations(self, connection: sa.Connection, numbers: set[int]) -> None:
        for number in numbers:
            own = (VALIDATIONS.c.id == number, VALIDATIONS.c.study == self.study)
            status = connection.scalar(sa.select(VALIDATIONS.c.status).where(*own))
            if status is None:
                raise ValueError(f"validation {number} is not of study '{self.study}'")
            if status not in ALLOWS_GROUND_TRUTH:
                raise UserError(
                    f"Validation {number} is {status}: ground truth is written after "
                    f"{' or '.join(ALLOWS_GROUND_TRUTH)}. Nothing was changed. "
                    "`touchstone reliability status` says what is due."
                )


def _values(row: GroundTruthRecord, query_row: int) -> dict[str, Any]:
    return {
        "query_row": query_row,
        "validation_row": row.validation,
        "scores": {judge: list(scores) for judge, scores in row.scores.items()},
        "n_by_people": row.n_by_people,
        "kappa": row.kappa,
        "expected_docs": list(row.expected_docs),
        "human_override": row.human_override,
        "override_reason": row.override_reason,
        "reviewer": row.reviewer,
        "decided_at": row.decided_at,
        "prompt_version": row.prompt_version,
    }
