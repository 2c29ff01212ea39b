"""Table `evaluation_samples`: predictions and truths of one data set, sample by sample."""

from collections.abc import Sequence
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_most
from assets.shared.gate import Kind, gate
from assets.shared.partitions import DATASETS, ONE_RUN, each_dataset
from resources.configuration.evaluation import Dataset, EvaluationStudy
from resources.errors import UserError, did_you_mean, listing
from resources.inputs.evaluation.files import EvaluationRead, read_evaluation_file
from resources.inputs.evaluation.known_datasets import configured_as, known_datasets
from resources.inputs.evaluation.table import (
    MOST_UNUSABLE,
    evaluation_samples_table,
    n_unusable,
    refuse_unusable,
    with_ties,
)
from resources.runtime.file_hash import sha256_of_file
from resources.study import Study
from resources.tables.parquet_tables import Frames


@dg.asset(
    group_name="evaluation_inputs",
    deps=["dataset_files"],
    partitions_def=DATASETS,
    backfill_policy=ONE_RUN,
    kinds={"csv", "json"},
    code_version="2",
)
def evaluation_samples(context: dg.AssetExecutionContext, study: dg.ResourceParam[Study]) -> Frames:
    """Reads a data set's file; rows that cannot be used are left out and counted by cause."""
    reads: dict[str, tuple[EvaluationRead, str]] = {}
    known = known_datasets(study.evaluation)

    def make(name: str) -> pd.DataFrame:
        reads[name] = read_dataset(name, study)
        return evaluation_samples_table(name, reads[name][0])

    def summary(frame: pd.DataFrame) -> dict[str, Any]:
        name = frame["dataset"].iloc[0]
        return headline(*reads[name]) | {"configuration_sha256": configured_as(known[name])}

    return each_dataset(context, make, summary)


@gate(
    evaluation_samples,
    Kind.QUALITY,
    to_do="Complete the rows that `left_out` names, or raise `max_unusable_share`.",
    withheld="nothing; with more than half of its rows unusable a file is not read at all.",
)
def few_rows_are_unusable(evaluation_samples: pd.DataFrame, plan: EvaluationStudy) -> Gate:
    """Few rows of the file lack a usable prediction or truth."""
    most = plan.max_unusable_share
    return unusable_gate(evaluation_samples, most)


def unusable_gate(samples: pd.DataFrame, max_unusable_share: float) -> Gate:
    """The share of a file's rows that cannot be used."""
    n_rows = int(samples["n_rows_in_file"].iloc[0])
    unusable = int(samples["n_unusable"].iloc[0]) if "n_unusable" in samples else n_rows - len(samples)
    return at_most(
        "few_rows_are_unusable",
        unusable / n_rows,
        max_unusable_share,
        n=n_rows,
        counted="rows",
        what=f"The share of unusable rows ({unusable:,})",
        remedy="Complete the rows that `left_out` names, or raise `max_unusable_share`.",
    )


def read_dataset(name: str, study: Study) -> tuple[EvaluationRead, str]:
    """The data set's samples and the hash of the file that they came from.

    Raises:
        UserError: There is no such data set, its file is wrong, or it lacks a field that the configuration names.
    """
    known = known_datasets(study.evaluation)
    if name not in known:
        raise UserError(
            f"There is no data set '{name}'. The configuration and the inbox give {listing(known) or 'none'}."
        )
    dataset = known[name]
    assert dataset.file is not None, "known_datasets gives every data set its file"
    digest = sha256_of_file(dataset.file)
    in_groups = {field for fields in dataset.group_by for field in fields}
    named = [*sorted(in_groups), *([] if dataset.cluster is None else [dataset.cluster])]
    read = read_evaluation_file(dataset.file, dataset, named=named)
    refuse_unusable(read, max(study.evaluation.max_unusable_share, MOST_UNUSABLE))
    refuse_unknown_fields(name, dataset, read.fields)
    return with_ties(read, dataset.ties), digest


def refuse_unknown_fields(name: str, dataset: Dataset, fields: Sequence[str]) -> None:
    """Stop at a field that the configuration names and the file does not have.

    Raises:
        UserError: Every such name with its key, the nearest field for each, and the fields.
    """
    named = [(key, getattr(dataset, key)) for key in ("cluster", "opinion_sd", "votes")]
    named += [("group_by", field) for fields_of_group in dataset.group_by for field in fields_of_group]
    wrong = [(key, field) for key, field in dict.fromkeys(named) if field is not None and field not in fields]
    if wrong:
        words = "; ".join(f"`{key}` names '{field}'{did_you_mean(field, fields)}" for key, field in wrong)
        raise UserError(
            f"Data set '{name}': {words}, which the file does not have. Its fields are {listing(fields, 30) or 'none'}."
        )


def headline(read: EvaluationRead, digest: str) -> dict[str, Any]:
    """How many samples, what was left out, what was taken for prediction and truth."""
    return {
        "kind": read.kind,
        "n_samples": len(read.frame),
        "n_rows_in_file": read.n_rows_in_file,
        "unusable_share": n_unusable(read) / read.n_rows_in_file,
        **{f"n_left_out_{cause}": count for cause, count in read.excluded.items()},
        "n_normalised": read.n_normalised,
        "n_invalid_answers": read.n_invalid_answers,
        "prediction_field": read.prediction_field,
        "truth_field": read.truth_field,
        "fields": listing(read.fields, 30) or "none",
        "left_out": listing(read.examples) or "none",
        "notes": "; ".join(read.notes) or "none",
        "source_sha256": digest,
    }
