"""The options that the commands of `touchstone evaluate` have in common, each declared once."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, get_type_hints

import typer

Metric = Literal["srcc", "plcc", "krcc", "all"]
Statistic = Literal["srcc", "plcc", "krcc"]
KindName = Literal["scores", "answers"]
MappingName = Literal["logistic_4", "logistic_5", "cubic"]

INTERVALS, RESULT, COLUMNS = "Intervals", "Where the result goes", "Columns"


def _share(confidence: float) -> float:
    if not 0.5 < confidence < 1.0:
        raise typer.BadParameter("it is a share between 0.5 and 1, such as 0.95.")
    return confidence


@dataclass(frozen=True)
class Asked:
    """What a command is asked: the file, what its columns mean, how intervals are made, where the result goes.

    A field is an option of every command that takes it; the others have its default.
    """

    file: Annotated[str, typer.Argument(help="JSONL, CSV or Parquet: a path or an fsspec address.", metavar="FILE")]
    kind: Annotated[
        KindName | None, typer.Option(help="What FILE holds; else recognised from its fields.", rich_help_panel=COLUMNS)
    ] = None
    prediction: Annotated[
        str | None,
        typer.Option(help="Field with the predictions; else a known one.", metavar="COL", rich_help_panel=COLUMNS),
    ] = None
    predictions: Annotated[
        list[str] | None,
        typer.Option(
            "--prediction",
            help="Field with the scores; given several times, the metrics are compared with each other.",
            metavar="COL",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    truth: Annotated[
        str | None, typer.Option(help="Field with the truth; else a known one.", metavar="COL", rich_help_panel=COLUMNS)
    ] = None
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="The scores are distortions.", rich_help_panel=COLUMNS)
    ] = False
    lower_is_better_for: Annotated[
        list[str] | None,
        typer.Option(
            help="Of several --prediction fields, one that is a distortion; can be given several times.",
            metavar="COL",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Field whose equal values, letter case ignored, are resampled together: the reference image, say.",
            metavar="COL",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    mapping: Annotated[
        MappingName,
        typer.Option(help="Curve that is fitted before the mapped PLCC and RMSE.", rich_help_panel=COLUMNS),
    ] = "logistic_4"
    same_scale: Annotated[
        bool,
        typer.Option(
            "--same-scale", help="Scores and truth share a scale: RMSE without a mapping too.", rich_help_panel=COLUMNS
        ),
    ] = False
    opinion_sd: Annotated[
        str | None,
        typer.Option(
            help="Field with the SD of a sample's opinions; with --votes: outlier ratio, Krasula's areas.",
            metavar="COL",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    votes: Annotated[
        str | None,
        typer.Option(help="Field with the number of a sample's opinions.", metavar="COL", rich_help_panel=COLUMNS),
    ] = None
    ties: Annotated[
        float | None,
        typer.Option(
            "--ties",
            help="Join scores nearer than this share of their size: 1e-12.",
            metavar="SHARE",
            min=1e-16,
            max=1e-3,
            show_default=False,
            rich_help_panel=COLUMNS,
        ),
    ] = None
    skip_bad_rows: Annotated[
        bool,
        typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be read.", rich_help_panel=COLUMNS),
    ] = False
    normalise_answers: Annotated[
        bool,
        typer.Option(
            "--normalise-answers/--no-normalise-answers",
            help='Read answers such as "(B)" or "Answer: B" as the option B.',
            rich_help_panel=COLUMNS,
        ),
    ] = True
    options: Annotated[
        str | None,
        typer.Option(
            help="Options of every question, in their order, where rows do not name them: pass,fail (or pass|fail).",
            metavar="NAMES",
            rich_help_panel=COLUMNS,
        ),
    ] = None
    n_bootstrap: Annotated[
        int, typer.Option("--n-bootstrap", min=100, help="Resamples.", rich_help_panel=INTERVALS)
    ] = 1000
    bca: Annotated[
        bool,
        typer.Option("--bca/--no-bca", help="BCa intervals next to them, 10,000 resamples.", rich_help_panel=INTERVALS),
    ] = False
    confidence: Annotated[
        float, typer.Option(callback=_share, help="Of the intervals, a share.", rich_help_panel=INTERVALS)
    ] = 0.95
    seed: Annotated[int, typer.Option(min=0, help="Of the resamples.", rich_help_panel=INTERVALS)] = 42
    parallel: Annotated[
        bool,
        typer.Option(
            "--parallel/--sequential", help="Use all cores; the results are the same.", rich_help_panel=INTERVALS
        ),
    ] = False
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the result there as JSON.", metavar="PATH", rich_help_panel=RESULT),
    ] = None
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, and nothing else.", rich_help_panel=RESULT)
    ] = False
    plot: Annotated[
        bool,
        typer.Option(
            "--plot", help="Draw it, as PNG and SVG next to --output, else in this folder.", rich_help_panel=RESULT
        ),
    ] = False
    color_by: Annotated[
        str | None, typer.Option(help="Field that colours the points.", metavar="COL", rich_help_panel=RESULT)
    ] = None

    @property
    def name(self) -> str:
        """What was read, without folder and ending."""
        return PurePosixPath(self.file).stem

    @property
    def scores(self) -> tuple[str, ...]:
        """The fields with predictions that were named, each once."""
        return tuple(dict.fromkeys(self.predictions or ([self.prediction] if self.prediction is not None else [])))

    @property
    def chosen_from(self) -> tuple[str, ...]:
        """The options of every question, where they were named."""
        return several(self.options)

    @property
    def lower(self) -> tuple[str, ...]:
        """Those of them that are distortions by name."""
        return tuple(self.lower_is_better_for or ())


def several(names: str | None) -> tuple[str, ...]:
    """Names in one option, between commas or bars."""
    return tuple(name.strip() for name in names.split("|" if "|" in names else ",")) if names else ()


def command(application: typer.Typer, takes: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command: FILE, the options of its own, then those of `Asked` that it takes, in their order.

    Args:
        application: Gets the command, by the function's name.
        takes: Names of `Asked`, with spaces between.
    """
    names = {"file", *takes.split()}
    unknown = names - {one.name for one in fields(Asked)}
    assert not unknown, unknown

    def declare(run: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(Asked, include_extras=True)
        file, *shared = (
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if one.name == "file" else one.default,
                annotation=hints[one.name],
            )
            for one in fields(Asked)
            if one.name in names
        )
        _, *own = inspect.signature(run).parameters.values()
        parameters = [file, *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own), *shared]

        @wraps(run)
        def called(**given: Any) -> None:
            run(Asked(**{name: given.pop(name) for name in names}), **given)

        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        application.command()(called)
        return called

    return declare
