"""What judges of pairs are asked and what they answered: both orders of each judged pair, and rows of both tables."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.messages import labelled, message, message_list
from analysis.preference.pair_judging import (
    bias_towards,
    both_orders,
    consistency,
    first_shown,
    picked,
    position_coefficient,
)
from analysis.resampling.bootstrap import Interval
from analysis.undefined import UndefinedStatistic
from assets.shared.intervals import bound_columns, interval_words
from resources.configuration.pairwise import PairwiseStudy, method_of_judge
from resources.errors import UserError, listing
from resources.inputs.pairwise.text_votes import read_text_votes
from resources.judges.openai.access import access_of
from resources.judges.pairs import SETTING, PairPlan, PairRun, Shown, ShownPair, pair_judge, pair_task
from resources.judges.pairs import both_orders as turned
from resources.photos.golden_set import sha256_if_there
from resources.study import Study
from resources.tables.pairwise import PAIR_ANSWERS, PAIR_JUDGES

PLACE = ["image_1", "image_2"]


def shown_pairs(judged: pd.DataFrame, study: PairwiseStudy) -> list[ShownPair]:
    """The judged pairs as a judge sees them, in the table's order.

    Raises:
        UserError: A photo is gone, the file of texts holds none, or it changed since the table was made.
    """
    if study.pairs_of == "texts":
        return _texts(judged, study)
    paths = {**dict(zip(judged["image_1"], judged["path_1"], strict=True)),
             **dict(zip(judged["image_2"], judged["path_2"], strict=True))}  # fmt: skip
    shown = {}
    for name, path in paths.items():
        if (sha256 := sha256_if_there(path)) is None:
            raise UserError(f"The photo {path} is gone since photo_pairs was made. Put it there, or make it again.")
        shown[name] = Shown(str(name), str(path), sha256)
    return [ShownPair(shown[one], shown[two]) for one, two in zip(judged["image_1"], judged["image_2"], strict=True)]


def _texts(judged: pd.DataFrame, study: PairwiseStudy) -> list[ShownPair]:
    things = read_text_votes(study).things
    names = dict.fromkeys([*judged["image_1"], *judged["image_2"]])
    if gone := [name for name in names if name not in things]:
        raise UserError(f"{study.pairs_csv} has no text {listing(gone)} any more; make photo_pairs again.")
    if without := [name for name in names if things[name].document is None]:
        raise UserError(
            f"{study.pairs_csv.name}: {len(without)} of {len(names)} texts are not there, such as {without[0]}: a "
            "judge has nothing to read. Add columns conversation_a and conversation_b, or response_a and response_b."
        )
    shown = {name: Shown(name, str(things[name].document), things[name].sha256) for name in names}
    return [
        ShownPair(shown[one], shown[two], things[one].query)
        for one, two in zip(judged["image_1"], judged["image_2"], strict=True)
    ]


def pair_run(
    study: Study, name: str, pairs: Sequence[ShownPair], run_id: str | None = None, *, unattended: bool = False
) -> PairRun:
    """One judge's calls about both orders of these pairs.

    Raises:
        UserError: The judge cannot be opened, or its prompt is wrong.
    """
    plan = study.pairwise
    judge = plan.judges[name]
    task = pair_task(judge)
    asked = pair_judge(judge, task, access_of(judge))
    return PairRun(
        study.name,
        PairPlan(plan.seed),
        asked,
        turned(pairs),
        [SETTING],
        study.ledger,
        run_id,
        unattended,
        study.retry_states,
        task=task,
    )


def asked_rows(name: str, judged: pd.DataFrame, pairs: Sequence[ShownPair], run: PairRun) -> pd.DataFrame:
    """One judge's rows of `pair_answers` as the ledger has them."""
    answers = run.answers()
    sides = {}
    for side, shown in ((1, pairs), (2, [ShownPair(one.second, one.first, one.query) for one in pairs])):
        found = answers.reindex([one.object for one in shown]).reset_index(drop=True)
        first, other = (1, 2) if side == 1 else (2, 1)
        sides[side] = found.assign(picked=_of_share(found["share"], first, other))
    why = [
        message_list([_why(one, 1), _why(two, 2)], "; ") or None
        for one, two in zip(sides[1].to_dict("records"), sides[2].to_dict("records"), strict=True)
    ]
    return _rows(name, judged, sides[1]["picked"], sides[2]["picked"]).assign(
        state_1_first=sides[1]["state"].to_numpy(),
        state_2_first=sides[2]["state"].to_numpy(),
        latency_ms=(sides[1]["latency_ms"] + sides[2]["latency_ms"]).to_numpy(dtype=np.float64),
        cost_usd=(sides[1]["cost_usd"].fillna(0.0) + sides[2]["cost_usd"].fillna(0.0)).to_numpy(dtype=np.float64),
        undefined=pd.Series(why, dtype="object"),
    )


