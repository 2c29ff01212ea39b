"""Where a study's report comes from: its run, configuration, inputs, judges, prompts and seed."""

import hashlib
from collections.abc import Iterable, Mapping

import dagster as dg
import pandas as pd

from assets.shared.observed_inputs import INPUTS, version_of
from resources.configuration.section import Section
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.inputs.input_versions import ABSENT, InputVersions
from resources.runtime.dagster_tags import study_of_group
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.provenance import Provenance, now
from resources.study import Study

# What Dagster 1.13 puts on a run that a schedule, a sensor or the refresh rule asked for; a backfill that the refresh
# rule starts hands these to its runs, one that a person starts has a `dagster/backfill` only.
AUTOMATIONS = (
    "dagster/schedule_name",
    "dagster/sensor_name",
    "dagster/from_automation_condition",
    "dagster/auto_materialize",
    "dagster/tick",
)


def provenance_of(
    context: dg.AssetExecutionContext,
    study: Study,
    plan: Section,
    *,
    judges: Iterable[str] = (),
    prompts: Mapping[str, str] | None = None,
) -> Provenance:
    """The provenance of a page or file that an asset writes now.

    Raises:
        OSError: An input cannot be read.
    """
    group = study_of_group(context.assets_def.specs_by_key[context.asset_key].group_name)
    return Provenance(
        made_at=now(),
        run_id=context.run.run_id,
        configuration_sha256=_configuration_hash(study, plan),
        inputs=_inputs(study, group),
        judges=tuple(judges),
        prompts=dict(prompts or {}),
        seed=getattr(plan, "seed", None),
        made_up=next((what for name, what in study.made_up.items() if name == group), ()),
    )


def prompts_by(rows: pd.DataFrame, column: str) -> dict[str, str]:
    """SHA-256 of the prompt of each value of a column; where one has several, one hash over all of them, in order.

    Args:
        rows: With this column and `prompt_hash`, which is null or empty where nothing read a prompt.
        column: Judge or prompt version.
    """
    asked = rows[rows["prompt_hash"].fillna("").astype("str") != ""]
    return {str(name): _one_hash(group["prompt_hash"].unique()) for name, group in asked.groupby(column, sort=True)}


def _one_hash(hashes: Iterable[str]) -> str:
    known = sorted(str(one) for one in hashes)
    return known[0] if len(known) == 1 else hashlib.sha256("\n".join(known).encode()).hexdigest()


def _configuration_hash(study: Study, plan: Section) -> str:
    if study.file is not None and study.file.is_file():
        return sha256_of_file(str(study.file))
    return hashlib.sha256(plan.model_dump_json().encode()).hexdigest()


def _inputs(study: Study, group: str) -> dict[str, str]:
    if group == "evaluation":
        places = {name: dataset.file for name, dataset in known_datasets(study.evaluation).items()}
    else:
        places = {name: place(study) for name, place in INPUTS[group].items()}
    with InputVersions(study.home.local).opened() as looked:
        found = {name: version_of(study, place, looked=looked).version for name, place in places.items() if place}
    return {name: version for name, version in found.items() if version != ABSENT}


def started_by_a_person(tags: Mapping[str, str]) -> bool:
    """Whether a run was launched by hand, from the UI or from the command line.

    A run that repeats an automatic one keeps its tags and counts as automatic, even if a person repeats it.
    """
    return not any(name in tags for name in AUTOMATIONS)
