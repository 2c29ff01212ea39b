"""Results of `touchstone evaluate` for people: answers and groups as tables that fit 80 columns."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from pipeline.command_line.evaluate_shown import (
    counted,
    grid,
    in_words,
    interval,
    named,
    number,
    p_value,
    percent,
    show_source,
)
from resources.errors import listing

WIDEST_MATRIX, WIDEST_NAME = 7, 12
SHOWN_PAIRS, SHOWN_GROUPS = 6, 100


def show_answers(result: Mapping[str, Any], console: Console) -> None:
    """Accuracy, then for each set of options the matrix, the rates and the most confused pairs."""
    show_source(result, console)
    console.print(
        f"Accuracy {number(result['accuracy'])}, {percent(result)} CI {interval(result['accuracy_ci'])} "
        f"({result['n_correct']:,} right; {counted(result['methods']['accuracy'], result)})"
    )
    for confusion in result["confusions"]:
        console.print()
        _show_confusion(confusion, console)


def show_breakdown(result: Mapping[str, Any], console: Console) -> None:
    """The groups nested, the best and the worst of each level, and whether the groups differ."""
    show_source(result, console)
    statistic, fields = result["statistic"], result["group_by"]
    reasons = [f"{_path(group)}: {group['undefined']}" for group in result["groups"] if group["undefined"] is not None]
    if reasons:
        console.print(f"Undefined: {'; '.join(reasons[:SHOWN_PAIRS])}{' ...' if len(reasons) > SHOWN_PAIRS else ''}.")
    table = grid(*fields, f">{named(statistic)}", f">{percent(result)} CI", ">n", "")
    for group in result["groups"][:SHOWN_GROUPS]:
        values = [
            group["fields"].get(name, "(all)" if level == len(group["fields"]) else "")
            for level, name in enumerate(fields)
        ]
        mark = "under 10" if group["small"] else group["standing"] or ""
        style = {"best": "green", "worst": "red"}.get(group["standing"] or "", "")
        bold = "bold" if len(group["fields"]) < len(fields) else ""
        table.add_row(
            *values,
            number(group[statistic]),
            interval(None if group["ci_lower"] is None else (group["ci_lower"], group["ci_upper"])),
            f"{group['sample_count']:,}",
            Text(mark, style=style),
            style=bold,
        )
    console.print(table)
    if len(result["groups"]) > SHOWN_GROUPS:
        console.print(f"and {len(result['groups']) - SHOWN_GROUPS:,} more groups; `--json` has them all.")
    for level in result["levels"]:
        _show_level(level, statistic, console)
    whole = result["groups"][0]
    if whole["method"] is not None:
        console.print(f"Intervals, of the whole: {counted(whole['method'], result)}.")


def _show_confusion(confusion: Mapping[str, Any], console: Console) -> None:
    names = [option["option"] for option in confusion["by_option"]]
    console.print(f"Options {', '.join(names)}: n = {confusion['n_used']:,}, accuracy {number(confusion['accuracy'])}")
    matrix_fits = len(names) <= WIDEST_MATRIX
    answers = [f">{_short(column)}" for column in confusion["columns"]] if matrix_fits else []
    table = grid("truth \\ answer" if matrix_fits else "option", *answers, ">n", ">recall", ">precision", ">excess")
    for option, counts in zip(confusion["by_option"], confusion["matrix"], strict=True):
        table.add_row(
            _short(option["option"]),
            *([f"{count:,}" for count in counts] if matrix_fits else []),
            f"{option['n_true']:,}",
            number(option["recall"]),
            number(option["precision"]),
            f"{option['excess']:+,}" if option["excess"] else "0",
        )
    console.print(table)
    words = [
        f"Answered too {how}: {', '.join(confusion[key])}."
        for how, key in (("often", "over_predicted"), ("rarely", "under_predicted"))
        if confusion[key]
    ]
    if words:
        console.print(" ".join(words))
    if confusion["most_confused"]:
        pairs = [f"{pair['truth']} taken for {pair['prediction']} {pair['n']:,}" for pair in confusion["most_confused"]]
        console.print(f"Most confused: {', '.join(pairs)}.")
    undefined: dict[tuple[str, str], list[str]] = {}
    for option in confusion["by_option"]:
        for why in option["undefined"].items():
            undefined.setdefault(why, []).append(option["option"])
    for (rate, reason), options in undefined.items():
        console.print(f"{rate.capitalize()} undefined, {reason}: {listing(options)}.")


def _show_level(level: Mapping[str, Any], statistic: str, console: Console) -> None:
    by = ", ".join(level["by"])
    if level["best"] is not None:
        ends = [f"{word} {_path(level[word])} {number(level[word][statistic])}" for word in ("best", "worst")]
        console.print(f"By {by}: {', '.join(ends)}.")
    difference = level["difference"]
    if difference is None:
        console.print(f"Differences by {by} are not tested: {level['undefined']}.")
        return
    if difference["chi_square"] is None:
        console.print(f"Differences by {by}: {difference['method']}.")
        return
    apart = [pair for pair in difference["pairs"] if pair["significant"]]
    shown = [f"{one['first']} - {one['second']} {one['difference']:+.3f} (h {one['cohens_h']:+.2f})" for one in apart]
    console.print(
        f"Differences by {by}: chi-square {difference['chi_square']:.2f}, df {difference['df']}, "
        f"p {p_value(difference['pvalue'])}{difference['method'].removeprefix('chi-square')}; "
        f"{len(apart)} of {in_words(len(difference['pairs']), 'pair')} differ{'s' * (len(apart) == 1)} (Holm)"
        + (f": {listing(shown, SHOWN_PAIRS)}." if shown else ".")
    )


def _path(group: Mapping[str, Any]) -> str:
    return " / ".join(group["fields"].values()) or "(all)"


def _short(name: str) -> str:
    return name if len(name) <= WIDEST_NAME else f"{name[: WIDEST_NAME - 1]}…"
