"""The demo of study D: a study through every step, its votes from an answer key, and a second time without doubles."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from upath import UPath

from assets.reliability.logic.recalibration_plan import recalibration_plan
from pipeline.command_line.demo_reliability import REVIEWER, go_through, show_report
from pipeline.command_line.reliability_steps import start_recalibration
from pipeline.samples.reliability import scripted_votes, write_review_samples
from resources.configuration.load import read_configuration
from resources.errors import UserError
from resources.runtime.home import Home
from resources.study import Study
from tests.small_relevance import AGREED, OPPOSED, relevance_study, validate_in, vote_on

pytestmark = pytest.mark.slow


def told(study: Study, truth: dict[tuple[str, str], bool]) -> str:
    console = Console(file=StringIO(), width=80)
    go_through(console, study, truth)
    assert isinstance(console.file, StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    return " ".join(" ".join(lines).split())


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    monkeypatch.delenv("TOUCHSTONE_CONFIG", raising=False)


def all_relevant(n_queries: int) -> dict[tuple[str, str], bool]:
    return {(f"q{query:02d}", f"d{doc}"): doc < 3 for query in range(1, n_queries + 1) for doc in range(1, 5)}


def test_judging_again_brings_the_judges_together_and_a_second_demo_adds_nothing(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 4 + [OPPOSED] * 6, [AGREED] * 10)
    shown = told(study, all_relevant(10))
    steps = [
        "Validation: kappa macro 0.400",
        f"'{REVIEWER}' votes on 2 queries",
        "the median shift of the documents is 0",
        "6 queries with kappa below 0.4 are judged again",
        "Validation after judging again (recorded answers): kappa macro 1.000",
        "IRR Validation Passed (Kappa: 1.00)",
        "Ground truth: 10 queries written",
    ]
    console = Console(file=StringIO(), width=80)
    show_report(console, study)
    assert isinstance(console.file, StringIO)
    assert Path(console.file.getvalue().removeprefix("Report: ").strip()).is_file()
    assert [words for words in steps if words not in shown] == []
    places = [shown.index(words) for words in steps]
    assert places == sorted(places)
    assert "Validated before" in told(study, all_relevant(10))
    assert len(study.validations.validations()) == 2
    assert len(study.reviews.votes()) == 4
    assert len(study.validations.actions()) == 1


def test_a_demo_that_died_while_queries_were_judged_again_judges_them(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] * 4 + [OPPOSED] * 6, [AGREED] * 10)
    validate_in(study)
    vote_on(study, 2, reviewer=REVIEWER)
    start_recalibration(study, recalibration_plan(study).again, "sample")
    shown = told(study, all_relevant(10))
    assert "IRR Validation Passed (Kappa: 1.00)" in shown
    assert len(study.validations.validations()) == 2
    assert len(study.validations.actions()) == 1


def test_the_second_sample_is_resolved_by_people_after_every_other_step(tmp_path: Path) -> None:
    samples = write_review_samples(tmp_path / "by_review")
    configuration = read_configuration(samples.configuration)
    home = Home(UPath(samples.home), samples.home)
    study = Study(configuration.study, None, home, reliability_section=configuration.reliability)
    truth = {(query, doc): relevant for query, doc, relevant in scripted_votes(samples.truth)}
    told(study, truth)
    history = study.validations.validations()
    assert history["status"].tolist() == [*["contingency_triggered"] * 3, "resolved_by_review"]
    assert study.validations.actions()["action"].tolist() == [
        "thresholds_accepted",
        "recalibration_started",
        "manual_review_opened",
    ]
    written = study.validations.ground_truth_rows()
    assert len(written) == 22
    # What people decided is the answer key's.
    decided = written[written["human_override"]]
    assert set(decided["reviewer"]) == {REVIEWER}
    votes = study.reviews.decisions()
    assert all(truth[row["query_id"], row["doc_id"]] == row["decision"] for row in votes.to_dict("records"))


def test_a_tie_that_others_hold_ends_the_demo_with_words(tmp_path: Path) -> None:
    study = relevance_study(tmp_path, [AGREED] + [OPPOSED] * 3, [AGREED] + [OPPOSED] * 3)
    validate_in(study)
    vote_on(study, reviewer="bob", relevant=False)
    vote_on(study, reviewer=REVIEWER, relevant=True)
    with pytest.raises(UserError, match="Vote yourself"):
        told(study, all_relevant(4))
