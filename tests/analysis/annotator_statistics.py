"""Statistics of people next to a judge, as entries of the list that `test_every_statistic` runs over."""

from analysis.accuracy.prediction_powered import prediction_powered_mean
from analysis.accuracy.prediction_powered_correlation import prediction_powered_correlation
from analysis.agreement.alternative_annotator import alternative_annotator
from analysis.agreement.kendall_w import kendall_w
from tests.analysis.statistics_list import Statistic

OF_ANNOTATORS = [
    Statistic(
        "kendall_w",
        lambda scores, products: kendall_w(scores),
        lambda: kendall_w([0.1, 0.2, 0.3]),
        gaps={"n_used": 3, "n_total": 4},
        fewest_rows=3,
    ),
    Statistic(
        "prediction_powered_correlation",
        lambda scores, products: prediction_powered_correlation(scores[:, 0], scores[:, 1], scores[:, -1]),
        lambda: prediction_powered_correlation([0.1, 0.2, 0.3], [0.1, 0.2], [0.3]),
        fewest_rows=4,
        missing="1 of 4 values are missing",
    ),
    Statistic(
        "alternative_annotator",
        lambda scores, products: alternative_annotator(scores, scores.mean(axis=1), fewest_instances=2),
        lambda: alternative_annotator([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]),
        constant_is_defined=True,
        gaps={"n_instances": 3, "n_tested": 3},
        fewest_rows=2,
    ),
    Statistic(
        "prediction_powered_mean",
        lambda scores, products: prediction_powered_mean(scores[:, 0], scores[:, 1], scores[:, -1]),
        lambda: prediction_powered_mean([0.1, 0.2, 0.3], [0.1, 0.2], [0.3]),
        units={"mean": 1, "human_only": 1, "judge_only": 1},
        moves=("mean", "human_only", "judge_only"),
        fewest_rows=2,
        missing="1 of 4 values are missing",
    ),
]