def recorded_rows(name: str, judged: pd.DataFrame, recorded: pd.DataFrame) -> pd.DataFrame:
    """A recorded judge's rows of `pair_answers`; a pair that it answered in one order has that answer alone.

    Args:
        name: The judge, as the configuration names it.
        judged: What `judged_pairs` gives.
        recorded: What the file holds of all of them (`text_votes.RECORDED`).
    """
    own = recorded[recorded["judge"] == name]
    said = dict(zip(zip(own["first"], own["second"], strict=True), own["picked"].tolist(), strict=True))
    turn = {0: 0, 1: 2, 2: 1}
    keys = list(zip(judged["image_1"], judged["image_2"], strict=True))
    one_first = [said.get((one, two)) for one, two in keys]
    two_first = [None if (answer := said.get((two, one))) is None else turn[answer] for one, two in keys]
    rows = _rows(name, judged, pd.Series(one_first, dtype="Int64"), pd.Series(two_first, dtype="Int64"))
    alone = rows["picked_1_first"].fillna(rows["picked_2_first"]).where(rows["picked"].isna())
    rows["picked"] = rows["picked"].fillna(alone)
    why = pd.Series(None, index=rows.index, dtype="object").mask(
        rows["picked"].isna(), message("the file has no answer of this judge")
    )
    return rows.assign(state_1_first=None, state_2_first=None, latency_ms=np.nan, cost_usd=0.0, undefined=why)


def _of_share(share: pd.Series, first: int, second: int) -> pd.Series:
    """What the share for the one shown first means: that one, the other, or 0."""
    return share.map({1.0: first, 0.0: second, 0.5: 0}).astype("Int64")


def _why(answer: Mapping[Any, Any], side: int) -> str:
    if not pd.isna(answer["share"]):
        return ""
    if pd.isna(answer["state"]):
        return message("not asked with {side} shown first", side=side)
    said = "" if pd.isna(answer["message"]) else str(answer["message"])
    return message("{state} with {side} shown first: {said}", state=str(answer["state"]), side=side, said=said)


def _rows(judge: str, judged: pd.DataFrame, one_first: pd.Series, two_first: pd.Series) -> pd.DataFrame:
    both = (one_first.notna() & two_first.notna()).to_numpy()
    found = pd.Series(pd.NA, index=range(len(judged)), dtype="Int64")
    found[both] = picked(both_orders(one_first[both], two_first[both]))
    return pd.DataFrame(
        {
            "method": method_of_judge(judge),
            "judge": judge,
            **{name: judged[name].to_numpy() for name in ("pair_idx", *PLACE, "cluster")},
            "picked_1_first": one_first.to_numpy(),
            "picked_2_first": two_first.to_numpy(),
            "picked": found.to_numpy(),
        }
    )


def no_answers() -> pd.DataFrame:
    """The table where no judge is named."""
    return pd.DataFrame(columns=[column.name for column in PAIR_ANSWERS.columns])


def recorded_answers(judged: pd.DataFrame, study: PairwiseStudy) -> list[pd.DataFrame]:
    """Every recorded judge's rows."""
    if not study.recorded_judges:
        return []
    recorded = read_text_votes(study).recorded
    return [recorded_rows(name, judged, recorded) for name in study.recorded_judges]


def judge_rows(answers: pd.DataFrame, judged: pd.DataFrame, study: PairwiseStudy) -> pd.DataFrame:
    """Table `pair_judges`."""
    rows = [
        _judge_row(str(name), part.merge(judged.drop(columns=[*PLACE, "cluster"]), on="pair_idx"), study)
        for name, part in answers.groupby("judge", sort=False)
    ]
    return pd.DataFrame(rows, columns=[column.name for column in PAIR_JUDGES.columns])


def asked_once(answers: pd.DataFrame) -> pd.DataFrame:
    """The rows of `pair_answers` without the second one of a pair that is listed in both orders: it was asked once."""
    names = [answers[name].astype("str").to_numpy(dtype=object) for name in ("judge", *PLACE)]
    said = pd.Series([(judge, *sorted(pair)) for judge, *pair in zip(*names, strict=True)], dtype="object")
    return answers[~said.duplicated().to_numpy()]


