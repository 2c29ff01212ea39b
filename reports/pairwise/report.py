"""The pairwise report put together: sections, charts, help and the data that it carries."""

from typing import Any, Final

import pandas as pd

from reports.pairwise.contents import WORDS, Contents, level, say, units
from reports.pairwise.exclusions import exclusions_table, said_of_photos, unpredicted_table
from reports.pairwise.failures import failing_pairs, failures, said_of_failures
from reports.pairwise.judges import judges_table, said_of_judges
from reports.pairwise.people import agreement_chart, position_table, said_of_people
from reports.pairwise.ranking import accuracy_chart, bands_chart, said_of_bands
from reports.pairwise.significance import matrix, said_of_couples, tests_table
from reports.pairwise.speed import said_of_speed, speed_chart
from reports.pairwise.strengths import (
    likelihood_charts,
    likelihood_table,
    said_of_likelihood,
    said_of_strengths,
    strengths_chart,
)
from reports.pairwise.summary import summary
from reports.shared.gate_row import GateRow, failing_by_gate, gates_as_data
from reports.shared.numbers import plain_number, whole
from reports.shared.page import Page, rendered
from reports.shared.pictures import MOST_IN_ROWS, pictures_in_rows
from reports.shared.table_view import all_rows
from reports.shared.text import Part, Text, joined, same
from reports.shared.verdict import as_data, title_of, verdict_parts

SECTIONS: Final = (
    "summary",
    "gates",
    "ranking",
    "significance",
    "speed",
    "judges",
    "people",
    "strengths",
    "failures",
    "exclusions",
)
TERMS: Final = (
    "accuracy",
    "chance",
    "tie",
    "f1",
    "agreement",
    "majority",
    "opposite",
    "position",
    "position_log_odds",
    "consistency",
    "first_shown_rate",
    "length_bias",
    "self_preference",
    "series_bootstrap",
    "interval",
    "series_test",
    "holm_methods",
    "letters",
    "mcnemar",
    "probe",
    "time",
    "bradley_terry",
    "likelihood",
    "bt_agreement",
    "unavailable",
    "undefined",
)
# Tables with a row per pair or photo are handed out up to this many rows; longer ones would make a page too heavy.
MOST_ROWS: Final = 50_000
# Where files lie on the machine that made the report concerns no one else.
PAIR_COLUMNS: Final = [
    "pair_idx",
    "series_id",
    "cluster",
    "image_1",
    "image_2",
    "votes_1",
    "votes_2",
    "votes_neither",
    "first_shown_votes",
    "votes_1_shown_first",
    "n_orders",
    "num_reviewers",
    "agreement",
    "winner",
    "opposite_orders",
    "excluded",
]


def gates(contents: Contents) -> tuple[list[GateRow], list[GateRow]]:
    """Those that count, and advice: of a gate on every method the row that is furthest from passing."""
    rows = [row for of_one in contents.gates.values() for row in of_one]
    worst: dict[str, GateRow] = {}
    for row in rows:
        if row.name not in worst or (row.seen or 0.0) > (worst[row.name].seen or 0.0):
            worst[row.name] = row
    shown = list(worst.values())
    return [row for row in shown if not row.advice], [row for row in shown if row.advice]


def said_of_gates(contents: Contents) -> Text:
    """How many gates fail, by code name."""
    fails = failing_by_gate(contents.gates)
    return say("gates.fail", n=whole(len(fails)), gates=joined(fails)) if fails else say("gates.none_fails")


def pairwise_page(contents: Contents) -> str:
    """The report as one HTML file, the same for the same contents; a browser shows it without a network."""
    found, tables = failing_pairs(contents), downloads(contents)
    counted, advice = gates(contents)
    beside_chance, judges = likelihood_charts(contents), judges_table(contents)
    context: dict[str, Any] = {
        "study": contents.study,
        "facts": facts(contents),
        **verdict_parts(contents.verdicts),
        "result": summary(contents),
        "gates": counted,
        "advice": advice,
        "gates_said": said_of_gates(contents),
        "units": units(contents),
        "bands": said_of_bands(contents),
        "couples": said_of_couples(contents),
        "matrix": matrix(contents),
        "tests": tests_table(contents),
        "speed": said_of_speed(contents),
        "of_texts": contents.plan.pairs_of == "texts",
        "judges": judges,
        "judges_said": said_of_judges(contents),
        "people": said_of_people(contents),
        "position": position_table(contents),
        "strengths": said_of_strengths(contents),
        "likelihood": said_of_likelihood(contents),
        "likelihood_table": likelihood_table(contents),
        "failures": failures(contents, found),
        "failures_said": said_of_failures(contents, found),
        "exclusions": exclusions_table(contents),
        "every_row": all_rows(
            caption_of_pairs(contents), "predictions", tables["predictions"], pictured=("image_1", "image_2")
        )
        if "predictions" in tables
        else None,
        "photos": said_of_photos(contents),
        "unpredicted": unpredicted_table(contents),
        "too_long": [name for name in ("predictions", "photo_pairs", "bradley_terry") if name not in tables],
    }
    return rendered(
        Page(
            template="pairwise/pairwise.html.j2",
            title=title_of(contents.verdicts, say("report.title", study=same(contents.study))),
            translations=WORDS,
            sections=[(name, say(f"section.{name}")) for name in SECTIONS if judges or name != "judges"],
            charts=[
                accuracy_chart(contents),
                bands_chart(contents),
                speed_chart(contents),
                agreement_chart(contents),
                strengths_chart(contents),
                *beside_chance,
            ],
            tables=tables,
            about=about(contents),
            file_stem="pairwise-report",
            terms=TERMS,
            styles=("pairs.css",),
            in_rows=pictures_in_rows(contents.photos) if "predictions" in tables else {},
            context=context,
            provenance=contents.provenance,
        )
    )


