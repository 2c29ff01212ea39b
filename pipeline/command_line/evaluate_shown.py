"""Results of `touchstone evaluate` for people, as tables that fit 80 columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from analysis.words import count_noun
from pipeline.command_line.terminal import grid
from resources.errors import listing

COEFFICIENTS = {
    "kappa": "kappa",
    "ac1": "AC1",
    "weighted_kappa_linear": "weighted kappa, linear",
    "weighted_kappa_quadratic": "weighted kappa, quadratic",
}
NAMES = {"srcc": "SRCC", "plcc": "PLCC", "krcc": "KRCC", "accuracy": "accuracy", "rmse": "RMSE"}
LABELS = {
    "outlier_ratio": "outlier ratio",
    "rmse_epsilon": "RMSE epsilon",
    "krasula_different_similar": "different/similar",
    "krasula_better_worse": "better/worse",
}
SHOWN_ROWS = 3
CLUSTERS = re.compile(r"\b(\d+) cluster(s?)\b")
WIDEST_MATRIX, WIDEST_NAME = 7, 12
SHOWN_PAIRS, SHOWN_GROUPS = 6, 100


def show_correlation(result: Mapping[str, Any], console: Console) -> None:
    """Each metric's statistics, then the metrics against each other."""
    metrics = result.get("metrics", [result])
    read = None
    for metric in metrics:
        # Metrics of one file mostly lack the same rows: said once.
        if read != (read := [metric[key] for key in ("n_used", "excluded_examples", "n_normalised", "notes")]):
            show_source({**result, **metric}, console)
        direction = "" if metric["higher_is_better"] else " (lower is better: its sign is turned)"
        console.print(f"{metric['prediction']}{direction} against {result['truth']}")
        for names, reason in _grouped([metric], "undefined"):
            console.print(f"{names} undefined: {reason}.")
        console.print(_statistics(metric, result["settings"]["confidence"]))
    for names, part in _grouped(metrics, "methods"):
        console.print(f"{names}: {counted(part, result)}.")
    if "comparisons" in result:
        console.print()
        _show_comparisons(result, console)


def show_papers(result: Mapping[str, Any], console: Console) -> None:
    """Our numbers next to the paper's, what the paper says of them, and entries of something else."""
    show_source(result, console)
    console.print(f"{result['prediction']} against {result['truth']}, next to {result['baseline']}")
    for one in result["comparisons"]:
        if one["undefined"] is not None:
            console.print(f"{_paper_number(one)}: {one['undefined']}.")
    table = grid("", ">ours", f">{percent(result)} CI", ">paper", ">delta", ">relative", "")
    for one in result["comparisons"]:
        relative = "-" if one["relative"] is None else f"{one['relative']:+.1%}"
        delta = "-" if one["delta"] is None else f"{one['delta']:+.3f}"
        verdict = {True: Text("investigate", style="red"), False: Text("in our interval", style="green")}
        table.add_row(
            _paper_number(one),
            number(one["value"]),
            interval(one["ci"]),
            number(one["paper_value"]),
            delta,
            relative,
            verdict.get(one["deviates"], Text("-")),
        )
    console.print(table)
    for one in result["comparisons"]:
        setup = [f"{key} {one[key]}" for key in ("model", "tools", "protocol") if one[key] is not None]
        if setup:
            console.print(f"{_paper_number(one)} {number(one['paper_value'])}: {'; '.join(setup)}.")
    if result["other_entries"]:
        entries = [f"{one['dataset']} {one['metric']}" for one in result["other_entries"]]
        n = sum(one["n"] for one in result["other_entries"])
        console.print(f"Of another data set or metric, not compared: {n} ({listing(entries)}).")


def _paper_number(one: Mapping[str, Any]) -> str:
    return named(one["metric"]) + (f", {one['category']}" if one["category"] else "")


