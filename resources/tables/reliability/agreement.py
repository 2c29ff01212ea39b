"""The tables of study D on agreement: queries, judgments, kappa, companion coefficients, disagreements, bias."""

from typing import Any

from resources.tables.call_states import ANSWER_STATES
from resources.tables.declare import SAMPLING, Table, bounds, count, flag, number, text, texts, undefined, whole

# Keys of the configuration that several tables are made from.
THRESHOLDS = ("grades", "relevant_from", "threshold", "thresholds")

SHARE: dict[str, Any] = {"low": 0.0, "high": 1.0}
KAPPA: dict[str, Any] = {"low": -1.0, "high": 1.0}
ALL_JUDGES = "all"
QUERY_ID = text("query_id", "The query.")
DOC_ID = text("doc_id", "The document, inside its query.")
PAIR = (text("judge_1", "First judge of the pair."), text("judge_2", "Second judge of the pair."))

QUERY_DOCUMENTS = Table(
    "query_documents",
    "The documents of each query, with their texts where they are known.",
    (
        QUERY_ID,
        text("query", "What was asked."),
        DOC_ID,
        text("document", "Its text; null where the input has none.", nullable=True),
        count("position", "Place of the document in its query, from 0, as the input has them."),
    ),
    key=("query_id", "doc_id"),
    reads=("@scores_come_with_input", "columns", "grades", "people", "postgres", "scale"),
)

JUDGMENTS = Table(
    "judgments",
    "What each judge said of each document: one row per document, judge and prompt version.",
    (
        QUERY_ID,
        DOC_ID,
        text("judge", "Name of the judge in the study."),
        text("prompt_version", "Version of the prompt that it answered."),
        text("prompt_hash", "SHA-256 of that prompt; null where the scores were imported.", nullable=True),
        text("judge_identity", "Digest of who judged: model, parameters, code; `imported` for imported scores."),
        number("score", "Relevance; null where the answer has none.", "share", nullable=True, **SHARE),
        text("state", "What became of the answer.", among=ANSWER_STATES),
        text("message", "What was wrong with the answer.", nullable=True),
        flag("counts", "The score counts: no later prompt version is complete for the query."),
    ),
    key=("query_id", "doc_id", "judge", "prompt_version"),
    reads=("@judges", "max_incomplete_share"),
)

QUERY_KAPPA = Table(
    "query_kappa",
    "Cohen's kappa of each query, for each pair of judges.",
    (
        *PAIR,
        QUERY_ID,
        text("prompt_version", "Version of the prompt that counts for the query."),
        count("n_documents", "Documents of the query."),
        count("n_both", "Of these, scored by both judges: the others are left out."),
        count("n_11", "Documents that both call relevant."),
        count("n_10", "Relevant to the first judge alone."),
        count("n_01", "Relevant to the second judge alone."),
        count("n_00", "Relevant to neither."),
        number("kappa", "Cohen's kappa; null where it is 0/0.", nullable=True, **KAPPA),
        number(
            "kappa_headline", "The same with 1 by convention where both judges give one label.", nullable=True, **KAPPA
        ),
        flag("is_low", "A defined kappa below the limit of low kappa."),
        text("band", "Landis and Koch's word for a defined kappa.", nullable=True),
        number("percent_agreement", "Share of documents with the same label.", "share", nullable=True, **SHARE),
        number("largest_difference", "Largest |score 1 - score 2| of a document.", "share", nullable=True, **SHARE),
        undefined("Why there is no kappa"),
    ),
    key=("judge_1", "judge_2", "query_id"),
    reads=(*THRESHOLDS, "gate.low_kappa", "max_incomplete_share"),
)

JUDGE_AGREEMENT = Table(
    "judge_agreement",
    "Kappa over all queries and its companions, for each pair of judges and for all judges together.",
    (
        *PAIR,
        text("statistic", "kappa_macro, kappa_macro_defined, kappa_micro, percent_agreement, pabak, ..."),
        number("value", "The statistic; null where the data do not define it.", nullable=True),
        *bounds("value", "the statistic, over queries"),
        text("method", "How the bounds came about, or why there are none."),
        text("band", "Landis and Koch's word, for kappas.", nullable=True),
        count("n_queries", "Queries behind it."),
        count("n_documents", "Documents behind it."),
        undefined("Why there is no value"),
    ),
    key=("judge_1", "judge_2", "statistic"),
    reads=(*SAMPLING, *THRESHOLDS, "gate", "max_incomplete_share"),
)

