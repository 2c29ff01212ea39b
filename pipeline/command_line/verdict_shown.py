"""What `touchstone verdict` prints for people: the verdict on each judge first, then what it rests on."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from analysis.verdict.panel import LEVEL, uses_labels_otherwise
from analysis.verdict.people import are_a_crowd
from analysis.words import count_noun, decimals, with_bounds
from pipeline.command_line.terminal import grid
from reports.shared.numbers import MINUS, any_unreliable, columns_of_errors, p_value
from reports.shared.text import Part, Translations
from reports.shared.verdict import full_word, step_of, style_of
from resources.errors import listing
from resources.runtime.sanitize import one_line

# Those of the page: its module loads all that a page needs.
WORDS: Final = Translations("verdict/words")
SHOWN_LABELS, SHOWN_COLUMNS = 6, 4
# Of steps of a scale weighted kappa says the same; `--json` has them.
NOT_OF_STEPS = ("Pearson", "CCC", "ICC(A,1)", "root mean square error")
ERRORS = {
    "judge - people": ("its ratings less people's", "change by"),
    "another label": ("another label than people's", "is by"),
    "absolute error": ("the size of its errors", "changes by"),
}
OF_A_LABEL = ("sensitivity of ", "precision of ")
SHOWN_PEOPLE, SHOWN_PAIRS, JUDGES_IN_A_TABLE = 8, 6, 2
# Of more judges the verdict alone is said of each, and what compares them.
MOST_IN_FULL, LONGEST_HEAD = 6, 22


def show_verdict(result: Mapping[str, Any], console: Console) -> None:
    """The verdict on each judge, then what it rests on."""
    people = listing(result["people"], 4)
    console.print(f"{result['file']}: {_objects(result)}; people: {people}", soft_wrap=True)
    in_full = len(result["judges"]) <= MOST_IN_FULL
    if not in_full:
        console.print()
    for judge in result["judges"]:
        said = judge["verdict"]
        if in_full:
            console.print()
        line = Text(f"May {judge['name']} stand in for people? " if len(result["people"]) > 1 else "")
        if len(result["people"]) == 1:
            line = Text(f"{judge['name']} and {people}: ")
        line.append(full_word(said["word"], result["people"]), style=style_of(said["word"]))
        console.print(line, soft_wrap=True)
        if not in_full:
            continue
        for reason in said["reasons"]:
            console.print(Padding(Text(_sentence(reason)), (0, 0, 0, 2)))
        if (step := step_of(judge, result["people"])) is not None:
            console.print(Padding(Text(step.plain("en").replace(MINUS, "-")), (0, 0, 0, 2)))
        if depends := columns_of_errors(judge):
            varies = _say("not_covered.depends", columns=listing(depends, SHOWN_COLUMNS))
            console.print(Padding(Text(varies), (0, 0, 0, 2)))
    _show_people(result, console)
    if in_full:
        _show_statistics(result, console)
        _show_errors(result, console)
        _show_unrated(result, console)
    _show_comparison(result, console)
    if not in_full:
        console.print(f"Reasons and statistics of more than {MOST_IN_FULL} judges: `--report FILE.html` or `--json`.")
    if any(any_unreliable(judge | {"each_person": []}) for judge in result["judges"]):
        why = "too few objects or clusters, or no error of one kind was seen"
        console.print(f"?: an interval that is known to be too narrow: {why}.", soft_wrap=True)
    for note in result["notes"]:
        console.print(Padding(Text(f"Note: {note}", style="bright_black"), (0, 0, 0, 0)))


def _say(key: str, **parts: Part) -> str:
    """The page's words in English."""
    return WORDS.say(key, **parts).plain("en")


def _objects(result: Mapping[str, Any]) -> str:
    n, clusters = result["n_objects"], result["n_clusters"]
    of = f" ({listing(result['labels'], 8)})" if result["labels"] else ""
    said = f"{count_noun(n, 'object')} rated by people, {result['scale']} ratings{of}"
    if result["cluster"] or clusters < n:
        said += f", {count_noun(clusters, 'cluster')}" + (f" by '{result['cluster']}'" if result["cluster"] else "")
    return said


