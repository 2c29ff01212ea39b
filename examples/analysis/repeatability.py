"""How repeatable are scores? The ICC of the six targets and four judges that Shrout and Fleiss (1979) print.

It prints:

    ICC(1,1) 0.166 [-0.133, 0.723]   one score, whichever judge gave it
    ICC(A,1) 0.290 [0.019, 0.761]    one judge's score in place of another's, level and all
    ICC(C,1) 0.715 [0.342, 0.946]    the same, but for the level of each judge
    ICC(1,k) 0.443 [-0.884, 0.912]   the mean of four scores: poor
    ICC(A,k) 0.620 [0.071, 0.927]    the mean of these four judges: moderate
    C far above A: the judges sort the targets alike, but some are stricter than others.
    The mean of 10 scores would have ICC 0.665; 6 targets are too few to bound it from below.
    A repeated score differs by less than 6.94 points in 95 % of cases.
"""

from analysis.agreement.icc import icc, icc_band
from analysis.words import with_bounds

# Targets in rows, judges in columns, scores from 1 to 10.
SCORES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def main() -> None:
    """Print the forms that answer different questions, and what more repeats would bring."""
    found = icc(SCORES)
    for form, question in (
        (found.icc_1_1, "one score, whichever judge gave it"),
        (found.icc_a_1, "one judge's score in place of another's, level and all"),
        (found.icc_c_1, "the same, but for the level of each judge"),
        (found.icc_1_k, f"the mean of four scores: {icc_band(found.icc_1_k.value)}"),
        (found.icc_a_k, f"the mean of these four judges: {icc_band(found.icc_a_k.value)}"),
    ):
        assert form.value is not None
        print(f"{form.name} {with_bounds(form.value, form.low, form.high):<23} {question}")
    print("C far above A: the judges sort the targets alike, but some are stricter than others.")
    planned = icc(SCORES, planned_repeats=10).icc_1k_planned
    print(f"The mean of 10 scores would have ICC {planned.value:.3f}; 6 targets are too few to bound it from below.")
    assert planned.low is None
    print(f"A repeated score differs by less than {found.repeatability_limit:.2f} points in 95 % of cases.")


if __name__ == "__main__":
    main()
