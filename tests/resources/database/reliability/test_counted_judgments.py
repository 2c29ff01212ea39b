"""Which judgments count, against a plain reading of the rule."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from resources.database.reliability.counted_judgments import Judged, counted

# query, document, judge, version, source; whether there is a score
Row = tuple[int, int, int, int, int]
N_QUERIES, N_DOCUMENTS, N_JUDGES = 2, 2, 2
EVERY = list(product(range(N_QUERIES), range(N_DOCUMENTS), range(N_JUDGES), range(2), range(2)))


def found(rows: list[tuple[Row, bool]]) -> tuple[list[bool], list[bool]]:
    columns = np.array([row for row, _ in rows], dtype=np.int64).reshape(-1, 5)
    scored = np.array([score for _, score in rows], dtype=bool)
    query, _, judge, version, source = columns.T
    result = counted(Judged(query, judge, version, source, scored), np.full(N_QUERIES, N_DOCUMENTS), N_JUDGES)
    return result.stands.tolist(), result.counts.tolist()


def plainly(rows: list[tuple[Row, bool]]) -> tuple[list[bool], list[bool]]:
    """The rule, query by query."""
    stands, counts = [False] * len(rows), [False] * len(rows)
    for query in range(N_QUERIES):
        versions: dict[int, list[tuple[bool, list[int]]]] = {}
        for version, judge in product(range(2), range(N_JUDGES)):
            sources: dict[int, list[int]] = {}
            for place, ((q, _, j, v, source), _) in enumerate(rows):
                if (q, j, v) == (query, judge, version):
                    sources.setdefault(source, []).append(place)
            if sources:
                best = max(sources.values(), key=lambda own: (sum(rows[one][1] for one in own), max(own)))
                whole = sum(rows[one][1] for one in best) == N_DOCUMENTS
                versions.setdefault(version, []).append((whole, best))
                for one in best:
                    stands[one] = True
        complete = {v: judges for v, judges in versions.items() if sum(whole for whole, _ in judges) == N_JUDGES}
        if complete:
            chosen = max(complete, key=lambda v: max(max(best) for _, best in complete[v]))
        elif versions:
            chosen = min(versions, key=lambda v: min(min(best) for _, best in versions[v]))
        else:
            continue
        for _, best in versions[chosen]:
            for one in best:
                counts[one] = True
    return stands, counts


@given(st.lists(st.tuples(st.sampled_from(EVERY), st.booleans()), unique_by=lambda one: one[0]))
def test_it_is_the_rule_read_query_by_query(rows: list[tuple[Row, bool]]) -> None:
    assert found(rows) == plainly(rows)


def test_without_a_complete_version_the_first_one_counts() -> None:
    # Judge 1 lacks document 1 under both versions.
    rows = [((0, doc, judge, version, 0), True) for version in (0, 1) for doc, judge in ((0, 0), (0, 1), (1, 0))]
    assert found(rows)[1] == [True] * 3 + [False] * 3


def test_the_complete_version_that_was_recorded_last_counts_whatever_its_name() -> None:
    rows = [((0, doc, judge, version, 0), True) for version in (1, 0) for doc in (0, 1) for judge in (0, 1)]
    assert found(rows)[1] == [False] * 4 + [True] * 4


def test_a_version_whose_answers_have_no_score_does_not_count() -> None:
    first = [((0, doc, judge, 0, 0), True) for doc in (0, 1) for judge in (0, 1)]
    second = [((0, doc, judge, 1, 0), (doc, judge) != (1, 1)) for doc in (0, 1) for judge in (0, 1)]
    assert found(first + second)[1] == [True] * 4 + [False] * 4


def test_nothing_judged_is_nothing() -> None:
    assert found([]) == ([], [])
