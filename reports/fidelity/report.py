"""The fidelity report put together: sections, charts, help and the data that it carries."""

from typing import Any, Final

import pandas as pd

from reports.fidelity.agreement import agreement_charts
from reports.fidelity.agreement_tables import group_table, largest_errors, overall_table
from reports.fidelity.calls import (
    cost_table,
    exclusions_table,
    retried_table,
    said_of_faults,
    states_table,
)
from reports.fidelity.contents import WORDS, Contents, say
from reports.fidelity.dose import dose_charts, dose_table
from reports.fidelity.facts import facts, notices
from reports.fidelity.judges import comparison, judges_table, pairs_table, said_of_judges
from reports.fidelity.people import annotator_table, few_labels_chart, said_of_annotators, said_of_few_labels
from reports.fidelity.recommendation import recommendation
from reports.fidelity.repeatability import repeatability_charts
from reports.fidelity.sensitivity import (
    example_pictures,
    said_of_golden_set,
    sensitivity_charts,
    sensitivity_table,
)
from reports.fidelity.settings import (
    TERM_OF_GATE,
    cards,
    gates_by_place,
    gates_of_all,
    gates_of_focus,
    said_of_gates,
    said_of_variance,
)
from reports.fidelity.subscores import said_of_subscores, subscore_charts, subscore_table
from reports.shared.charts import Chart
from reports.shared.gate_row import gates_as_data
from reports.shared.page import Page, rendered
from reports.shared.pictures import pictures_in_rows
from reports.shared.text import same
from reports.shared.verdict import as_data, title_of, verdict_parts

SHOWN_PROMPTS: Final = 20
SECTIONS: Final = (
    "summary",
    "gates",
    "judges",
    "settings",
    "repeatability",
    "agreement",
    "sensitivity",
    "people",
    "calls",
)
WHOLE_TABLES: Final = (
    "setting_summary",
    "recommended_setting",
    "icc_by_setting",
    "stability",
    "convergence_summary",
    "matched_scores",
    "human_agreement",
    "golden_scores",
    "sensitivity",
    "dose_response",
    "subscore_sensitivity",
    "annotator_test",
    "few_labels",
    "retried_calls",
)
# Where files lie on the machine that made the report concerns no one else.
GOLDEN_COLUMNS: Final = [
    "object",
    "item_id",
    "product_id",
    "category_l3",
    "alteration",
    "kind",
    "magnitude",
    "magnitude_unit",
    "expected",
    "changed_share",
    "chose_setting",
    "skipped",
]
OBJECT_COLUMNS: Final = [
    "object",
    "judged_object",
    "item_id",
    "product_id",
    "variant",
    "algorithm",
    "category_l1",
    "category_l2",
    "category_l3",
    "n_references",
    "excluded",
]
REPEATS_COLUMNS: Final = ["setting", "object", "first_n", "stable_n", "projected_n", "first_n_all_looks"]


