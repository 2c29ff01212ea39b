"""A verdict as people read it: one block for every page, the same lines for the terminal, for Dagster and for JSON."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from analysis.verdict.rule import TEST, Condition, Verdict, Word, holds_by_bound
from analysis.verdict.stated import BIAS, BIAS_OF, COPIES, OF_ONE, UNUSABLE, Against, Row, Stated, leans_to_no
from analysis.verdict.stated import WORDS as WORDS_OF_ONE
from reports.shared.colours import VERDICTS, charts_in_the_dark, verdict_state
from reports.shared.numbers import interval, is_number, number, plain_number, unbroken, whole
from reports.shared.phrases import alterations_in_words, phrase
from reports.shared.table_view import Head, TableView
from reports.shared.text import LANGUAGES, Part, Text, Translations, joined, lines, same
from resources.runtime.sanitize import in_markdown
from resources.tables.trust_verdict import CONDITION, PEOPLE_ALL, PERSON, VERDICT

WORDS: Final = Translations("shared/words")
say = WORDS.say
MOST_REASONS: Final = 3
UNFAVOURABLE: Final = ("no", "not_proven", "cannot_say")
# Beyond so many times the objects there are a number of them is a figure of speech.
FAR: Final = 10
NEEDED: Final = re.compile(r"(at least|at most|above|below) (-?[\d.]+(?:e-?\d+)?)")
# What carries a good verdict, in the order in which it is said; the rest stays in the table of conditions.
FIRST: Final = (
    COPIES,
    UNUSABLE,
    *(name for names in OF_ONE.values() for name in names.values()),
    *BIAS_OF.values(),
    "agreement next to people's own",
    "alternative annotator test",
    "alternative annotator test of a crowd",
    BIAS,
    "agreement with people",
)
LONGEST: Final = 400
# Names of columns that hold means of several people, not one person.
MEANS: Final = re.compile(r"\bd?mos\b|mean|average|\bavg\b|consensus|majority", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """What a reader sees first of one verdict.

    Attributes:
        question: As a sentence.
        word: The verdict.
        state: A key of `VERDICTS`, which gives its colour.
        reasons: The one that decides first; at most three of a study.
        next_step: What would prove it; none where nothing is to be said.
        not_covered: What it does not speak of.
        rests_on: How many objects; none where none.
    """

    question: Text
    word: Text
    state: str
    reasons: Sequence[Text]
    next_step: Text | None
    not_covered: Sequence[Text]
    rests_on: Text | None


def answer_of(stated: Stated) -> Answer:
    """One verdict in every language of the page."""
    said, question = stated.verdict, "at" if stated.place else "of"
    key = stated.against.replace(" ", "_")
    return Answer(
        question=say(
            f"verdict.question.{key}.{question}",
            judge=_judge(stated),
            place=same(stated.place.removeprefix(f"{stated.judge}@")),
        ),
        word=word_text(said.word),
        state=verdict_state(said.word),
        reasons=_reasons(said),
        next_step=next_step(said, next((one.n for one in said.conditions if one.n), None), stated.things[0]),
        not_covered=[_not_covered(one) for one in stated.not_covered],
        rests_on=_rests_on(stated),
    )


def _judge(stated: Stated) -> Text:
    one, between, other = stated.judge.partition(" and ")
    if stated.against == "each other" and between:
        return say("verdict.judge.pair", one=same(one), other=same(other))
    return judge_text(stated.judge)


def judge_text(name: str) -> Text:
    """A judge's name; those that Touchstone gives have words in every language."""
    key = f"verdict.judge.{name.replace(' ', '_')}"
    return say(key) if WORDS.has(key) else same(name)


def answers_in(frame: pd.DataFrame | None) -> list[Answer]:
    """The answers to a study's question; none where no verdict was made."""
    return [] if frame is None else [answer_of(one) for one in stated_of(frame)]


def verdict_parts(frame: pd.DataFrame | None) -> dict[str, Any]:
    """What the templates of the verdict ask for by name."""
    return {"answers": answers_in(frame), "trusted": is_trusted(frame), "verdict_tables": verdict_tables(frame)}