def _between(bounds: Sequence[float]) -> str:
    return f"[{bounds[0]:.3f}, {bounds[1]:.3f}]"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _show_people(result: Mapping[str, Any], console: Console) -> None:
    judges = [judge for judge in result["judges"] if judge["people"]]
    if not judges:
        return
    console.print(f"\n{result['measure']} with the other people, and the judge's in a person's place")
    table = grid("", ">n", ">a person", ">the judge")
    if len(judges) == 1:
        [judge] = judges
        for person in judge["people"][:SHOWN_PEOPLE]:
            table.add_row(str(person["name"]), f"{person['n']:,}", _number(person["person"]), _number(person["judge"]))
        left = len(judge["people"]) - SHOWN_PEOPLE
        if left > 0:
            table.add_row(f"and {left} more", "", "", "")
    for judge in judges:
        of_all = "all_pooled" if are_a_crowd([one["n"] for one in judge["people"]]) else "all_people"
        name = _say(of_all) if len(judges) == 1 else judge["name"]
        n = f"{judge['n']:,}"
        table.add_row(name, n, _shown(judge["people_agreement"]), _shown(judge["agreement"]))
    console.print(table)
    for judge in judges:
        if judge["with_other_people"]:
            own, order = (_between(judge["with_other_people"][part]) for part in ("agreement", "difference"))
            console.print(_say("other_people", judge=judge["name"], own=own, difference=order))


def _show_statistics(result: Mapping[str, Any], console: Console) -> None:
    lines = [line for judge in result["judges"] for line in judge["statistics"]]
    each = " (*: each person in turn)" if any(line["against"] for line in lines) else ""
    console.print(f"\nAgainst {result['reference']}{each}, with 95 % intervals")
    for start in range(0, len(result["judges"]), JUDGES_IN_A_TABLE):
        judges = result["judges"][start : start + JUDGES_IN_A_TABLE]
        table = grid("", *(part for judge in judges for part in (f">{one_line(judge['name'], LONGEST_HEAD)}", ">n")))
        for name, against in _names(judges):
            of = f"{name} *" if against else name
            table.add_row(of, *(part for judge in judges for part in _statistic(judge, name)))
        console.print(table)
        _show_labels(judges, console)


def _names(judges: Sequence[Mapping[str, Any]]) -> list[tuple[str, str | None]]:
    """The statistics that a row of the table holds; those of a label have a table of their own."""
    lines = [(line["statistic"], line["against"]) for judge in judges for line in judge["statistics"]]
    less = NOT_OF_STEPS if any(against for _, against in lines) else ()
    return [line for line in dict.fromkeys(lines) if not line[0].startswith(OF_A_LABEL) and line[0] not in less]


def _statistic(judge: Mapping[str, Any], name: str) -> tuple[str, str]:
    for line in judge["statistics"]:
        if line["statistic"] == name:
            return _shown(line), f"{line['n']:,}"
    return "-", ""


