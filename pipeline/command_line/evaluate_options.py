"""The options that the commands of `touchstone evaluate` have in common."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Metric = Literal["srcc", "plcc", "krcc", "all"]
Statistic = Literal["srcc", "plcc", "krcc"]
KindName = Literal["scores", "answers"]
MappingName = Literal["logistic_4", "logistic_5", "cubic"]


def _share(confidence: float) -> float:
    if not 0.5 < confidence < 1.0:
        raise typer.BadParameter("it is a share between 0.5 and 1, such as 0.95.")
    return confidence


INTERVALS, RESULT, COLUMNS = "Intervals", "Where the result goes", "Columns"

File = Annotated[str, typer.Argument(help="JSONL, CSV or Parquet: a path or an fsspec address.", metavar="FILE")]
Truth = Annotated[
    str | None, typer.Option(help="Field with the truth; else a known one.", metavar="COL", rich_help_panel=COLUMNS)
]
Prediction = Annotated[
    str | None,
    typer.Option(help="Field with the predictions; else a known one.", metavar="COL", rich_help_panel=COLUMNS),
]
Predictions = Annotated[
    list[str] | None,
    typer.Option(
        "--prediction",
        help="Field with the scores; given several times, the metrics are compared with each other.",
        metavar="COL",
        rich_help_panel=COLUMNS,
    ),
]
Kind = Annotated[
    KindName | None, typer.Option(help="What FILE holds; else told from its fields.", rich_help_panel=COLUMNS)
]
LowerIsBetter = Annotated[
    bool, typer.Option("--lower-is-better", help="The scores are distortions.", rich_help_panel=COLUMNS)
]
LowerIsBetterFor = Annotated[
    list[str] | None,
    typer.Option(
        help="Of several --prediction fields, one that is a distortion; can be given several times.",
        metavar="COL",
        rich_help_panel=COLUMNS,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Field whose equal values, letter case ignored, are resampled together: the reference image, say.",
        metavar="COL",
        rich_help_panel=COLUMNS,
    ),
]
Mapping = Annotated[
    MappingName,
    typer.Option(help="Curve that is fitted before the mapped PLCC and RMSE.", rich_help_panel=COLUMNS),
]
SameScale = Annotated[
    bool, typer.Option("--same-scale", help="Scores and truth share a scale: RMSE without a mapping too.",
                       rich_help_panel=COLUMNS)
]  # fmt: skip
Ties = Annotated[
    float | None,
    typer.Option("--ties", help="Join scores nearer than this share of their size: 1e-12.", metavar="SHARE",
                 min=1e-16, max=1e-3, show_default=False, rich_help_panel=COLUMNS),
]  # fmt: skip
OpinionSd = Annotated[
    str | None,
    typer.Option(
        help="Field with the SD of a sample's opinions; with --votes: outlier ratio, Krasula's areas.",
        metavar="COL",
        rich_help_panel=COLUMNS,
    ),
]
Votes = Annotated[
    str | None,
    typer.Option(help="Field with the number of a sample's opinions.", metavar="COL", rich_help_panel=COLUMNS),
]
SkipBadRows = Annotated[
    bool, typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be read.", rich_help_panel=COLUMNS)
]
NormaliseAnswers = Annotated[
    bool,
    typer.Option(
        "--normalise-answers/--no-normalise-answers",
        help='Read answers such as "(B)" or "Answer: B" as the option B.',
        rich_help_panel=COLUMNS,
    ),
]
Resamples = Annotated[int, typer.Option("--n-bootstrap", min=100, help="Resamples.", rich_help_panel=INTERVALS)]
Confidence = Annotated[
    float, typer.Option(callback=_share, help="Of the intervals, a share.", rich_help_panel=INTERVALS)
]
Seed = Annotated[int, typer.Option(min=0, help="Of the resamples.", rich_help_panel=INTERVALS)]
Bca = Annotated[
    bool,
    typer.Option("--bca/--no-bca", help="BCa intervals next to them, 10,000 resamples.", rich_help_panel=INTERVALS),
]
Parallel = Annotated[
    bool,
    typer.Option("--parallel/--sequential", help="Use all cores; the results are the same.", rich_help_panel=INTERVALS),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the result there as JSON.", metavar="PATH", rich_help_panel=RESULT),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON, and nothing else.", rich_help_panel=RESULT)
]
Plot = Annotated[
    bool,
    typer.Option(
        "--plot", help="Draw it, as PNG and SVG next to --output, else in this folder.", rich_help_panel=RESULT
    ),
]
