"""The tables of study D on what follows: validations, recalibration, reviewers, ground truth, report."""

from typing import Any

from resources.tables.declare import SAMPLING, Table, bounds, count, flag, number, text, texts, time, undefined, whole
from resources.tables.reliability.agreement import KAPPA, QUERY_ID, SHARE, THRESHOLDS
from resources.tables.trust_verdict import trust_verdict_table

RISE: dict[str, Any] = {"low": -2.0, "high": 2.0}

KAPPA_VALIDATION = Table(
    "kappa_validation",
    "Every validation so far: kappa, what it led to, and why; `validation_results` in the database.",
    (
        whole("id", "Number of the validation.", low=1),
        time("timestamp", "When."),
        number(
            "kappa_macro",
            "Mean over queries, 1 where both judges give one label; of the deciding pair.",
            **KAPPA,
        ),
        number("kappa_macro_defined", "Mean over queries with a defined kappa.", nullable=True, **KAPPA),
        number("kappa_micro", "Kappa over all documents pooled.", **KAPPA),
        *bounds("kappa_macro", "kappa_macro, over queries"),
        *bounds("kappa_micro", "kappa_micro, over queries"),
        number("low_share", "Share of the queries with a defined kappa whose kappa is low.", "share", **SHARE),
        text("status", "passed, contingency_triggered or resolved_by_review."),
        flag("not_proven", "It passes, and a lower bound does not."),
        flag("depends_on_convention", "It passes under one convention of the macro alone."),
        count("total_queries", "Queries with documents that both judges of the deciding pair scored."),
        count("n_undefined", "Of these, without a defined kappa."),
        count("n_documents", "Documents behind it."),
        text("judge_1", "First judge of the deciding pair."),
        text("judge_2", "Second judge of the deciding pair."),
        text("thresholds", "Threshold of each judge, as JSON."),
        text("contingency_actions", "Steps taken since the validation before, as JSON."),
        text("notes", "In words."),
        text("run", "The run that wrote it."),
    ),
    key=("id",),
    reads=(*THRESHOLDS, "gate", "review.min_reviewed_share"),
)

LOW_KAPPA_PROFILE = Table(
    "low_kappa_profile",
    "What tells queries of low kappa of the deciding pair from its other queries with a defined kappa.",
    (
        text(
            "feature", "query_words, query_is_vague, document_words, documents, document_kind=..., prompt_version=..."
        ),
        number("low_kappa", "Median over queries of low kappa, or their share.", nullable=True),
        number("rest", "The same over the other queries.", nullable=True),
        text("measure", "median or share."),
        number("difference", "low_kappa - rest.", nullable=True),
        number("p", "Two-sided: Mann-Whitney for medians, Fisher's exact test for shares.", nullable=True, **SHARE),
        number("p_holm", "The same after Holm's correction over the features.", nullable=True, **SHARE),
        count("n_low_kappa", "Queries of low kappa."),
        count("n_rest", "The other queries with a defined kappa."),
        undefined("Why there is no test"),
    ),
    key=("feature",),
    reads=("gate",),
)

RECALIBRATION = Table(
    "recalibration",
    "What judging queries of low kappa again under another prompt did to kappa; empty before that.",
    (
        text("part", "all, judged_again, held_out (of these, kept back) or untouched."),
        text("statistic", "kappa_macro or kappa_micro, of the deciding pair."),
        number("before", "Under the first prompt version.", nullable=True, **KAPPA),
        number("after", "As it counts now.", nullable=True, **KAPPA),
        number("change", "after - before.", nullable=True, **RISE),
        *bounds("change", "the change, over queries"),
        text("method", "How the bounds came about, or why there are none."),
        count("n_queries", "Queries."),
        text("prompt_version", "The prompt that they were judged again under."),
        undefined("Why there is no number"),
    ),
    key=("part", "statistic"),
    reads=(*SAMPLING, *THRESHOLDS),
)

REVIEWER_AGREEMENT = Table(
    "reviewer_agreement",
    "How well reviewers agree with each other where two voted on the same document.",
    (
        text("reviewer_1", "First reviewer."),
        text("reviewer_2", "Second reviewer."),
        count("n_documents", "Documents on which both voted."),
        count("n_queries", "Queries of these documents."),
        number("percent_agreement", "Share with the same vote.", "share", nullable=True, **SHARE),
        number("kappa", "Cohen's kappa; null where it is 0/0.", nullable=True, **KAPPA),
        undefined("Why there is no kappa"),
    ),
    key=("reviewer_1", "reviewer_2"),
)

JUDGES_AGAINST_REVIEWERS = Table(
    "judges_against_reviewers",
    "Which way each judge errs on the disputed documents that people decided; no error rate: these were chosen.",
    (
        text("judge", "The judge."),
        count("n_documents", "Disputed documents that people decided and it scored."),
        count("n_queries", "Queries of these documents."),
        count("too_high", "Relevant to the judge, not to people."),
        count("too_low", "Relevant to people, not to the judge."),
        number("bias", "(too_high - too_low) / n_documents.", "share", nullable=True, low=-1.0, high=1.0),
        *bounds("bias", "the bias, over queries", "share"),
        text("method", "How the bounds came about, or why there are none."),
    ),
    key=("judge",),
    reads=(*SAMPLING, *THRESHOLDS),
)

GROUND_TRUTH = Table(
    "ground_truth",
    "The documents that count as relevant to each query: where judges agree theirs, else people's.",
    (
        QUERY_ID,
        text("query", "What was asked."),
        texts("expected_docs", "Documents that are relevant."),
        count("n_documents", "Documents with a label."),
        count("n_by_people", "Of these, decided by people."),
        number("kappa", "The query's kappa, the lowest over pairs; null where it is 0/0.", nullable=True, **KAPPA),
        flag("human_override", "People decided a document."),
        text("override_reason", "Why, in the reviewer's words.", nullable=True),
        text("reviewer", "Who decided last.", nullable=True),
        time("decided_at", "When.", nullable=True),
        text("prompt_version", "Version of the prompt behind the scores."),
        whole("validation", "Number of the validation that allowed it.", low=1),
    ),
    key=("query_id",),
    reads=(*THRESHOLDS, "max_incomplete_share"),
)

RELIABILITY_REPORT = Table(
    "reliability_report",
    "The report as one file for the browser: where it lies and what it was made from.",
    (
        text("path", "Address of the HTML file."),
        text("sha256", "Its content hash."),
        whole("n_bytes", "Its size.", "bytes", low=1),
        text("study", "Study that it is about."),
        text("status", "What the latest validation led to; null without a verdict.", nullable=True),
        text("due", "The step that is due; null without a verdict.", nullable=True),
        texts("languages", "Languages in it."),
    ),
    key=("path",),
    reads=(*SAMPLING, *THRESHOLDS, "gate", "review", "recalibration.prompt_version"),
)

RELIABILITY_TRUST_VERDICT = trust_verdict_table(
    "reliability",
    "two judges",
    (*THRESHOLDS, "confidence", "gate", "max_incomplete_share", "people", "seed", "verdict"),
)
