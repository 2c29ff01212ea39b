"""The options that the commands of `touchstone evaluate` have in common, each declared once."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, get_type_hints

import typer

from resources.configuration.limits import MOST_RESAMPLES

Metric = Literal["srcc", "plcc", "krcc", "all"]
Statistic = Literal["srcc", "plcc", "krcc"]
KindName = Literal["scores", "answers"]
MappingName = Literal["logistic_4", "logistic_5", "cubic"]

_column = partial(typer.Option, rich_help_panel="Columns")
_interval = partial(typer.Option, rich_help_panel="Intervals")
_result = partial(typer.Option, rich_help_panel="Where the result goes")


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
    kind: Annotated[KindName | None, _column(help="What FILE holds; else recognised from its fields.")] = None
    prediction: Annotated[
        str | None,
        _column(help="Field with the predictions; else a known one.", metavar="COL"),
    ] = None
    predictions: Annotated[
        list[str] | None,
        _column(
            "--prediction",
            help="Field with the scores; given several times, the metrics are compared with each other.",
            metavar="COL",
        ),
    ] = None
    truth: Annotated[str | None, _column(help="Field with the truth; else a known one.", metavar="COL")] = None
    lower_is_better: Annotated[
        bool,
        _column(
            "--lower-is-better",
            help="The scores are distortions; with COL after it, as --lower-is-better-for COL.",
        ),
    ] = False
    lower_is_better_for: Annotated[
        list[str] | None,
        _column(
            help="Of several --prediction fields, one that is a distortion; can be given several times.", metavar="COL"
        ),
    ] = None
    cluster: Annotated[
        str | None,
        _column(
            help="Field whose equal values, letter case ignored, are one cluster: the reference image, say.",
            metavar="COL",
        ),
    ] = None
    mapping: Annotated[
        MappingName,
        _column(help="Curve that is fitted before the mapped PLCC and RMSE."),
    ] = "logistic_4"
    same_scale: Annotated[
        bool, _column("--same-scale", help="Scores and truth share a scale: RMSE without a mapping too.")
    ] = False
    opinion_sd: Annotated[
        str | None,
        _column(
            help="Field with the SD of a sample's opinions; with --votes: outlier ratio, Krasula's areas.",
            metavar="COL",
        ),
    ] = None
    votes: Annotated[str | None, _column(help="Field with the number of a sample's opinions.", metavar="COL")] = None
    ties: Annotated[
        float | None,
        _column(
            "--ties",
            help="Join scores nearer than this share of their size: 1e-12.",
            metavar="SHARE",
            min=1e-16,
            max=1e-3,
            show_default=False,
        ),
    ] = None
    skip_bad_rows: Annotated[
        bool,
        _column("--skip-bad-rows", help="Leave out and count rows that cannot be read."),
    ] = False
    normalise_answers: Annotated[
        bool,
        _column(
            "--normalise-answers/--no-normalise-answers",
            help='Read answers such as "(B)" or "Answer: B" as the option B.',
        ),
    ] = True
    options: Annotated[
        str | None,
        _column(
            help="Options of every question, in their order, where rows do not name them: pass,fail (or pass|fail).",
            metavar="NAMES",
        ),
    ] = None
    n_bootstrap: Annotated[int, _interval("--n-bootstrap", help="Resamples.", min=100, max=MOST_RESAMPLES)] = 1000
    bca: Annotated[bool, _interval("--bca/--no-bca", help="BCa intervals next to them, 10,000 resamples.")] = False
    confidence: Annotated[float, _interval(help="Of the intervals, a share.", callback=_share)] = 0.95
    seed: Annotated[int, _interval(help="Of the resamples.", min=0)] = 42
    parallel: Annotated[
        bool,
        _interval("--parallel/--sequential", help="Use all cores; the results are the same."),
    ] = False
    output: Annotated[
        Path | None, _result("--output", "-o", help="Write the result there as JSON.", metavar="PATH")
    ] = None
    as_json: Annotated[bool, _result("--json", help="Print the result as JSON, and nothing else.")] = False
    plot: Annotated[
        bool,
        _result("--plot", help="Draw it, as PNG and SVG next to --output, else in this folder."),
    ] = False
    color_by: Annotated[str | None, _result(help="Field that colours the points.", metavar="COL")] = None

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
