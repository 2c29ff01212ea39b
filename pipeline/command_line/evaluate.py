"""`touchstone evaluate`: how well scores or answers match the truth, from one file and without a configuration."""

from typing import Annotated

import typer

from pipeline.command_line.evaluate_options import Asked, Metric, Statistic, command
from pipeline.command_line.given_once import Application
from resources.errors import UserError

# What computes is imported where it is needed: `--help` and mistakes answer at once.
application = Application(
    help="How well do a quality score's values, or answers to multiple-choice questions, match the truth?",
    no_args_is_help=True,
)
INTERVALS = "n_bootstrap confidence seed parallel"


@command(
    application,
    "predictions truth lower_is_better lower_is_better_for cluster mapping same_scale opinion_sd votes ties "
    f"skip_bad_rows {INTERVALS} bca output as_json plot color_by",
)
def correlation(
    asked: Asked,
    metric: Annotated[Metric, typer.Option(help="Which correlation; plcc brings the mapped one.")] = "all",
) -> None:
    """Correlation of scores with the truth: SRCC, PLCC (raw and mapped), KRCC, errors, intervals, p.

    FILE is JSONL, CSV or Parquet, by its name's ending; a path or an fsspec address.
    """
    if (asked.opinion_sd is None) != (asked.votes is None):
        raise UserError("`--opinion-sd` and `--votes` go together: an opinion's interval needs both.")
    if asked.color_by is not None and not asked.plot:
        raise UserError("`--color-by` colours the points of a picture. Add `--plot`, or leave it out.")
    _refuse_another_scale(asked)
    from pipeline.command_line.evaluate_runs import correlate

    correlate(asked, metric)


@command(
    application,
    f"prediction truth options cluster skip_bad_rows normalise_answers {INTERVALS} output as_json plot",
)
def mcq(asked: Asked) -> None:
    """Accuracy and confusion of answers to multiple-choice questions.

    FILE is JSONL, CSV or Parquet, by its name's ending; a path or an fsspec address.
    """
    from pipeline.command_line.evaluate_runs import confuse

    confuse(asked)


@command(
    application,
    "kind prediction truth options lower_is_better lower_is_better_for cluster ties skip_bad_rows normalise_answers "
    f"{INTERVALS} output as_json plot",
)
def breakdown(
    asked: Asked,
    group_by: Annotated[
        str,
        typer.Option(help="Fields, outermost first, with commas between: task_type,reference_mode.", metavar="COLS"),
    ],
    metric: Annotated[
        Statistic | None, typer.Option(help="Of scores, else srcc; answers have accuracy.", show_default=False)
    ] = None,
) -> None:
    """Accuracy or correlation in each group of samples, with subtotals, the best and the worst.

    FILE is JSONL, CSV or Parquet, by its name's ending; a path or an fsspec address.
    """
    fields = tuple(dict.fromkeys(name.strip() for name in group_by.split(",") if name.strip()))
    if not fields:
        raise UserError("`--group-by` names no field. Write one or several, with commas between.")
    from pipeline.command_line.evaluate_runs import break_down

    break_down(asked, fields, metric)


@command(
    application,
    "kind prediction truth lower_is_better lower_is_better_for cluster mapping same_scale ties skip_bad_rows "
    f"normalise_answers {INTERVALS} output as_json",
)
def compare(
    asked: Asked,
    baseline: Annotated[
        str, typer.Option(help="JSON list of {dataset, metric, value, model, tools, protocol}.", metavar="PATH")
    ],
    dataset: Annotated[
        str | None, typer.Option(help="What the baseline calls the data set; else FILE's name.", metavar="NAME")
    ] = None,
) -> None:
    """Our numbers next to a paper's: difference, direction, and whether it is to be investigated.

    FILE is JSONL, CSV or Parquet, by its name's ending; a path or an fsspec address.
    """
    _refuse_another_scale(asked)
    from pipeline.command_line.evaluate_runs import compare_with_paper

    compare_with_paper(asked, baseline, dataset)


def _refuse_another_scale(asked: Asked) -> None:
    if asked.same_scale and (asked.lower_is_better or asked.lower_is_better_for):
        raise UserError("Scores of which lower is better do not share the truth's scale. Leave out `--same-scale`.")