def show_source(result: Mapping[str, Any], console: Console) -> None:
    """How many rows were used, what was left out and why, and what the reader noted."""
    used, total = result["n_used"], result["n_total"]
    clusters = f", {result['n_clusters']} clusters by {result['cluster']}" if result["cluster"] is not None else ""
    console.print(f"{result['file']}: {used:,} of {count_noun(total, 'row')} used{clusters}", style="bold")
    if result["excluded"]:
        causes = ", ".join(f"{count:,} {cause}" for cause, count in result["excluded"].items())
        console.print(f"Left out: {causes}.", style="yellow")
        for example in result["excluded_examples"][:SHOWN_ROWS]:
            console.print(Padding(example, (0, 0, 0, 2)))
        if total - used > min(SHOWN_ROWS, len(result["excluded_examples"])):
            console.print("  ...")
    if result["n_normalised"]:
        how = "numbers written as text" if result["kind"] == "scores" else "answers or truths in another spelling"
        console.print(f"Read as meant: {how} in {count_noun(result['n_normalised'], 'row')}.")
    for note in result["notes"]:
        console.print(note)


def named(statistic: str) -> str:
    """A statistic as people write it: `plcc_logistic_4` is "PLCC mapped"."""
    first, _, mapping = statistic.partition("_")
    if statistic in LABELS or first not in NAMES:
        return LABELS.get(statistic, statistic)
    return f"{NAMES[first]} mapped" if mapping else NAMES[first]


def counted(method: str, result: Mapping[str, Any]) -> str:
    """A method in words; where nothing was clustered each sample is its own cluster, and samples are spoken of."""
    if result["cluster"] is not None:
        return method
    return CLUSTERS.sub(lambda found: f"{int(found[1]):,} sample{found[2]}", method)


def number(value: float | None) -> str:
    """Three decimals, or a dash where there is no number."""
    return "-" if value is None else f"{value:.3f}"


def interval(bounds: Sequence[float] | None) -> str:
    """Both bounds with three decimals, or a dash."""
    return "-" if bounds is None else f"[{bounds[0]:.3f}, {bounds[1]:.3f}]"


def p_value(p: float | None) -> str:
    """Three decimals, and no smaller than they tell."""
    return "-" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def yes_or_no(flag: bool | None) -> str:
    """A dash where it is not known."""
    return {True: "yes", False: "no", None: "-"}[flag]


def percent(result: Mapping[str, Any]) -> str:
    """The confidence as people write it."""
    return f"{result['settings']['confidence'] * 100:g} %"


def _statistics(metric: Mapping[str, Any], confidence: float) -> Table:
    flipped, bca = not metric["higher_is_better"], any(metric.get(f"{name}_ci_bca") for name in NAMES)
    headings = ["", ">value", f">{confidence * 100:g} % CI", *([">BCa"] if bca else []), ">p", "sign."]
    table = grid(*headings, *([">as given"] if flipped else []))
    for name in _names(metric):
        correlation = f"{name}_pvalue" in metric
        bounds = f"{name}_headline_ci" if correlation else f"{name}_ci"
        cells = [named(name), number(metric[name]), interval(metric[bounds]) if bounds in metric else ""]
        cells += [interval(metric[f"{name}_ci_bca"]) if correlation else ""] if bca else []
        cells += (
            [p_value(metric[f"{name}_pvalue"]), yes_or_no(metric[f"{name}_significant"])] if correlation else ["", ""]
        )
        cells += [number(metric[f"{name}_as_given"]) if correlation else ""] if flipped else []
        table.add_row(*cells)
    return table


def _names(metric: Mapping[str, Any]) -> Iterator[str]:
    """The statistics among a metric's keys."""
    known = (*NAMES, "outlier", "krasula")
    endings = ("_ci", "_ci_bca", "_pvalue", "_significant", "_as_given")
    for key in metric:
        if key.split("_")[0] in known and not key.endswith(endings):
            yield key


