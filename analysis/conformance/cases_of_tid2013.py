"""Published correlations of three metrics with people on TID2013, whose file is too large to be shipped here."""

from collections.abc import Mapping

from numpy.typing import ArrayLike

from analysis.conformance.case import Case, of_result
from analysis.correlation.metric_comparison import compare_metrics
from analysis.correlation.score_correlation import score_correlations
from analysis.resampling.bootstrap import Resampling

TID2013 = "Ponomarenko et al. (2015), Signal Process. Image Commun. 30:57-77; metrics and numbers of VQMTCrossVal"
IMAGES = "TID2013, 3,000 images"
PRINTED = {
    "DSSIM": ("-0.860908", "-0.772744", "-0.678464"),
    "SSIMULACRA": ("-0.673300", "-0.662763", "-0.485133"),
    "Butteraugli": ("-0.760307", "-0.647701", "-0.571815"),
}


def tid2013_cases(opinions: ArrayLike, metrics: Mapping[str, ArrayLike]) -> list[Case]:
    """The cases of the file.

    Args:
        opinions: Shape ``(3000,)``, mean opinion scores.
        metrics: Of each name in `PRINTED`, shape ``(3000,)``, as the file has it: lower is better.
    """
    found = []
    for name, printed in PRINTED.items():
        found += of_result(
            score_correlations,
            metrics[name],
            opinions,
            higher_is_better=False,
            resampling=Resampling(1),
            data=IMAGES,
            source=TID2013,
            numbers={
                f"{key.upper()}, {name}": (f"{key}.value_as_given", text)
                for key, text in zip(("srcc", "plcc", "krcc"), printed, strict=True)
            },
        )
    return found + of_result(
        compare_metrics,
        metrics["DSSIM"],
        metrics["Butteraugli"],
        opinions,
        first_higher_is_better=False,
        second_higher_is_better=False,
        resampling=Resampling(1),
        data=IMAGES,
        source="Williams (1959), J. R. Stat. Soc. B 21:396-399, on the correlations above",
        numbers={"Williams' t, DSSIM and Butteraugli": ("williams.statistic", "12.25487188")},
    )
