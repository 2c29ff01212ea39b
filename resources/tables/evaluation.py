"""The tables of study C: predicted scores or answers held against the truth."""

from resources.tables.declare import Column, Table, number, text, texts

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
)
