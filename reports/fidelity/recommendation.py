"""The recommendation in plain words: which setting, on what ground, or none and what the nearest lacks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final, Literal

from analysis.gates import DETERMINISTIC
from analysis.intervals.measured import reliable_from
from analysis.one_answer import one_answers
from reports.fidelity.contents import Contents, defined, say
from reports.shared.gate_row import GateRow
from reports.shared.headline import Figure
from reports.shared.numbers import interval, is_number, number, plain_number, unbroken, usd, whole
from reports.shared.phrases import phrase
from reports.shared.text import Text, joined, same
from resources.tables.fidelity.golden import IN_PART, NOT_SEEN, SEEN

Grade = Literal["use", "provisionally", "none"]
# The condition behind each gate on a lower bound over all settings tried.
BOUNDS: Final = {"icc_for_sure": "icc", "spearman_for_sure": "spearman_r"}


def said_of_annotator_test(contents: Contents, setting: str) -> Text:
    """The result of the alternative annotator test at a setting: the verdict alone says what follows from it."""
    gate = contents.gate(setting, "judge_can_stand_in")
    if gate is None or gate.seen is None:
        return say("summary.annotator_test_unknown")
    return say("summary.annotator_test", omega=gate.seen_text, needed=gate.needed_text)


def said_of_sight(contents: Contents) -> Text:
    """How many alterations of the golden set the judge does not see."""
    frame = contents.tables["sensitivity"]
    altered = frame[frame["expected"] != "same"]
    missed, partly, seen = (int((altered["seen"] == word).sum()) for word in (NOT_SEEN, IN_PART, SEEN))
    if not missed + partly + seen:
        return say("summary.sees_unknown")
    total, setting = whole(missed + partly + seen), str(frame["setting"].iloc[0])
    if not missed and not partly:
        return say("summary.sees_all", total=total, setting=setting)
    return say("summary.sees", total=total, setting=setting, missed=whole(missed), partly=whole(partly))


@dataclass(frozen=True)
class Recommendation:
    """The first thing that a reader sees.

    Attributes:
        grade: use: recommended, its conditions hold in the numbers to report too, and both of its lower bounds over all
            settings tried reach their thresholds; provisionally: recommended, but not all of that; none.
        headline: The grade in words.
        figures: The four conditions.
        sentences: What a reader must know next to it, the most important first.
    """

    grade: Grade
    headline: Text
    figures: list[Figure]
    sentences: list[Text]


def recommendation(contents: Contents) -> Recommendation:
    """What the summary says, first of all whether the judge answers everything alike."""
    said = _verdict(contents)
    return replace(said, sentences=[*_one_answer(contents), *said.sentences])


def _one_answer(contents: Contents) -> list[Text]:
    by_setting = contents.tables["judge_calls"].groupby("setting", sort=False)
    found = one_answers((setting, rows["object"], rows["score"]) for setting, rows in by_setting)
    return [
        say(
            "summary.one_answer", score=number(one.score), n=whole(one.n_things), settings=joined(map(same, keys), ", ")
        )
        for one, keys in found.items()
    ]


def _verdict(contents: Contents) -> Recommendation:
    if contents.recommended is not None:
        return _recommended(contents, contents.row("recommended_setting", contents.recommended))
    if contents.nearest is not None:
        return _nearest(contents, contents.row("recommended_setting", contents.nearest))
    key = "nothing_near" if len(contents.tables["recommended_setting"]) else "nothing_made"
    return Recommendation("none", say(f"summary.{key}"), [], [])


def lacks(contents: Contents, setting: str) -> list[Text]:
    """Which conditions of a recommendation a setting misses, and by how much, or why it was not compared."""
    row = contents.row("recommended_setting", setting)
    missed = _missed(contents.conditions.get(setting, ()))
    if not missed and not row["passes"] and row["failed"]:
        missed.append(phrase(row["failed"], inside=True))
    return missed


def _missed(conditions: Sequence[GateRow]) -> list[Text]:
    missed = []
    for gate in conditions:
        if gate.passed:
            continue
        label, limit = say(f"condition.{gate.name}"), gate.needed_text
        if gate.reason == DETERMINISTIC:
            missed.append(say("lack.deterministic"))
        elif gate.seen is None:
            missed.append(say("lack.undefined", what=label, needed=limit))
        else:
            parts = {"what": label, "seen": gate.seen_text, "needed": limit, "gap": _gap(abs(gate.seen - gate.needed))}
            missed.append(say("lack.under" if gate.sign == ">=" else "lack.over", **parts))
    return missed


def _recommended(contents: Contents, row: dict[str, Any]) -> Recommendation:
    setting = str(row["setting"])
    doubts = [*_not_confirmed(contents, row), *_not_sure(contents, row)]
    sentences = [
        *doubts,
        said_of_annotator_test(contents, setting),
        said_of_sight(contents),
        *_few_products(row["n_products_reporting"]),
        *_misses_gates(contents, setting),
        say(
            "summary.rests_on",
            n=whole(row["n_reporting"]),
            products=whole(row["n_products_reporting"]),
            pairs=whole(row["n_matched_reporting"]),
            tried=whole(row["n_settings_tried"]),
        ),
    ]
    if row["n_settings_tried"] > 1:
        is_split = str(row["method"]).startswith("split")
        sentences.append(say("summary.split" if is_split else "summary.optimism"))
    if defined(row["icc_holm_low"], row["spearman_holm_low"]):
        bounds = {"icc": number(row["icc_holm_low"]), "spearman": number(row["spearman_holm_low"])}
        sentences.append(say("summary.holm", n=whole(row["n_settings_tried"]), **bounds))
    sentences += [_equals(contents, setting), *_effort(row)]
    grade: Grade = "provisionally" if doubts else "use"
    sampling = {"temperature": plain_number(row["temperature"]), "top_p": plain_number(row["top_p"])}
    key = grade if contents.trusted else "if_at_all"
    headline = say(f"summary.{key}", setting=setting, **sampling)
    return Recommendation(grade, headline, _figures(contents, row, "_reported"), sentences)


def _not_confirmed(contents: Contents, row: dict[str, Any]) -> list[Text]:
    """Which conditions the numbers to report miss."""
    if not row["lacks_when_reported"]:
        return []
    missed = _missed(contents.reported_conditions.get(str(row["setting"]), ()))
    missed = missed or [phrase(row["lacks_when_reported"], inside=True)]
    return [say("summary.not_confirmed", why=say("summary.lacks_when_reported", lacks=joined(missed, "; ")))]


def _not_sure(contents: Contents, row: dict[str, Any]) -> list[Text]:
    """Which lower bounds over all settings tried do not reach their thresholds."""
    said, tried = [], whole(row["n_settings_tried"])
    for gate in contents.decision_gates:
        if gate.passed or gate.name not in BOUNDS:
            continue
        what = say(f"condition.{BOUNDS[gate.name]}")
        if gate.seen is None:
            said.append(say("summary.no_bound", what=what, n=tried))
        else:
            parts = {"seen": gate.seen_text, "needed": gate.needed_text, "gap": _gap(gate.needed - gate.seen)}
            said.append(say("summary.bound", what=what, n=tried, **parts))
    return [say("summary.not_sure", why=joined(said, "; "))] if said else []


def _few_products(n_products: Any) -> list[Text]:
    enough = reliable_from("spearman")
    if n_products >= enough:
        return []
    return [say("summary.few_products", n=whole(n_products), reliable=whole(enough))]


def missed_gates(contents: Contents, setting: str) -> list[GateRow]:
    """The gates that count and that a setting misses on all objects that are valid there: MAE is no condition."""
    return [row for row in contents.gates.get(setting, ()) if not row.advice and not row.passed]


def _misses_gates(contents: Contents, setting: str) -> list[Text]:
    missed = [
        joined(
            [say(f"gate.{row.name}.short"), " ", row.seen_text, " (", row.sign_text, "\u00a0", row.needed_text, ")"], ""
        )
        for row in missed_gates(contents, setting)
    ]
    return [say("summary.misses_gates", gates=joined(missed))] if missed else []


def _nearest(contents: Contents, row: dict[str, Any]) -> Recommendation:
    setting = str(row["setting"])
    sentences = [say("summary.nearest", setting=setting, lacks=joined(lacks(contents, setting), "; "))]
    counts = {"n": whole(row["n_choosing"]), "products": whole(row["n_products_choosing"])}
    counts["pairs"] = whole(row["n_matched_choosing"])
    sentences.append(say("summary.rests_on", tried=whole(row["n_settings_tried"]), **counts))
    sentences += [
        said_of_annotator_test(contents, setting),
        said_of_sight(contents),
        *_few_products(row["n_products_choosing"]),
    ]
    return Recommendation("none", say("summary.none"), _figures(contents, row, ""), sentences + _effort(row))


def _figures(contents: Contents, row: dict[str, Any], suffix: str) -> list[Figure]:
    """The four conditions as headline numbers: those to report, or those of the objects that chose."""
    reported = suffix == "_reported"
    icc, spearman = row["icc" + suffix], row["spearman_reported" if reported else "spearman_r"]
    mad = row["mad" + suffix]
    validity = row["json_validity_reported" if reported else "json_validity_rate"]
    bounds = {name: (row[f"{name}_reported_low"], row[f"{name}_reported_high"]) for name in ("icc", "spearman")}

    def note(name: str) -> Text:
        low, high = bounds[name]
        if not reported or not defined(low, high):
            return say("summary.no_interval")
        bounds_text = interval(low, high, unreliable=row["n_products_reporting"] < reliable_from(name))
        return say("summary.interval", level=contents.level, bounds=unbroken(bounds_text))

    def corrected(name: str, value: Any) -> Text | None:
        """Where all objects chose: what was seen on them next to what is left after correcting for the choice."""
        if not reported or not str(row["method"]).startswith("optimism") or not defined(row[name], value):
            return None
        return say("summary.seen_and_corrected", seen=number(row[name]), corrected=number(value))

    return [
        Figure(say("statistic.icc"), number(icc), note("icc"), "icc"),
        Figure(say("statistic.spearman"), number(spearman), note("spearman"), "spearman"),
        Figure(say("statistic.mad"), number(mad), corrected("mad", mad), "mad"),
        Figure(
            say("statistic.json_validity"), number(validity), corrected("json_validity_rate", validity), "json_validity"
        ),
    ]


def _equals(contents: Contents, setting: str) -> Text:
    """The settings that the data do not tell from the recommended one."""
    frame = contents.tables["recommended_setting"]
    passing = frame[frame["passes"].fillna(False).astype(bool) & (frame["setting"] != setting)]
    # Where there is no interval, nothing tells them apart either.
    like = passing[passing["as_good_as_best"].fillna(True).astype(bool)]["setting"].tolist()
    if like:
        return say(
            "summary.equals", n=whole(len(like)), settings=joined(_with_missed_gates(contents, key) for key in like)
        )
    return say("summary.only_one_passes") if passing.empty else say("summary.told_apart")


def _with_missed_gates(contents: Contents, setting: str) -> Text:
    """A setting's key, with the gates that it misses."""
    missed = missed_gates(contents, setting)
    if not missed:
        return same(setting)
    names = joined(say(f"gate.{row.name}.short") for row in missed)
    return say("summary.misses_short", setting=setting, gates=names)


def _effort(row: dict[str, Any]) -> list[Text]:
    said = []
    if is_number(row["cost_per_item_usd"]):
        said.append(say("summary.cost", cost=usd(row["cost_per_item_usd"])))
    if is_number(row["repeats_needed_median"]):
        median, most = whole(ceil(row["repeats_needed_median"])), whole(row["repeats_needed_most"])
        said.append(say("summary.repeats", n=median, most=most))
    return said


def _gap(gap: float) -> Text:
    """Enough decimals to be more than nothing."""
    return next((number(gap, decimals) for decimals in range(3, 12) if round(gap, decimals) > 0), number(gap, 12))
