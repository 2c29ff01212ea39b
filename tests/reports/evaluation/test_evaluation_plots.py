"""Confusions, groups and data sets of study C are shown with their numbers, whatever is missing from them."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.evaluation.plots import evaluation as plots
from reports.shared.colours import PAPER
from tests.reports.specifications import axis_of, drawn, legend_of, names_of, rows_of, texts, titles


def confusion(counts: dict[str, list[int]], framed: tuple[tuple[str, str], ...] = ()) -> pd.DataFrame:
    """Rows of `mcq_confusion`: a row of counts per true option, the last count for answers that are no option."""
    answers = [*counts, "invalid"]
    rows = [
        {
            "options": " | ".join(counts),
            "truth": truth,
            "prediction": answer,
            "count": count,
            "share_of_truth": count / sum(row) if sum(row) else None,
            "rank_of_confusion": framed.index((truth, answer)) + 1 if (truth, answer) in framed else None,
        }
        for truth, row in counts.items()
        for answer, count in zip(answers, row, strict=True)
    ]
    columns = ["options", "truth", "prediction", "count", "share_of_truth", "rank_of_confusion"]
    return pd.DataFrame(rows, columns=columns).astype({"count": "Int64", "rank_of_confusion": "Int64"})


TABLE = confusion({"B": [1500, 400, 100], "A": [0, 2, 0]}, (("B", "A"),))


def test_the_cells_hold_counts_and_shares_of_their_row_in_the_options_order() -> None:
    spec = drawn(plots.confusion(TABLE))
    cells = {(row["y"], row["x"]): row["label"] for rows in rows_of(spec, "text") for row in rows}
    # 1,500, 400 and 100 of 2,000 are 75, 20 and 5 %; 1,502 of 2,002 are 75.0 %.
    shown = ["1,500\n75 %", "400\n20 %", "100\n5 %", "0", "2\n100 %", "0"]
    assert [cells[place] for place in sorted(cells)] == shown
    assert names_of(spec) == ["B (n=2,000)", "A (n=2)"]
    assert names_of(spec, "x") == ["B", "A", "invalid"]
    assert titles(spec) == ["2,002 answers, 75.0 % right"]
    assert axis_of(spec, "y")["title"] == "truth"


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_the_letters_stand_out_from_every_shade() -> None:
    table = confusion({chr(65 + k): [100 - 10 * k, 10 * k, *[0] * 9] for k in range(10)})
    spec = drawn(plots.confusion(table))
    shades = {(row["y"] + 0.5, row["x"] + 0.5): row["fill"] for row in rows_of(spec, "rect")[0]}
    said = [row for rows in rows_of(spec, "text") for row in rows]
    assert len(said) == len(shades)
    for row in said:
        low, high = sorted((luminance(row["color"]), luminance(shades[row["y"], row["x"]])))
        # What WCAG 2 asks of text.
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_the_most_confused_pair_is_framed() -> None:
    [first] = rows_of(drawn(plots.confusion(TABLE)), "rect")[1:]
    centres = [((frame["x"] + frame["x2"]) / 2, (frame["y"] + frame["y2"]) / 2) for frame in first]
    np.testing.assert_allclose(centres, [(1, 0)], atol=0.01)


def test_a_matrix_of_two_option_sets_is_refused() -> None:
    with pytest.raises(ValueError, match="one option set"):
        plots.confusion(pd.concat([TABLE, confusion({"Yes": [1, 0]})]))


@pytest.mark.parametrize(
    "table",
    [
        TABLE.head(0),
        TABLE.head(1),
        confusion({"A": [0, 0]}),
        TABLE.assign(count=pd.array([None] * len(TABLE), "Int64")),
        confusion({f"a long option with $ {k}": [1] * 61 for k in range(60)}),
    ],
    ids=["empty", "one cell", "no answer", "null counts", "sixty options"],
)
def test_degenerate_matrices_are_drawn(table: pd.DataFrame) -> None:
    assert drawn(plots.confusion(table))["layer"]


def group(name: str, level: int, value: float | None, **more: Any) -> dict[str, Any]:
    row = {
        "grouped_by": "kind,level",
        "group": name,
        "level": level,
        "statistic": "srcc",
        "value": value,
        "ci_low": None if value is None else value - 0.1,
        "ci_high": None if value is None else value + 0.1,
        "n_used": 1200,
        "small": False,
        "standing": None,
        "p_difference": None,
        "undefined": None,
    }
    return row | more


GROUPS = pd.DataFrame(
    [
        group("(all)", 0, 0.6),
        group("blur", 1, 0.7, standing="best", p_difference=0.0004),
        group("noise", 1, 0.2, standing="worst", p_difference=0.0004),
        group("blur / 10", 2, 0.8, n_used=4, small=True, p_difference=0.5),
        group("blur / 2", 2, 0.7, p_difference=0.5),
        group("noise / 1", 2, None, n_used=1, small=True, undefined="1 sample"),
    ]
)


def forest(rows: pd.DataFrame) -> Any:
    return drawn(plots.forest(rows))


def test_groups_stand_above_their_subgroups_with_n_behind_the_name() -> None:
    shown = ["(all) (n=1,200)", "blur (n=1,200)", "2 (n=1,200)", "10 (n=4)", "noise (n=1,200)", "1 (n=1)"]
    assert names_of(forest(GROUPS)) == shown


def test_values_intervals_standings_and_reasons_stand_beside_the_groups() -> None:
    assert texts(forest(GROUPS)) == [
        "0.600 [0.500, 0.700]",
        "0.700 [0.600, 0.800]  best",
        "0.700 [0.600, 0.800]",
        "0.800 [0.700, 0.900]",
        "0.200 [0.100, 0.300]  worst",
        "undefined: 1 sample",
    ]


def test_the_interval_of_each_group_is_drawn_around_its_value() -> None:
    _, bars = rows_of(forest(GROUPS), "rule")
    # In the order of the rows: (all), blur, 2, 10, noise.
    np.testing.assert_allclose(
        [(bar["low"], bar["high"]) for bar in bars], [[0.5, 0.7], [0.6, 0.8], [0.6, 0.8], [0.7, 0.9], [0.1, 0.3]]
    )


def test_only_small_groups_are_hollow_and_the_plot_says_what_that_means() -> None:
    spec = forest(GROUPS)
    [dots] = rows_of(spec, "point")
    # The other small group has no value.
    assert [dot["y"] for dot in dots if dot["fill"] == PAPER] == [3]
    assert axis_of(spec, "x")["title"] == "SRCC (dashed: the whole; hollow: under 10 samples)"


def test_the_title_names_the_fields_and_tells_whether_the_outer_groups_differ() -> None:
    assert titles(forest(GROUPS)) == ["by kind, level", "do the groups differ? p < 0.001"]


def test_each_grouping_has_its_own_panel() -> None:
    rows = pd.concat([GROUPS, GROUPS.head(2).assign(grouped_by="kind", statistic="accuracy")])
    panels = forest(rows)["concat"]
    assert [titles(panel)[0] for panel in panels] == ["by kind, level", "by kind"]
    assert [axis_of(panel, "x")["title"].split()[0] for panel in panels] == ["SRCC", "accuracy"]


def test_of_three_thousand_groups_the_largest_and_the_extremes_are_drawn_and_the_rest_counted() -> None:
    many = [group(f"g{k}", 1, 0.5, n_used=k + 1, standing="worst" if k == 7 else None) for k in range(3000)]
    spec = forest(pd.DataFrame([group("(all)", 0, 0.5), *many]))
    # 60 rows: the whole and the 59 largest; the worst next to them.
    assert names_of(spec) == ["(all) (n=1,200)", "g7 (n=8)", *(f"g{k} (n={k + 1:,})" for k in range(2941, 3000))]
    assert titles(spec)[-1] == "2,940 more groups not drawn"


def test_a_level_too_many_is_left_out_whole() -> None:
    inner = [group(f"g{k % 5} / {k}", 2, 0.5, n_used=9999) for k in range(100)]
    rows = pd.DataFrame([group("(all)", 0, 0.5), *(group(f"g{k}", 1, 0.5) for k in range(5)), *inner])
    assert len(names_of(forest(rows))) == 6


@pytest.mark.parametrize(
    "rows",
    [
        GROUPS.head(0),
        GROUPS.head(1),
        GROUPS.tail(1),
        GROUPS.assign(value=None, ci_low=None, ci_high=None),
        GROUPS.assign(value=1.0, ci_low=1.0, ci_high=1.0),
        GROUPS.assign(group="$"),
    ],
    ids=["empty", "the whole only", "undefined only", "all null", "constant", "one name"],
)
def test_degenerate_groups_are_drawn(rows: pd.DataFrame) -> None:
    assert forest(rows)["$schema"]


def result(dataset: str, kind: str, statistic: str, value: float | None, **more: Any) -> dict[str, Any]:
    interval = {"ci_low": None if value is None else value - 0.1, "ci_high": None if value is None else value + 0.1}
    row = {"dataset": dataset, "kind": kind, "statistic": statistic, "value": value, "n_used": 1000, "n_total": 1000}
    return row | interval | {"undefined": None} | more


SUMMARY = pd.DataFrame(
    [
        result("(mean)", "scores", "srcc", 0.6, ci_low=None, ci_high=None),
        result("tid", "scores", "srcc", 0.7),
        result("tid", "scores", "plcc", 0.6),
        result("flat", "scores", "srcc", None, undefined="constant predictions"),
        result("quiz", "answers", "accuracy", 0.8),
    ]
)


def summary(rows: pd.DataFrame) -> Any:
    return drawn(plots.summary(rows))


def test_scores_and_answers_have_a_panel_each_with_the_means_below() -> None:
    spec = summary(SUMMARY)
    names = [param["value"] for param in spec["params"] if param["name"].endswith("_y")]
    assert names == [["tid (n=1,000)", "flat (n=1,000)", "(mean) (n=1,000)"], ["quiz (n=1,000)"]]
    scores, _ = spec["concat"]
    assert axis_of(scores, "x")["title"] == "correlation (higher is better)"
    assert legend_of(scores) == ["SRCC", "PLCC"]
    assert texts(scores) == ["undefined: constant predictions"]


def test_values_lie_in_the_row_of_their_data_set_and_means_are_diamonds() -> None:
    scores, _ = summary(SUMMARY)["concat"]
    marks = {(dot["shape"], round(dot["y"]), dot["x"]) for rows in rows_of(scores, "point") for dot in rows}
    assert marks == {("circle", 0, 0.7), ("square", 0, 0.6), ("diamond", 2, 0.6)}


@pytest.mark.parametrize(
    "rows",
    [SUMMARY.head(0), SUMMARY.head(1), SUMMARY.assign(value=None, ci_low=None, ci_high=None), SUMMARY.tail(1)],
    ids=["empty", "a mean only", "all null", "one data set"],
)
def test_degenerate_summaries_are_drawn(rows: pd.DataFrame) -> None:
    assert summary(rows)["$schema"]
