"""What stands on a chart, read from its specification, for tests that hold it against the tables."""

from collections.abc import Iterator
from typing import Any

from reports.shared.drawing import Drawing, resolved
from reports.shared.figure import svg
from reports.shared.marks import is_legend


def drawn(made: Drawing | dict[str, Any]) -> dict[str, Any]:
    """The specification in English; it can be drawn."""
    spec = made.specification() if isinstance(made, Drawing) else made
    assert svg(spec).startswith("<svg")
    return spec


def layers_of(spec: dict[str, Any], mark: str) -> list[dict[str, Any]]:
    """Every layer with this mark, panel by panel, from the back to the front."""
    return [layer for layer in _all(spec) if layer["mark"]["type"] == mark]


def rows_of(spec: dict[str, Any], mark: str) -> list[list[dict[str, Any]]]:
    """The rows of each such layer, without the legend's."""
    return [layer["data"]["values"] for layer in layers_of(spec, mark) if not is_legend(layer)]


def texts(spec: dict[str, Any]) -> list[str]:
    """Words that stand on the chart, without the grounds that some have."""
    marks = [layer for layer in layers_of(spec, "text") if "stroke" not in layer["mark"]]
    return [row["label"] for layer in marks for row in layer["data"]["values"]]


def legend_of(spec: dict[str, Any]) -> list[str]:
    """Entries of the legends, from the first to the last."""
    return [row["label"] for layer in _all(spec) if is_legend(layer) for row in layer["data"]["values"]]


def lines_at(spec: dict[str, Any]) -> list[float]:
    """Where lines go across the chart."""
    return [row["at"] for rows in rows_of(spec, "rule") for row in rows if "at" in row]


def names_of(spec: dict[str, Any], side: str = "y") -> list[str]:
    """What is written at an axis in place of numbers."""
    [names] = [param["value"] for param in spec["params"] if param["name"].endswith(f"_{side}")]
    return list(names)


def titles(spec: dict[str, Any]) -> list[str]:
    """Above each panel."""
    return [line for panel in spec.get("concat", [spec]) for line in panel.get("title", {"text": []})["text"]]


def axis_of(spec: dict[str, Any], side: str) -> dict[str, Any]:
    """An axis as the first layer that stands on it has it."""
    return next(one["encoding"][side] for one in _all(spec) if "field" in one["encoding"].get(side, {}))


def english(node: Any) -> Any:
    """Part of a specification, in English."""
    return resolved(node, "en", {})


def _all(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for panel in spec.get("concat", [spec]):
        yield from panel["layer"]