def is_trusted(frame: pd.DataFrame | None) -> bool:
    """Whether some verdict lets a judge be used for something: what else a page says is no more favourable."""
    answers = answers_in(frame)
    return not answers or any(one.state in ("yes", "in_part") for one in answers)


def word_text(word: str) -> Text:
    """A verdict's word in every language."""
    return say(f"verdict.word.{word.replace(' ', '_')}")


def _reasons(said: Verdict) -> list[Text]:
    shown = _in_order(said)
    if not shown:
        return [phrase(one) for one in said.reasons[:MOST_REASONS]]
    return [*_first_of_all(said), *map(condition_text, shown)][:MOST_REASONS]


def _first_of_all(said: Verdict) -> list[Text]:
    """Why nothing can be said."""
    return [phrase(said.reasons[0])] if verdict_state(said.word) == "cannot_say" else []


def _in_order(said: Verdict) -> list[Condition]:
    """The conditions with a number or a reason, what decides first; none where a copy leaves nothing to compare."""
    if any(one.name == COPIES and one.why in said.reasons for one in said.conditions):
        return []
    state = verdict_state(said.word)
    shown = [one for one in said.conditions if one.estimate is not None or one.why]
    rank = {one: place for place, one in enumerate(FIRST)}
    if state in UNFAVOURABLE:
        # What is required and decides comes first.
        first = {"fails": 0, "not measured": 1}
        order = {one: first.get(one.state, 2 if _is_open(one) else 3) for one in shown}
        return sorted(shown, key=lambda one: (one.name != COPIES, not one.required, order[one]))
    return sorted(shown, key=lambda one: (rank.get(one.name, len(rank)), not one.required))


def deciding(said: Verdict) -> list[Condition]:
    """All conditions that a verdict follows from, those that fail first.

    Args:
        said: The verdict: a no follows from what fails, one that is open from what is not proven too, a favourable one
            from all that is required.
    """
    shown, state = _in_order(said), verdict_state(said.word)
    if state not in UNFAVOURABLE:
        return [one for one in shown if one.required or one.name in FIRST]
    named = " ".join(said.reasons)
    asked = [one for one in shown if one.required or one.name in named]
    found = [one for one in asked if one.state == "fails" or (state != "no" and _is_open(one))]
    level = [one for one in shown if one.name in (*BIAS_OF.values(), UNUSABLE)]
    return [one for one in shown if one.name == COPIES] + (found or asked[:1]) + level


def _is_open(one: Condition) -> bool:
    """Whether an interval, or a test, does not prove yet what the estimate says."""
    is_test = one.name.startswith("alternative annotator test")
    is_proven = holds_by_bound(one) or not (one.low is not None or is_test)
    return one.state == "not measured" or (one.state == "passes" and not is_proven)


def condition_text(one: Condition) -> Text:
    """A condition as a sentence: what it is, the number with its interval, what is needed, and its state."""
    what = condition_name(one)
    if one.estimate is None:
        return joined([what, phrase(one.why or "not measured")], ": ")
    seen: list[Part] = [number(one.estimate)]
    if is_number(one.low) and is_number(one.high):
        seen.append(unbroken(interval(one.low, one.high)))
    parts: dict[str, Part] = {"what": what, "seen": joined(seen, " "), "needed": needed_text(one.needed)}
    if not one.needed:
        return joined([what, joined(seen, " "), *([phrase(one.why)] if one.why else [])], ": ")
    return say("verdict.reason", state=state_text(one), **parts)


def state_text(one: Condition) -> Text:
    """A condition's state; of one that holds and has no interval that could prove it, that this is so."""
    if holds_by_bound(one):
        return say("verdict.state.by_bound")
    if one.state == "passes" and not _is_open(one):
        return say("verdict.state.without_interval")
    return say(f"verdict.state.{one.state.replace(' ', '_')}")


def condition_name(one: Condition) -> Text:
    """A condition's name in every language, by what its number is; one that has no words there stays as it is."""
    key = f"verdict.condition.{re.sub('[^a-z0-9]+', '_', one.name.lower()).strip('_')}"
    if one.name == TEST and one.needed.startswith("below"):
        key += "_by_estimate"
    return say(key) if WORDS.has(key) else phrase(one.name)


