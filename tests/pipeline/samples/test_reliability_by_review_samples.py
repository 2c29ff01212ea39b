"""The second reliability sample fails the gate at every step, and ends once people decide what differs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.agreement.judge_bias import judge_bias
from analysis.agreement.kappa import counts_of_queries, is_low, kappa_summary, kappas, relevant
from analysis.agreement.reliability_gate import reliability_gate
from analysis.agreement.threshold_advice import threshold_advice
from analysis.resampling.bootstrap import Resampling
from pipeline.samples import reliability as samples
from pipeline.samples import shipped
from pipeline.samples.reliability import SECOND_VERSION, ReviewSamples, scripted_votes, write_review_samples
from resources.configuration.load import read_configuration
from resources.configuration.place import FILE_NAME
from resources.configuration.reliability import RecordedJudge, ReliabilityStudy
from resources.errors import UserError
from resources.inputs.reliability.relevance import read_relevance
from resources.inputs.reliability.relevance_records import RelevanceInput
from resources.judges.relevance.documents import AskedDocument
from resources.judges.relevance.recorded import RecordedJudge as Recorded
from tools.samples import reliability_by_review as tool
from tools.samples.reliability import BY_REVIEW, sample_queries
from tools.samples.reliability_by_review import judged

JUDGES = ["judge1", "judge2"]
KEY = ["query_id", "doc_id"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ReviewSamples:
    return write_review_samples(tmp_path_factory.mktemp("samples") / "reliability_by_review")


@pytest.fixture(scope="module")
def plan(made: ReviewSamples) -> ReliabilityStudy:
    section = read_configuration(made.home / FILE_NAME).reliability
    assert section is not None
    return section


@pytest.fixture(scope="module")
def read(plan: ReliabilityStudy) -> RelevanceInput:
    return read_relevance(plan)


@pytest.fixture(scope="module")
def first(read: RelevanceInput) -> pd.DataFrame:
    wide = read.scores.pivot_table(index=KEY, columns="judge", values="score", observed=True)[JUDGES]
    return read.documents[KEY].join(wide, on=KEY)


@pytest.fixture(scope="module")
def second(read: RelevanceInput, plan: ReliabilityStudy) -> pd.DataFrame:
    asked = [AskedDocument(row.query_id, row.query, row.doc_id, row.document) for row in read.documents.itertuples()]
    scored = read.documents[KEY].copy()
    for name, section in plan.recalibration.judges.items():
        assert isinstance(section, RecordedJudge)
        answers = Recorded(name, section.path, SECOND_VERSION).judged(asked, SECOND_VERSION)
        scored[name] = [one.score for one in answers]
    return scored


@pytest.fixture(scope="module")
def advised(first: pd.DataFrame, plan: ReliabilityStudy) -> float:
    found = threshold_advice(first["judge1"], first["judge2"], numbers(first), seed=plan.seed)
    assert found.higher == 2
    assert found.threshold_advised is not None
    return found.threshold_advised


def numbers(scored: pd.DataFrame) -> np.ndarray:
    return scored["query_id"].factorize()[0]


def counts(scored: pd.DataFrame, threshold_2: float = 0.5) -> np.ndarray:
    labels = [relevant(scored["judge1"], 0.5), relevant(scored["judge2"], threshold_2)]
    return counts_of_queries(*labels, numbers(scored))


def fails(found: np.ndarray) -> bool:
    return not reliability_gate(kappa_summary(found), macro_low=None, micro_low=None).passed


def judged_again(first: pd.DataFrame, second: pd.DataFrame, threshold_2: float = 0.5) -> pd.DataFrame:
    low = np.repeat(is_low(kappas(counts(first, threshold_2))), 5)
    return first.assign(**{name: np.where(low, second[name], first[name]) for name in JUDGES})


def test_the_study_has_a_name_and_both_judges_scores_of_22_queries(made, read):
    assert read_configuration(made.home / FILE_NAME).study == "sample_by_review"
    assert read.judges == ("judge1", "judge2")
    assert read.documents["query_id"].nunique() == 22
    assert len(read.scores) == 22 * 5 * 2
    assert read.ignored == ()


def test_it_fails_the_gate_at_first(first):
    assert fails(counts(first))


def test_one_judge_is_stricter_and_the_bias_test_says_so(first):
    found = judge_bias(first["judge1"], first["judge2"], numbers(first), resampling=Resampling(1, resamples=200))
    assert found.query_medians.biased
    assert found.query_medians.shift < -0.1


def test_the_advised_threshold_helps_and_is_not_enough(first, advised):
    now, then = (kappa_summary(counts(first, threshold)).micro for threshold in (0.5, advised))
    assert then > now
    assert fails(counts(first, advised))


def test_recalibration_is_not_enough_with_the_old_threshold_nor_with_the_advised_one(first, second, advised):
    # 0.52 and 0.55, then 0.57 and 0.60, when the sample was made.
    for threshold in (0.5, advised):
        again = counts(judged_again(first, second, threshold), threshold)
        assert fails(again)
        assert kappa_summary(again).macro < 0.65


def test_judges_still_disagree_when_every_query_is_judged_again(second, advised):
    assert fails(counts(second))
    assert fails(counts(second, advised))


def test_a_reviewer_who_knows_the_truth_can_decide_every_document_whose_labels_differ(first, second, made, advised):
    votes = {(query, doc): vote for query, doc, vote in scripted_votes(made.truth)}
    final = judged_again(first, second, advised)
    differ = relevant(final["judge1"], 0.5) != relevant(final["judge2"], advised)
    disputed = list(final.loc[differ, KEY].itertuples(index=False, name=None))
    assert 10 < len(disputed) < 60
    assert {votes[place] for place in disputed} == {True, False}


def test_the_seed_decides_every_score():
    queries = sample_queries(BY_REVIEW, 1)
    assert judged(queries, "v1", 1) == judged(queries, "v1", 1)
    assert judged(queries, "v1", 1) != judged(queries, "v1", 2)
    assert judged(queries, "v1", 1) != judged(queries, SECOND_VERSION, 1)


@pytest.mark.parametrize("seed", range(5))
def test_over_other_seeds_it_fails_at_first_too(seed):
    queries = sample_queries(BY_REVIEW, seed)
    scores = {name: np.ravel(found) for name, found in judged(queries, "v1", seed).items()}
    ids = np.repeat([one.id for one in queries], 5)
    assert fails(counts(pd.DataFrame({"query_id": ids, **scores})))


def test_the_tool_gives_the_bytes_that_ship(made, tmp_path):
    tool.write_all(tmp_path, shipped.SEED)
    for mine in (made.queries, made.recalibrated, made.truth):
        assert mine.read_bytes() == (tmp_path / mine.name).read_bytes()


def test_a_complete_sample_keeps_what_a_person_wrote_into_its_configuration(tmp_path):
    made = write_review_samples(tmp_path / "home")
    made.configuration.write_text(made.configuration.read_text() + "  threshold: 0.6\n")
    write_review_samples(tmp_path / "home")
    section = read_configuration(tmp_path / "home" / FILE_NAME).reliability
    assert section is not None
    assert section.threshold == 0.6


def test_new_inputs_leave_what_the_study_has_made_in_its_home(tmp_path, monkeypatch):
    made = write_review_samples(tmp_path / "home")
    (made.home / "touchstone.db").write_text("votes of people")
    before = made.queries.read_bytes()
    made.queries.write_bytes(before[:-1] + b" ")
    monkeypatch.setattr(samples, "SAMPLES_VERSION", "next")
    write_review_samples(tmp_path / "home")
    assert made.queries.read_bytes() == before
    assert (made.home / "touchstone.db").read_text() == "votes of people"


def test_a_home_of_another_study_is_refused_and_left_alone(tmp_path):
    (tmp_path / "touchstone.yaml").write_text("study: mine\n")
    with pytest.raises(UserError, match="is no sample"):
        write_review_samples(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["touchstone.yaml"]


def test_paths_in_the_configuration_are_taken_from_its_folder(made, plan):
    assert plan.queries == made.queries
    assert {one.path for one in plan.recalibration.judges.values() if isinstance(one, RecordedJudge)} == {
        Path(made.recalibrated)
    }
