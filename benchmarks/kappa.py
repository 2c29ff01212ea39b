"""Kappa of 100,000 queries of 10 documents, macro, micro and all that stands next to them, with clustered intervals."""

import resource
import sys
import time

import numpy as np

from analysis.agreement.kappa import counts_of_queries, headline_kappas, kappa_summary, kappas, relevant
from analysis.agreement.kappa_intervals import agreement, score_sums
from analysis.agreement.krippendorff import krippendorff_alpha
from analysis.agreement.reliability_gate import reliability_gate

N_QUERIES, N_DOCUMENTS, RESAMPLES = 100_000, 10, 1000
LIMIT_S, LIMIT_MB = 20.0, 2048.0
SEED = 20260101


def made_scores() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two judges who see the same relevance, each with noise of its own, and the query of each document."""
    random = np.random.default_rng(SEED)
    n = N_QUERIES * N_DOCUMENTS
    true = random.random(n)
    first, second = (np.clip(true + random.normal(0.0, 0.08, n), 0.0, 1.0) for _ in range(2))
    return first, second, np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)


def main() -> None:
    """Print seconds and the most memory held against their limits; exit 1 where one is exceeded."""
    first, second, queries = made_scores()
    started = time.perf_counter()
    counts = counts_of_queries(relevant(first, 0.5), relevant(second, 0.5), queries, N_QUERIES)
    kappas(counts)
    headline_kappas(counts)
    summary = kappa_summary(counts)
    points = time.perf_counter() - started
    labels_only = agreement(counts, seed=SEED, resamples=RESAMPLES)
    of_labels = time.perf_counter() - started - points
    everything = agreement(counts, score_sums(first, second, queries, N_QUERIES), seed=SEED, resamples=RESAMPLES)
    of_scores = time.perf_counter() - started - points - of_labels
    lows = [everything.estimates[name].interval.low for name in ("kappa_macro", "kappa_micro")]
    verdict = reliability_gate(summary, macro_low=lows[0], micro_low=lows[1])
    total = time.perf_counter() - started
    began = time.perf_counter()
    alpha = krippendorff_alpha(np.column_stack([first, second]), "ordinal")
    of_alpha = time.perf_counter() - began
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"Two judges, {N_QUERIES:,} queries x {N_DOCUMENTS} documents, {RESAMPLES:,} resamples of queries, one process"
    )
    print(f"  kappa per query, macro {summary.macro:.4f}, micro {summary.micro:.4f}: {points:.2f} s")
    print(f"  intervals of {len(labels_only.estimates)} statistics of labels: {of_labels:.2f} s")
    print(f"  intervals of {len(everything.estimates)} statistics of labels and scores: {of_scores:.2f} s")
    print(
        f"  all of it, passed {verdict.passed}: {total:.2f} s (limit {LIMIT_S:g}), {held:.0f} MB (limit {LIMIT_MB:g})"
    )
    print(f"  Krippendorff's ordinal alpha {alpha.value:.4f} of {alpha.n_values:,} raw scores: {of_alpha:.2f} s")
    if total > LIMIT_S or held > LIMIT_MB:
        sys.exit("a limit is exceeded")


if __name__ == "__main__":
    main()