def needed_text(needed: str) -> Text:
    """What a condition asks for."""
    if needed == "interval above 0":
        return say("verdict.needed.interval_above_0")
    if match := NEEDED.fullmatch(needed):
        return say(f"verdict.needed.{match[1].replace(' ', '_')}", limit=plain_number(float(match[2])))
    return phrase(needed)


def next_step(said: Verdict, n: int | None, things: str) -> Text | None:
    """What would prove a verdict; none where nothing is to be said."""
    if said.n_needed is None or said.n_for is None:
        if said.word != "not proven" or said.margin is None:
            return None
        order = leans_to_no(said.conditions)
        if order is None:
            return say("verdict.more_would_not_do")
        tested = all(one.state != "not measured" for one in said.conditions if one.name == TEST)
        other = say("verdict.or_by_estimates") if tested else ""
        return say("verdict.leans_to_no", high=number(order.high), limit=number(-said.margin), other=other)
    word, named = word_text(said.n_for), say(f"verdict.things.{things}")
    if n is not None and said.n_needed > FAR * n:
        return say("verdict.far_more_needed", n=whole(FAR * n), things=named, word=word)
    return say("verdict.more_needed", n=whole(said.n_needed), things=named, word=word)


def full_word(word: str, people: Sequence[str]) -> Word:
    """A verdict's word with whom the judge agrees, where there is one column of people: a person, or means of several.

    Args:
        word: As `--json` has it.
        people: Names of the columns.
    """
    of_one = WORDS_OF_ONE["these means" if MEANS.search(people[0]) else "this person"]
    return of_one.get(word, word)  # type: ignore[call-overload]


def step_of(judge: Mapping[str, Any], people: Sequence[str]) -> Text | None:
    """What would prove the verdict on a judge; none where nothing is to be said.

    Args:
        judge: Of `judges` in what `--json` prints.
        people: Names of the columns.
    """
    said = judge["verdict"]
    n_for = None if said["n_for"] is None else full_word(said["n_for"], people)
    conditions = tuple(Condition(**one) for one in judge.get("conditions", ()))
    verdict = Verdict(said["word"], (), conditions, said["margin"], said["n_needed"], n_for)
    return next_step(verdict, judge["n"], "objects")


def _not_covered(one: str) -> Text:
    kind, _, names = one.partition(": ")
    key = f"verdict.not_covered.{kind}"
    if not WORDS.has(key):
        return phrase(one)
    if kind in ("alterations", "seen_in_part"):
        return say(key, names=alterations_in_words(names))
    return say(key, names=phrase(names) if kind == "filtered" else same(names))


def _rests_on(stated: Stated) -> Text | None:
    found = next((one for one in stated.verdict.conditions if one.n), None)
    if found is None:
        return None
    things = say(f"verdict.things.{stated.things[0]}")
    if found.n_clusters is None or found.n_clusters == found.n:
        return say("verdict.rests_on", n=whole(found.n), things=things)
    clusters = say(f"verdict.things.{stated.things[1]}")
    return say("verdict.rests_on_clusters", n=whole(found.n), things=things, m=whole(found.n_clusters),
               clusters=clusters)  # fmt: skip


def stated_of(frame: pd.DataFrame, *, leading: bool = True) -> list[Stated]:
    """The verdicts of a stored table, those that answer the study's question only, or all."""
    heads = frame[frame["row"] == VERDICT]
    if leading:
        heads = heads[heads["leading"].astype(bool)]
    by_judge = dict(tuple(frame.groupby(["judge", "place"], sort=False)))
    return [_stated(_plain(head), by_judge[head["judge"], head["place"]]) for head in heads.to_dict("records")]


