"""The page of `touchstone verdict --report`: question, answer and reasons first, then what they rest on by question."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from analysis.messages import Name, message
from analysis.verdict.judges import NEEDED
from analysis.verdict.panel import uses_labels_otherwise
from analysis.verdict.people import AGREEMENT, are_a_crowd
from reports.shared.charts import Chart
from reports.shared.colours import MAIN, OTHER
from reports.shared.drawing import Axis, Drawing, rows_axis, rows_height
from reports.shared.marks import Interval, line_at, row_layers
from reports.shared.numbers import (
    MINUS,
    NOTHING,
    any_unreliable,
    columns_of_errors,
    interval,
    is_number,
    number,
    p_value,
    plain_number,
    whole,
)
from reports.shared.page import Page, rendered
from reports.shared.phrases import phrase, sentence
from reports.shared.table_view import DataTable, Head, TableView, all_rows
from reports.shared.text import Part, Text, Translations, joined, lines, same
from reports.shared.verdict import Answer, full_word, step_of, verdict_state, word_text
from resources.runtime.provenance import Provenance

WORDS: Final = Translations("shared/words", "shared/glossary", "verdict/words", "verdict/glossary")
# What explains a statistic in the help; those of a label begin so.
TERM_OF: Final = {
    "Spearman": "spearman",
    "Pearson": "pearson",
    "CCC": "concordance",
    "ICC(A,1)": "icc_agreement",
    "mean absolute error": "absolute_error",
    "root mean square error": "rmse",
    "judge - people": "bias",
    "lower limit of agreement": "limits",
    "kappa, ": "weighted_kappa",
    "kappa": "kappa",
    "AC": "ac1_ac2",
    "alpha": "alpha",
    "sensitivity of": "sensitivity",
    "failures caught": "sensitivity",
    "precision of": "precision",
}
NEEDED_OF: Final = {AGREEMENT[measure]: needed for measure, needed in NEEDED.items()}
MOST_OBJECTS: Final = 20_000
ERRORS: Final = {"judge - people": "signed", "another label": "label", "absolute error": "size"}
Values = Mapping[str, Any]
say = WORDS.say


def verdict_page(result: Values, objects: pd.DataFrame, provenance: Provenance) -> str:
    """The page as one HTML file.

    Args:
        result: What `--json` prints.
        objects: A row for each judge and object: `judge`, `object`, `people`, `rating`, `difference`, and other columns
            of the file.
        provenance: Where the numbers come from.

    Returns:
        Text that a browser shows without a network.
    """
    judges = result["judges"]
    parts = {"judges": _judges(result), "errors": _errors(result), "unrated": _unrated(result)}
    sentences = {"judges": _not_compared(result), "unrated": _not_corrected(result)}
    left_out = [name for name, views in parts.items() if not views and not sentences.get(name)]
    sections = [name for name in ("agreement", *parts, "objects", "made") if name not in left_out]
    return rendered(
        Page(
            template="verdict/verdict.html.j2",
            title=say("report.title", file=same(result["file"])),
            translations=WORDS,
            sections=[(name, say(f"section.{name}")) for name in sections],
            charts=[_agreement_chart(result)],
            tables={"objects": objects, "statistics": _statistics(result)},
            about={key: value for key, value in result.items() if key != "provenance"},
            file_stem="verdict",
            terms=terms_of(result),
            choices=[judge["name"] for judge in judges],
            chosen=judges[0]["name"],
            chosen_by="judge",
            context={
                "file": result["file"],
                "answers": [_answer(judge, result) for judge in judges],
                "tables": {"agreement": _agreement(result), **parts},
                "sentences": {
                    **sentences,
                    "agreement": [*_of_other_people(judges), *_shares(judges), *_unsure(judges)],
                    "made": _read_as(result),
                    "unrated": [
                        *sentences["unrated"],
                        *(one for judge in judges for one in _shifted(judge)),
                    ],
                    "notes": [phrase(note) for note in result["notes"]],
                },
                "objects": _objects_table(objects),
            },
            provenance=provenance,
        )
    )


def terms_of(result: Values) -> tuple[str, ...]:
    """What the help explains: what this page shows, and nothing else."""
    found, judges = [], result["judges"]
    for line in (line for judge in judges for line in (*judge["statistics"], *judge["each_person"])):
        found += [term for beginning, term in TERM_OF.items() if line["statistic"].startswith(beginning)][:1]
    of_judges = (
        ("marginal_homogeneity", any(judge["marginal_homogeneity"] for judge in judges)),
        ("alternative_annotator", any(judge["people"] for judge in judges)),
        ("prediction_powered", any(judge["unrated"] and judge["unrated"]["corrected"] for judge in judges)),
        ("holm", bool(_judges(result)) or any(judge["errors"] for judge in judges)),
    )
    return tuple(dict.fromkeys([*found, *(term for term, is_there in of_judges if is_there), "interval", "undefined"]))


def _answer(judge: Values, result: Values) -> Answer:
    """What is first on the page, for the block that all pages share."""
    said, people = judge["verdict"], result["people"]
    names = {"judge": same(judge["name"]), "person": same(people[0])}
    n_clusters = result["n_clusters"] if judge["n_clusters"] is None else judge["n_clusters"]
    counts = {"n": whole(judge["n"]), "clusters": whole(n_clusters)}
    rests_on = "rests_on" if result["cluster"] or n_clusters < judge["n"] else "rests_on_objects"
    not_covered = [say("not_covered.objects"), say("not_covered.repeats")]
    if depends := columns_of_errors(judge):
        not_covered.insert(0, say("not_covered.depends", columns=joined(depends[:4])))
    return Answer(
        question=say("question.of_people" if len(people) > 1 else "question.of_person", **names),
        word=word_text(full_word(said["word"], people)),
        state=verdict_state(said["word"]),
        reasons=[sentence(reason) for reason in said["reasons"]],
        next_step=step_of(judge, people),
        not_covered=not_covered,
        rests_on=say(rests_on, **counts, people=joined(people[:8])),
    )


def _value(seen: Values | None) -> Text:
    """A number and its interval."""
    if seen is None or seen["value"] is None:
        return same(NOTHING)
    return joined([number(seen["value"]), _bounds(seen)], " ")


def _bounds(seen: Values) -> Text:
    return interval(*(seen["ci"] or (None, None)), unreliable=seen.get("unreliable", False))


def _heads(*names: str, text: Sequence[str] = ()) -> list[Head]:
    return [Head(say(f"head.{name}"), numeric=name not in text and bool(place)) for place, name in enumerate(names)]


def _agreement(result: Values) -> list[TableView]:
    views = []
    for judge in result["judges"]:
        name = _judge_name(judge)
        if judge["people"]:
            rows: list[list[Part]] = [
                [str(one["name"]), whole(one["n"]), _number(one["person"]), _number(one["judge"])]
                for one in judge["people"]
            ]
            everyone = _value(judge["people_agreement"]), _value(judge["agreement"])
            rows.append(
                [
                    say("all_pooled" if are_a_crowd([one["n"] for one in judge["people"]]) else "all_people"),
                    whole(judge["n"]),
                    *everyone,
                ]
            )
            caption = say("table.people", judge=name, measure=phrase(result["measure"]))
            views.append(TableView(caption, _heads("person", "n", "of_person", "of_judge"), rows, stacks=True))
        lines = [*judge["statistics"], *judge["each_person"]]
        rows = [
            [
                _statistic(line["statistic"]),
                phrase(_against(line, result) or Name(NOTHING)),
                _number(line["value"]),
                interval(*(line["ci"] or (None, None)), unreliable=line["unreliable"]),
                whole(line["n"]),
            ]
            for line in lines
        ]
        heads = _heads("statistic", "against", "value", "interval", "count", text=("against",))
        caption = say("table.statistics", judge=name, reference=phrase(result["reference"]))
        views.append(TableView(caption, heads, rows, stacks=True))
        if judge["confusion"]:
            labels = [same(label) for label in result["labels"]]
            heads = [Head(say("head.people_label"), numeric=False), *map(Head, labels)]
            cells = [[label, *map(whole, row)] for label, row in zip(labels, judge["confusion"], strict=True)]
            views.append(TableView(say("table.confusion", judge=name), heads, cells))
    return views


def _statistic(name: str) -> Text:
    """A statistic's name with a minus sign where a difference has a hyphen."""
    said = phrase(name)
    return Text({language: html.replace(" - ", f" {MINUS} ") for language, html in said.html.items()})


