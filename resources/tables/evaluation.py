"""The tables of study C: predicted scores or answers held against the truth."""

from resources.tables.declare import SAMPLING, Column, Table, count, flag, number, text, texts, whole
from resources.tables.trust_verdict import trust_verdict_table

KINDS = ("scores", "answers")

DATASET = text("dataset", "Partition key: the data set.")
SAMPLE = text("sample_id", "Sample; its row in the file where the file names no samples.")

EVALUATION_SAMPLES = Table(
    "evaluation_samples",
    "What was predicted and what is true: one row per sample of a data set, with the metadata that groups them.",
    (
        DATASET,
        SAMPLE,
        text("kind", "Scores or answers; a data set holds one kind.", among=KINDS),
        number("prediction_score", "Predicted score, as the file gives it; null for answers.", nullable=True),
        number("truth_score", "True score, as the file gives it; null for answers.", nullable=True),
        texts("options", "Options of the question in their order; null for scores.", nullable=True),
        text("prediction_answer", "Option that the answer names; null where it names none.", nullable=True),
        text("truth_answer", "True option; null for scores.", nullable=True),
        text("answer_as_given", "The answer as the file spells it; null for scores.", nullable=True),
        count("n_rows_in_file", "Rows of the file, those left out included."),
        count("n_unusable", "Rows left out, repetitions of a sample not counted.", optional=True),
        Column(
            r"field\..+",
            "text",
            "Metadata by its dotted name; null where the sample lacks it.",
            nullable=True,
            pattern=True,
            optional=True,
        ),
    ),
    key=("dataset", "sample_id"),
    reads=("max_unusable_share",),
)

STATISTIC = (
    number("value", "The number; null where the data do not define it.", nullable=True),
    number("ci_low", "Lower bound of the headline interval; `method` says how it was made.", nullable=True),
    number("ci_high", "Upper bound.", nullable=True),
)
COUNTS = (
    count("n_used", "Samples behind the number."),
    count("n_total", "Rows of the file, those left out included."),
    count("n_clusters", "Clusters behind the number; samples without a cluster are their own."),
)
WORDS = (
    text("method", "How interval and p were made.", nullable=True),
    text("undefined", "Why the number is null.", nullable=True),
)

CORRELATION = Table(
    "correlation",
    "How well predicted scores follow the truth: one row per data set and statistic.",
    (
        DATASET,
        text("statistic", "srcc, plcc, krcc, mapped ones, errors."),
        *STATISTIC,
        number("percentile_low", "Lower bound, percentile bootstrap: `srcc_ci`, `plcc_ci`, `krcc_ci`.", nullable=True),
        number("percentile_high", "Upper bound of that.", nullable=True),
        number("bca_low", "Lower bound, bias-corrected and accelerated bootstrap.", nullable=True),
        number("bca_high", "Upper bound of that.", nullable=True),
        number("p", "p-value against no association.", nullable=True, low=0.0, high=1.0),
        flag("significant", "Read off the clustered interval where clusters exist, else off p.", nullable=True),
        number("value_as_given", "The number before the sign of a lower-is-better metric was turned.", nullable=True),
        text("unit", "Unit of value and bounds."),
        *COUNTS,
        *WORDS,
    ),
    key=("dataset", "statistic"),
    reads=(*SAMPLING, "bca_resamples"),
)

METRIC_COMPARISON = Table(
    "metric_comparison",
    "Two data sets of one kind: is one nearer to the truth, right more often or higher than the other?",
    (
        text("first", "One data set."),
        text("second", "The other."),
        text("statistic", "srcc, plcc or krcc on the same samples; mean of scores on one scale; accuracy of answers."),
        number("first_value", "The first one's; correlations oriented so that higher is better."),
        number("second_value", "The second one's."),
        number("difference", "First minus second."),
        number("ci_low", "Lower bound; `method` says of what.", nullable=True),
        number("ci_high", "Upper bound.", nullable=True),
        flag(
            "significant", "The interval excludes 0; of mean and accuracy without clusters, read off p.", nullable=True
        ),
        number(
            "p", "p-value of accuracy or mean; correlations have the tests below.", nullable=True, low=0.0, high=1.0
        ),
        text("p_method", "Which test gave it, and whether it assumes independence.", nullable=True),
        number("cohens_h", "Size of the difference of accuracies of different samples.", nullable=True),
        number("williams_t", "Williams' t on Pearson; assumes independence.", nullable=True),
        number("williams_p", "Its p; assumes independence.", nullable=True),
        number("steiger_z", "Steiger's z on Pearson; assumes independence.", nullable=True),
        number("steiger_p", "Its p; assumes independence.", nullable=True),
        count("n_used", "Samples that both have, at least half of each; else those of either."),
        count("n_clusters", "Clusters behind them."),
        text("method", "How the interval was made.", nullable=True),
    ),
    key=("first", "second", "statistic"),
    reads=(*SAMPLING, "bca_resamples"),
)