def fidelity_page(contents: Contents) -> str:
    """The report as one HTML file, the same for the same contents; a browser shows it without a network."""
    charts, doses, subscores = _charts(contents), dose_charts(contents), subscore_charts(contents)
    examples_title, examples = example_pictures(contents)
    counted, advice = gates_of_focus(contents)
    settings = contents.settings
    context: dict[str, Any] = {
        **verdict_parts(contents.verdicts),
        "facts": facts(contents),
        "notices": notices(contents),
        "study": contents.study,
        "focus": contents.focus,
        "result": recommendation(contents),
        "judges_said": said_of_judges(contents),
        "judges_table": judges_table(contents),
        "pairs_table": pairs_table(contents),
        "gates": counted,
        "advice": advice,
        "gates_said": said_of_gates(contents),
        "gates_of_all": gates_of_all(contents),
        "term_of_gate": TERM_OF_GATE,
        "cards": cards(contents),
        "said_of_variance": said_of_variance(contents),
        "overall": {key: overall_table(contents, key) for key in settings},
        "groups": {key: group_table(contents, key) for key in settings},
        "errors": largest_errors(contents),
        "golden": said_of_golden_set(contents),
        "texts_altered": contents.plan.texts is not None and len(contents.tables["sensitivity"]) > 0,
        "sensitivity_table": sensitivity_table(contents),
        "subscores": said_of_subscores(contents),
        "subscore_charts": [chart.id for chart in subscores],
        "subscore_table": subscore_table(contents),
        "dose_charts": [chart.id for chart in doses],
        "dose_table": dose_table(contents),
        "examples_title": examples_title,
        "examples": examples,
        "annotators": {key: said_of_annotators(contents, key) for key in settings},
        "annotator_tables": {key: annotator_table(contents, key) for key in settings},
        "labels": {key: said_of_few_labels(contents, key) for key in settings},
        "faults": said_of_faults(contents),
        "states": states_table(contents),
        "exclusions": exclusions_table(contents),
        "retried": retried_table(contents),
        "cost": cost_table(contents),
    }
    return rendered(
        Page(
            template="fidelity/fidelity.html.j2",
            title=title_of(contents.verdicts, say("report.title", study=same(contents.study))),
            translations=WORDS,
            sections=[
                (name, say(f"section.{name}"))
                for name in SECTIONS
                if name != "judges" or comparison(contents) is not None
            ],
            charts=[*charts, *doses, *subscores],
            tables=downloads(contents),
            about=about(contents),
            file_stem="fidelity-report",
            terms=WORDS.names_below("glossary"),
            choices=settings,
            chosen=contents.focus,
            in_rows=pictures_in_rows(contents.candidates),
            context=context,
            provenance=contents.provenance,
        )
    )


def _charts(contents: Contents) -> list[Chart]:
    return [
        *repeatability_charts(contents),
        *agreement_charts(contents),
        *sensitivity_charts(contents),
        few_labels_chart(contents),
    ]


def about(contents: Contents) -> dict[str, Any]:
    """What stands next to the tables in the download."""
    calls = contents.tables["judge_calls"]
    newest = calls["started_at"].max() if len(calls) else None
    prompts = sorted(calls["prompt_hash"].dropna().unique().tolist())
    return {
        "study": contents.study,
        "verdict": as_data(contents.verdicts),
        "judges": sorted(calls["judge_identity"].dropna().unique().tolist()),
        "models_asked": sorted(calls["model_asked"].dropna().unique().tolist()),
        "n_prompt_hashes": len(prompts),
        "first_prompt_hashes": prompts[:SHOWN_PROMPTS],
        "newest_call": None if newest is None or pd.isna(newest) else newest.isoformat(),
        "recommended": contents.recommended,
        "nearest": contents.nearest,
        **gates_as_data(gates_by_place(contents)),
        "repeats": contents.plan.repeats,
        "confidence": contents.plan.confidence,
        "seed": contents.plan.seed,
        "thresholds": contents.plan.thresholds.model_dump(),
    }


def downloads(contents: Contents) -> dict[str, pd.DataFrame]:
    """The tables as the report hands them out: whole, or without what grows with every call."""
    tables = {name: contents.tables[name] for name in WHOLE_TABLES}
    if (compared := comparison(contents)) is not None:
        tables["judge_comparison"] = compared
    if contents.verdicts is not None:
        tables = {"fidelity_trust_verdict": contents.verdicts, **tables}
    curves = contents.tables["convergence_curves"]
    calls = contents.tables["judge_calls"]
    counts = calls.groupby(["setting", "judge", "model_asked", "state"], sort=True).agg(
        n_attempts=("object", "size"), cost_usd=("cost_usd", "sum"), median_latency_ms=("latency_ms", "median")
    )
    return tables | {
        "repeats_needed": curves[REPEATS_COLUMNS].drop_duplicates(["setting", "object"]),
        "golden_images": contents.tables["golden_images"][GOLDEN_COLUMNS],
        "study_objects": contents.tables["study_objects"][OBJECT_COLUMNS],
        "judge_calls_by_state": counts.reset_index(),
    }