def facts(contents: Contents) -> list[tuple[Text, Part]]:
    """Name and value of each fact in the head."""
    pairs, judged, plan = contents.tables["photo_pairs"], contents.judged, contents.plan
    votes = contents.people.counts["n_votes"]
    limits = {"agreement": plain_number(plan.min_agreement), "reviewers": whole(plan.min_reviewers)}
    rows: list[tuple[str, Part]] = [
        ("dataset", plan.dataset_name),
        ("judged", say("fact.of", n=whole(len(judged)), total=whole(len(pairs)))),
        ("series", whole(judged["series_id"].nunique())),
        ("photos", whole(len({*judged["image_1"], *judged["image_2"]}))),
        ("votes", whole(votes)),
        ("methods", say("fact.of", n=whole(len(contents.measured)), total=whole(len(plan.methods)))),
        ("filter", say("fact.at_least", **limits)),
        ("level", level(contents)),
        ("orders", say(f"orders.{plan.orders}")),
    ]
    if plan.cluster_column:
        rows.insert(3, ("clusters", joined([units(contents), whole(judged["cluster"].nunique())], ": ")))
    if plan.sample_size is not None:
        rows.append(("sample", say("fact.sampled", n=whole(plan.sample_size), seed=str(plan.seed))))
    return [(say(f"fact.{name}"), value) for name, value in rows]


def about(contents: Contents) -> dict[str, Any]:
    """What stands next to the tables in the download."""
    plan = contents.plan
    return {
        "study": contents.study,
        "verdict": as_data(contents.verdicts),
        "dataset": plan.dataset_name,
        "best": contents.best["method"] if contents.best else None,
        **gates_as_data(contents.gates),
        "orders": plan.orders,
        "min_agreement": plan.min_agreement,
        "min_reviewers": plan.min_reviewers,
        "sample_size": plan.sample_size,
        "rules_long_side": plan.rules_long_side,
        "clip_attributes": [one.model_dump() for one in plan.clip_attributes],
        "cluster_column": plan.cluster_column,
        "confidence": plan.confidence,
        "bootstrap_resamples": plan.bootstrap_resamples,
        "folds": plan.folds,
        "seed": plan.seed,
        "letters": contents.letters,
        "unavailable": {method: reason for reason, names in contents.unavailable.items() for method in names},
    }


def downloads(contents: Contents) -> dict[str, pd.DataFrame]:
    """The tables as the report hands them out: without addresses, and without those that are too long for a page."""
    tables = {name: contents.tables[name] for name in ("method_metrics", "method_significance")}
    if len(judges := contents.tables.get("pair_judges", pd.DataFrame())):
        tables["pair_judges"] = judges
    if contents.verdicts is not None:
        tables = {"pairwise_trust_verdict": contents.verdicts, **tables}
    long = {
        "predictions": predictions(contents),
        "photo_pairs": contents.tables["photo_pairs"][PAIR_COLUMNS],
        "bradley_terry": contents.tables["bradley_terry"],
    }
    return tables | {name: frame for name, frame in long.items() if len(frame) <= MOST_ROWS}


def predictions(contents: Contents) -> pd.DataFrame:
    """One row per judged pair: what people chose, and a column per method with what it picks (0: a tie)."""
    results = contents.tables["pairwise_results"]
    picked = results.pivot_table(
        index="pair_idx", columns="method", values="predicted_winner", aggfunc="first", sort=True
    )
    truth = contents.judged.set_index("pair_idx")[["series_id", "image_1", "image_2", "winner"]]
    return truth.join(picked.astype("Int64").add_prefix("predicted_")).reset_index()


def caption_of_pairs(contents: Contents) -> Text:
    """Of the table of all pairs: which photos have a picture there, where not all have."""
    n, caption = len(contents.photos), say("page.every_row")
    if n <= MOST_IN_ROWS:
        return caption
    return joined([caption, say("failures.some_pictures", n=whole(MOST_IN_ROWS), total=whole(n))], ". ")
