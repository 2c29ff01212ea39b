"""The reliability report put together: sections, charts, help and the data that it carries."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import pandas as pd

from analysis.gates import at_least
from analysis.intervals.measured import reliable_from
from reports.reliability.bias import bias_table, differences_chart, said_of_bias
from reports.reliability.coefficients import (
    all_judges_table,
    coefficients_chart,
    pairs_table,
    said_of_prevalence,
    terms_of_coefficients,
)
from reports.reliability.contents import WORDS, Contents, level, say, when
from reports.reliability.disagreements import has_blind_readers, said_of_disagreements, shortened, worst_queries
from reports.reliability.history import events, history_chart
from reports.reliability.people import judges_table, reviewers_table, said_of_truth, words_table
from reports.reliability.queries import caution_of_profile, kappa_histogram, profile_table, said_of_profile
from reports.reliability.recalibration import change_chart, recalibration_chart, said_of_recalibration
from reports.reliability.summary import summary, thresholds_in_words
from reports.shared.gate_row import GateRow, gate_row, gates_as_data
from reports.shared.numbers import is_number, whole
from reports.shared.page import Page, rendered
from reports.shared.table_view import all_rows
from reports.shared.text import Part, Text, joined, same
from reports.shared.verdict import as_data, title_of, verdict_parts

GATE = "judges_agree"
TERM_OF_GATE = {
    "kappa_macro": "kappa_macro",
    "kappa_micro": "kappa_micro",
    "low_share": "low_share",
    "macro_for_sure": "not_proven",
    "micro_for_sure": "not_proven",
    "macro_without_convention": "convention",
}
SECTIONS: Final = (
    "summary",
    "gates",
    "history",
    "queries",
    "coefficients",
    "disagreements",
    "bias",
    "recalibration",
    "people",
    "truth",
)
TERMS: Final = (
    "status",
    "kappa",
    "kappa_macro",
    "kappa_micro",
    "convention",
    "low_share",
    "not_proven",
    "band",
    "percent_agreement",
    "prevalence",
    "bias_index",
    "pabak",
    "ac1",
    "alpha",
    "weighted_kappa",
    "ac2",
    "fleiss",
    "conger",
    "kendall_w",
    "query_bootstrap",
    "interval",
    "disagreement",
    "bias_test",
    "shift",
    "threshold_advice",
    "recalibration",
    "profile",
    "reviewers",
    "against_reviewers",
    "ground_truth",
    "undefined",
)
SHORT: Final = (
    "kappa_validation",
    "judge_agreement",
    "bias_test",
    "threshold_advice",
    "recalibration",
    "low_kappa_profile",
    "reviewer_agreement",
    "judges_against_reviewers",
)
# Tables with a row per query or document are handed out up to this many rows; longer ones would make a page too heavy.
LONG: Final = ("query_kappa", "disagreements", "disputed_documents")
SCORES: Final = "scores"
MOST_ROWS: Final = 50_000
# Of a text in a row of the table of all documents.
MOST_SIGNS: Final = 120


def gates(contents: Contents) -> list[GateRow]:
    """The three conditions; none without a verdict."""
    verdict, last = contents.standing.gate, contents.last
    if verdict is None or last is None:
        return []
    few = bool(last["total_queries"] < reliable_from("kappa"))
    share = contents.agreement.get("low_share", {})
    return [
        gate_row(one.with_interval(low, high, unreliable=few))
        for one, low, high in (
            (verdict.macro, last["kappa_macro_low"], last["kappa_macro_high"]),
            (verdict.micro, last["kappa_micro_low"], last["kappa_micro_high"]),
            (verdict.low_share, share.get("value_low"), share.get("value_high")),
        )
    ]


def advice(contents: Contents) -> list[GateRow]:
    """Lower bounds, and the macro under the other convention; none where nothing passes that they could qualify."""
    verdict, last, gate = contents.standing.gate, contents.last, contents.plan.gate
    if verdict is None or last is None or not verdict.passed:
        return []
    n_queries, n_undefined = int(last["total_queries"]), int(last["n_undefined"])
    rows = []
    for name, column, needed, n in (
        ("macro_for_sure", "kappa_macro_low", gate.min_macro, n_queries),
        ("micro_for_sure", "kappa_micro_low", gate.min_micro, int(last["n_documents"])),
        ("macro_without_convention", "kappa_macro_defined", gate.min_macro, n_queries - n_undefined),
    ):
        seen = float(last[column]) if is_number(last[column]) else None
        gate_seen = at_least(name, seen, needed, n=n, what=name, reason=_why(contents, column))
        rows.append(gate_row(gate_seen, advice=True))
    return rows


def gates_of_study(contents: Contents) -> dict[str, list[GateRow]]:
    """Conditions and advice under the study's name; without a verdict the gate itself, which fails."""
    if rows := [*gates(contents), *advice(contents)]:
        return {"study": rows}
    needed = contents.plan.gate.min_macro
    return {"study": [GateRow(GATE, False, None, needed, ">=", advice=False, n=0, reason=contents.standing.reason)]}


def _why(contents: Contents, column: str) -> str:
    row = contents.agreement.get(column.removesuffix("_low"), {})
    return str(row.get("undefined") or row.get("method") or "none")