def _against(line: Values, result: Values) -> str | None:
    """Whose answers the judge's are held against; none of alpha, which is of all together."""
    return None if line["statistic"].startswith("alpha") else line["against"] or result["reference"]


def _judge_name(judge: Values) -> Text:
    """A judge by its name, and that its scores were turned."""
    return say("turned", judge=same(judge["name"])) if judge["lower_is_better"] else same(judge["name"])


def _number(value: Any) -> Part:
    return number(value) if is_number(value) else NOTHING


def _shares(judges: Sequence[Values]) -> list[Text]:
    said = []
    for judge in judges:
        if tests := judge["marginal_homogeneity"]:
            shown = [joined([f"{test['method'].partition(',')[0]} p", p_value(test["p"])], " ") for test in tests]
            key = "shares.differ" if uses_labels_otherwise([test["p"] for test in tests]) else "shares.open"
            basis = phrase(tests[0]["method"].partition(", ")[2])
            said.append(say(key, judge=same(judge["name"]), tests=joined(shown), basis=basis))
    return said


def _of_other_people(judges: Sequence[Values]) -> list[Text]:
    return [
        say(
            "other_people",
            judge=same(judge["name"]),
            own=interval(*judge["with_other_people"]["agreement"]),
            difference=interval(*judge["with_other_people"]["difference"]),
        )
        for judge in judges
        if judge["with_other_people"]
    ]


