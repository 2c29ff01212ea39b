"""Tables of judges of pairs: rows of answers, the pick of both orders, biases by place, length and author, gates."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from upath import UPath

from assets.pairwise.logic.method_scores import answered_rows, longer_rows
from assets.pairwise.logic.pair_judging import (
    asked_rows,
    judge_rows,
    no_answers,
    pair_run,
    recorded_answers,
    shown_pairs,
)
from assets.pairwise.pair_answers import headline as answers_headline
from assets.pairwise.pair_judges import headline, place_does_not_decide
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.judges.contract import Attempt, Call, Reply
from resources.judges.pairs import PairRun
from resources.runtime.home import Home
from resources.study import Study
from resources.tables.all_tables import TABLES
from resources.tables.pairwise_rows import judged_pairs
from resources.tables.parquet import checked
from tests.assets.asked_gates import asked
from tests.pair_study import write_battles
from tests.resources.judges.test_judging import CountedProgress, FakeJudge
from tests.resources.judges.test_pairs import LOG
from tests.small_series import write_series

place_gate = asked(place_does_not_decide)


def study_of(folder: Path, **changes: Any) -> Study:
    """Eighty pairs of texts, a judge that is asked and one that is recorded."""
    write_battles(folder, "http://127.0.0.1:1/v1")
    task = {"prompt": folder / "prompt.txt", "object": "pair", "shows": "text"}
    judge = ModelJudge(kind="model", name="gpt", model="gpt-4", base_url="http://127.0.0.1:1/v1", task=task)
    plan: dict[str, Any] = {
        "pairs_of": "texts",
        "pairs_csv": folder / "battles.jsonl",
        "judges": {"gpt": judge},
        "recorded_judges": ("gpt4_pair",),
        "own_sources": {"gpt4_pair": ("gpt-4",)},
        "min_agreement": 0.6,
    }
    section = PairwiseStudy(**(plan | changes))
    return Study("battles", None, Home(UPath(folder / "home"), folder / "home"), pairwise_section=section)


def judged_of(study: Study) -> pd.DataFrame:
    return judged_pairs(checked(TABLES["photo_pairs"], read_photo_pairs(study.pairwise).frame))


def asked(study: Study, judged: pd.DataFrame, answers: Any) -> tuple[pd.DataFrame, PairRun]:
    """The rows after a run of a judge that answers by a function of the shown pair."""
    pairs = shown_pairs(judged, study.pairwise)
    run = replace(pair_run(study, "gpt", pairs), judge=FakeJudge(answers))
    run.ask(CountedProgress(), LOG)
    return asked_rows("gpt", judged, pairs, run), run


def test_answers_become_picks_and_a_judge_of_the_first_place_ties_everywhere(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    judged = judged_of(study)
    rows, run = asked(study, judged, lambda call: Reply("A", cost_usd=0.01))
    table = checked(TABLES["pair_answers"], pd.concat([rows, *recorded_answers(judged, study.pairwise)]))
    assert len(run.judge.asked) == 2 * len(judged)  # type: ignore[attr-defined]
    live = table[table["method"] == "judge_gpt"]
    assert (live["picked_1_first"].tolist(), live["picked_2_first"].tolist()) == ([1] * 80, [2] * 80)
    assert set(live["picked"]) == {0}
    assert answers_headline(table)["n_without_pick"] == 0
    found = answered_rows("judge_gpt", judged, table)
    assert set(found["score_image1"]) == {0.5}
    assert set(found["credit"]) == {0.5}
    judges = checked(TABLES["pair_judges"], judge_rows(table, judged, study.pairwise)).set_index("judge")
    row = judges.loc["gpt"]
    assert (row["consistency"], row["first_shown_rate"], row["n"], row["n_first_shown"]) == (0.0, 1.0, 80, 160)
    assert row["first_shown_rate_low"] > 0.9
    # Every place decides in one direction, so the coefficient has no finite value.
    assert pd.isna(row["position_log_odds"])
    assert "position_log_odds" in row["undefined"]
    assert row["cost_usd"] == pytest.approx(1.6)
    recorded = judges.loc["gpt4_pair"]
    # It was recorded in one order, and picks the stronger text, whoever wrote it.
    assert (recorded["n"], recorded["self_preference"], recorded["length_bias"]) == (0, 0.0, 0.0)
    assert "ties" not in recorded["undefined"]
    gate = place_gate(judges.reset_index())
    assert (gate.passed, gate.seen) == (False, 1.0)
    assert "gpt 1.000" in gate.sentence
    assert headline(judges.reset_index())["n_judges"] == 2


def test_a_judge_that_reads_passes_the_gate_and_is_consistent(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    judged = judged_of(study)

    def by_model(call: Call) -> Reply:
        return Reply("A" if "[A] gpt-4" in call.user_message else "B")

    rows, _ = asked(study, judged, by_model)
    [row] = judge_rows(rows, judged, study.pairwise).to_dict("records")
    assert (row["consistency"], row["first_shown_rate"], row["tie_share"]) == (1.0, 0.5, 0.0)
    # It always picks its own text: right where people do, wrong where they do not.
    assert row["self_preference"] == 1.0
    assert row["n_own"] + row["n_not_own"] == 80
    assert place_gate(judge_rows(rows, judged, study.pairwise)).passed


def test_a_pair_that_is_listed_in_both_orders_is_asked_and_paid_once(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    judged = judged_of(study).head(3)
    turned = judged.assign(
        image_1=judged["image_2"], image_2=judged["image_1"], winner=3 - judged["winner"], pair_idx=[3, 4, 5]
    )
    both = pd.concat([judged, turned], ignore_index=True)
    rows, run = asked(study, both, lambda call: Reply("A", cost_usd=0.01))
    assert len(run.judge.asked) == 6  # type: ignore[attr-defined]
    assert answers_headline(rows)["cost_usd"] == pytest.approx(0.06)
    [row] = judge_rows(rows, both, study.pairwise).to_dict("records")
    assert (row["n_pairs"], row["cost_usd"]) == (3, pytest.approx(0.06))


def test_what_lacks_an_answer_has_no_pick_and_says_why(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    judged = judged_of(study).head(2)

    def refuses_some(call: Call) -> Reply:
        return Reply("Neither.") if "[A] llama" in call.user_message else Reply("B")

    rows, _ = asked(study, judged, refuses_some)
    assert rows["picked"].isna().all()
    assert rows["picked_1_first"].tolist() == [2, 2]
    assert "2" in rows["undefined"].iloc[0]
    assert "out_of_range" in rows["undefined"].iloc[0]
    found = answered_rows("judge_gpt", judged, rows)
    assert found["predicted_winner"].isna().all()
    with pytest.raises(UserError, match="pair_answers has no row of judge_gpt"):
        answered_rows("judge_gpt", judged_of(study), rows)
    with pytest.raises(UserError, match="about other pairs"):
        answered_rows("judge_gpt", judged, rows.assign(image_1="x"))


def test_the_longer_text_is_a_method_and_no_judge_is_an_empty_table(tmp_path: Path) -> None:
    study = study_of(tmp_path, judges={})
    judged = judged_of(study)
    rows = longer_rows("longer_text", judged)
    longer = np.sign(judged["length_1"].astype(float) - judged["length_2"].astype(float))
    assert rows["predicted_winner"].tolist() == longer.map({1.0: 1, -1.0: 2, 0.0: 0}).tolist()
    assert checked(TABLES["pair_answers"], no_answers()).empty
    assert checked(TABLES["pair_judges"], judge_rows(no_answers(), judged, study.pairwise)).empty
    assert place_gate(judge_rows(no_answers(), judged, study.pairwise)).passed


def test_a_file_without_texts_has_nothing_for_a_judge_to_read(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    text = (tmp_path / "battles.jsonl").read_text().replace('"conversation_', '"other_')
    (tmp_path / "battles.jsonl").write_text(text)
    with pytest.raises(UserError, match="160 of 160 texts are not there, such as 0/gpt-4: a judge has nothing to read"):
        shown_pairs(judged_of(study), study.pairwise)


def test_photos_are_shown_with_the_hash_of_their_bytes(tmp_path: Path) -> None:
    pairs, photos = write_series(tmp_path)
    (tmp_path / "prompt.txt").write_text("{images}\nWhich is sharper? Answer A, B or tie.")
    judge = ModelJudge(
        kind="model",
        name="eye",
        model="m",
        base_url="http://127.0.0.1:1/v1",
        task={"prompt": tmp_path / "prompt.txt", "object": "pair"},
    )
    section = PairwiseStudy(pairs_csv=pairs, image_root=photos, judges={"eye": judge})
    study = Study("photos", None, Home(UPath(tmp_path / "home"), tmp_path / "home"), pairwise_section=section)
    judged = judged_of(study)
    shown = shown_pairs(judged, section)
    run = pair_run(study, "eye", shown)
    request = run.judge.request(run.task.call(shown[0], Attempt("s", run.settings[0], run.judge.identity)))  # type: ignore[arg-type, attr-defined]
    parts = request["messages"][-1]["content"]
    assert [part.get("text") for part in parts] == ["A", None, "B", None, "Which is sharper? Answer A, B or tie."]
    assert len({one.sha256 for pair in shown for one in (pair.first, pair.second)}) == 24
    Path(judged["path_1"].iloc[0]).unlink()
    with pytest.raises(UserError, match="is gone since photo_pairs was made"):
        shown_pairs(judged, section)
