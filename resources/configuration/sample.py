"""The built-in studies, on the inputs that the project makes itself."""

from typing import Final

from resources.configuration.evaluation import Dataset, EvaluationGates, EvaluationStudy
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.made_up import MadeUp, StudyName
from resources.configuration.pairwise import PairwiseStudy
from resources.configuration.reliability import (
    EmbeddingJudge,
    LexicalJudge,
    Recalibration,
    RecordedJudge,
    ReliabilityStudy,
)
from resources.runtime.home import Home

SAMPLE_MADE_UP: Final[dict[StudyName, tuple[MadeUp, ...]]] = {
    "fidelity": ("people",),
    "pairwise": ("people",),
    "evaluation": ("people", "answers"),
    "reliability": ("second_prompt", "reviewer"),
}
# Names of their own, because answers under the second prompt are made up for each: none is those of a real judge.
FIRST, SECOND = "judge1", "judge2"


def sample_fidelity(home: Home) -> FidelityStudy:
    """Study A on the sample renders."""
    folder = home.samples / "fidelity"
    return FidelityStudy(
        human_scores=folder / "subjective.csv",
        catalogue=folder / "database.csv",
        references=folder / "references",
        candidates=folder / "candidates",
    )


def sample_pairwise(home: Home) -> PairwiseStudy:
    """Study B on the sample series, all of whose photos are there; several series show one scene."""
    folder = home.samples / "pairwise"
    return PairwiseStudy(
        pairs_csv=folder / "pairs.csv",
        image_root=folder / "photos",
        dataset_name="sample_series",
        cluster_column="scene",
        max_missing_share=0.0,
    )


def sample_evaluation(home: Home) -> EvaluationStudy:
    """Study C on two files of scores and answers; one of them also by another score."""
    folder = home.samples / "evaluation"
    pictures = Dataset(
        file=folder / "datasets" / "sample_scores.jsonl",
        prediction="result.final_score",
        opinion_sd="metadata.mos_sd",
        votes="metadata.n_votes",
        cluster="metadata.reference",
        group_by=(("distortion_type",), ("reference_mode", "distortion_type")),
        gates=EvaluationGates(min_srcc=0.8, max_paper_deviation=0.05),
    )
    questions = Dataset(
        file=folder / "datasets" / "sample_answers.jsonl",
        group_by=(("task_type", "reference_mode"), ("metadata.question_type",)),
        gates=EvaluationGates(min_accuracy=0.75, max_paper_deviation=0.05),
    )
    return EvaluationStudy(
        inbox=home.local / "inbox",
        datasets={
            "sample_scores": pictures,
            "sample_sharpness": pictures.model_copy(
                update={"prediction": "result.sharpness_score", "gates": EvaluationGates()}
            ),
            "sample_answers": questions,
        },
        baseline=folder / "baseline.json",
    )


def sample_reliability(home: Home) -> ReliabilityStudy:
    """Study D on queries that two offline judges see differently; the second prompt's answers are made up."""
    folder = home.samples / "reliability"
    recorded = RecordedJudge(kind="recorded", path=folder / "recalibrated.jsonl")
    return ReliabilityStudy(
        queries=folder / "queries.jsonl",
        judges={FIRST: EmbeddingJudge(kind="embedding"), SECOND: LexicalJudge(kind="lexical")},
        calibration=folder / "calibration.jsonl",
        recalibration=Recalibration(judges={FIRST: recorded, SECOND: recorded}),
    )