def _stated(head: Mapping[str, Any], rows: pd.DataFrame) -> Stated:
    records = [_plain(row) for row in rows.to_dict("records")]
    conditions = tuple(
        Condition(row["name"], row["state"], bool(row["required"]), row["estimate"], row["low"], row["high"],
                  row["needed"] or "", row["n"], row["n_clusters"], row["gate"], row["why"] or "", row["limit"])
        for row in records
        if row["row"] == CONDITION
    )  # fmt: skip
    people = tuple(
        Row("" if row["name"] == PEOPLE_ALL else row["name"], row["n"], row["estimate"], row["judge_estimate"],
            row["low"], row["high"])
        for row in records
        if row["row"] == PERSON
    )  # fmt: skip
    against: Against = head["against"]
    verdict = Verdict(head["word"], tuple(head["reasons"]), conditions, head["margin"], head["n_needed"], head["n_for"])
    things = (head["counted"] or "objects", head["clusters"] or "clusters")
    not_covered = tuple(head["not_covered"])
    return Stated(head["judge"], head["place"], against, verdict, bool(head["leading"]), people, not_covered, things)


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row with none for every null, and whole numbers whole."""

    def value(name: str, cell: Any) -> Any:
        if not pd.api.types.is_scalar(cell):
            return list(cell)
        if pd.isna(cell):
            return None
        return int(cell) if name in ("n", "n_clusters", "n_needed") else cell

    return {str(name): value(str(name), cell) for name, cell in row.items()}


def lines_of(stated: Stated) -> list[str]:
    """What follows on the terminal: reasons, what would prove it, what it does not cover, and on what it rests."""
    found = answer_of(stated)
    conditions = [condition_text(one) for one in deciding(stated.verdict)]
    reasons = [*_first_of_all(stated.verdict), *conditions] if conditions else found.reasons
    said = [*reasons, *filter(None, [found.next_step]), *found.not_covered, *filter(None, [found.rests_on])]
    return [_line(one) for one in said]


def _line(one: Text) -> str:
    return _sentence(one.plain(LANGUAGES[0]).replace("\u2212", "-"))


def lines_in_short(stated: Stated, most: int) -> list[str]:
    """So many lines at most: what decides, what else is open by name, what would prove it, and what it does not cover.

    Args:
        stated: The verdict.
        most: At least 3.
    """
    found = answer_of(stated)
    reasons = [_line(one) for one in found.reasons[:2]]
    if conditions := deciding(stated.verdict):
        reasons = [*map(_line, _first_of_all(stated.verdict)), *_shortened(conditions)]
    rest = [*filter(None, [found.next_step]), *found.not_covered[:1]]
    return [*reasons, *map(_line, rest)][:most]


def _shortened(conditions: Sequence[Condition]) -> list[str]:
    """The first with its number, and the others by name behind their state."""
    first, *others = conditions
    by_state: dict[str, list[str]] = {}
    for one in others:
        by_state.setdefault(state_text(one).plain(LANGUAGES[0]), []).append(condition_name(one).plain(LANGUAGES[0]))
    also = [f"{state[:1].upper()}{state[1:]}: {'; '.join(names)}." for state, names in by_state.items()]
    return [_line(condition_text(first)), *([" ".join(also)] if also else [])]


def markdown(frame: pd.DataFrame) -> str:
    """The verdict first, then its reasons, for Dagster's metadata; no sign in a name makes a link."""
    said = []
    for stated in stated_of(frame):
        found = answer_of(stated)
        question, word = (in_markdown(one.plain(LANGUAGES[0]), LONGEST) for one in (found.question, found.word))
        said.append(f"{question} **{word}**")
        said.append("\n".join(f"- {in_markdown(line, LONGEST)}" for line in lines_of(stated)))
    return "\n\n".join(one for one in said if one)


