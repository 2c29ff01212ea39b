"""The order of labels that everybody writes in one order: agreement, quality, frequency, level, runs of stars."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

FEWEST: Final = 3
# From the lowest on; a bar separates words for one step. Who gives two words for one step has a scale of his own.
_SCALES: Final = (
    "strongly disagree|completely disagree|totally disagree, disagree, somewhat disagree|slightly disagree, "
    "neither agree nor disagree|neither agree or disagree|neither|neutral|undecided, somewhat agree|slightly agree, "
    "agree, strongly agree|completely agree|totally agree",
    "bad, poor, fair|average|ok|okay|acceptable, good, very good, excellent",
    "terrible|awful, very bad|very poor, bad|poor, fair|average|ok|okay|acceptable|neutral|mediocre, good, very good, "
    "excellent|outstanding",
    "never, almost never|hardly ever, rarely|seldom, sometimes|occasionally, often|frequently, usually|very often, "
    "almost always, always",
    "very low, low, medium|moderate|mid|average, high, very high",
    "very dissatisfied, dissatisfied, somewhat dissatisfied|slightly dissatisfied, neutral|neither, "
    "somewhat satisfied|slightly satisfied, satisfied, very satisfied",
    "very unlikely, unlikely, somewhat unlikely, neutral, somewhat likely, likely, very likely",
    "irrelevant|not relevant, marginally relevant|partially relevant|somewhat relevant, relevant, "
    "highly relevant|very relevant",
    "per niente d'accordo|completamente in disaccordo|fortemente in disaccordo|molto in disaccordo, "
    "in disaccordo|disaccordo|non d'accordo, poco d'accordo|parzialmente in disaccordo, "
    "n\u00e9 d'accordo n\u00e9 in disaccordo|neutrale|neutro|indeciso, abbastanza d'accordo|parzialmente d'accordo, "
    "d'accordo|accordo, molto d'accordo|completamente d'accordo|fortemente d'accordo|pienamente d'accordo",
    "pessimo|pessima, cattivo|cattiva|scarso|scarsa, insufficiente, mediocre, sufficiente|accettabile, "
    "discreto|discreta, buono|buona, distinto|molto buono|molto buona, ottimo|ottima, eccellente",
    "mai, quasi mai, raramente, a volte|qualche volta|talvolta, spesso, quasi sempre, sempre",
    "molto basso|molto bassa, basso|bassa, medio|media, alto|alta, molto alto|molto alta",
)
_STEPS: Final = [
    {word.strip(): step for step, words in enumerate(scale.split(", ")) for word in words.split("|")}
    for scale in _SCALES
]
_NUMBERED: Final = re.compile(r"(?:[a-z]+\s*[:=]?\s*)?(\d{1,3})(\s*[-.:)=\u2013]\s*\S|\s+[a-z]|$)", re.IGNORECASE)
_GRADES: Final = [f"{letter}{sign}" for letter in "FEDCBA" for sign in ("-", "", "+")]
# The number of a step before or after its words: 1 - Bad, Good (4).
_ITS_NUMBER: Final = re.compile(r"^\(?\d{1,2}\)?\s*[-.:)=\u2013 ]\s*(?=[^\d\s])|\s*\(\d{1,2}\)$")
_N_STARS: Final = re.compile(r"(\d{1,2}) (?:stars?|stell[ae]|sterne?)")
_STARS: Final = re.compile("([\u2605\u2b50]*)\u2606*")


def known_order(labels: Iterable[str]) -> list[str] | None:
    """These labels from the lowest to the highest; null where they are no three steps of one known scale."""
    given = list(labels)
    if len(given) < FEWEST:
        return None
    for steps in (*_STEPS, _stars(given)):
        places = [
            steps.get(_plain_label(label), steps.get(_plain_label(_ITS_NUMBER.sub("", label)))) for label in given
        ]
        known = [place for place in places if place is not None]
        if len(set(known)) == len(given):
            return [label for _, label in sorted(zip(known, given, strict=True))]
    return None


class ButOne(NamedTuple):
    """The one label without a place in a known order, and the others in theirs."""

    label: str
    order: list[str]


def order_but_one(labels: Iterable[str]) -> ButOne | None:
    """The first label without which the others have a known order; null where there is none."""
    given = list(labels)
    orders = ((label, known_order(one for one in given if one != label)) for label in given)
    return next((ButOne(label, order) for label, order in orders if order), None)


def numbered_order(labels: Iterable[str]) -> list[str] | None:
    """Labels such as `1 - poor` by their numbers; null where not each has its own. Categories may be numbered too."""
    given = list(labels)
    if {*given} <= {*_GRADES} and (("F" in given and len(given) >= FEWEST) or any(len(grade) > 1 for grade in given)):
        return sorted(given, key=_GRADES.index)
    numbers = {label: int(match[1]) for label in given if (match := _NUMBERED.match(label))}
    if len(given) < FEWEST or len(set(numbers.values())) < len(given):
        return None
    return sorted(given, key=lambda label: numbers[label])


def _stars(labels: Iterable[str]) -> dict[str, int]:
    """How many stars each run has, or names: 1 star, 2 stars."""
    plain = [_plain_label(label) for label in labels]
    runs = {label: _STARS.fullmatch(label) for label in plain if label}
    counted = {label: _N_STARS.fullmatch(label) for label in plain}
    return {label: len(run[1]) for label, run in runs.items() if run} | {
        label: int(said[1]) for label, said in counted.items() if said
    }


def _plain_label(label: str) -> str:
    """In one spelling: small letters, single spaces, straight apostrophes, no variation selector and no full stop."""
    text = label.replace("\u2019", "'").replace("\ufe0f", "").replace("_", " ").replace("-", " ")
    return " ".join(text.casefold().split()).strip(" .")
