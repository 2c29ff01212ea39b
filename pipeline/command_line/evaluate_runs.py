"""What each command of `touchstone evaluate` does: read the file, compute, tell."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.correlation.score_correlation import KEYS
from analysis.resampling.bca import BCA_RESAMPLES
from analysis.resampling.bootstrap import Resampling
from assets.evaluation.logic.groups import breakdown
from assets.evaluation.logic.papers import OurNumber, comparison_row, numbers_of, numbers_of_category, paper_values
from assets.evaluation.logic.results import (
    Metric,
    answers_values,
    breakdown_values,
    left_out_values,
    metric_comparisons,
    metric_values,
    source_values,
)
from assets.evaluation.logic.rows import STATISTICS, correlation_rows
from pipeline.command_line.evaluate_options import Asked, KindName
from pipeline.command_line.evaluate_output import deliver, refuse_output
from pipeline.command_line.evaluate_shown import show_answers, show_breakdown, show_correlation, show_papers
from resources.configuration.evaluation import Dataset
from resources.errors import UserError, did_you_mean, listing
from resources.inputs.column_names import own_name
from resources.inputs.evaluation.files import read_evaluation_file
from resources.inputs.evaluation.paper_baseline import PaperResult, read_baseline, results_for
from resources.inputs.evaluation.table import MOST_UNUSABLE, evaluation_samples_table, refuse_unusable, with_ties
from resources.runtime.file_hash import sha256_of_file
from resources.runtime.provenance import Provenance, now

# Samples times resamples: about a minute.
LONG = 100_000_000


def correlate(asked: Asked, metric: str) -> None:
    """`touchstone evaluate correlation`."""
    refuse_output(asked.output, asked.file)
    metrics = [_read(asked, "scores", name) for name in asked.scores or (None,)]
    _say_long_work(metrics[0], asked)
    statistics = STATISTICS if metric == "all" else (metric,)
    rows = [correlation_rows(one.samples, one.dataset, _sampling(asked), statistics) for one in metrics]
    values = [metric_values(one, of_one) for one, of_one in zip(metrics, rows, strict=True)]
    result = _begun("correlation", metrics[0], asked)
    if len(metrics) == 1:
        result |= values[0]
    else:
        result |= {"metrics": values, "comparisons": metric_comparisons(metrics, statistics, _sampling(asked))}
    drawings = []
    if asked.plot:
        from pipeline.command_line.evaluate_drawings import scatter

        drawings = [scatter(one, of_one, _sampling(asked), asked.color_by, len(metrics) > 1)
                    for one, of_one in zip(metrics, rows, strict=True)]  # fmt: skip
    deliver(asked, result, show_correlation, drawings)


def confuse(asked: Asked) -> None:
    """`touchstone evaluate mcq`."""
    refuse_output(asked.output, asked.file)
    answers = _read(asked, "answers", asked.prediction)
    values = answers_values(answers.read, answers.samples, answers.dataset, _sampling(asked))
    drawings = []
    if asked.plot:
        from pipeline.command_line.evaluate_drawings import confusions

        drawings = confusions(answers)
    deliver(asked, _begun("mcq", answers, asked) | values, show_answers, drawings)


def break_down(asked: Asked, group_by: tuple[str, ...], statistic: str | None) -> None:
    """`touchstone evaluate breakdown`."""
    refuse_output(asked.output, asked.file)
    one = _read(asked, asked.kind, asked.prediction, group_by)
    _refuse_of_scores(
        one, {"--metric": statistic is not None, "--lower-is-better": asked.lower_is_better or bool(asked.lower)}
    )
    _say_long_work(one, asked)
    found = breakdown(one.samples, group_by, one.dataset, _sampling(asked), statistic or "srcc")
    drawings = []
    if asked.plot:
        from pipeline.command_line.evaluate_drawings import forest

        drawings = [forest(found)]
    values = breakdown_values(one.read, found)
    deliver(asked, _begun("breakdown", one, asked) | values, show_breakdown, drawings)


def compare_with_paper(asked: Asked, baseline: str, dataset: str | None) -> None:
    """`touchstone evaluate compare`."""
    refuse_output(asked.output, asked.file)
    path = Path(baseline)
    name = dataset or asked.name
    papers = read_baseline(path)
    of_file = results_for(papers, name)
    fields = dict.fromkeys(field for result in of_file for field, _ in result.category)
    one = _read(asked, asked.kind, asked.prediction, tuple(fields))
    of_scores = {
        "--lower-is-better": asked.lower_is_better or bool(asked.lower),
        "--same-scale": asked.same_scale,
        "--mapping": asked.mapping != Asked.mapping,
    }
    _refuse_of_scores(one, of_scores)
    _refuse_nothing_to_compare(of_file, papers, path.name, name, ())
    if one.read.kind == "scores":
        statistics = tuple(key for key in KEYS.values() if any(result.metric.startswith(key) for result in papers))
        of_mapping = any(result.metric.startswith("rmse") for result in papers)
        chosen = dict.fromkeys((*statistics, *(("plcc",) if of_mapping else ())))
        rows = correlation_rows(one.samples, one.dataset, _sampling(asked), tuple(chosen) or STATISTICS)
    else:
        rows = [group.row for group in breakdown(one.samples, (), one.dataset, _sampling(asked)).groups]
    ours = numbers_of(rows)
    wanted = [result for result in of_file if result.metric in ours]
    _refuse_nothing_to_compare(wanted, papers, path.name, name, tuple(ours))
    others = [result for result in papers if result not in wanted]
    compared = [
        comparison_row(
            result,
            _of_category(one, result, _sampling(asked)) if result.category else ours,
            lower_is_better=not one.dataset.higher_is_better,
        )
        for result in wanted
    ]
    values = left_out_values(one.read) | paper_values(path.name, name, rows[0], compared, others)
    if any(row.get("sign") for row in compared):
        values["notes"] = [
            *values["notes"],
            "The paper gives the sign as measured; ours next to it is as measured too.",
        ]
    deliver(asked, _begun("compare", one, asked) | values, show_papers, [])


def _read(asked: Asked, kind: KindName | None, prediction: str | None, group_by: tuple[str, ...] = ()) -> Metric:
    for name in asked.lower:
        if own_name(name, asked.scores) is None:
            raise UserError(
                f"`--lower-is-better-for {name}` is no `--prediction`{did_you_mean(name, asked.scores)}. "
                f"Those are: {listing(asked.scores) or 'none'}."
            )
    # What the columns mean, as a configuration would say it.
    meaning = Dataset(
        kind=None if asked.chosen_from else kind,
        prediction=prediction,
        truth=asked.truth,
        options=asked.chosen_from,
        skip_bad_rows=asked.skip_bad_rows,
        normalise_answers=asked.normalise_answers,
        higher_is_better=not (asked.lower_is_better or own_name(prediction or "", asked.lower) is not None),
        same_scale=asked.same_scale,
        mapping=asked.mapping,
        opinion_sd=asked.opinion_sd,
        votes=asked.votes,
        cluster=asked.cluster,
    )
    # The metadata that is needed; nothing else is kept in memory.
    fields = dict.fromkeys((asked.cluster, asked.opinion_sd, asked.votes, asked.color_by, *group_by))
    read = read_evaluation_file(asked.file, meaning, fields=[name for name in fields if name is not None])
    refuse_unusable(read, MOST_UNUSABLE)
    read = with_ties(read, asked.ties)
    return Metric(read, evaluation_samples_table(asked.name, read), meaning)


def _sampling(asked: Asked) -> Resampling:
    """How intervals are made."""
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Resampling(
        asked.seed,
        asked.confidence,
        workers if asked.parallel else 1,
        asked.n_bootstrap,
        BCA_RESAMPLES if asked.bca else None,
    )


def _refuse_of_scores(one: Metric, given: Mapping[str, bool]) -> None:
    """An option that says nothing of answers is a mistake about the file."""
    named = [f"`{name}`" for name, is_given in given.items() if is_given]
    if named and one.read.kind == "answers":
        verb = "is" if len(named) == 1 else "are"
        raise UserError(f"{one.read.name} holds answers; {listing(named)} {verb} of scores. Leave that out.")


def _begun(command: str, one: Metric, asked: Asked) -> dict[str, Any]:
    file = Path(asked.file)
    inputs = {file.name: sha256_of_file(file)} if file.is_file() else {}
    made = Provenance(now(), inputs=inputs, seed=asked.seed)
    named = {"command": command, "dataset": asked.name, "provenance": made.as_json()}
    return named | source_values(one.read, one.dataset, _sampling(asked))


def _say_long_work(one: Metric, asked: Asked) -> None:
    """A line, not a spinner: its thread would keep the resampling from forking."""
    n = len(one.samples)
    if n * max(asked.n_bootstrap, BCA_RESAMPLES * asked.bca) > LONG and sys.stderr.isatty():
        sys.stderr.write(f"{n:,} samples read; resampling them takes a while.\n")


def _of_category(one: Metric, result: PaperResult, resampling: Resampling) -> dict[str, OurNumber]:
    """Our number of the samples that a paper's number is of."""
    fields = tuple(field for field, _ in result.category)
    statistic = result.metric if result.metric in STATISTICS else "srcc"
    found = breakdown(one.samples, fields, one.dataset, resampling, statistic)
    return numbers_of_category([group.row for group in found.groups], result.category)


def _refuse_nothing_to_compare(
    wanted: list[PaperResult], papers: list[PaperResult], file: str, dataset: str, ours: tuple[str, ...]
) -> None:
    if wanted:
        return
    there: dict[str, list[str]] = {}
    for result in papers:
        there.setdefault(result.dataset, []).append(result.metric)
    has = "; ".join(f"'{name}' ({listing(dict.fromkeys(metrics))})" for name, metrics in there.items()) or "nothing"
    near = did_you_mean(dataset, there) if dataset.casefold() not in (name.casefold() for name in there) else ""
    numbers = f" with one of {listing(ours)}" if ours else ""
    raise UserError(
        f"{file} has no number for data set '{dataset}'{near}{numbers}. It has {has}. "
        "`--dataset` says what the file calls the data set."
    )
