"""Every gate of the four studies, read from their declarations: the page `docs/gates.md` is made of it."""

from typing import NamedTuple

import dagster as dg

from assets.shared.gate import GATES, Kind
from pipeline.definitions import STUDIES, definitions_in
from resources.runtime.dagster_internals import AssetGraph
from resources.runtime.dagster_tags import study_of_group

REGENERATE = "make gates"
HEAD = f"""# The gates

Every asset check of the four studies, as the UI shows it on its table; `{REGENERATE}` makes this page from the code.

- **{Kind.INTEGRITY.value}**: the data are wrong. Nothing that depends on the table is made: not in the same run, not by
  the refresh rule later, and no launch by hand reads it: it stops with what the gate said. (A table further down can be
  launched by hand: it is made from what lies between, which is as it was before.)
- **{Kind.QUALITY.value}**: a threshold of the study is missed. What relies on it is withheld, everything else is made.
- **{Kind.ADVICE.value}**: worth knowing; nothing is withheld.

Each result says what was seen, over how many, what is needed and what to do; its metadata has the same four as `seen`,
`over`, `needed` and `to_do`, all as text. A check on a table with partitions has a result for each of them, and one of
the table: it fails as long as the latest result of any partition that exists fails, names those, and says which were
judged in the run that wrote it. The table's result is the one that the UI paints the table by, that a run prints and
that the report counts.
"""


class GateEntry(NamedTuple):
    """One check: where it stands, which kind it is, and what it asks, advises and withholds, in words."""

    study: str
    table: str
    name: str
    kind: Kind
    asks: str
    to_do: str
    withheld: str


def whole_graph() -> AssetGraph:
    """The tables and checks of all studies, whatever is configured."""
    return AssetGraph.from_assets([one for part in STUDIES.values() for one in definitions_in(part.package)])


def gates() -> list[GateEntry]:
    """Every gate, by study, table in the order of making, and name."""
    graph = whole_graph()
    places = {key: place for place, key in enumerate(graph.toposorted_asset_keys)}
    studies = list(STUDIES)
    entries = [
        (
            studies.index(study_of_group(graph.get(key.asset_key).group_name)),
            places[key.asset_key],
            key.name,
            _entry(graph, key),
        )
        for key in graph.asset_check_keys
    ]
    return [entry for *_, entry in sorted(entries, key=lambda one: one[:3])]


def _entry(graph: AssetGraph, key: dg.AssetCheckKey) -> GateEntry:
    said = GATES[key]
    stopped = downstream_words(graph, key.asset_key) if said.kind is Kind.INTEGRITY else "nothing."
    return GateEntry(
        study_of_group(graph.get(key.asset_key).group_name),
        key.asset_key.path[-1],
        key.name,
        said.kind,
        " ".join(said.asks.split()),
        said.to_do,
        said.withheld or stopped,
    )


def downstream_of(graph: AssetGraph, table: dg.AssetKey) -> list[dg.AssetKey]:
    """All tables that are made from a table, directly or not, in the order of making."""
    found: set[dg.AssetKey] = set()
    ahead = [table]
    while ahead:
        new = graph.get(ahead.pop()).child_keys - found
        found |= new
        ahead += new
    return [key for key in graph.toposorted_asset_keys if key in found]


def downstream_words(graph: AssetGraph, table: dg.AssetKey) -> str:
    """What an integrity gate on a table withholds; of a table with partitions only the failing one."""
    below = downstream_of(graph, table)
    if graph.get(table).partitions_def is None:
        return f"{_named(below)}."
    of_partition = [key for key in below if graph.get(key).partitions_def is not None]
    of_all = [key for key in below if graph.get(key).partitions_def is None]
    return (
        f"of the failing setting {_named(of_partition)}; over all settings, in that run, {_named(of_all)}: a run of "
        "another setting makes them without the failing one."
    )


def _named(tables: list[dg.AssetKey]) -> str:
    return ", ".join(f"`{key.path[-1]}`" for key in tables)


def page() -> str:
    """The text of `docs/gates.md`."""
    parts, entries = [HEAD], gates()
    for study in STUDIES:
        rows = [entry for entry in entries if entry.study == study]
        parts.append(
            f"\n## {study.capitalize()}\n\n| table | gate | kind | asks | what to do | withheld |\n"
            + "| --- " * 6
            + "|\n"
        )
        parts += [
            f"| `{one.table}` | `{one.name}` | {one.kind.value} | {_sentence(one.asks)} | {one.to_do} | "
            f"{_sentence(one.withheld)} |\n"
            for one in rows
        ]
    return "".join(parts)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
