"""The page of gates is what the code says, and every gate says in its docstring which kind it is."""

from pathlib import Path

import dagster as dg
import pytest

from pipeline.gate_list import ADVICE, INTEGRITY, QUALITY, REGENERATE, downstream_of, gates, page, whole_graph

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
        "fidelity": {INTEGRITY, QUALITY, ADVICE},
        "pairwise": {INTEGRITY, QUALITY, ADVICE},
        "evaluation": {QUALITY, ADVICE},
        "reliability": {INTEGRITY, QUALITY, ADVICE},
    }


def test_an_integrity_gate_names_every_table_that_hangs_on_its_own() -> None:
    graph = whole_graph()
    for one in gates():
        if one.kind == INTEGRITY:
            below = downstream_of(graph, dg.AssetKey(one.table))
            assert all(f"`{key.path[-1]}`" in one.withheld for key in below), one.name


def test_a_docstring_without_the_form_is_refused_with_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    @dg.asset(group_name="fidelity")
    def table() -> None: ...

    @dg.asset_check(asset=table, blocking=True)
    def gate() -> dg.AssetCheckResult:
        """Quality (FAIL): a blocking gate that calls itself something else.

        What to do: Nothing.
        Withheld: nothing.
        """
        return dg.AssetCheckResult(passed=True)

    graph = type(whole_graph()).from_assets([table, gate])
    monkeypatch.setattr("pipeline.gate_list.whole_graph", lambda: graph)
    with pytest.raises(ValueError, match="check gate on table: its docstring must begin with"):
        gates()