def _unsure(judges: Sequence[Values]) -> list[Text]:
    """That marked intervals are too narrow, where there are any."""
    return [say("unsure")] if any(map(any_unreliable, judges)) else []


def _read_as(result: Values) -> Text:
    labels = [joined([": ", joined(result["labels"])], "")] if result["labels"] else []
    rated = say("rated", n=whole(result["n_objects"]))
    return joined([rated, " ", say(f"scale.{result['scale']}"), *labels, "."], "")


def _not_compared(result: Values) -> list[Text]:
    why = (result["comparison"] or {}).get("not_made")
    return [say("not_compared", why=phrase(why, inside=True))] if why else []


def _shifted(judge: Values) -> list[Text]:
    """Where a judge's scores on rows that people did not rate are others than on rows they did."""
    found = judge["unrated"] or {"shifts": []}
    return [
        say(
            f"shifted.{shift['of']}",
            difference=_value(shift["difference"]),
            n=whole(found["n_unrated"]),
            label=same(shift["label"] or ""),
            judge=same(judge["name"]),
        )
        for shift in found["shifts"]
        if shift["shifted"]
    ]


def _not_corrected(result: Values) -> list[Text]:
    return [
        say(
            "not_corrected.in_part" if judge["unrated"]["corrected"] else "not_corrected.at_all",
            judge=same(judge["name"]),
            why=phrase(judge["unrated"]["why"], inside=True),
        )
        for judge in result["judges"]
        if judge["unrated"] and judge["unrated"]["why"]
    ]


def _judges(result: Values) -> list[TableView]:
    compared = result["comparison"]
    if compared is None or "not_made" in compared:
        return []
    named = {judge["name"]: _judge_name(judge) for judge in result["judges"]}
    rows: list[list[Part]] = [[named[one["name"]], _value(one), one["letters"]] for one in compared["judges"]]
    caption = say("table.judges", n=whole(compared["n"]))
    views = [TableView(caption, _heads("judge", "value", "letters", text=("letters",)), rows, stacks=True)]
    pairs: list[list[Part]] = [
        [f"{one['first']} {MINUS} {one['second']}", _value(one["difference"]), p_value(one["p_holm"])]
        for one in compared["pairs"]
    ]
    return [*views, TableView(say("table.pairs"), _heads("judge", "difference", "p"), pairs, stacks=True)]