def as_data(frame: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Every verdict for a download, as docs/trust_verdict.schema.json describes it: the answers first."""
    return [
        {
            "judge": one.judge,
            "place": one.place or None,
            "answers_the_question": one.leading,
            "against": one.against,
            "word": one.verdict.word,
            "reasons": list(one.verdict.reasons),
            "margin": one.verdict.margin,
            "n_needed": one.verdict.n_needed,
            "n_for": one.verdict.n_for,
            "not_covered": list(one.not_covered),
            "conditions": [condition._asdict() for condition in one.verdict.conditions],
            "people": [person._asdict() | {"name": person.name or PEOPLE_ALL} for person in one.people],
        }
        for one in ([] if frame is None else stated_of(frame, leading=False))
    ]


def verdict_tables(frame: pd.DataFrame | None) -> list[TableView]:
    """What a verdict rests on: its conditions, the people by the same statistic, and the study's other verdicts."""
    if frame is None:
        return []
    every, views = stated_of(frame, leading=False), []
    led = [one for one in every if one.leading]
    for one in led:
        views.append(_conditions_table(one))
        if one.people:
            views.append(_people_table(one))
    if len(every) > len(led):
        heads = [Head(say("verdict.head.which"), numeric=False), Head(say("verdict.head.word"), numeric=False)]
        rows: list[list[Part]] = [[one.place or one.judge, word_text(one.verdict.word)] for one in every]
        views.append(TableView(say("verdict.head.others"), heads, rows, stacks=True))
    return views


def _conditions_table(one: Stated) -> TableView:
    heads = [
        Head(say("verdict.head.condition"), numeric=False, wide=True),
        *(Head(say(f"verdict.head.{name}")) for name in ("number", "needed")),
        Head(say("verdict.head.state"), numeric=False),
        Head(say("verdict.head.n")),
        Head(say("verdict.head.required"), numeric=False),
    ]
    rows: list[list[Part]] = []
    for condition in one.verdict.conditions:
        seen = lines([number(condition.estimate), *_bounds(condition.low, condition.high)])
        why = phrase(condition.why) if condition.why else ""
        rows.append(
            [
                lines([condition_name(condition), condition.gate or "", why]),
                seen,
                needed_text(condition.needed) if condition.needed else "",
                state_text(condition),
                number(condition.n, 0),
                say(f"verdict.head.{'yes' if condition.required else 'advice'}"),
            ]
        )
    return TableView(joined([say("verdict.head.title"), _judge_and_place(one)], ": "), heads, rows, stacks=True)


def _people_table(one: Stated) -> TableView:
    heads = [Head(say("verdict.head.person"), numeric=False)]
    heads += [Head(say(f"verdict.head.{name}")) for name in ("n", "own", "judge")]
    rows: list[list[Part]] = [
        [
            person.name or say("verdict.head.all"),
            number(person.n, 0),
            lines([number(person.person), *_bounds(person.low, person.high)]),
            number(person.judge),
        ]
        for person in one.people
    ]
    return TableView(joined([say("verdict.head.by_person"), _judge_and_place(one)], ": "), heads, rows, stacks=True)


def _judge_and_place(one: Stated) -> Text:
    return joined([_judge(one), *([one.place] if one.place else [])])


def _bounds(low: float | None, high: float | None) -> list[Text]:
    return [unbroken(interval(low, high))] if is_number(low) and is_number(high) else []


def _sentence(text: str) -> str:
    begun = text[:1].upper() + text[1:]
    return begun if begun.endswith((".", "?", ":")) else f"{begun}."


def style_of(word: str) -> str:
    """How the terminal prints a verdict's word."""
    return f"bold {VERDICTS[verdict_state(word)].terminal}"


def colours_in_css() -> str:
    """Colours of the five states and of charts in the dark, for a page, from the one table of them."""
    light, dark = [], [charts_in_the_dark()]
    for state, one in VERDICTS.items():
        light.append(f".answer-{state} {{ --answer: {one.ink}; --answer-ground: {one.ground}; }}")
        dark.append(f".answer-{state} {{ --answer: {one.dark_ink}; --answer-ground: {one.dark_ground}; }}")
    return "\n".join([*light, "@media screen and (prefers-color-scheme: dark) {", *dark, "}\n"])


def title_of(frame: pd.DataFrame | None, rest: Text) -> Text:
    """The window's title: the answer first; of several how many are what."""
    answers = answers_in(frame)
    if not answers:
        return rest
    if len(answers) == 1:
        return joined([answers[0].word, rest], " - ")
    words = dict.fromkeys(one.word.plain(LANGUAGES[0]) for one in answers)
    counted = [
        joined([whole(len(same_word)), same_word[0].word], " ")
        for same_word in ([one for one in answers if one.word.plain(LANGUAGES[0]) == word] for word in words)
    ]
    return joined([joined(counted, ", "), rest], " - ")
