"""Which calls a run would make: what is answered counts only where a run would not ask it again."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

from assets.fidelity.golden_images import golden_rows
from assets.fidelity.golden_scores import altered_objects
from assets.fidelity.logic.golden_choice import golden_objects
from assets.fidelity.logic.selection_split import products_that_choose
from assets.fidelity.study_objects import selected_objects
from pipeline.command_line.main import application
from pipeline.command_line.planned_calls import (
    ANCHOR,
    GOLDEN_SET,
    planned_anchor_calls,
    planned_by_judge,
    planned_calls,
)
from pipeline.command_line.run_study import _tell_the_price, run_and_show
from resources.configuration.fidelity import Anchor, GoldenSet, LocalJudge, RubricWeights
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.settings import setting_from_key
from resources.errors import UserError
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.fidelity.study_objects import find_study_objects
from resources.judges.judging import Judging, judge_of
from resources.photos.golden_set import alterations_of, golden_folder
from resources.runtime.progress import LoggedProgress
from resources.study import Study
from tests.openai_server import openai_server
from tests.pipeline.test_drift_watch import recommend
from tests.small_study import KEYS, UP_TO_CALLS, changed, errors, run_one, write_study

pytestmark = pytest.mark.slow

SETTING, OTHER = KEYS[1], KEYS[2]
FEW: dict[str, Any] = {"hue_degrees": (20,), "saturation": (0.5,), "brightness": (), "blur_px": (4,)}
PLAN = GoldenSet(n_items=2, setting=SETTING, texture_scale=(), logo_share=(0.2,), **FEW)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    judge = LocalJudge(image_side_px=64, workers=2)
    return changed(write_study(tmp_path), judge=judge, repeats=2, minimum_repeats=2, golden=PLAN)


def n_golden(study: Study) -> int:
    return sum(one.n_calls for one in planned_calls(study).by_part.get(GOLDEN_SET, []))


def judge_the_golden_set(study: Study) -> pd.DataFrame:
    """The golden set's manifest, once its images are made and judged."""
    plan = study.fidelity
    scores = read_human_scores(plan).frame
    objects = find_study_objects(scores, selected_objects(plan), plan)
    chosen = golden_objects(objects, products_that_choose(objects, scores, plan).products, plan)
    made = golden_rows(chosen, objects, plan, golden_folder(study.home), lambda done=1: None)
    altered = altered_objects(made, objects)
    judging = Judging(study.name, plan, judge_of(plan, altered), altered, [setting_from_key(SETTING)], study.ledger)
    judging.ask(LoggedProgress(), logging.getLogger())
    return made


def test_golden_calls_count_as_answered_only_as_they_would_be_asked_now(study: Study) -> None:
    n_planned = 2 * len(alterations_of(PLAN)) * 2
    assert n_golden(study) == n_planned
    skipped = 2 * int(judge_the_golden_set(study)["skipped"].notna().sum())
    assert n_golden(study) == skipped < n_planned / 2
    # Another setting, prompt, judge or render, or more repeats: what was answered is not what is planned.
    assert n_golden(changed(study, golden=PLAN.model_copy(update={"setting": OTHER}))) == n_planned
    assert n_golden(changed(study, rubric_weights=RubricWeights(color_palette=1))) == n_planned
    assert n_golden(changed(study, judge=LocalJudge(image_side_px=65))) == n_planned
    assert n_golden(changed(study, repeats=3)) == n_planned / 2 + 1.5 * skipped
    # One alteration more is asked about, one that is not configured any more is no answer to it.
    swapped = PLAN.model_copy(update={"hue_degrees": (40,)})
    assert n_golden(changed(study, golden=swapped)) == skipped + 2 * 2
    other_stripes = PLAN.stripes.model_copy(update={"colours": ("#00FF00", "#0000FF")})
    assert n_golden(changed(study, golden=PLAN.model_copy(update={"stripes": other_stripes}))) == skipped + 4 * 2 * 2


def test_before_a_setting_is_known_nothing_of_the_golden_set_is_answered(study: Study) -> None:
    judge_the_golden_set(study)
    unset = changed(study, golden=PLAN.model_copy(update={"setting": None}))
    assert n_golden(unset) == 2 * len(alterations_of(PLAN)) * 2
    recommend(unset, SETTING)
    assert n_golden(unset) == n_golden(study)


def test_an_empty_list_of_items_is_an_empty_golden_set(study: Study) -> None:
    assert n_golden(changed(study, golden=PLAN.model_copy(update={"items": ()}))) == 0
    assert n_golden(changed(study, golden=PLAN.model_copy(update={"items": ("100",)}))) == len(alterations_of(PLAN)) * 2


