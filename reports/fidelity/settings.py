"""Gates and cards: every setting side by side, what it reaches and what it lacks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reports.fidelity.contents import Contents, few, say
from reports.fidelity.recommendation import lacks, missed_gates
from reports.shared.gate_row import GateRow, failing, failing_by_gate
from reports.shared.numbers import NOTHING, interval, is_number, number, percent, plain_number, usd, whole
from reports.shared.phrases import phrase
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text, joined, same

TERM_OF_GATE = {
    "repeatable": "icc",
    "repeats_agree": "mad",
    "means_are_precise": "half_width",
    "orders_like_people": "spearman",
    "close_to_people": "mae",
    "no_large_errors": "rmse",
    "answers_are_valid_json": "json_validity",
    "stripes_are_seen": "cohens_d",
    "strong_stripes_stand_out": "cohens_d",
    "stripes_lower_the_score": "hit_rate",
    "unchanged_copies_keep_their_score": "false_alarms",
    "every_alteration_is_seen": "seen",
    "more_costs_more": "dose_response",
    "alterations_move_their_subscore": "specificity",
    "judge_can_stand_in": "alternative_annotator",
    "repeatable_for_sure": "icc",
    "orders_like_people_for_sure": "spearman",
    "stripes_are_seen_for_sure": "cohens_d",
    "recommendation_confirmed": "selection",
    "icc_for_sure": "holm",
    "spearman_for_sure": "holm",
    "same_model_answered": "gate",
    "prices_are_recent": "cost",
    "retries_not_told_apart": "retried",
    "golden_items_are_held_out": "selection",
    "golden_pairs_are_complete": "seen",
}


@dataclass(frozen=True)
class Value:
    """One line of a card."""

    label: Text
    value: Part
    interval: Text | None
    term: str


@dataclass(frozen=True)
class Card:
    """A setting at a glance."""

    setting: str
    subtitle: Text
    badges: list[tuple[str, Text]]
    values: list[Value]
    lacks: list[Text]
    keeps: Text
    recommended: bool
    open: bool
    basis: Text
    undefined: Text | None


def gates_of_focus(contents: Contents) -> tuple[list[GateRow], list[GateRow]]:
    """Gates of the setting that is shown first and of the golden set: those that count, and advice."""
    focus = contents.focus or ""
    of_setting = [*contents.gates.get(focus, ()), *contents.advice.get(focus, ())]
    rows = [*of_setting, *contents.decision_gates, *contents.golden_gates]
    return [row for row in rows if not row.advice], [row for row in rows if row.advice]


def gates_by_place(contents: Contents) -> dict[str, list[GateRow]]:
    """Every gate: those of each setting, of the recommendation and of the golden set."""
    found = {key: [*gates, *contents.advice.get(key, ())] for key, gates in contents.gates.items()}
    return found | {"recommendation": [*contents.decision_gates], "golden set": [*contents.golden_gates]}


def gates_of_all(contents: Contents) -> TableView | None:
    """Every setting against every gate."""
    made = [key for key in contents.settings if key in contents.gates]
    if not made:
        return None
    # A table that was not made yet for some settings leaves them without its gate.
    asked = {row.name: row for key in made for row in contents.gates[key]}
    heads = [Head(say("head.setting"), numeric=False)]
    for row in asked.values():
        limit = joined([row.sign_text, row.needed_text], "\u00a0")
        note = joined([limit, say("gates.advice_mark")], " ") if row.advice else limit
        heads.append(Head(say(f"gate.{row.name}.short"), term=TERM_OF_GATE[row.name], note=note))
    rows = []
    for key in made:
        by_name = {row.name: row for row in contents.gates[key]}
        rows.append([contents.named(key), *(_cell(by_name.get(name)) for name in asked)])
    shown = frozenset(place for place, key in enumerate(made) if key == contents.recommended)
    return TableView(say("gates.all_settings"), heads, rows, shown)


def said_of_gates(contents: Contents) -> list[Text]:
    """How many gates fail over all settings, each by its code name, and which at the setting that is shown first."""
    if not contents.gates:
        return []
    fails = failing_by_gate(contents.gates)
    places_of = [
        say("gates.fails_at", gate=name, n=whole(len(places)), total=whole(total))
        for name, (places, total) in fails.items()
    ]
    counts = {"n": whole(len(fails)), "gates": joined(places_of)}
    said = [say("gates.over_all", **counts) if fails else say("gates.over_all_none")]
    setting = contents.focus
    if setting is not None and setting in contents.gates:
        missed = [row.name for row in failing(gates_of_focus(contents)[0])]
        kind = "recommended" if contents.recommended else "nearest" if contents.nearest else None
        where = say(f"gates.{kind}", setting=setting) if kind else same(setting)
        words = {"setting": where, "n": whole(len(missed)), "gates": joined(missed)}
        said.append(say("gates.at" if missed else "gates.at_none", **words))
    return said


def _cell(row: GateRow | None) -> Text:
    if row is None:
        return same(NOTHING)
    if not row.applies:
        return say("gates.deterministic")
    mark = "\u2713" if row.passed else "!" if row.advice else "\u2717"
    return joined([row.seen_text, mark], " ")


def said_of_variance(contents: Contents) -> Text | None:
    """Which part of the spread of single scores comes from objects, settings, both together and repeats."""
    summary = contents.tables["setting_summary"]
    names = ("object", "setting", "object_setting", "repeat")
    known = summary[[f"variance_{name}" for name in names]].dropna()
    if known.empty:
        return None
    parts = known.iloc[0].to_numpy(dtype=float)
    if parts.sum() <= 0.0:
        return None
    return say("card.variance", **{name: percent(part / parts.sum()) for name, part in zip(names, parts, strict=True)})


def cards(contents: Contents) -> list[Card]:
    """One card per setting, in the plan's order."""
    return [_card(contents, key) for key in contents.settings]