def reliability_page(contents: Contents) -> str:
    """The report as one HTML file, the same for the same contents; a browser shows it without a network."""
    tables = downloads(contents)
    return rendered(
        Page(
            template="reliability/reliability.html.j2",
            title=title_of(contents.verdicts, say("report.title", study=same(contents.study))),
            translations=WORDS,
            sections=[(name, say(f"section.{name}")) for name in SECTIONS],
            charts=[
                history_chart(contents),
                kappa_histogram(contents),
                coefficients_chart(contents),
                differences_chart(contents),
                recalibration_chart(contents),
                change_chart(contents),
            ],
            tables=tables,
            about=about(contents),
            file_stem="reliability-report",
            terms=TERMS,
            styles=("disputes.css",),
            context=_parts(contents, tables),
            provenance=contents.provenance,
        )
    )


def _parts(contents: Contents, tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """What the templates ask for by name; `tables` are those that the page hands out."""
    return {
        "study": contents.study,
        "facts": facts(contents),
        **verdict_parts(contents.verdicts),
        "result": summary(contents),
        "gate_name": GATE,
        "gates": gates(contents),
        "advice": advice(contents),
        "level": level(contents),
        "term_of_gate": TERM_OF_GATE,
        "events": events(contents),
        "profile": profile_table(contents),
        "profile_said": said_of_profile(contents),
        "profile_caution": caution_of_profile(contents),
        "prevalence": said_of_prevalence(contents),
        "coefficient_terms": terms_of_coefficients(contents.agreement),
        "pairs": pairs_table(contents),
        "all_judges": all_judges_table(contents),
        "disagreements_said": said_of_disagreements(contents),
        "worst": worst_queries(contents),
        "every_row": all_rows(say("page.every_row"), SCORES, tables[SCORES]) if SCORES in tables else None,
        "bias_said": said_of_bias(contents),
        "bias": bias_table(contents),
        "recalibration_said": said_of_recalibration(contents),
        "reviewers": reviewers_table(contents),
        "wrote": words_table(contents),
        "wrote_is_blind": has_blind_readers(contents),
        "against": judges_table(contents),
        "truth": said_of_truth(contents),
        "too_long": [name for name in LONG if name not in tables],
    }


def facts(contents: Contents) -> list[tuple[Text, Part]]:
    """Name and value of each fact in the head."""
    documents = contents.tables["query_documents"]
    prompts = contents.kappas["prompt_version"].drop_duplicates().tolist()
    last = contents.history[-1] if contents.history else None
    rows: list[tuple[str, Part]] = [
        ("judges", joined(contents.judges) if contents.judges else "\u2013"),
        ("queries", whole(documents["query_id"].nunique())),
        ("documents", whole(len(documents))),
        ("thresholds", thresholds_in_words(contents)),
        ("prompts", joined(prompts) if prompts else "\u2013"),
        ("confidence", level(contents)),
        ("validations", whole(len(contents.history))),
        ("latest", when(last["timestamp"]) if last is not None else "\u2013"),
    ]
    return [(say(f"fact.{name}"), value) for name, value in rows]


def about(contents: Contents) -> dict[str, Any]:
    """What stands next to the tables in the download."""
    plan, standing, last = contents.plan, contents.standing, contents.last
    return {
        "study": contents.study,
        "verdict": as_data(contents.verdicts),
        "status": None if last is None else last["status"],
        "no_verdict_because": standing.reason,
        "due": None if last is None else standing.step.name,
        "judges": list(contents.judges),
        "deciding_pair": None if contents.pair is None else list(contents.pair),
        "thresholds": dict(contents.thresholds),
        **gates_as_data(gates_of_study(contents)),
        "gate": plan.gate.model_dump(),
        "review": plan.review.model_dump(),
        "prompt_version": plan.prompt_version,
        "recalibration_prompt_version": plan.recalibration.prompt_version,
        "confidence": plan.confidence,
        "bootstrap_resamples": plan.bootstrap_resamples,
        "seed": plan.seed,
        "ground_truth": {
            "queries": contents.truth.n_queries,
            "unresolved": sum(contents.truth.unresolved.values()),
            "with_documents_decided_by_people": contents.truth.n_by_people,
        },
    }


def downloads(contents: Contents) -> dict[str, pd.DataFrame]:
    """The tables as the report hands them out: without those that are too long, and without texts kept back."""
    tables = {name: contents.tables[name] for name in SHORT}
    if contents.verdicts is not None:
        tables = {"reliability_trust_verdict": contents.verdicts, **tables}
    long = {name: contents.tables[name] for name in LONG}
    held_out = long["disagreements"]["held_out"].astype(bool)
    long["disagreements"] = long["disagreements"].assign(query=long["disagreements"]["query"].mask(held_out))
    long[SCORES] = scores(contents)
    return tables | {name: frame for name, frame in long.items() if len(frame) <= MOST_ROWS}


def scores(contents: Contents) -> pd.DataFrame:
    """One row per document: each judge's score that counts, and how far the highest is above the lowest, all on 0-1.

    Then the beginnings of the query and the document, where the study has any and the query was never held out.
    """
    judgments, texts = contents.tables["judgments"], contents.tables["query_documents"]
    steps = [step for row in contents.history for step in json.loads(row["contingency_actions"])]
    texts = texts[~texts["query_id"].isin([query for step in steps for query in step.get("held_out", ())])]
    known = [name for name in ("query", "document") if texts[name].notna().any()]
    texts = texts[["query_id", "doc_id", *known]].copy()
    texts[known] = texts[known].map(partial(shortened, most=MOST_SIGNS), na_action="ignore")
    counting = judgments[judgments["counts"].astype(bool)]
    wide = counting.pivot_table("score", ["query_id", "doc_id"], "judge", aggfunc="first", sort=False)
    wide["difference"] = wide.max(axis=1) - wide.min(axis=1)
    return wide.reset_index().merge(texts, on=["query_id", "doc_id"], how="left")
