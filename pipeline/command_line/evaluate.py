"""`touchstone evaluate`: how well scores or answers match the truth, from one file and without a configuration."""

from typing import Annotated

import typer

from pipeline.command_line import evaluate_options as options
from pipeline.command_line.given_once import Application
from resources.errors import UserError

# What computes is imported where it is needed: `--help` and mistakes answer at once.
application = Application(
    help="How well do a quality score's values, or answers to multiple-choice questions, match the truth?",
    no_args_is_help=True,
)


@application.command()
def correlation(
    file: options.File,
    metric: Annotated[options.Metric, typer.Option(help="Which correlation; plcc brings the mapped one.")] = "all",
    prediction: options.Predictions = None,
    truth: options.Truth = None,
    lower_is_better: options.LowerIsBetter = False,
    lower_is_better_for: options.LowerIsBetterFor = None,
    cluster: options.Cluster = None,
    mapping: options.Mapping = "logistic_4",
    same_scale: options.SameScale = False,
    opinion_sd: options.OpinionSd = None,
    votes: options.Votes = None,
    ties: options.Ties = None,
    skip_bad_rows: options.SkipBadRows = False,
    n_bootstrap: options.Resamples = 1000,
    bca: options.Bca = False,
    confidence: options.Confidence = 0.95,
    seed: options.Seed = 42,
    parallel: options.Parallel = False,
    output: options.Output = None,
    as_json: options.AsJson = False,
    plot: options.Plot = False,
    color_by: Annotated[
        str | None, typer.Option(help="Field that colours the points.", metavar="COL", rich_help_panel=options.RESULT)
    ] = None,
) -> None:
    """Correlation of scores with the truth: SRCC, PLCC (raw and mapped), KRCC, errors, intervals, p.

    FILE is JSONL, CSV or Parquet, by its name's ending; a path or an fsspec address.
    """
    _refuse_halves(opinion_sd, votes)
    if color_by is not None and not plot:
        raise UserError("`--color-by` colours the points of a picture. Add `--plot`, or leave it out.")
    if same_scale and (lower_is_better or lower_is_better_for):
        raise UserError("Scores of which lower is better do not share the truth's scale. Leave out `--same-scale`.")
    from pipeline.command_line.evaluate_runs import Asked, Columns, correlate

    correlate(
        Asked(file, output, as_json, plot, skip_bad_rows, n_bootstrap, bca, confidence, seed, parallel),
        Columns(
            ties=ties,
            truth=truth,
            predictions=tuple(dict.fromkeys(prediction or ())),
            lower_is_better=lower_is_better,
            lower=tuple(lower_is_better_for or ()),
            cluster=cluster,
            mapping=mapping,
            same_scale=same_scale,
            opinion_sd=opinion_sd,
            votes=votes,
            color_by=color_by,
        ),
        metric,
    )


@application.command()
def mcq(
    file: options.File,
    prediction: options.Prediction = None,
    truth: options.Truth = None,
    cluster: options.Cluster = None,
    skip_bad_rows: options.SkipBadRows = False,
    normalise_answers: options.NormaliseAnswers = True,
    n_bootstrap: options.Resamples = 1000,
    confidence: options.Confidence = 0.95,
    seed: options.Seed = 42,
    parallel: options.Parallel = False,
    output: options.Output = None,
    as_json: options.AsJson = False,
    plot: options.Plot = False,
) -> None:
    """Accuracy and confusion of answers to multiple-choice questions.

    FILE is JSONL, CSV or Parquet, by its name's ending; a path or an fsspec address.
    """
    from pipeline.command_line.evaluate_runs import Asked, Columns, confuse

    confuse(
        Asked(file, output, as_json, plot, skip_bad_rows, n_bootstrap, False, confidence, seed, parallel),
        Columns(truth=truth, predictions=_one(prediction), cluster=cluster, normalise_answers=normalise_answers),
    )


