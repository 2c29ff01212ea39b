"""Inputs that people bring: where each lies, and how its content becomes a version that Dagster knows."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import dagster as dg

from resources.inputs.input_versions import ABSENT, InputVersion, InputVersions
from resources.runtime.dagster_tags import DATA_VERSION, SEEN_VERSION
from resources.study import Study

# Dagster 1.13 calls it beta, and automation follows no other observation: a plain `AssetSpec` counts as never there.
warnings.filterwarnings("ignore", message="Function `multi_observable_source_asset`", category=dg.BetaWarning)

Place = Callable[[Study], Path | None]
NOT_A_FILE: Final = "not a file"

# By study and input: where it lies; null where the study has none, or keeps it in a database.
INPUTS: Final[Mapping[str, Mapping[str, Place]]] = {
    "fidelity": {
        "score_file": lambda study: study.fidelity.human_scores,
        "catalogue_file": lambda study: study.fidelity.catalogue,
        "selection_file": lambda study: study.fidelity.selected_objects,
        "reference_images": lambda study: study.fidelity.references,
        "candidate_images": lambda study: study.fidelity.candidates,
    },
    "pairwise": {
        "votes_file": lambda study: study.pairwise.pairs_csv,
        "photos": lambda study: study.pairwise.image_root,
    },
    "reliability": {"queries_file": lambda study: study.reliability.queries},
}
# Tables that note the hash of the one file which they read, by that input.
HASHED_BY: Final[Mapping[str, str]] = {
    "score_file": "human_scores",
    "votes_file": "photo_pairs",
    "queries_file": "query_documents",
}


def input_spec(name: str, group: str, kind: str, description: str) -> dg.AssetSpec:
    """What the graph shows of an input: it is observed, never made."""
    return dg.AssetSpec(name, group_name=f"{group}_inputs", kinds={kind}, description=description)


def input_asset(name: str, group: str, kind: str, description: str) -> dg.AssetsDefinition:
    """An input that is a file or folder, which the graph shows and observes; arguments as of `input_spec`."""

    @dg.multi_observable_source_asset(name=name, specs=[input_spec(name, group, kind, description)])
    def look(study: dg.ResourceParam[Study]) -> Iterator[dg.ObserveResult]:
        """Its content now, as one version."""
        yield observed(study, name, INPUTS[group][name](study))

    return look


def observed(study: Study, name: str, place: Path | None) -> dg.ObserveResult:
    """An input as it is at that place now.

    Raises:
        OSError: It cannot be read.
    """
    found = version_of(study, place)
    version = dg.DataVersion(found.version)
    return dg.ObserveResult(asset_key=name, data_version=version, metadata=about_input(place, found))


def observation(
    key: dg.AssetKey, place: Path | None, found: InputVersion, partition: str | None = None
) -> dg.AssetObservation:
    """The event that tells Dagster of an input's version outside of a step of the input itself."""
    tags = {DATA_VERSION: found.version}
    return dg.AssetObservation(key, partition=partition, metadata=about_input(place, found), tags=tags)


def version_of(
    study: Study,
    place: Path | None,
    *,
    looked: InputVersions | None = None,
    quiet_s: float = 0.0,
    seconds: float | None = None,
) -> InputVersion:
    """The version of what lies there, `not a file` where nothing can; as `InputVersions.of` gives it.

    `looked` is opened already, where many places are looked at.
    """
    if place is None:
        return InputVersion(NOT_A_FILE, 0, 0)
    return (looked or InputVersions(study.home.local)).of(place, quiet_s=quiet_s, seconds=seconds)


def read_version(made: dg.AssetMaterialization, name: str, place: Path | None) -> str | None:
    """The version of an input that a table was made from; null where nothing tells."""
    if place is not None and HASHED_BY.get(name) == made.asset_key.path[-1]:
        # The input was observed before it was read, and may have changed in between.
        source = made.metadata.get("source_sha256")
        if source is not None:
            return str(source.value)
    return (made.tags or {}).get(SEEN_VERSION + name)


def about_input(place: Path | None, found: InputVersion) -> dict[str, Any]:
    """What an observation says of an input besides its version."""
    if place is None:
        return {"found": "not configured as a file"}
    where = "nothing is there" if found.version == ABSENT else "there"
    return {
        "path": dg.MetadataValue.path(str(place)),
        "found": where,
        "n_files": found.n_files,
        "n_bytes": found.n_bytes,
    }
