"""How time and memory of each study's tables grow from 1 to 64 times the rows: the exponents of fitted lines.

The functions behind the tables, on made frames: what Dagster adds does not grow with the rows.
"""

import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.preference.accuracy import preference_accuracy
from analysis.preference.bradley_terry import bradley_terry
from analysis.resampling.bootstrap import Resampling
from assets.evaluation.logic.rows import correlation_rows
from assets.fidelity.icc_by_setting import icc_row
from assets.fidelity.stability import stability_rows
from benchmarks.reliability_tables import agreement_tables, made_inputs
from benchmarks.table import Row, at_most
from resources.configuration.evaluation import Dataset
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.reliability import ReliabilityStudy

TIMES = (1, 4, 16, 64)
LIMIT = 1.1
REPEATS = 5


def fidelity(n: int) -> Callable[[], object]:
    """Study A: coefficients and stability of n objects, two of each product."""
    random = np.random.default_rng(1)
    scores = np.clip(random.uniform(0.1, 0.9, (n, 1)) + random.normal(0, 0.05, (n, REPEATS)), 0, 1)
    names = pd.DataFrame({"object": [f"{place:08x}" for place in range(n)]})
    names["product_id"] = [f"{place // 2}" for place in range(n)]
    repeats = {f"repeat_{one + 1}": scores[:, one] for one in range(REPEATS)}
    matrix = names.assign(item_id=names["product_id"], setting="t0.2", n_planned=REPEATS, n_valid=REPEATS, **repeats)
    files = {name: Path(name) for name in ("human_scores", "references", "candidates")}
    plan = FidelityStudy(**files, repeats=REPEATS)
    return lambda: (icc_row(matrix, plan), stability_rows(matrix, 0.95))


def pairwise(n: int) -> Callable[[], object]:
    """Study B: strengths and a method's accuracy from n pairs in series of four photos."""
    random = np.random.default_rng(2)
    series, place = np.arange(n) // 4, np.arange(n) % 4
    first, second = series * 4 + place, series * 4 + (place + 1) % 4
    wins = random.integers(1, 9, n)
    truth, predicted = np.where(wins > 4, 1, 2), random.integers(1, 3, n)
    return lambda: (
        bradley_terry(first, second, wins, 9 - wins),
        preference_accuracy(truth, predicted, series, resampling=Resampling(1)),
    )


def evaluation(n: int) -> Callable[[], object]:
    """Study C: every correlation and error of n scored samples with 200 resamples."""
    random = np.random.default_rng(3)
    truth = random.uniform(1, 5, n).round(2)
    columns = {"prediction_score": truth + random.normal(0, 0.5, n), "truth_score": truth, "n_rows_in_file": n}
    samples = pd.DataFrame({"sample_id": [f"s{one}" for one in range(n)], "kind": "scores", **columns})
    resampling = Resampling(42, resamples=200)
    return lambda: correlation_rows(samples, Dataset(), resampling)


def reliability(n: int) -> Callable[[], object]:
    """Study D: kappa of n queries of ten documents, macro, micro, intervals and the verdict."""
    documents, judgments = made_inputs(n)
    plan = ReliabilityStudy(queries=Path("queries.jsonl"))

    def work() -> None:
        with redirect_stdout(StringIO()):
            agreement_tables(documents, judgments, plan, {})

    return work


# The rows of the smallest step: enough that what does not grow is no large part.
STUDIES = {fidelity: 500, pairwise: 1000, evaluation: 500, reliability: 200}


def growth() -> Iterator[Row]:
    """Two rows for each study."""
    for study, n in STUDIES.items():
        seconds, peaks = [], []
        for times in TIMES:
            work = study(n * times)
            work()
            started = time.process_time()
            work()
            seconds.append(time.process_time() - started)
            tracemalloc.start()
            work()
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        sizes = np.log(np.array(TIMES) * n)
        for what, seen in {"time": seconds, "memory": peaks}.items():
            exponent = float(np.polyfit(sizes, np.log(seen), 1)[0])
            name = f"{study.__name__}, {n:,} to {n * TIMES[-1]:,} rows: {what} grows as n^"
            yield Row(name, exponent, "", target=at_most(LIMIT))


BENCHES = (growth,)
