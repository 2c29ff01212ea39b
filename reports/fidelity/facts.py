"""The head of the report: which study and judge, how much was judged, and how recent the newest call is."""

from collections.abc import Sequence

import pandas as pd

from reports.fidelity.contents import Contents, say
from reports.shared.numbers import NOTHING, day, number, usd, whole
from reports.shared.phrases import phrase
from reports.shared.text import Part, Text, joined, same
from resources.judges.judging import saved_calls

BOUNDED = ("icc", "mad", "spearman", "mae")  # columns of `setting_summary` that end in _worst and _best


def judge_in_words(contents: Contents) -> Text:
    """Who judged; the local judge is named as the baseline that it is."""
    calls = contents.tables["judge_calls"]
    kinds = sorted(calls["judge"].dropna().unique()) or [contents.plan.judge.kind]

    def models(kind: str) -> Text:
        return joined(sorted(calls.loc[calls["judge"] == kind, "model_asked"].dropna().unique()) or [NOTHING])

    return joined([say(f"judge.{kind}", model=models(kind)) if _known(kind) else same(kind) for kind in kinds], "; ")


def is_a_baseline(contents: Contents) -> bool:
    """Whether each judge is the local one."""
    kinds = set(contents.tables["judge_calls"]["judge"].dropna()) or {contents.plan.judge.kind}
    return kinds == {"local"} if contents.plan.judges else "local" in kinds


def facts(contents: Contents) -> list[tuple[Text, Part]]:
    """Name and value of each fact."""
    objects, calls = contents.tables["study_objects"], contents.tables["judge_calls"]
    people = contents.tables["human_scores"]
    judged = objects[objects["excluded"].isna()]
    behind = people[people["object"].isin(judged["object"])]
    n_planned = len(contents.plan.partition_keys)
    answered = sorted(calls["model_answered"].dropna().unique())
    newest = calls["started_at"].max() if len(calls) else None
    rows: Sequence[tuple[str, Part]] = (
        ("judge", judge_in_words(contents)),
        ("model_answered", joined(answered) if answered else say("fact.not_stated")),
        ("objects", say("fact.judged_of", n=whole(len(judged)), total=whole(len(objects)))),
        ("products", whole(judged["product_id"].nunique())),
        ("annotators", say("fact.ratings", n=whole(behind["annotator"].nunique()), ratings=whole(len(behind)))),
        ("settings", say("fact.made_of", n=whole(len(contents.settings)), total=whole(n_planned))),
        ("repeats", _repeats(contents)),
        ("confidence", say("fact.percent", n=contents.level)),
        ("newest_call", day(None if newest is None or pd.isna(newest) else newest)),
    )
    return [(say(f"fact.{name}"), value) for name, value in rows]


def _repeats(contents: Contents) -> Text:
    plan = contents.plan
    if plan.stopping is None:
        return whole(plan.repeats)
    saved = saved_calls(contents.tables["judge_calls"], plan.repeats)
    numbers = {"n": whole(saved.n_objects), "calls": whole(saved.n_calls), "cost": usd(saved.usd)}
    return say("fact.repeats_until", least=whole(plan.stopping.at_least), most=whole(plan.repeats), **numbers)


def notices(contents: Contents) -> list[Text]:
    """What a reader must know before any number."""
    found = []
    if is_a_baseline(contents):
        found.append(say("notice.baseline_judge"))
    if contents.left_out:
        named = [
            joined([key, joined(["(", phrase(why, inside=True), ")"], "")], " ")
            for key, why in contents.left_out.items()
        ]
        found.append(say("notice.left_out", n=whole(len(named)), which=joined(named, "; ")))
    objects = contents.tables["study_objects"]
    judged = objects[objects["excluded"].isna()]
    if "n_with_background" in objects and (n := int((judged["n_with_background"] > 0).sum())):
        found.append(say("notice.backgrounds", n=whole(n), total=whole(len(judged))))
    found += _incomplete(contents)
    missing = len(contents.plan.partition_keys) - len(contents.settings) - len(contents.left_out)
    if missing:
        found.append(say("notice.settings_missing", n=whole(missing)))
    return found


def _incomplete(contents: Contents) -> list[Text]:
    """The objects that no setting counts because some setting lacks answers on them, and what they could change."""
    summary = contents.tables["setting_summary"]
    compared = summary[summary["setting"].isin(contents.settings)]
    lacking = compared[compared["incomplete"].notna()]
    if lacking.empty or contents.focus is None:
        return []
    which = [f"{row.setting}: {row.incomplete}" for row in lacking.itertuples()]
    seen = contents.summary_of(contents.focus)
    n, total = whole(seen["n_total"] - seen["n_objects"]), whole(seen["n_total"])
    words = [say("notice.incomplete", n=n, total=total, which=joined(which, "; "))]
    if seen["mae_worst"] is not None:
        bounds = {f"{name}_{end}": number(seen[f"{name}_{end}"]) for name in BOUNDED for end in ("worst", "best")}
        words.append(say("notice.if_answered", setting=contents.focus, **bounds))
    return words


def _known(kind: str) -> bool:
    return kind in ("local", "openai", "anthropic", "replay")
