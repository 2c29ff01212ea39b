"""The recommendation in plain words: which setting, on what ground, or none and what the nearest lacks."""

from dataclasses import dataclass
from typing import Any

from analysis.rounding import rounded
from resources.reports.fidelity.contents import Contents, defined, say
from resources.reports.numbers import beside_limit, interval, is_number, number, plain_number, unbroken, usd, whole
from resources.reports.phrases import phrase
from resources.reports.text import Part, Text, joined


@dataclass(frozen=True)
class Figure:
    """A headline number: its name, the number, and the interval or the note below."""

    label: Text
    value: Part
    note: Part | None
    term: str


@dataclass(frozen=True)
class Recommendation:
    """The first thing that a reader sees."""

    found: bool
    headline: Text
    figures: list[Figure]
    sentences: list[Text]


def recommendation(contents: Contents) -> Recommendation:
    """What the summary says."""
    if contents.recommended is not None:
        return _recommended(contents, contents.row("recommended_setting", contents.recommended))
    if contents.nearest is not None:
        return _nearest(contents, contents.row("recommended_setting", contents.nearest))
    key = "nothing_near" if len(contents.tables["recommended_setting"]) else "nothing_made"
    return Recommendation(False, say(f"summary.{key}"), [], [])


def lacks(contents: Contents, row: dict[str, Any]) -> list[Text]:
    """Which conditions a row of `recommended_setting` misses, and by how much."""
    limits, missed = contents.plan.thresholds, []
    for name, value, needed, least in (
        ("icc", row["icc"], limits.icc, True),
        ("json_validity", row["json_validity_rate"], limits.json_validity, True),
        ("spearman", row["spearman_r"], limits.spearman, True),
        ("mad", row["mad"], limits.median_mad, False),
    ):
        label, limit = say(f"statistic.{name}"), plain_number(needed)
        if name == "icc" and row["deterministic"]:
            missed.append(say("lack.deterministic"))
        elif not is_number(value):
            if row["n_settings_tried"]:
                missed.append(say("lack.undefined", what=label, needed=limit))
        elif (rounded(value) < rounded(needed)) if least else (rounded(value) > rounded(needed)):
            seen = beside_limit(value, needed, ">=" if least else "<=", passed=False)
            gap = _gap(abs(float(value) - needed))
            missed.append(say("lack.under" if least else "lack.over", what=label, seen=seen, needed=limit, gap=gap))
    if not missed and not row["passes"] and row["failed"]:
        missed.append(phrase(row["failed"]))
    return missed


def _lacks_when_reported(contents: Contents, row: dict[str, Any]) -> list[Text]:
    """The same of the numbers to report."""
    names = {"icc": "icc", "spearman_r": "spearman", "mad": "mad", "json_validity_rate": "json_validity"}
    values = {column: row[f"{name}_reported"] for column, name in names.items()}
    return lacks(contents, row | values) or [phrase(row["lacks_when_reported"])]


def _recommended(contents: Contents, row: dict[str, Any]) -> Recommendation:
    setting = str(row["setting"])
    sentences = [
        say(
            "summary.rests_on",
            n=whole(row["n_reporting"]),
            products=whole(row["n_products_reporting"]),
            pairs=whole(row["n_matched_reporting"]),
            tried=whole(row["n_settings_tried"]),
        ),
        say("summary.split" if str(row["method"]).startswith("split") else "summary.optimism"),
    ]
    if defined(row["icc_holm_low"], row["spearman_holm_low"]):
        bounds = {"icc": number(row["icc_holm_low"]), "spearman": number(row["spearman_holm_low"])}
        sentences.append(say("summary.holm", n=whole(row["n_settings_tried"]), **bounds))
    if row["lacks_when_reported"]:
        sentences.append(say("summary.lacks_when_reported", lacks=joined(_lacks_when_reported(contents, row), "; ")))
    sentences += [_equals(contents, setting), *_effort(row)]
    headline = say(
        "summary.use", setting=setting, temperature=plain_number(row["temperature"]), top_p=plain_number(row["top_p"])
    )
    return Recommendation(True, headline, _figures(row, "_reported"), sentences)


def _nearest(contents: Contents, row: dict[str, Any]) -> Recommendation:
    setting = str(row["setting"])
    sentences = [say("summary.nearest", setting=setting, lacks=joined(lacks(contents, row), "; "))]
    counts = {"n": whole(row["n_choosing"]), "products": whole(row["n_products_choosing"])}
    counts["pairs"] = whole(row["n_matched_choosing"])
    sentences.append(say("summary.rests_on", tried=whole(row["n_settings_tried"]), **counts))
    return Recommendation(False, say("summary.none"), _figures(row, ""), sentences + _effort(row))


def _figures(row: dict[str, Any], suffix: str) -> list[Figure]:
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
        return say("summary.interval", bounds=unbroken(interval(low, high)))

    return [
        Figure(say("statistic.icc"), number(icc), note("icc"), "icc"),
        Figure(say("statistic.spearman"), number(spearman), note("spearman"), "spearman"),
        Figure(say("statistic.mad"), number(mad), None, "mad"),
        Figure(say("statistic.json_validity"), number(validity), None, "json_validity"),
    ]


def _equals(contents: Contents, setting: str) -> Text:
    """The settings that the data do not tell from the recommended one."""
    frame = contents.tables["recommended_setting"]
    passing = frame[frame["passes"].fillna(False).astype(bool) & (frame["setting"] != setting)]
    # Where there is no interval, nothing tells them apart either.
    like = passing[passing["as_good_as_best"].fillna(True).astype(bool)]["setting"].tolist()
    if like:
        return say("summary.equals", n=whole(len(like)), settings=", ".join(like))
    return say("summary.only_one_passes") if passing.empty else say("summary.told_apart")


def _effort(row: dict[str, Any]) -> list[Text]:
    said = []
    if is_number(row["cost_per_item_usd"]):
        said.append(say("summary.cost", cost=usd(row["cost_per_item_usd"])))
    if is_number(row["repeats_needed_median"]):
        median, most = plain_number(row["repeats_needed_median"]), whole(row["repeats_needed_most"])
        said.append(say("summary.repeats", n=median, most=most))
    return said


def _gap(gap: float) -> Text:
    """Enough decimals to be more than nothing."""
    return next((number(gap, decimals) for decimals in range(3, 12) if round(gap, decimals) > 0), number(gap, 12))