def _card(contents: Contents, key: str) -> Card:
    seen, chosen = contents.summary_of(key), contents.row("recommended_setting", key)
    marks = (
        ("recommended" if contents.trusted else "first", key == contents.recommended),
        ("nearest", key == contents.nearest),
        ("baseline", bool(seen["baseline"])),
        ("deterministic", bool(seen["deterministic"])),
    )
    sampling = {"temperature": plain_number(seen["temperature"]), "top_p": plain_number(seen["top_p"])}
    known = chosen["setting"] is not None
    return Card(
        key,
        say("card.sampling", **sampling),
        [(name, say(f"setting.{name}")) for name, there in marks if there],
        list(_values(seen)),
        lacks(contents, key) if known else [],
        _keeps(contents, key),
        key == contents.recommended,
        key == contents.focus,
        say("card.basis", n=whole(seen["n_objects"]), total=whole(seen["n_total"]), products=whole(seen["n_products"])),
        phrase(seen["undefined"]) if seen["undefined"] and not seen["deterministic"] else None,
    )


def _keeps(contents: Contents, key: str) -> Text:
    """That the setting keeps the four conditions, and which gates it misses all the same."""
    missed = missed_gates(contents, key)
    if not missed:
        return say("card.lacks_nothing")
    return say("card.lacks_gates", n=whole(len(missed)), gates=joined(say(f"gate.{row.name}.short") for row in missed))


def _values(seen: dict[str, Any]) -> Sequence[Value]:
    band = say(f"band.{seen['icc_band']}") if seen["icc_band"] else None
    icc: Part = number(seen["icc"])
    below = _bounds(seen, "icc")
    if seen["deterministic"]:
        below = say("card.by_construction")
    elif band is not None:
        icc = joined([icc, band], " ")
    return [
        Value(say("statistic.icc"), icc, below, "icc"),
        Value(say("statistic.mad"), number(seen["mad"]), None, "mad"),
        Value(say("statistic.half_width"), number(seen["half_width"]), None, "half_width"),
        Value(say("statistic.spearman"), number(seen["spearman_r"]), _bounds(seen, "spearman"), "spearman"),
        Value(say("statistic.pearson"), number(seen["pearson_r"]), None, "pearson"),
        Value(say("statistic.mae"), number(seen["mae"]), None, "mae"),
        Value(say("statistic.rmse"), number(seen["rmse"]), None, "rmse"),
        Value(say("statistic.bias"), number(seen["bias"]), None, "bias"),
        Value(say("statistic.json_validity"), number(seen["json_validity_rate"]), None, "json_validity"),
        Value(say("card.answers"), whole(seen["n_evaluations"]), None, "json_validity"),
        Value(say("card.cost"), usd(seen["cost_usd"]), None, "cost"),
    ]


def _bounds(seen: dict[str, Any], name: str) -> Text | None:
    low, high = seen[f"{name}_low"], seen[f"{name}_high"]
    # That of ICC is an F interval over objects.
    unreliable = name == "spearman" and few(seen)
    return interval(low, high, unreliable=unreliable) if is_number(low) and is_number(high) else None