@application.command()
def breakdown(
    file: options.File,
    group_by: Annotated[
        str,
        typer.Option(help="Fields, outermost first, with commas between: task_type,reference_mode.", metavar="COLS"),
    ],
    metric: Annotated[
        options.Statistic | None, typer.Option(help="Of scores, else srcc; answers have accuracy.", show_default=False)
    ] = None,
    kind: options.Kind = None,
    prediction: options.Prediction = None,
    truth: options.Truth = None,
    lower_is_better: options.LowerIsBetter = False,
    cluster: options.Cluster = None,
    ties: options.Ties = None,
    skip_bad_rows: options.SkipBadRows = False,
    normalise_answers: options.NormaliseAnswers = True,
    n_bootstrap: options.Resamples = 1000,
    confidence: options.Confidence = 0.95,
    seed: options.Seed = 42,
    parallel: options.Parallel = False,
    output: options.Output = None,
    as_json: options.AsJson = False,
    plot: options.Plot = False,
) -> None:
    """Accuracy or correlation in each group of samples, with subtotals, the best and the worst.

    FILE is JSONL, CSV or Parquet, by its name's ending; a path or an fsspec address.
    """
    fields = tuple(dict.fromkeys(name.strip() for name in group_by.split(",") if name.strip()))
    if not fields:
        raise UserError("`--group-by` names no field. Write one or several, with commas between.")
    from pipeline.command_line.evaluate_runs import Asked, Columns, break_down

    break_down(
        Asked(file, output, as_json, plot, skip_bad_rows, n_bootstrap, False, confidence, seed, parallel),
        Columns(
            ties=ties,
            kind=kind,
            truth=truth,
            predictions=_one(prediction),
            lower_is_better=lower_is_better,
            cluster=cluster,
            normalise_answers=normalise_answers,
            group_by=fields,
        ),
        metric,
    )


@application.command()
def compare(
    file: options.File,
    baseline: Annotated[
        str, typer.Option(help="JSON list of {dataset, metric, value, model, tools, protocol}.", metavar="PATH")
    ],
    dataset: Annotated[
        str | None, typer.Option(help="What the baseline calls the data set; else FILE's name.", metavar="NAME")
    ] = None,
    kind: options.Kind = None,
    prediction: options.Prediction = None,
    truth: options.Truth = None,
    lower_is_better: options.LowerIsBetter = False,
    cluster: options.Cluster = None,
    mapping: options.Mapping = "logistic_4",
    same_scale: options.SameScale = False,
    ties: options.Ties = None,
    skip_bad_rows: options.SkipBadRows = False,
    normalise_answers: options.NormaliseAnswers = True,
    n_bootstrap: options.Resamples = 1000,
    confidence: options.Confidence = 0.95,
    seed: options.Seed = 42,
    parallel: options.Parallel = False,
    output: options.Output = None,
    as_json: options.AsJson = False,
) -> None:
    """Our numbers next to a paper's: difference, direction, and whether it is to be investigated.

    FILE is JSONL, CSV or Parquet, by its name's ending; a path or an fsspec address.
    """
    if same_scale and lower_is_better:
        raise UserError("Scores of which lower is better do not share the truth's scale. Leave out `--same-scale`.")
    from pipeline.command_line.evaluate_runs import Asked, Columns, compare_with_paper

    compare_with_paper(
        Asked(file, output, as_json, False, skip_bad_rows, n_bootstrap, False, confidence, seed, parallel),
        Columns(
            ties=ties,
            kind=kind,
            truth=truth,
            predictions=_one(prediction),
            lower_is_better=lower_is_better,
            cluster=cluster,
            normalise_answers=normalise_answers,
            mapping=mapping,
            same_scale=same_scale,
        ),
        baseline,
        dataset,
    )


def _one(prediction: str | None) -> tuple[str, ...]:
    return () if prediction is None else (prediction,)


def _refuse_halves(opinion_sd: str | None, votes: str | None) -> None:
    if (opinion_sd is None) != (votes is None):
        raise UserError("`--opinion-sd` and `--votes` go together: an opinion's interval needs both.")
