"""Data sets as dynamic partitions: which there are, what is configured for each, and one frame for each."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dagster as dg
import pandas as pd

from assets.evaluation_rows import Sampling
from assets.partitions import each_of
from resources.configuration.evaluation import Dataset, EvaluationStudy
from resources.errors import UserError
from resources.inputs.opened_files import refuse_name
from resources.inputs.record_files import KINDS
from resources.parquet_tables import Frames
from resources.tables.declare import Table

DATASETS = dg.DynamicPartitionsDefinition(name="evaluation_datasets")


def known_datasets(study: EvaluationStudy) -> dict[str, Dataset]:
    """Every data set with its file: the configured ones, then what lies in the inbox under its file's name.

    Raises:
        UserError: Two files of one name, or a configured data set without a file.
    """
    found: dict[str, Dataset] = {}
    dropped: dict[str, Any] = {}
    if study.inbox is not None and study.inbox.is_dir():
        for path in sorted(study.inbox.iterdir()):
            if path.is_file() and not path.name.startswith(".") and path.suffix.lower() in KINDS:
                refuse_name(path)
                if path.stem in dropped:
                    raise UserError(
                        f"{path} and {dropped[path.stem].name} are one data set by name. Rename one of them."
                    )
                dropped[path.stem] = path
    for name, dataset in study.datasets.items():
        file = dataset.file or dropped.get(name)
        if file is None:
            raise UserError(f"Data set '{name}' has no `file`, and the inbox holds no file of that name.")
        found[name] = dataset.model_copy(update={"file": file})
    for name, path in dropped.items():
        found.setdefault(name, study.defaults.model_copy(update={"file": path}))
    return found


def configured_as(dataset: Dataset) -> str:
    """A digest of all that is set for a data set, but for where its file lies: another one makes it again."""
    plan = dataset.model_dump(mode="json", exclude={"file"})
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def sampling_of(study: EvaluationStudy) -> Sampling:
    """How the study makes intervals."""
    return Sampling(study.seed, study.bootstrap_resamples, study.bca_resamples, study.confidence, study.workers)


def each_dataset(
    context: dg.AssetExecutionContext,
    make: Callable[[str], pd.DataFrame],
    headline: Callable[[pd.DataFrame], Mapping[str, Any]],
) -> Frames:
    """One frame per data set of the run, with its headline as that partition's metadata."""
    return each_of(context, sorted(context.partition_keys), make, headline)


def as_table(table: Table, dataset: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows with the table's columns, the data set's name first; columns that no row has are null."""
    return pd.DataFrame([{"dataset": dataset} | dict(row) for row in rows], columns=[one.name for one in table.columns])
