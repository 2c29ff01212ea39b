"""The result of `touchstone verdict`, as JSON values and for people: the verdict first, then what it rests on."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from analysis.agreement.alternative_annotator import EPSILON
from analysis.verdict.findings import Findings, OfJudge, findings
from analysis.verdict.judges import AgainstOne
from analysis.verdict.panel import Line
from analysis.verdict.people import Levels, Measure, People, Quantity
from analysis.verdict.rule import DEFAULT, Policy, Verdict
from analysis.words import count_noun, decimals, with_bounds
from pipeline.command_line.evaluate_shown import grid
from resources.errors import UserError, did_you_mean, listing
from resources.inputs.any_file import Opening
from resources.inputs.column_names import own_name
from resources.inputs.ratings.exports import RATER, LabelStudio, Trec
from resources.inputs.ratings.layout import RatingColumns, ratings_file
from resources.inputs.ratings.likely import likely_columns
from resources.inputs.ratings.table import Ratings, read_ratings
from resources.inputs.record_files import Record
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.provenance import Provenance, now

COLOURS: Final = {
    "yes": "green",
    "agrees": "green",
    "only for ranking": "yellow",
    "not proven": "yellow",
    "no": "red",
    "does not agree": "red",
    "cannot say": "bright_black",
}
AGREEMENT: Final[dict[Measure, str]] = {
    "scores": "Spearman",
    "ordered_labels": "kappa, quadratic weights",
    "labels": "kappa",
}
SHOWN_PEOPLE, SHOWN_PAIRS, JUDGES_IN_A_TABLE = 8, 6, 2
_MEANS: Final = re.compile(r"\bd?mos\b|mean|average|\bavg\b|consensus|majority", re.IGNORECASE)


def verdict_result(
    files: list[str], opening: Opening, columns: RatingColumns, lower_is_better: Sequence[str], annotators: str
) -> dict[str, Any]:
    """What `--json` prints.

    Args:
        files: Paths or fsspec addresses; several of TREC.
        opening: What the file does not say of itself.
        columns: What the columns mean.
        lower_is_better: Judges whose scores fall as quality rises.
        annotators: Who the people are, a key of `EPSILON`.

    Raises:
        UserError: The file cannot be read so.
    """
    ratings = read_ratings(files, columns, opening)
    if not ratings.judges or not ratings.people:
        whose = "judge's" if not ratings.judges else "person's"
        raise UserError(f"{ratings.name}: there is no {whose} rating. Both are needed.")
    if lower_is_better and ratings.scale == "nominal":
        raise UserError("`--lower-is-better` is of scores; these ratings are labels. Leave it out.")
    lower = {_judge(name, ratings) for name in lower_is_better}
    answers = np.column_stack(list(ratings.people.values()))
    people = People(answers, ratings.clusters, _measure(ratings), tuple(ratings.people), ratings.labels)
    policy = Policy(levels=Levels(epsilon=EPSILON[annotators]))
    found = findings(ratings.judges, people, lower_is_better=lower, policy=policy)
    inputs = {path.name: sha256_of_file(path) for path in map(Path, files) if path.is_file()}
    made = Provenance(now(), inputs=inputs, seed=0)
    return {
        "command": "verdict",
        "file": ratings.name,
        "provenance": made.as_json(),
        "n_rows": ratings.n_rows,
        "n_objects": found.n_objects,
        "n_clusters": found.n_clusters,
        "cluster": columns.cluster,
        "scale": ratings.scale,
        "labels": list(ratings.labels),
        "measure": AGREEMENT[people.measure],
        "people": list(found.people),
        "reference": found.reference,
        "annotators": annotators,
        "judges": [_of_judge(judge) for judge in found.judges],
        "comparison": _comparison(found),
        "notes": [*ratings.notes, *_notes(ratings, found)],
    }


def _judge(name: str, ratings: Ratings) -> str:
    own = own_name(name, ratings.judges)
    if own is None:
        near = did_you_mean(name, ratings.judges)
        raise UserError(f"`--lower-is-better {name}` is no `--judge`{near}. Those are: {listing(ratings.judges)}.")
    return own


def _measure(ratings: Ratings) -> Measure:
    if ratings.scale == "nominal":
        return "labels"
    return "ordered_labels" if ratings.labels else "scores"


def _of_judge(judge: OfJudge) -> dict[str, Any]:
    of_people = judge.standing
    return {
        "name": judge.name,
        "n": judge.n,
        "verdict": _verdict(judge),
        "conditions": [one._asdict() for one in judge.verdict.conditions] if judge.verdict else [],
        "people": [person._asdict() for person in of_people.rows] if of_people else [],
        "people_agreement": _quantity(of_people.people) if of_people else None,
        "agreement": _quantity(of_people.own if of_people else judge.against_one and judge.against_one.agreement),
        "difference": _quantity(of_people.order) if of_people else None,
        "statistics": [_line(line) for line in judge.lines],
        "same_scale": judge.same_scale,
        "looks_reversed": judge.reversed or None,
    }


def _verdict(judge: OfJudge) -> dict[str, Any]:
    if isinstance(judge.against_one, AgainstOne):
        one = judge.against_one
        why = one.why if one.agreement is None else f"agreement is {_shown(_quantity(one.agreement))}: {one.why}"
        n_for = "agrees" if one.n_needed is not None else None
        return {"word": one.word, "reasons": [why], "margin": None, "n_needed": one.n_needed, "n_for": n_for}
    assert isinstance(judge.verdict, Verdict)
    said = judge.verdict
    return {
        "word": said.word,
        "reasons": list(said.reasons),
        "margin": said.margin,
        "n_needed": said.n_needed,
        "n_for": said.n_for,
    }


def _quantity(seen: Quantity | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {"value": seen.value, "low": seen.low, "high": seen.high, "method": seen.method}


def _line(line: Line) -> dict[str, Any]:
    interval = line.interval
    return {
        "statistic": line.statistic,
        "value": line.value,
        "low": interval.low,
        "high": interval.high,
        "method": interval.method,
        "unreliable": interval.unreliable,
        "n": line.n,
        "n_clusters": interval.n_clusters,
    }


def _comparison(found: Findings) -> dict[str, Any] | None:
    if found.comparison is None:
        return {"not_made": found.no_comparison} if found.no_comparison else None
    compared = found.comparison
    return {
        "n": compared.n,
        "n_clusters": compared.n_clusters,
        "judges": [
            {"name": name, "letters": compared.letters[name], **(_quantity(seen) or {})}
            for name, seen in compared.agreement.items()
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": _quantity(pair.difference),
                "p": pair.p,
                "p_holm": pair.p_holm,
            }
            for pair in compared.pairs
        ],
    }


def _notes(ratings: Ratings, found: Findings) -> list[str]:
    said = []
    if ratings.scale == "ordinal" and not ratings.labels:
        said.append("The ratings are a few whole numbers: they are read as steps of one scale (`--scale` changes it).")
    for judge in found.judges:
        if judge.reversed:
            turned = f"If its scores fall as quality rises, add `--lower-is-better {judge.name}`."
            said.append(f"{judge.name}: {judge.reversed}. {turned}")
    others = [judge.name for judge in found.judges if not judge.same_scale and not judge.reversed]
    if others:
        said.append(f"Another scale than the people's, so that only order is compared: {listing(others)}.")
    for judge in found.judges:
        copied = [name for name, answers in ratings.people.items() if _equal(ratings.judges[judge.name], answers)]
        if copied:
            said.append(f"{judge.name} equals {copied[0]} wherever both rated: is it a copy?")
    if found.n_tied:
        said.append(f"{count_noun(found.n_tied, 'object')} without a majority of people left out of the statistics.")
    return said


def _equal(judge: NDArray[np.float64], person: NDArray[np.float64]) -> bool:
    both = ~np.isnan(judge) & ~np.isnan(person)
    return int(both.sum()) >= DEFAULT.fewest_objects and bool((judge[both] == person[both]).all())


# For people.


def show_verdict(result: Mapping[str, Any], console: Console) -> None:
    """The verdict on each judge, then what it rests on."""
    people = listing(result["people"], 4)
    console.print(f"{result['file']}: {_objects(result)}; people: {people}", soft_wrap=True)
    for judge in result["judges"]:
        said = judge["verdict"]
        console.print()
        line = Text(f"May {judge['name']} stand in for people? " if len(result["people"]) > 1 else "")
        if len(result["people"]) == 1:
            line = Text(f"{judge['name']} and {people}: ")
        line.append(_word(said["word"], result["people"]), style=f"bold {COLOURS[said['word']]}")
        console.print(line)
        for reason in said["reasons"]:
            console.print(Padding(Text(_sentence(reason)), (0, 0, 0, 2)))
        console.print(Padding(Text(_next_step(said)), (0, 0, 0, 2))) if _next_step(said) else None
    _show_people(result, console)
    _show_statistics(result, console)
    _show_comparison(result, console)
    for note in result["notes"]:
        console.print(Padding(Text(f"Note: {note}", style="bright_black"), (0, 0, 0, 0)))


def _objects(result: Mapping[str, Any]) -> str:
    n, clusters = result["n_objects"], result["n_clusters"]
    of = f" ({listing(result['labels'], 8)})" if result["labels"] else ""
    said = f"{count_noun(n, 'object')} rated by people, {result['scale']} ratings{of}"
    return said + (f", {count_noun(clusters, 'cluster')} by '{result['cluster']}'" if result["cluster"] else "")


def _word(word: str, people: Sequence[str]) -> str:
    if word not in ("agrees", "does not agree"):
        return word
    return f"{word} with {'these means' if _MEANS.search(people[0]) else 'this person'}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _next_step(said: Mapping[str, Any]) -> str:
    if said["n_needed"] is not None:
        return f"If these numbers held, about {said['n_needed']:,} objects would make it '{said['n_for']}'."
    if said["word"] == "not proven" and said["margin"] is not None:
        return "At these numbers more objects alone would not prove it."
    return ""


def _show_people(result: Mapping[str, Any], console: Console) -> None:
    judges = [judge for judge in result["judges"] if judge["people"]]
    if not judges:
        return
    console.print(f"\n{result['measure']} with the other people, of a person and of the judge in that person's place")
    table = grid("", ">n", ">a person", ">the judge")
    if len(judges) == 1:
        [judge] = judges
        for person in judge["people"][:SHOWN_PEOPLE]:
            table.add_row(str(person["name"]), f"{person['n']:,}", _number(person["person"]), _number(person["judge"]))
        left = len(judge["people"]) - SHOWN_PEOPLE
        if left > 0:
            table.add_row(f"and {left} more", "", "", "")
    for judge in judges:
        name = "all" if len(judges) == 1 else judge["name"]
        n = f"{judge['n']:,}"
        table.add_row(name, n, _shown(judge["people_agreement"]), _shown(judge["agreement"]))
    console.print(table)


def _show_statistics(result: Mapping[str, Any], console: Console) -> None:
    console.print(f"\nAgainst {result['reference']}, with 95 % intervals")
    unsure = any(line["unreliable"] for judge in result["judges"] for line in judge["statistics"])
    for start in range(0, len(result["judges"]), JUDGES_IN_A_TABLE):
        judges = result["judges"][start : start + JUDGES_IN_A_TABLE]
        table = grid("", *(part for judge in judges for part in (f">{judge['name']}", ">n")))
        for name in dict.fromkeys(line["statistic"] for judge in judges for line in judge["statistics"]):
            table.add_row(name, *(part for judge in judges for part in _statistic(judge, name)))
        console.print(table)
    if unsure:
        console.print("?: so few clusters that the interval is known to be too narrow.")


def _statistic(judge: Mapping[str, Any], name: str) -> tuple[str, str]:
    for line in judge["statistics"]:
        if line["statistic"] == name:
            return _shown(line) + (" ?" if line["unreliable"] and line["low"] is not None else ""), f"{line['n']:,}"
    return "-", ""


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
    for judge in compared["judges"]:
        table.add_row(str(judge["name"]), _shown(judge), judge["letters"])
    console.print(table)
    for pair in compared["pairs"][:SHOWN_PAIRS]:
        p = "" if pair["p_holm"] is None else f", p after Holm {pair['p_holm']:.3g}"
        console.print(f"{pair['first']} - {pair['second']}: {_shown(pair['difference'], sign=True)}{p}")


def _shown(seen: Mapping[str, Any] | None, *, sign: bool = False) -> str:
    if seen is None or seen["value"] is None:
        return "-"
    return with_bounds(seen["value"], seen["low"], seen["high"], sign=sign)


def _number(value: float | None) -> str:
    return "-" if value is None else decimals(value)


def show_likely(files: list[str], opening: Opening, console: Console) -> None:
    """What the columns of a file look like, and the command that reads it so."""
    file = ratings_file(files, (), opening)
    if isinstance(file, Trec | LabelStudio):
        raters = dict.fromkeys(str(record.fields[RATER]) for record in file.records() if isinstance(record, Record))
        models = [name for name in raters if name in file.machines]
        console.print(f"{file.name} has ratings by {listing(raters)}.")
        console.print("Name each judge by `--judge`; models are no people, all others are.")
        judges = [f"--judge {shlex.quote(name)}" for name in models] or ["--judge NAME"]
        console.print(Text(f"  touchstone verdict {' '.join([*map(shlex.quote, files), *judges])}"), soft_wrap=True)
        return
    found = likely_columns(file)
    table = grid("column", "taken for", "holds")
    for column in found.columns:
        table.add_row(Text(column.name), column.role, Text(column.holds[:60]))
    console.print(table)
    if found.question is not None:
        console.print(found.question)
    given = {"--sheet": opening.sheet, "--encoding": opening.encoding}
    command = " ".join(
        [found.command(files), *(f"{option} {shlex.quote(value)}" for option, value in given.items() if value)]
    )
    console.print(Text(f"Run it, with other columns where these are not the right ones:\n  {command}"), soft_wrap=True)
