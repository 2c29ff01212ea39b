"""Every table of study D for 100,000 queries of 10 documents: seconds and the most memory held by then."""

import argparse
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from upath import UPath

from assets.reliability.disagreements import disputed_queries, exported
from assets.reliability.ground_truth import consensus_of
from assets.reliability.judge_agreement import pair_rows
from assets.reliability.judges_against_reviewers import judge_row
from assets.reliability.judgments import sound_scores
from assets.reliability.logic.disputes import disputes, rows_for_review, with_votes
from assets.reliability.logic.judge_bias import advice_row, bias_rows
from assets.reliability.logic.judge_pairs import Scored, pairs_of_judges, scored_documents
from assets.reliability.logic.verdict import verdict_of
from assets.reliability.low_kappa_profile import features_of
from assets.reliability.query_kappa import kappa_rows, lowest_kappas
from assets.reliability.recalibration import changes_of
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.recalibrations import Recalibrated
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.reliability.agreement import JUDGE_AGREEMENT

N_DOCUMENTS, JUDGES = 10, ("careful", "hasty")
LIMIT_S, LIMIT_MB = 20.0, 2048.0
SEED = 20260101
TEXT = "A light shoe with a grippy sole that keeps its hold on wet ground and dries over night."


def made_inputs(n_queries: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables `query_documents` and `judgments` of two judges with noise of their own, the second a little higher."""
    random = np.random.default_rng(SEED)
    n = n_queries * N_DOCUMENTS
    true = random.random(n)
    scores = np.column_stack([true + shift + random.normal(0.0, 0.12, n) for shift in (0.0, 0.03)])
    scores = np.clip(scores, 0.0, 1.0).round(3)
    of_queries = pd.DataFrame(
        {
            "query_id": [f"q{number}" for number in range(n_queries)],
            "query": [f"which shoe suits walker {number}" for number in range(n_queries)],
        },
        dtype="str",
    )
    documents = of_queries.loc[of_queries.index.repeat(N_DOCUMENTS)].reset_index(drop=True)
    places = np.tile(np.arange(N_DOCUMENTS), n_queries)
    documents["doc_id"] = pd.Series([f"d{place}" for place in range(N_DOCUMENTS)], dtype="str").take(places).array
    documents["document"] = pd.Series([TEXT], dtype="str").take(np.zeros(n, dtype=np.intp)).array
    documents["position"] = places
    twice = documents[["query_id", "doc_id"]].loc[documents.index.repeat(len(JUDGES))].reset_index(drop=True)
    judgments = twice.assign(
        judge=pd.Series(JUDGES, dtype="str").take(np.tile([0, 1], n)).array,
        prompt_version=pd.Series(["v1"], dtype="str").take(np.zeros(n * len(JUDGES), dtype=np.intp)).array,
        score=scores.ravel(),
        state=pd.Series(["valid"], dtype="str").take(np.zeros(n * len(JUDGES), dtype=np.intp)).array,
        message=pd.Series([None], dtype="str").take(np.zeros(n * len(JUDGES), dtype=np.intp)).array,
        counts=pd.array(np.ones(n * len(JUDGES), dtype=bool), dtype="boolean"),
    )
    return documents, judgments


def held_mb() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def timed(name: str, seconds: dict[str, float]) -> Iterator[None]:
    """Print what the block takes, and keep it by name."""
    begun = perf_counter()
    yield
    seconds[name] = perf_counter() - begun
    print(f"  {name:<28} {seconds[name]:7.2f} s   {held_mb():6.0f} MB")


def agreement_tables(
    documents: pd.DataFrame, judgments: pd.DataFrame, plan: ReliabilityStudy, seconds: dict[str, float]
) -> tuple[Scored, pd.DataFrame]:
    """What the limit is about: kappa of each query, macro, micro and their intervals; the scores and `query_kappa`."""
    with timed("the scores that count", seconds):
        scored = sound_scores(judgments, documents, plan)
        [pair] = pairs_of_judges(scored, dict.fromkeys(JUDGES, 0.5))
    with timed("query_kappa", seconds):
        kappas = kappa_rows(pair, scored, plan.gate.low_kappa)
    with timed("judge_agreement", seconds):
        rows = pair_rows(pair, plan)
    with timed("kappa_validation", seconds):
        columns = [column.name for column in JUDGE_AGREEMENT.columns]
        verdict_of(kappas, pd.DataFrame(rows, columns=columns), plan)
    return scored, kappas


def other_tables(
    study: Study, scored: Scored, documents: pd.DataFrame, judgments: pd.DataFrame, kappas: pd.DataFrame
) -> None:
    """The tables that the limit is not about."""
    seconds: dict[str, float] = {}
    plan, thresholds = study.reliability, dict.fromkeys(JUDGES, 0.5)
    [pair] = pairs_of_judges(scored, thresholds)
    whole, lowest = scored.of_all(), lowest_kappas(kappas)

    def time(name: str, work: Callable[[], object]) -> None:
        with timed(name, seconds):
            work()

    with timed("disputed_documents", seconds):
        disputed = with_votes(disputes(whole, thresholds, lowest, plan), study)
    queries = disputed_queries(disputed, whole, kappas, documents, frozenset())
    time("disagreements, CSV", lambda: exported(queries, study.reviews.words()))
    time("bias_test", lambda: bias_rows(pair, plan))
    time("threshold_advice", lambda: advice_row(pair, thresholds, plan.seed))
    some = frozenset(scored.query_ids[::5])
    again = Recalibrated("recalibrated_v2", some, frozenset())
    before = scored_documents(judgments, plan, plan.prompt_version)
    time(
        "recalibration", lambda: changes_of(before, scored, {judge: thresholds[judge] for judge in JUDGES}, again, plan)
    )
    labels = whole.labels(thresholds)[:, 0]
    time("judges_against_reviewers", lambda: judge_row("careful", labels, ~labels, whole.queries, plan))
    versions = kappas.set_index("query_id")["prompt_version"]
    time("low_kappa_profile, features", lambda: features_of(documents, versions))
    time("ground_truth, consensus", lambda: consensus_of(whole, thresholds, study.reviews.decisions(), lowest, 1))
    print(f"  {len(disputed):,} documents in dispute; now with a database of all documents")
    with timed("query_documents, SQLite", seconds):
        study.queries.add_queries(documents)
    with timed("disputes, as rows", seconds):
        rows = rows_for_review(disputed, whole, lowest, study)
    time("disputes, SQLite", lambda: study.reviews.replace_disputes(rows))


def main() -> None:
    """Print seconds and memory; exit 1 where what has a limit exceeds it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--all", action="store_true", help="the tables that have no limit too")
    given = parser.parse_args()
    documents, judgments = made_inputs(given.queries)
    print(f"Two judges, {given.queries:,} queries x {N_DOCUMENTS} documents; {held_mb():.0f} MB with the inputs alone")
    with tempfile.TemporaryDirectory() as folder:
        home = Home(UPath(folder), Path(folder))
        plan = ReliabilityStudy(queries=Path("queries.jsonl"), seed=SEED)
        study = Study("bench", None, home, reliability_section=plan)
        seconds: dict[str, float] = {}
        scored, kappas = agreement_tables(documents, judgments, plan, seconds)
        total, held = sum(seconds.values()), held_mb()
        print(f"  together {total:.1f} s (limit {LIMIT_S:g}), {held:.0f} MB (limit {LIMIT_MB:g})")
        if given.all:
            other_tables(study, scored, documents, judgments, kappas)
            study.engine.dispose()
    if total > LIMIT_S or held > LIMIT_MB:
        sys.exit("a limit is exceeded")


if __name__ == "__main__":
    main()