Found = tuple[float, Interval, dict[str, int | float]]


def _judge_row(judge: str, rows: pd.DataFrame, study: PairwiseStudy) -> dict[str, Any]:
    pairs = asked_once(rows)
    both = pairs[pairs["picked_1_first"].notna() & pairs["picked_2_first"].notna()]
    row: dict[str, Any] = {
        "method": method_of_judge(judge),
        "judge": judge,
        "n_pairs": len(pairs),
        "n": len(both),
        "n_clusters": both["cluster"].nunique(),
        "cost_usd": float(pairs["cost_usd"].sum()),
        **dict.fromkeys(("n_first_shown", "n_position", "n_longer", "n_shorter", "n_own", "n_not_own"), 0),
    }
    parts = _place(both, study)
    if study.pairs_of == "texts":
        parts |= {
            "length_bias": lambda: _bias(rows, _longer(rows), ("n_longer", "n_shorter"), study),
            "self_preference": lambda: _bias(rows, _own(judge, rows, study), ("n_own", "n_not_own"), study),
        }
    reasons: dict[str, str] = {}
    for name, part in parts.items():
        try:
            value, interval, more = part()
        except UndefinedStatistic as undefined:
            reasons[name] = undefined.reason
            continue
        row |= {name: value, **bound_columns(name, interval), **more}
        row[f"{name}_interval_method"] = interval_words(interval)
    return row | {"undefined": message_list(labelled(*one) for one in reasons.items()) or None}


def _place(both: pd.DataFrame, study: PairwiseStudy) -> dict[str, Callable[[], Found]]:
    """What the place does, of pairs with an answer in both orders."""
    answers = both_orders(both["picked_1_first"], both["picked_2_first"])
    clusters = both["cluster"].to_numpy(dtype=np.str_)
    ones, twos = (both[name].to_numpy(dtype=np.str_) for name in PLACE)

    def same() -> Found:
        found = consistency(answers, clusters, resampling=study.resampling)
        return found.share, found.interval, {"tie_share": found.tie_share}

    def first() -> Found:
        found = first_shown(answers, clusters, resampling=study.resampling)
        return found.share, found.interval, {"n_first_shown": found.votes}

    def log_odds() -> Found:
        found = position_coefficient(answers, ones, twos, clusters, confidence=study.confidence)
        return found.log_odds, found.interval, {"n_position": found.n_used}

    return {"consistency": same, "first_shown_rate": first, "position_log_odds": log_odds}


def _bias(rows: pd.DataFrame, side: NDArray[np.int64], counts: tuple[str, str], study: PairwiseStudy) -> Found:
    """How far the judge favours a side, over the pairs that it answered."""
    said = rows["picked"].notna().to_numpy()
    winner, pick = (rows.loc[said, name].to_numpy(dtype=np.int64) for name in ("winner", "picked"))
    clusters = rows.loc[said, "cluster"].to_numpy(dtype=np.str_)
    one = bias_towards(side[said], winner, pick, clusters, resampling=study.resampling)
    return one.difference, one.interval, dict(zip(counts, (one.n_liked, one.n_otherwise), strict=True))


def _longer(rows: pd.DataFrame) -> NDArray[np.int64]:
    """Which text of each pair is longer: 1 or 2; 0 where neither is, or there are none."""
    if "length_1" not in rows:
        return np.zeros(len(rows), dtype=np.int64)
    one, two = (rows[f"length_{side}"].astype("float64").to_numpy() for side in (1, 2))
    return np.select([one > two, two > one], [1, 2], 0).astype(np.int64)


def _own(judge: str, rows: pd.DataFrame, study: PairwiseStudy) -> NDArray[np.int64]:
    """Which text of each pair the judge's own model wrote: 1 or 2; 0 where it wrote neither or both."""
    if "source_1" not in rows:
        return np.zeros(len(rows), dtype=np.int64)
    model = study.judges[judge].asked.model if judge in study.judges else judge
    own = {_plain(name) for name in study.own_sources.get(judge, (model,))}
    is_own = [rows[f"source_{side}"].map(_plain).isin(own).to_numpy() for side in (1, 2)]
    return np.select([is_own[0] & ~is_own[1], is_own[1] & ~is_own[0]], [1, 2], 0).astype(np.int64)


def _plain(name: object) -> str:
    return "".join(letter for letter in str(name).casefold() if letter.isalnum())
