"""A table's declaration as Dagster shows it."""

from collections.abc import Iterable, Mapping
from typing import Final

import dagster as dg

from resources.tables.declare import Column, Table

# The UI has a picture for each of these words.
_SHOWN_TYPES: Final = {"whole": "int", "flag": "bool", "number": "float"}
_OBJECT: Final = ("object", "item_id", "product_id")
_CATEGORIES: Final = ("category_l1", "category_l2", "category_l3")
_ALTERATION: Final = ("alteration", "kind", "magnitude", "magnitude_unit", "expected")
_DATASET: Final = {"evaluation_samples": ("dataset",)}
_SETTING: Final = {"score_matrix": ("setting",)}
# By table, then by the table that it is made from. A column that is computed, or mixed with others, is not here.
COPIED: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "study_objects": {"human_scores": (*_OBJECT, "variant", "algorithm", *_CATEGORIES)},
    "judge_calls": {"study_objects": ("object", "item_id")},
    "score_matrix": {"study_objects": _OBJECT, "judge_calls": ("setting",)},
    "icc_by_setting": {"score_matrix": ("setting", "n_planned")},
    "stability": {"score_matrix": ("setting", *_OBJECT, "n_valid")},
    "convergence_curves": {"score_matrix": ("setting", "object")},
    "convergence_summary": {"convergence_curves": ("setting", "n")},
    "matched_scores": {
        "score_matrix": ("setting",),
        "study_objects": ("item_id", "product_id", "algorithm", *_CATEGORIES),
    },
    "human_agreement": {"matched_scores": ("setting",)},
    "annotator_test": _SETTING,
    "few_labels": {"matched_scores": ("setting",)},
    "retried_calls": _SETTING,
    "setting_summary": _SETTING,
    "recommended_setting": _SETTING,
    "golden_images": {"study_objects": (*_OBJECT, "category_l3", "reference_paths", "reference_sha256")},
    "golden_scores": {
        "golden_images": (*_OBJECT, *_ALTERATION, "chose_setting"),
        "recommended_setting": ("setting",),
    },
    "sensitivity": {"golden_scores": ("setting", *_ALTERATION)},
    "dose_response": {"golden_scores": ("setting", "kind")},
    "subscore_sensitivity": {"golden_scores": ("setting", "kind", "expected")},
    "anchor_scores": {"study_objects": ("object",)},
    "drift": {"anchor_scores": ("occasion", "setting")},
    "pairwise_results": {
        "photo_pairs": ("pair_idx", "series_id", "cluster", "winner", "agreement", "num_reviewers"),
    },
    "bradley_terry": {"photo_pairs": ("series_id",)},
    "method_metrics": {"pairwise_results": ("method",)},
    "correlation": _DATASET,
    "mcq_confusion": _DATASET,
    "option_rates": _DATASET,
    "category_breakdown": _DATASET,
    "paper_comparison": {"correlation": ("dataset",), "category_breakdown": ("dataset",)},
    "judgments": {"query_documents": ("query_id", "doc_id")},
    "query_kappa": {"judgments": ("query_id",)},
    "disputed_documents": {"query_documents": ("query_id", "doc_id")},
    "disagreements": {"query_documents": ("query_id", "query"), "query_kappa": ("prompt_version",)},
    "ground_truth": {"query_documents": ("query_id", "query")},
}


def column_lineage(table: str, made_from: Iterable[dg.AssetKey]) -> dg.TableColumnLineage:
    """Which columns a table takes over unchanged, as Dagster records it when the table is stored."""
    deps: dict[str, list[dg.TableColumnDep]] = {}
    for key in made_from:
        for column in COPIED.get(table, {}).get(key.path[-1], ()):
            deps.setdefault(column, []).append(dg.TableColumnDep(asset_key=key, column_name=column))
    return dg.TableColumnLineage(deps_by_column=deps)


def column_schema(table: Table) -> dg.TableSchema:
    """Every column with kind, meaning, unit, limits, whether it may be null and where it is copied from; the key."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                name=column.name,
                type=_SHOWN_TYPES.get(column.kind, column.kind),
                description=f"{column.meaning} [{column.unit}]" if column.unit else column.meaning,
                constraints=dg.TableColumnConstraints(
                    nullable=column.nullable, other=[*_limits(column), *_origin(table, column)]
                ),
            )
            for column in table.columns
        ],
        constraints=dg.TableConstraints(other=[f"one row per {', '.join(table.key)}"] if table.key else []),
    )


def _limits(column: Column) -> list[str]:
    limits = []
    if column.low is not None:
        limits.append(f"at least {column.low:g}")
    if column.high is not None:
        limits.append(f"at most {column.high:g}")
    if column.among is not None:
        limits.append(f"one of {', '.join(column.among)}")
    return limits


def _origin(table: Table, column: Column) -> list[str]:
    # The open-source UI records column lineage and draws none: here people see it.
    return [f"copied from {source}" for source, columns in COPIED.get(table.name, {}).items() if column.name in columns]
