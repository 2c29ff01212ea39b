"""Kappa query by query: how it is distributed, and what tells queries of low kappa from the rest."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from analysis.agreement.judge_bias import LEVEL
from analysis.significance.holm import below_level
from reports.reliability.contents import Contents, say
from reports.reliability.plots import EDGES, between, counts_by_kappa, kappas_by_query
from reports.shared.charts import Chart
from reports.shared.numbers import number, p_value, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView, records
from reports.shared.text import Part, Text, joined, same

PROMPT: Final = "prompt_version="
FEATURES: Final = ("query_words", "query_is_vague", "document_words", "documents")


def kappa_histogram(contents: Contents) -> Chart:
    """Queries by their kappa, low ones marked, those without a kappa next to the scale."""
    counts, one_label = counts_by_kappa(contents.kappas)
    return Chart(
        "kappas",
        say("chart.kappas.title"),
        say("chart.kappas.reading", judges=contents.named()),
        _histogram_table(counts, one_label),
        drawing=kappas_by_query(contents.kappas, contents.plan.gate.low_kappa),
        empty=None if one_label or any(found.any() for found in counts.values()) else say("chart.no_query"),
    )


def _histogram_table(counts: Mapping[str, np.ndarray], one_label: int) -> TableView:
    """The numbers of the chart: a row for each bin, and one for the queries with one label."""
    heads = [
        Head(say("head.kappa"), numeric=False, term="kappa"),
        Head(say("legend.low"), term="low_share"),
        Head(say("legend.not_low")),
    ]
    cells: list[list[Part]] = [
        [label, whole(int(one)), whole(int(other))]
        for label, one, other in zip(between(EDGES.tolist(), 1), counts["low"], counts["not_low"], strict=True)
    ]
    cells.append([say("legend.one_label"), whole(0), whole(one_label)])
    return TableView(say("chart.kappas.table"), heads, cells)


def profile_table(contents: Contents) -> TableView | None:
    """Queries of low kappa against the rest, feature by feature; none where there is nothing to compare."""
    rows = records(contents.tables["low_kappa_profile"])
    if not rows:
        return None
    heads = [
        Head(say("head.feature"), numeric=False, term="profile"),
        Head(say("head.measure"), numeric=False),
        Head(say("head.low")),
        Head(say("head.rest")),
        Head(say("head.difference")),
        Head(same("p")),
        Head(say("head.p_holm")),
        Head(say("head.n_low"), note=say("head.n_rest")),
        Head(say("head.note"), numeric=False),
    ]
    cells: list[list[Part]] = [
        [
            feature_name(row["feature"]),
            say(f"measure.{row['measure']}"),
            number(row["low_kappa"], 2),
            number(row["rest"], 2),
            number(row["difference"], 2),
            p_value(row["p"]),
            p_value(row["p_holm"]),
            joined([whole(row["n_low_kappa"]), joined(["(", whole(row["n_rest"]), ")"], "")], " "),
            phrase(row["undefined"]) if row["undefined"] else "",
        ]
        for row in rows
    ]
    caption = joined([say("profile.of_pair", judges=contents.named()), say("profile.table")], " ")
    return TableView(caption, heads, cells)


def said_of_profile(contents: Contents) -> Text:
    """Which features tell queries of low kappa from the rest, all tests in mind."""
    rows = records(contents.tables["low_kappa_profile"])
    if not any(row["p_holm"] is not None for row in rows):
        return say(_why_no_test(contents))
    apart = [row for row in rows if row["p_holm"] is not None and below_level(row["p_holm"], LEVEL)]
    if caution_of_profile(contents):
        apart = [row for row in apart if not row["feature"].startswith(PROMPT)]
    if not apart:
        return say("profile.none")
    return say("profile.some", n=whole(len(apart)), features=joined([feature_name(row["feature"]) for row in apart]))


def _why_no_test(contents: Contents) -> str:
    """Which words say why no feature could be tested."""
    is_low = contents.kappas.loc[contents.kappas["kappa"].notna(), "is_low"].astype(bool)
    if is_low.empty:
        return "profile.no_query"
    if is_low.any() and not is_low.all():
        return "profile.same"
    return "profile.no_rest" if is_low.any() else "profile.no_low"


def caution_of_profile(contents: Contents) -> Text | None:
    """What a prompt version in the profile does not say: it was given to queries because of their kappa."""
    told_by_prompt = contents.tables["low_kappa_profile"]["feature"].str.startswith(PROMPT).any()
    several = contents.kappas["prompt_version"].nunique() > 1
    return say("profile.chosen") if told_by_prompt and several else None


def feature_name(feature: str) -> Text:
    """A feature in words."""
    name, _, value = feature.partition("=")
    if not value:
        return say(f"feature.{name}") if name in FEATURES else same(feature)
    kinds = ("code", "markup", "list", "prose")
    shown: Part = say(f"kind.{value}") if name == "document_kind" and value in kinds else value
    return say(f"feature.{name}", value=shown)