def _grouped(metrics: Sequence[Mapping[str, Any]], key: str) -> Iterator[tuple[str, str]]:
    """Statistics that share a part of what is said, named together; the metrics too where it is not so for all."""
    shared: dict[str, dict[str, list[str]]] = {}
    for metric in metrics:
        for name, said in metric[key].items():
            for part in said.split("; "):
                if part.startswith("outside formats"):
                    continue
                shared.setdefault(part, {}).setdefault(metric["prediction"], []).append(named(name))
    for part, of_metric in shared.items():
        statistics = ", ".join(dict.fromkeys(name for names in of_metric.values() for name in names))
        yield statistics + (f" of {', '.join(of_metric)}" if len(of_metric) < len(metrics) else ""), part


def _show_comparisons(result: Mapping[str, Any], console: Console) -> None:
    console.print("The metrics on the samples that both have", style="bold")
    table = grid("", "first", "second", ">difference", f">{percent(result)} CI", "differ")
    for pair in result["comparisons"]:
        for name in NAMES:
            if f"{name}_difference" in pair:
                table.add_row(
                    named(name),
                    pair["first"],
                    pair["second"],
                    f"{pair[f'{name}_difference']:+.3f}",
                    interval(pair[f"{name}_difference_ci"]),
                    yes_or_no(pair[f"{name}_significant"]),
                )
    console.print(table)
    for pair in result["comparisons"]:
        of = f"{pair['first']} - {pair['second']}"
        if pair["undefined"] is not None:
            console.print(f"{of} undefined: {pair['undefined']}.")
            continue
        tests = [
            f"{word} {test['statistic']:.2f}, p {p_value(test['pvalue'])}"
            for word, test in (("Williams' t", pair["williams"]), ("Steiger's Z", pair["steiger"]))
            if test["statistic"] is not None
        ]
        if tests:
            console.print(f"{of}, PLCC ({pair['n_used']:,} samples): {'; '.join(tests)}.")
    methods = {
        pair[f"{name}_method"]: None for pair in result["comparisons"] for name in NAMES if f"{name}_method" in pair
    }
    if methods:
        console.print(f"Intervals: {counted(listing(methods), result)}. Williams and Steiger assume independence.")


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
    _show_agreement(confusion, console)
    undefined: dict[tuple[str, str], list[str]] = {}
    for option in confusion["by_option"]:
        for why in option["undefined"].items():
            undefined.setdefault(why, []).append(option["option"])
    for (rate, reason), options in undefined.items():
        console.print(f"{rate.capitalize()} undefined, {reason}: {listing(options)}.")


def _show_agreement(confusion: Mapping[str, Any], console: Console) -> None:
    """Kappa and its kind in a line, and whether options are answered as often as they are right."""
    known = [one for one in confusion["agreement"] if one["value"] is not None]
    if known:
        words = [f"{COEFFICIENTS[one['statistic']]} {number(one['value'])} {interval(one['ci'])}" for one in known]
        console.print(
            f"Beyond chance, of {count_noun(confusion['n_options_answered'], 'answer')}: {', '.join(words)} "
            f"({_basis(known[0]['method'])})."
        )
    test = confusion["equal_use"]
    if test["p"] is not None:
        console.print(
            f"Are options answered as often as they are right? Bhapkar's chi-square {test['chi_square']:.2f}, "
            f"{test['df']} df, p {p_value(test['p'])} ({_basis(test['method'])})."
        )


def _basis(method: str) -> str:
    """What an interval or test counts as independent."""
    if method.startswith("none: "):
        return method.removeprefix("none: ")
    return f"over {method.rpartition(', ')[2]}" if method.endswith("clusters") else "assumes independent samples"


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
        f"{len(apart)} of {count_noun(len(difference['pairs']), 'pair')} differ{'s' * (len(apart) == 1)} (Holm)"
        + (f": {listing(shown, SHOWN_PAIRS)}." if shown else ".")
    )


def _path(group: Mapping[str, Any]) -> str:
    return " / ".join(group["fields"].values()) or "(all)"


def _short(name: str) -> str:
    return name if len(name) <= WIDEST_NAME else f"{name[: WIDEST_NAME - 1]}…"