MCQ_CONFUSION = Table(
    "mcq_confusion",
    "Which option is taken for which: one row per data set, option set, true option and answer.",
    (
        DATASET,
        text("options", "The option set, in its order."),
        text("truth", "True option."),
        text("prediction", "Answer; `invalid` where it is no option."),
        count("count", "Questions."),
        number(
            "share_of_truth",
            "Share of the questions with this true option; null where there is none.",
            "share",
            nullable=True,
        ),
        whole("rank_of_confusion", "1 to 5 for the most confused pairs; null elsewhere.", "count", nullable=True),
    ),
    key=("dataset", "options", "truth", "prediction"),
)

OPTION_RATES = Table(
    "option_rates",
    "How each option fares: precision, recall, and whether it is answered too often.",
    (
        DATASET,
        text("options", "The option set, in its order."),
        text("option", "Option."),
        count("n_true", "Questions whose truth it is."),
        count("n_predicted", "Questions to which it was the answer."),
        whole("excess", "Answers beyond the questions whose truth it is.", "count"),
        number("precision", "Right among the answers; null where there is none.", "share", nullable=True),
        number("recall", "Right among the questions; null where there is none.", "share", nullable=True),
        text("undefined", "Why a number is null.", nullable=True),
    ),
    key=("dataset", "options", "option"),
)

CATEGORY_BREAKDOWN = Table(
    "category_breakdown",
    "The headline number in each group of samples, subtotals included.",
    (
        DATASET,
        text("grouped_by", "Fields, outermost first, joined by commas."),
        text("group", "Their values, joined by ' / '; (all) for the whole."),
        count("level", "How many of the fields the group fixes; 0 for the whole."),
        text("statistic", "srcc for scores, accuracy for answers."),
        *STATISTIC,
        count("n_used", "Samples of the group."),
        count("n_clusters", "Clusters behind them."),
        flag("small", "Under 10 samples: shown, not to be relied on."),
        text("standing", "best or worst of its level; null elsewhere.", nullable=True),
        number("p_difference", "Do the groups of this level differ at all? Null where not tested.", nullable=True),
        *WORDS,
    ),
    key=("dataset", "grouped_by", "group", "level"),
    reads=(*SAMPLING, "bca_resamples"),
)

PAPER_COMPARISON = Table(
    "paper_comparison",
    "Our numbers next to a paper's.",
    (
        DATASET,
        text("statistic", "Which number."),
        text("category", "The samples that the paper's number is of, by fields and values; null: all.", nullable=True),
        text("model", "The paper's model.", nullable=True),
        text("tools", "The paper's tools.", nullable=True),
        text("protocol", "The paper's protocol: mapping, split.", nullable=True),
        text("sign", "as measured: ours too is shown before its sign is turned.", nullable=True),
        number("value", "Ours.", nullable=True),
        number("ci_low", "Lower bound of ours.", nullable=True),
        number("ci_high", "Upper bound of ours.", nullable=True),
        number("paper_value", "The paper's."),
        number("delta", "Ours minus the paper's.", nullable=True),
        number("relative", "Delta over the paper's.", "share", nullable=True),
        text("direction", "above, below or equal.", nullable=True),
        flag("deviates", "The paper's value lies outside our interval: to be investigated.", nullable=True),
        text("undefined", "Why there is nothing to compare.", nullable=True),
    ),
    key=("dataset", "statistic", "category", "model", "tools", "protocol"),
    reads=("@baseline",),
)

EVALUATION_SUMMARY = Table(
    "evaluation_summary",
    "All data sets at a glance, and their means.",
    (
        text("dataset", "Data set; '(mean)' and '(size-weighted mean)' where at least two of other samples define it."),
        text("kind", "Scores or answers.", among=KINDS),
        text("statistic", "srcc, plcc, krcc or accuracy."),
        *STATISTIC,
        count("n_used", "Samples behind the number."),
        count("n_total", "Rows of the files."),
        text("undefined", "Why the number is null; of a mean, what it leaves out or counts once.", nullable=True),
    ),
    key=("dataset", "kind", "statistic"),
    reads=("seed",),
)

EVALUATION_REPORT = Table(
    "evaluation_report",
    "The report as one file for the browser: where it is and what it was made from.",
    (
        text("path", "Address of the HTML file."),
        text("sha256", "Its content hash."),
        whole("n_bytes", "Its size.", "bytes", low=1),
        text("study", "Study that it is about."),
        count("n_datasets", "Data sets in it."),
        texts("languages", "Languages in it."),
    ),
    key=("path",),
    reads=SAMPLING,
)

EVALUATION_TRUST_VERDICT = trust_verdict_table(
    "evaluation", "data set", ("confidence", "seed", "verdict", "max_unusable_share")
)
