"""What was left out of the numbers: pairs by cause, photos that are missing, pairs without a prediction."""

from typing import Final

import pandas as pd

from reports.pairwise.contents import WORDS, Contents, say
from reports.shared.numbers import number, plain_number, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined

SHOWN: Final = 20
MOST_REASONS: Final = 40
MISSING: Final = "missing_image"


def exclusions_table(contents: Contents) -> TableView | None:
    """Pairs by cause, judged ones last."""
    pairs = contents.tables["photo_pairs"]
    if pairs.empty:
        return None
    heads = [
        Head(say("head.cause"), numeric=False),
        Head(say("head.pairs")),
        Head(say("head.share")),
        Head(say("head.votes")),
    ]
    votes = pairs[["votes_1", "votes_2", "votes_neither"]].sum(axis=1)
    rows: list[list[Part]] = []
    for cause, n in pairs["excluded"].value_counts().items():
        of_cause = int(votes[pairs["excluded"] == cause].sum())
        rows.append([_cause(contents, str(cause)), whole(n), number(n / len(pairs)), whole(of_cause)])
    judged = len(contents.judged)
    of_judged = int(votes[pairs["excluded"].isna()].sum())
    rows.append([say("legend.judged"), whole(judged), number(judged / len(pairs)), whole(of_judged)])
    return TableView(say("exclusions.table"), heads, rows, frozenset({len(rows) - 1}))


def said_of_photos(contents: Contents) -> list[Text]:
    """Which photos are missing and how many cannot be read."""
    missing, said = _missing(contents.tables["photo_pairs"]), []
    if missing:
        shown: list[Part] = list(missing[:SHOWN])
        if len(missing) > SHOWN:
            shown.append(say("and_more", n=whole(len(missing) - SHOWN)))
        said.append(say("exclusions.missing", n=whole(len(missing)), photos=joined(shown)))
    features = contents.tables["image_features"]
    unreadable = int(features["n_unreadable"].sum())
    if unreadable:
        said.append(say("exclusions.unreadable", n=whole(unreadable), total=whole(int(features["n_names"].sum()))))
    return said or [say("exclusions.all_there")]


def unpredicted_table(contents: Contents) -> TableView | None:
    """Judged pairs without a prediction, by method and reason, the most frequent first."""
    results = contents.tables["pairwise_results"]
    without = results[results["predicted_winner"].isna()]
    if without.empty:
        return None
    counts = (
        without.assign(reason=without["undefined"].fillna(""))
        .groupby(["method", "reason"])
        .size()
        .sort_values(ascending=False)
    )
    shown = counts.head(MOST_REASONS).reset_index(name="n").to_dict("records")
    heads = [
        Head(say("head.method"), numeric=False),
        Head(say("head.pairs")),
        Head(say("head.reason"), numeric=False, wide=True),
    ]
    rows: list[list[Part]] = [[str(row["method"]), whole(row["n"]), phrase(row["reason"])] for row in shown]
    return TableView(say("exclusions.unpredicted", n=whole(len(without))), heads, rows)


def _missing(pairs: pd.DataFrame) -> list[str]:
    lacking = pairs[pairs["excluded"] == MISSING]
    if "absent_images" not in lacking:
        return []
    return sorted({str(name) for names in lacking["absent_images"] for name in names})


def _cause(contents: Contents, cause: str) -> Part:
    key, plan = f"cause.{cause}", contents.plan
    if not WORDS.has(key):
        return cause
    return say(key, agreement=plain_number(plan.min_agreement), reviewers=whole(plan.min_reviewers))