def _show_labels(judges: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Sensitivity and precision of each label, and whether a judge uses labels as often as people do."""
    for judge in judges:
        found = {line["statistic"]: line for line in judge["statistics"] if line["statistic"].startswith(OF_A_LABEL)}
        labels = list(dict.fromkeys(name.partition(" of ")[2] for name in found))
        if labels:
            # With a good label its two sensitivities have names of their own.
            of = [what for what in ("sensitivity", "precision") if f"{what} of {labels[0]}" in found]
            heads = [part for what in of for part in (f">{what}", ">n")]
            table = grid(judge["name"] if len(judges) > 1 else "", *heads)
            for label in labels[:SHOWN_LABELS]:
                parts = [_statistic(judge, f"{what} of {label}") for what in of]
                table.add_row(Text(label), *(part for pair in parts for part in pair))
            if len(labels) > SHOWN_LABELS:
                table.add_row(f"and {len(labels) - SHOWN_LABELS} more labels", *[""] * (2 * len(of)))
            console.print(table)
        if judge["marginal_homogeneity"]:
            named = [test["method"].partition(", ") for test in judge["marginal_homogeneity"]]
            tests = ", ".join(
                f"{name} p {_p(test['p'])}"
                for (name, _, _), test in zip(named, judge["marginal_homogeneity"], strict=True)
            )
            differs = uses_labels_otherwise([test["p"] for test in judge["marginal_homogeneity"]])
            key = "shares.differ" if differs else "shares.open"
            console.print(f"{_say(key, judge=judge['name'], tests=tests, basis=named[0][2])}.")


def _show_errors(result: Mapping[str, Any], console: Console) -> None:
    """The columns with which a judge's errors go, and where it errs most."""
    for judge in result["judges"]:
        found = judge["errors"]
        if found is None:
            continue
        console.print(f"\nWhat {judge['name']}'s errors depend on, people's answer held fixed")
        every = [(one, found["error"]) for one in found["tried"]] + [(one, found["size_of"]) for one in found["sizes"]]
        depends = [(one, of) for one, of in every if one["p_holm"] is not None and one["p_holm"] < LEVEL]
        for one, of in sorted(depends, key=lambda part: part[0]["p_holm"])[:SHOWN_COLUMNS]:
            console.print(Padding(Text(dependence_sentence(one, of)), (0, 0, 0, 2)))
        named = {one["column"] for one, _ in depends}
        others = [one["column"] for one in found["tried"] if one["column"] not in named]
        if others:
            which = listing(others, 4)
            console.print(Padding(Text(f"No dependence is significant after Holm on: {which}."), (0, 0, 0, 2)))
        worst = ", ".join(
            f"{one['column']} {one['value']} {_shown(one['estimate'])} (n {one['n']:,})" for one in found["worst"][:2]
        )
        if worst:
            whole = f"of {count_noun(found['n_slices'], 'slice')}, where all have {decimals(found['overall'])}"
            console.print(Padding(Text(f"Worst {found['measure']} {whole}: {worst}."), (0, 0, 0, 2)))


def dependence_sentence(one: Mapping[str, Any], error: str) -> str:
    """How a judge's error goes with a column."""
    p = f"p after Holm {_p(one['p_holm'])}"
    bias = f" ({one['bias']})" if one["bias"] else ""
    what, changes = ERRORS[error]
    if one["kind"] != "group":
        [effect] = one["effects"]
        step = f"for each {one['step']:.3g} more"
        return f"{one['column']}{bias}: {what} {changes} {_shown(effect['estimate'], sign=True)} {step}, {p}."
    first, last = one["effects"][0], one["effects"][-1]
    parts = [f"{e['name']} {_shown(e['estimate'], sign=True)} (n {e['n']:,})" for e in (first, last)]
    return f"{one['column']}{bias}: {what}, from the average: {', '.join(parts)}, {p}."


def _show_unrated(result: Mapping[str, Any], console: Console) -> None:
    """What people would give on average to the rows that only a judge rated too."""
    for judge in result["judges"]:
        found = judge["unrated"]
        if found is None:
            continue
        rows = (
            f"{count_noun(found['n_unrated'], 'object')} that only {judge['name']} rated, next to {found['n_rated']:,}"
        )
        console.print(f"\n{rows} that people did")
        if found["why"]:
            console.print(f"  {'Not corrected' if found['corrected'] else 'Nothing can be corrected'}: {found['why']}.")
        # Of another scale a line was fitted first.
        unit = "" if judge["same_scale"] else ", in people's unit,"
        for one in found["corrected"]:
            what = "People would give on average" if one["label"] is None else f"Share of '{one['label']}' by people"
            alone = f"people's own {_shown(one['people_alone'])}, the judge's{unit} {_shown(one['judge_alone'])}"
            sentence = f"{what}: {_shown(one['estimate'])} ({one['method']}); {alone}."
            console.print(Padding(Text(sentence), (0, 0, 0, 2)))
        for shift in found["shifts"]:
            if shift["shifted"]:
                warning = _say(
                    f"shifted.{shift['of']}",
                    judge=judge["name"],
                    label=shift["label"] or "",
                    difference=_shown(shift["difference"], sign=True),
                    n=f"{found['n_unrated']:,}",
                )
                console.print(Padding(Text(warning, style="yellow"), (0, 0, 0, 2)))


def _show_comparison(result: Mapping[str, Any], console: Console) -> None:
    compared = result["comparison"]
    if compared is None:
        return
    if "not_made" in compared:
        console.print(f"\nThe judges are not compared: {compared['not_made']}.")
        return
    console.print(
        f"\nJudges on the same {compared['n']:,} objects; a letter in common: not distinguishable (Holm, 0.05)"
    )
    table = grid("", f">{result['measure']}", "")
    turned = [judge["name"] for judge in result["judges"] if judge["lower_is_better"]]
    for judge in compared["judges"]:
        name = str(judge["name"])
        table.add_row(_say("turned", judge=name) if name in turned else name, _shown(judge), judge["letters"])
    console.print(table)
    for pair in compared["pairs"][:SHOWN_PAIRS]:
        p = "" if pair["p_holm"] is None else f", p after Holm {_p(pair['p_holm'])}"
        said = f"{pair['first']} - {pair['second']}: {_shown(pair['difference'], sign=True)}{p}"
        console.print(said, soft_wrap=True)
    if (left := len(compared["pairs"]) - SHOWN_PAIRS) > 0:
        console.print(f"and {count_noun(left, 'pair')} more")


def _p(value: float) -> str:
    """A p-value as the page has it."""
    return p_value(value).plain("en")


def _shown(seen: Mapping[str, Any] | None, *, sign: bool = False) -> str:
    if seen is None or seen["value"] is None:
        return "-"
    mark = " ?" if seen.get("unreliable") and seen["ci"] else ""
    return with_bounds(seen["value"], *(seen["ci"] or (None, None)), sign=sign) + mark


def _number(value: float | None) -> str:
    return "-" if value is None else decimals(value)
