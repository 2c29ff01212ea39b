"""What people said: how well reviewers agree, which way each judge errs on what they decided, and ground truth."""

from typing import Any, Final

from analysis.agreement.contingency import CONTINGENCY
from reports.reliability.contents import Contents, level, say
from reports.reliability.disagreements import MOST_SIGNS, shortened
from reports.shared.numbers import interval, is_unreliable, number, percent, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView, records
from reports.shared.text import Part, Text

MOST_WORDS: Final = 50


def reviewers_table(contents: Contents) -> TableView | None:
    """How well each two reviewers agree; none where no document has two votes."""
    rows = records(contents.tables["reviewer_agreement"])
    if not rows:
        return None
    heads = [
        Head(say("head.reviewers"), numeric=False, term="reviewers"),
        Head(say("head.same_vote")),
        Head(say("head.kappa"), term="kappa"),
        Head(say("head.documents")),
        Head(say("head.queries")),
        Head(say("head.note"), numeric=False),
    ]
    cells: list[list[Part]] = [
        [
            say("judges.two", one=str(row["reviewer_1"]), other=str(row["reviewer_2"])),
            percent(row["percent_agreement"]),
            number(row["kappa"]),
            whole(row["n_documents"]),
            whole(row["n_queries"]),
            phrase(row["undefined"]) if row["undefined"] else "",
        ]
        for row in rows
    ]
    return TableView(say("reviewers.table"), heads, cells)


def judges_table(contents: Contents) -> TableView | None:
    """Which way each judge errs on disputed documents that people decided; none where there is none."""
    rows = [row for row in records(contents.tables["judges_against_reviewers"]) if row["n_documents"]]
    if not rows:
        return None
    heads = [
        Head(say("head.judge"), numeric=False, term="against_reviewers"),
        Head(say("head.documents")),
        Head(say("head.queries")),
        Head(say("head.too_high")),
        Head(say("head.too_low")),
        Head(say("head.lean")),
        Head(say("head.interval", level=level(contents)), term="interval"),
    ]
    cells: list[list[Part]] = [
        [
            str(row["judge"]),
            whole(row["n_documents"]),
            whole(row["n_queries"]),
            whole(row["too_high"]),
            whole(row["too_low"]),
            number(row["bias"]),
            interval(row["bias_low"], row["bias_high"], unreliable=is_unreliable(row["method"])),
        ]
        for row in rows
    ]
    return TableView(say("against.table"), heads, cells)


def words_table(contents: Contents) -> TableView | None:
    """Reasons and notes of the reviewers, the latest first; none where no one wrote a word.

    Those about queries that are held out are kept back as the queries' texts are: they may tell of them.
    """
    if contents.words.empty:
        return None
    disputed = contents.tables["disagreements"]
    hidden = set(disputed["query_id"][disputed["held_out"].astype(bool)])
    heads = [
        Head(say("head.query"), numeric=False),
        Head(say("head.reviewer"), numeric=False),
        Head(say("head.vote"), numeric=False),
        Head(say("head.reason"), numeric=False, wide=True),
        Head(say("head.note"), numeric=False, wide=True),
    ]
    cells = [_words(row, hidden=row["query_id"] in hidden) for row in records(contents.words[::-1][:MOST_WORDS])]
    n = whole(len(contents.words))
    is_all = len(cells) == len(contents.words)
    caption = say("wrote.table", n=n) if is_all else say("wrote.last", n=n, shown=whole(len(cells)))
    return TableView(caption, heads, cells, stacks=True)


def _words(row: dict[str, Any], *, hidden: bool) -> list[Part]:
    yes, no = row["votes_relevant"], row["votes_not_relevant"]
    vote = say("wrote.votes", yes=whole(yes), no=whole(no)) if yes + no else say("wrote.skipped")
    kept_back = say("disagreements.text_hidden")
    texts = (row["reason"], row["note"])
    written = [kept_back if hidden and text else shortened(text or "", MOST_SIGNS) for text in texts]
    return [str(row["query_id"]), str(row["reviewer"]), vote, *written]


def said_of_truth(contents: Contents) -> list[Text]:
    """How many queries have a label for every document, how many by people, and what is written."""
    truth, last = contents.truth, contents.last
    allowed = last is not None and last["status"] != CONTINGENCY
    counts = {"n": whole(truth.n_queries), "people": whole(truth.n_by_people)}
    said = [say("truth.allowed" if allowed else "truth.not_allowed", **counts)]
    said += [say(f"truth.{why}", n=whole(n)) for why, n in truth.unresolved.items()] or [say("truth.none_left")]
    if truth.n_validation is not None:
        said.append(say("truth.written", n=whole(truth.n_written), validation=whole(truth.n_validation)))
    return said