def test_the_golden_set_of_a_judge_that_is_not_chosen_is_counted_too(study: Study) -> None:
    judges = {"one": LocalJudge(image_side_px=64), "two": LocalJudge(image_side_px=65)}
    golden = PLAN.model_copy(update={"setting": f"two@{SETTING}"})
    several = changed(study, judge=judges["one"], judges=judges, golden=golden)
    chosen = planned_by_judge(several, [f"one@{OTHER}"])
    assert [(name, list(planned.by_part)) for name, _, planned in chosen] == [("one", [OTHER]), ("two", [GOLDEN_SET])]
    assert (chosen[1][2].n_open, chosen[1][2].n_answered) == (2 * len(alterations_of(PLAN)) * 2, 0)
    assert [list(planned.by_part) for _, _, planned in planned_by_judge(several, [f"two@{OTHER}"])] == [
        [OTHER, GOLDEN_SET]
    ]


def test_a_judge_without_its_key_stops_a_run_before_another_one_is_paid(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judges = {"one": LocalJudge(image_side_px=64), "two": OpenAIJudge(kind="openai", model="gpt-4o")}
    none = PLAN.model_copy(update={"items": (), "setting": None})
    several = changed(study, judge=judges["one"], judges=judges, golden=none)
    with pytest.raises(UserError, match="OPENAI_API_KEY is not set"):
        _tell_the_price(Console(quiet=True), several, (), dry_run=False, yes=True)
    _tell_the_price(Console(quiet=True), several, (), dry_run=True, yes=False)


@pytest.fixture
def watched(study: Study, instance: dg.DagsterInstance) -> Study:
    """A study that was run as far as the watch needs it."""
    assert not errors(run_one(study, instance, SETTING, UP_TO_CALLS[:2]))
    recommend(study, SETTING)
    return changed(study, anchor=Anchor(n_objects=4))


def test_the_watch_plans_what_is_not_answered_today(watched: Study) -> None:
    planned = planned_anchor_calls(watched)
    assert {name: len(calls) for name, calls in planned.by_part.items()} == {ANCHOR: 4}
    assert (planned.n_open, planned.n_answered, planned.gates) == (8, 0, [])
    judged = [one.example.judged for one in planned.by_part[ANCHOR][:3]]
    setting = [setting_from_key(SETTING)]
    Judging(watched.name, watched.fidelity, planned.judge, judged, setting, watched.ledger).ask(
        LoggedProgress(), logging.getLogger()
    )
    again = planned_anchor_calls(watched)
    assert (again.n_open, again.n_answered) == (2, 6)


def test_a_watch_without_a_study_or_on_a_recording_is_refused(study: Study) -> None:
    with pytest.raises(UserError, match="`touchstone run fidelity` comes first"):
        planned_anchor_calls(study)
    with pytest.raises(UserError, match="cannot drift"):
        planned_anchor_calls(changed(study, judge={"kind": "replay", "path": Path("calls.jsonl")}))


def test_the_watch_on_a_paid_judge_tells_its_price_and_asks_for_consent(
    watched: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid = changed(watched, judge={"kind": "openai", "model": "gpt-4o", "image_side_px": 64})
    monkeypatch.setattr("resources.study.study_from_environment", lambda: paid)
    monkeypatch.setenv("TOUCHSTONE_HOME", str(paid.home.base))
    (paid.home.local / "touchstone.yaml").write_text("study: small\n")
    console = CliRunner(env={"COLUMNS": "80"})
    with openai_server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        shown = console.invoke(application, ["run", "drift", "--dry-run"], catch_exceptions=False)
        with pytest.raises(UserError, match="agree with `--yes`"):
            console.invoke(application, ["run", "drift"], catch_exceptions=False)
        assert not server.requests
    assert "8 calls to make, 0 answered before." in shown.output
    assert "At most: every call sent once" in " ".join(shown.output.split())
    assert "…" not in shown.output
    row = next(line for line in shown.output.splitlines() if line.strip().startswith("anchor")).split()
    assert row[1] == "8"
    assert row[-3].startswith("$")
    assert float(row[-3][1:]) > 0


def test_the_callers_study_is_left_as_it_was(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Study] = []

    def looked_at(running: Study) -> dg.Definitions:
        seen.append(running)
        raise UserError("enough")

    monkeypatch.setattr("pipeline.definitions.definitions_of", looked_at)
    with pytest.raises(UserError, match="enough"):
        run_and_show(Console(), "fidelity", (), replace(study, retry_states=frozenset({"invalid_json"})))
    assert seen[0].retry_states == {"invalid_json"}
    assert study.retry_states == frozenset()