def _errors(result: Values) -> list[TableView]:
    views = []
    for judge in result["judges"]:
        found, name = judge["errors"], same(judge["name"])
        if found is None:
            continue
        rows: list[list[Part]] = []
        every = [(one, found["error"]) for one in found["tried"]] + [(one, found["size_of"]) for one in found["sizes"]]
        for one, of in every:
            ends = [
                one["effects"][place]
                for place in ((0, -1) if len(one["effects"]) > 1 else (0,) if one["effects"] else ())
            ]
            what: Part = lines([phrase(end["name"]) for end in ends])
            if one["kind"] != "group" and ends:
                what = phrase(message("for each {step:.3g} more", step=one["step"]))
            effect = lines([_value(end["estimate"]) for end in ends]) if ends else phrase(one["why"])
            p = NOTHING if one["p_holm"] is None else p_value(one["p_holm"])
            rows.append(
                [
                    one["column"],
                    say(f"error.{ERRORS[of]}"),
                    what,
                    effect,
                    p,
                    whole(one["n"]),
                    phrase(one["bias"]) if one["bias"] else "",
                ]
            )
        heads = _heads("column", "error", "slice", "effect", "p", "n", "bias", text=("error", "slice", "bias"))
        views.append(TableView(say("table.errors", judge=name), heads, rows, stacks=True))
        if not found["worst"]:
            continue
        worst: list[list[Part]] = [
            [one["column"], phrase(one["value"]), _value(one["estimate"]), whole(one["n"])] for one in found["worst"]
        ]
        names = {"n": whole(found["n_slices"]), "overall": number(found["overall"])}
        caption = say("table.worst", judge=name, measure=phrase(found["measure"]), **names)
        views.append(TableView(caption, _heads("column", "slice", "value", "n", text=("slice",)), worst, stacks=True))
    return views


def _unrated(result: Values) -> list[TableView]:
    views = []
    for judge in result["judges"]:
        found = judge["unrated"]
        if found is None or not found["corrected"]:
            continue
        rows: list[list[Part]] = [
            [
                one["method"],
                one["label"] or "",
                _value(one["estimate"]),
                _value(one["people_alone"]),
                joined([_value(one["judge_alone"]), *([] if judge["same_scale"] else [say("of_peoples_unit")])], " "),
            ]
            for one in found["corrected"]
        ]
        heads = _heads("method", "label", "value", "people_alone", "judge_alone", text=("label",))
        counts = {"n": whole(found["n_unrated"]), "rated": whole(found["n_rated"])}
        caption = say("table.unrated", judge=same(judge["name"]), **counts)
        views.append(TableView(caption, heads, rows, stacks=True))
    return views


def _agreement_chart(result: Values) -> Chart:
    """Each judge's agreement with people, and a person's below it."""
    points, hover, names, colours = [], [], [], []
    for judge in result["judges"]:
        for seen, name, colour in (
            (judge["agreement"], same(judge["name"]), MAIN),
            (judge["people_agreement"], say("chart.agreement.person"), OTHER),
        ):
            if seen is not None:
                points.append(Interval(seen["value"], *(seen["ci"] or (None, None))))
                hover.append(joined([name, _value(seen)], " "))
                names.append(name)
                colours.append(colour)
    several, needed = len(result["people"]) > 1, NEEDED_OF[result["measure"]]
    of = {"person": same(result["people"][0]), "needed": plain_number(needed)}
    limit = [] if several else [line_at(needed, vertical=True)]
    return Chart(
        "agreement",
        say("chart.agreement.title" if several else "chart.agreement.title_of_one", **of),
        say("chart.agreement.reading" if several else "chart.agreement.reading_of_one", **of),
        None,
        drawing=Drawing(
            [*limit, *row_layers(points, hover, colours)],
            Axis(phrase(result["measure"])),
            rows_axis(names),
            rows_height(len(names)),
        ),
        empty=None if points else say("chart.agreement.nothing"),
    )


def _statistics(result: Values) -> pd.DataFrame:
    rows = [
        {
            "judge": judge["name"],
            "statistic": line["statistic"],
            "against": _against(line, result),
            "value": line["value"],
            "ci_low": line["ci"][0] if line["ci"] else None,
            "ci_high": line["ci"][1] if line["ci"] else None,
            "n": line["n"],
            "method": line["method"],
        }
        for judge in result["judges"]
        for line in (*judge["statistics"], *judge["each_person"])
    ]
    return pd.DataFrame(rows)


def _objects_table(objects: pd.DataFrame) -> DataTable:
    named = {name: say(f"head.{name}") for name in ("object", "people", "rating", "difference")}
    return all_rows(say("table.objects"), "objects", objects.drop(columns="judge"), named)
