"""A gate that is set and has nothing to judge fails and says why; names in a study that no file has are refused."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from upath import UPath

from analysis.gates import Gate
from assets.evaluation.correlation import srcc_gate
from assets.evaluation.evaluation_samples import read_dataset, unusable_gate
from assets.evaluation.logic.papers import comparison_row, numbers_of
from assets.evaluation.logic.rows import as_table
from assets.evaluation.mcq_confusion import accuracy_gate
from assets.evaluation.paper_comparison import lack_of, paper_gate
from resources.configuration.evaluation import Dataset, EvaluationGates, EvaluationStudy
from resources.errors import UserError
from resources.inputs.evaluation.paper_baseline import PaperResult, results_for
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.evaluation import CORRELATION, MCQ_CONFUSION, PAPER_COMPARISON

PAPER = [PaperResult("Single", "srcc", 0.9, None, None, None), PaperResult("Single", "f1", 0.5, None, None, None)]
LIMIT = Dataset(gates=EvaluationGates(max_paper_deviation=0.05))


def compared(results: Sequence[PaperResult], srcc: float | None) -> pd.DataFrame:
    row = {"statistic": "srcc", "value": srcc, "n_clusters": 9, "undefined": None if srcc else "all scores are equal"}
    ours = numbers_of([row])
    return as_table(PAPER_COMPARISON, "single", [comparison_row(result, ours) for result in results])


def judged(gate: Gate | None) -> Gate:
    assert gate is not None
    return gate


def test_a_data_set_finds_its_numbers_whatever_the_letter_case() -> None:
    assert results_for(PAPER, "single") == PAPER
    assert lack_of(PAPER, "SINGLE") == ""


def test_a_paper_without_the_data_set_fails_its_gate_and_lists_those_it_has() -> None:
    gate = judged(paper_gate(compared([], 0.9), LIMIT, lack_of(PAPER, "double")))
    assert (gate.passed, gate.seen) == (False, None)
    assert "the baseline has no number for 'double'; it has 'Single'" in gate.sentence
    without = judged(paper_gate(compared([], 0.9), LIMIT, lack_of([], "double")))
    assert not without.passed
    assert "no baseline" in without.sentence


def test_a_number_of_ours_that_is_undefined_fails_the_papers_gate() -> None:
    gate = judged(paper_gate(compared(PAPER, None), LIMIT))
    assert not gate.passed
    assert "srcc: all scores are equal; f1: this data set has no f1" in gate.sentence


def test_numbers_left_out_beside_compared_ones_are_named() -> None:
    gate = judged(paper_gate(compared(PAPER, 0.92), LIMIT))
    assert gate.passed
    assert gate.sentence.endswith("Not compared: f1: this data set has no f1.")


def test_a_minimum_for_the_other_kind_fails_and_says_which_to_set() -> None:
    asked = Dataset(gates=EvaluationGates(min_srcc=0.5, min_accuracy=0.5))
    accuracy = judged(accuracy_gate(as_table(MCQ_CONFUSION, "a", []), asked))
    assert not accuracy.passed
    assert "the data set has no answers" in accuracy.sentence
    for column in ("value", "ci_low"):
        srcc = judged(srcc_gate(as_table(CORRELATION, "a", []), asked, column))
        assert not srcc.passed
        assert "the data set has no scores" in srcc.sentence
        assert "min_accuracy" in srcc.sentence


def test_a_gate_without_a_number_is_not_asked() -> None:
    assert accuracy_gate(as_table(MCQ_CONFUSION, "a", []), Dataset()) is None
    assert srcc_gate(as_table(CORRELATION, "a", []), Dataset()) is None
    assert paper_gate(compared([], 0.9), Dataset()) is None


@pytest.mark.parametrize(
    ("dataset", "told"),
    [
        (Dataset(cluster="referense"), r"`cluster` names 'referense' \(did you mean 'reference'\?\)"),
        (Dataset(group_by=(("type", "reference"),)), "`group_by` names 'type'"),
        (Dataset(opinion_sd="sds", votes="votes"), r"`opinion_sd` names 'sds' \(did you mean 'sd'\?\)"),
        (Dataset(opinion_sd="sd", votes="n"), "`votes` names 'n'"),
    ],
)
def test_a_field_that_the_file_lacks_is_refused_with_the_nearest(tmp_path: Path, dataset: Dataset, told: str) -> None:
    path = tmp_path / "a.jsonl"
    record = {"final_score": 1, "mos": 2, "reference": "i01", "sd": 0.4, "votes": 9}
    path.write_text("".join(json.dumps(record | {"sample_id": str(n)}) + "\n" for n in range(3)))
    known = EvaluationStudy(datasets={"metrics": dataset.model_copy(update={"file": path})})
    study = Study("s", None, Home(UPath(tmp_path), tmp_path), known)
    with pytest.raises(UserError, match=rf"^Data set 'metrics': {told}.* Its fields are .*reference, sd, votes\.$"):
        read_dataset("metrics", study)


def test_the_share_of_unusable_rows_passes_up_to_the_limit_and_counts_no_repetition() -> None:
    # 20 rows: 1 unusable is a share of 0.05; 2 repetitions leave 17 samples.
    samples = pd.DataFrame({"n_rows_in_file": [20] * 17, "n_unusable": [1] * 17})
    assert unusable_gate(samples, 0.05).passed
    gate = unusable_gate(samples.assign(n_unusable=2), 0.05)
    assert (gate.passed, gate.seen, gate.n) == (False, 0.1, 20)
    assert "`max_unusable_share`" in gate.sentence
    # Tables of before lack the column: every row that is no sample counts.
    assert unusable_gate(samples.drop(columns="n_unusable"), 0.05).seen == 0.15


@pytest.mark.parametrize(("most", "refused"), [(0.05, True), (0.7, False)])
def test_a_file_that_is_mostly_unusable_is_no_data_set_unless_the_study_says_so(
    tmp_path: Path, most: float, refused: bool
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sample_id,prediction,mos\na,1,2\nb,,3\nc,,4\n")
    plan = EvaluationStudy(datasets={"a": Dataset(file=path)}, max_unusable_share=most)
    study = Study("small", None, Home(UPath(tmp_path), tmp_path), plan)
    if not refused:
        assert len(read_dataset("a", study)[0].frame) == 1
        return
    with pytest.raises(UserError, match=r"a\.csv: 2 of 3 rows cannot be used \(2 missing_prediction\)"):
        read_dataset("a", study)
