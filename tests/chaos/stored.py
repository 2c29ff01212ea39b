"""What a study left, made comparable with what another run of it left: tables, rows of the ledger, files."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd
import sqlalchemy as sa

from resources.database.reliability.models import Base, Query
from tests.pipeline.week import of_one_moment

# What the clock says of the work, and so never twice the same.
DURATIONS = ("_ms", "_per_s", "throughput", "efficiency", "speed_rank")
# Counts of what this run computed itself, none of what it found; and what names rows by their numbers.
OF_THE_RUN = ("n_computed", "submission")
# Study D's tables of the ledger, those of judge calls apart.
LEDGER = tuple(name for name in Base.metadata.tables if name != "judge_calls")
# Every validation stays, also one whose run was broken off after it: the latest is what the study found.
HISTORIES = ("kappa_validation", "validation_results")


def of_this_run(table: pd.DataFrame) -> pd.DataFrame:
    """The table without numbers of rows, times, addresses, and how long something took here."""
    table = of_one_moment(table)
    return table.drop(columns=[name for name in table.columns if name.endswith(DURATIONS) or name in OF_THE_RUN])


def latest(validations: pd.DataFrame) -> pd.DataFrame:
    """The last one, without how many votes came since the one before: that one may have been broken off."""
    last = validations.tail(1)
    steps = [json.loads(one) if isinstance(one, str) else one for one in last["contingency_actions"]]
    kept = [[{key: value for key, value in step.items() if key != "n_votes"} for step in of_one] for of_one in steps]
    return last.assign(contingency_actions=pd.Series(kept, index=last.index, dtype="object"))


def ledger_rows(connection: sa.Connection) -> dict[str, pd.DataFrame]:
    """Study D's rows in the order in which they came, their queries and documents by name; none before a migration."""
    if not set(LEDGER) <= set(sa.inspect(connection).get_table_names()):
        return {}
    found = {}
    for name in LEDGER:
        table = Query.metadata.tables[name]
        rows = connection.execute(sa.select(table).order_by(table.c["id"])).all()
        frame = pd.DataFrame(rows, columns=list(table.c.keys()))
        found[name] = latest(frame) if name in HISTORIES else frame
    queries = found["queries"].set_index("id")["query_id"]
    documents = found["documents"].set_index("id")
    named = documents["query_row"].map(queries) + "/" + documents["doc_id"]
    for frame in found.values():
        for column, names in (("query_row", queries), ("document_row", named)):
            if column in frame:
                frame[f"{column}_name"] = frame[column].map(names)
    return {f"ledger {name}": of_this_run(frame) for name, frame in found.items()}


def contents(folder: Path, pattern: str) -> pd.DataFrame:
    """Name and content's hash of each file that is there, without the run and time of which a JSON result speaks."""
    files = sorted(folder.glob(pattern))
    names, hashes = [str(file.relative_to(folder)) for file in files], [_comparable_hash(file) for file in files]
    return pd.DataFrame({"file": names, "content": hashes})


def _comparable_hash(file: Path) -> str:
    if file.suffix != ".json":
        return content_hash(file)
    said = json.loads(file.read_bytes())
    for name in ("made_at", "run_id", "configuration_sha256"):
        said.get("provenance", {}).pop(name, None)
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def content_hash(file: Path) -> str:
    """SHA-256 of its bytes."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def differing_files(table: pd.DataFrame, store: Path) -> Iterator[str]:
    """Files that a table names in `path` or `paths` and hashes in `sha256`, gone or of another content, in words.

    Args:
        table: As it is stored.
        store: The folder that a store on loopback serves, for addresses there.
    """
    for column in table.columns:
        hashes = column.removesuffix("s").removesuffix("path") + "sha256"
        if not column.endswith(("path", "paths")) or hashes not in table:
            continue
        named = table[[column, hashes]].explode([column, hashes]).dropna().drop_duplicates()
        for address, stored in named.itertuples(index=False):
            file = Path(address.removeprefix("file://").replace("webhdfs://", str(store)))
            if not file.is_file():
                yield f"{column} {file} is gone"
            elif content_hash(file) != stored:
                yield f"{column} {file} has another content"


def differing(ours: Mapping[str, pd.DataFrame], theirs: Mapping[str, pd.DataFrame]) -> list[str]:
    """Tables of one side only, and columns whose values, types or order of rows are not the same."""
    found = [f"{name}: only on one side" for name in sorted(ours.keys() ^ theirs.keys())]
    for name in sorted(ours.keys() & theirs.keys()):
        one, two = ours[name].reset_index(drop=True), theirs[name].reset_index(drop=True)
        if len(one) != len(two):
            found.append(f"{name}: {len(one)} rows, not {len(two)}")
            continue
        for column in one.columns.union(two.columns, sort=False):
            if column not in one or column not in two or not one[column].equals(two[column]):
                found.append(f"{name}.{column}")
    return found
