"""The page of gates is what the code says, and every check is declared as a gate."""

from pathlib import Path

import dagster as dg
import pytest

from analysis.gates import Gate
from assets.shared.gate import Kind, gate
from pipeline.gate_list import REGENERATE, downstream_of, gates, page, whole_graph

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gates.md"


def test_the_page_of_gates_is_what_the_code_says() -> None:
    assert PAGE.read_text() == page(), f"docs/gates.md is stale. Run `{REGENERATE}` and commit the page."


def test_every_check_is_on_the_page_with_what_to_do() -> None:
    entries = gates()
    assert {(one.table, one.name) for one in entries} == {
        (key.asset_key.path[-1], key.name) for key in whole_graph().asset_check_keys
    }
    for one in entries:
        assert one.asks.endswith("."), one
        assert one.to_do.endswith("."), one
        assert one.withheld.endswith("."), one


def test_each_study_has_its_kinds_of_gates() -> None:
    kinds: dict[str, set[str]] = {}
    for one in gates():
        kinds.setdefault(one.study, set()).add(one.kind)
    # Data sets are refused while they are read, so study C needs no gate on integrity.
    assert kinds == {
        "fidelity": {Kind.INTEGRITY, Kind.QUALITY, Kind.ADVICE},
        "pairwise": {Kind.INTEGRITY, Kind.QUALITY, Kind.ADVICE},
        "evaluation": {Kind.QUALITY, Kind.ADVICE},
        "reliability": {Kind.INTEGRITY, Kind.QUALITY, Kind.ADVICE},
    }


def test_an_integrity_gate_names_every_table_that_hangs_on_its_own() -> None:
    graph = whole_graph()
    for one in gates():
        if one.kind == Kind.INTEGRITY:
            below = downstream_of(graph, dg.AssetKey(one.table))
            assert all(f"`{key.path[-1]}`" in one.withheld for key in below), one.name


@pytest.mark.parametrize(
    ("kind", "withheld"), [(Kind.QUALITY, ""), (Kind.INTEGRITY, "nothing."), (Kind.ADVICE, "nothing.")]
)
def test_only_a_quality_gate_says_what_is_withheld(kind: Kind, withheld: str) -> None:
    @dg.asset
    def table() -> None: ...

    with pytest.raises(ValueError, match="a gate on table: a quality gate says what is withheld, and no other does"):

        @gate(table, kind, to_do="Nothing.", withheld=withheld)
        def holds(table: None) -> Gate:
            """It holds."""
            return Gate("holds", True, None, "nothing", "It holds.")