DISPUTED_DOCUMENTS = Table(
    "disputed_documents",
    "Documents whose scores lie far apart or whose labels differ, with what people said: the worst query first.",
    (
        QUERY_ID,
        DOC_ID,
        count("place", "Place of the query, from 1: the highest disagreement first.", low=1),
        count("place_in_query", "Place of the document in its query, from 1.", low=1),
        number("disagreement", "Largest difference between two judges' scores.", "share", **SHARE),
        flag("is_high", "The difference exceeds the limit of high disagreement."),
        flag("labels_differ", "Two judges that scored it give two labels: a person has to decide."),
        text("lowest_judge", "Who scored it lowest."),
        number("lowest_score", "That score.", "share", **SHARE),
        text("highest_judge", "Who scored it highest."),
        number("highest_score", "That score.", "share", **SHARE),
        whole("votes_relevant", "Reviewers who voted relevant.", "votes", low=0),
        whole("votes_not_relevant", "Reviewers who voted not relevant.", "votes", low=0),
        flag("decision", "Relevant by most votes; null without a vote and on a tie.", nullable=True),
    ),
    key=("query_id", "doc_id"),
    reads=(*THRESHOLDS, "review.high_disagreement"),
)

DISAGREEMENTS = Table(
    "disagreements",
    "Queries with a document in dispute, the highest disagreement first.",
    (
        QUERY_ID,
        count("place", "Place, from 1: the highest disagreement first.", low=1),
        text("query", "What was asked."),
        number("kappa", "Its kappa, the lowest over pairs of judges; null where it is 0/0.", nullable=True, **KAPPA),
        number("avg_disagreement", "Mean |difference| over its documents.", "share", **SHARE),
        number("max_disagreement", "Largest |difference| of a document.", "share", **SHARE),
        number("avg_judge1", "Mean score of the first judge, where it gave one.", "share", nullable=True, **SHARE),
        number("avg_judge2", "Mean score of the second judge, likewise.", "share", nullable=True, **SHARE),
        texts("documents", "Documents in dispute, the highest disagreement first."),
        count("n_undecided", "Of the documents whose labels differ, those that no person has decided."),
        flag("reviewed", "Every disputed document of the query has a vote."),
        flag("held_out", "Kept back from the author of the next prompt."),
        text("prompt_version", "Version of the prompt that counts for the query."),
    ),
    key=("query_id",),
)

BIAS_TEST = Table(
    "bias_test",
    "Whether one judge scores higher than the other: signed-rank tests and the shift.",
    (
        *PAIR,
        text("test", "query_medians (decides), pooled, or bins (whether these are used equally often)."),
        number("p", "Two-sided p value; null where it is not defined.", "probability", nullable=True, **SHARE),
        text("method", "exact (sign flips of the actual mid-ranks), normal (Pratt, tie correction) or Bhapkar."),
        number("statistic", "Sum of the ranks of positive differences; of bins, chi-square.", nullable=True),
        text("higher_judge", "Who scores higher by the statistic; null where it says neither.", nullable=True),
        count("n", "Differences: queries or documents."),
        count("n_zero", "Of these, zero; of bins, both scores in one."),
        number("shift", "Median of the Walsh averages of judge 1 - judge 2.", "share", nullable=True),
        *bounds("shift", "the shift, over resampled queries", "share"),
        text("interval_method", "How the bounds came about, or why there are none."),
        number("difference_of_medians", "Median of judge 1 - median of judge 2.", "share", nullable=True),
        flag("biased", "p < 0.05 in the test on query medians; null in the pooled one.", nullable=True),
        undefined("Why there is no test"),
    ),
    key=("judge_1", "judge_2", "test"),
    reads=(*SAMPLING, *THRESHOLDS, "max_incomplete_share"),
)

THRESHOLD_ADVICE = Table(
    "threshold_advice",
    "Whether another threshold for the judge that scores higher would raise kappa, on queries that did not set it.",
    (
        *PAIR,
        text("higher_judge", "Who scores higher; null where the shift is 0.", nullable=True),
        number("threshold_now", "That judge's threshold now.", "share", nullable=True, **SHARE),
        number("threshold_advised", "The threshold advised; null where none helps.", "share", nullable=True, **SHARE),
        number("kappa_now", "Micro kappa of the halves at the thresholds now.", nullable=True, **KAPPA),
        number("kappa_advised", "The same at the threshold that the other half sets.", nullable=True, **KAPPA),
        count("n_queries", "Queries behind it."),
        text("advice", "In words."),
    ),
    key=("judge_1", "judge_2"),
    reads=(*THRESHOLDS, "max_incomplete_share", "seed"),
)
