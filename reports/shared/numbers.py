"""Numbers as each language writes them, with the full number behind: 0.853 in English, 0,853 in Italian."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

import pandas as pd
from babel.dates import format_date
from markupsafe import Markup

from analysis.ties import compare
from analysis.verdict.panel import LEVEL
from reports.shared.text import LANGUAGES, Text, joined, locale, same

DECIMALS: Final = 3
MOST_DECIMALS: Final = 12
MINUS: Final = "\u2212"
NOTHING: Final = "\u2013"
BETWEEN: Final = {"en": ", ", "it": "; "}
UNRELIABLE: Final = {"en": "unreliable", "it": "inaffidabile"}


def is_number(value: Any) -> bool:
    """Whether there is a number, and not a null of any kind."""
    return value is not None and not pd.isna(value) and math.isfinite(float(value))


def written(value: float, decimals: int, language: str) -> str:
    """The digits as a language writes them; zero has no sign."""
    digits = marked(f"{abs(value):,.{decimals}f}", language)
    negative = value < 0 and any(digit in "123456789" for digit in digits)
    return f"{MINUS}{digits}" if negative else digits


def marked(digits: str, language: str) -> str:
    """Digits that Python wrote, with the decimal and thousands marks of a language, and a minus sign for a hyphen."""
    marks = locale(language).number_symbols["latn"]
    written = digits.translate(str.maketrans({".": marks["decimal"], ",": marks["group"]}))
    return f"{MINUS}{written[1:]}" if written.startswith("-") else written


def number(value: Any, decimals: int = DECIMALS) -> Text:
    """A number, or a dash where there is none."""
    if not is_number(value):
        return same(NOTHING)
    exact = float(value)
    return Text(
        {language: _data(exact, written(exact, decimals, language)) for language in LANGUAGES},
        value=exact,
    )


def whole(value: Any) -> Text:
    """A count."""
    return number(value, 0)


def plain_number(value: Any) -> Text:
    """As few decimals as the number needs: for settings, thresholds and magnitudes that people wrote."""
    if not is_number(value):
        return same(NOTHING)
    digits = f"{float(value):.{MOST_DECIMALS}f}".rstrip("0")
    return number(value, len(digits.partition(".")[2]))


def percent(share: Any, decimals: int = 1) -> Text:
    """A share in percent, for sentences."""
    if not is_number(share):
        return number(None)
    return joined([number(100 * float(share), decimals), "%"], "\u00a0")


def beside_limit(value: Any, needed: float, sign: Literal[">=", "<="], passed: bool) -> Text:
    """As few decimals, from 3 on, as do not make a failing number look like a passing one (0.8499 is not 0.850)."""
    if not is_number(value):
        return same(NOTHING)
    exact = float(value)
    if exact.is_integer() and float(needed).is_integer():
        return whole(exact)
    for decimals in range(DECIMALS, MOST_DECIMALS):
        side = compare(round(exact, decimals), needed)
        if (side >= 0 if sign == ">=" else side <= 0) == passed:
            return number(exact, decimals)
    return number(exact, MOST_DECIMALS)


def is_unreliable(method: Any) -> bool:
    """Whether a table's words on an interval say that it rests on too few clusters."""
    return "unreliable" in str(method)


def interval(low: Any, high: Any, decimals: int = DECIMALS, *, unreliable: bool = False) -> Text:
    """Both bounds in brackets, or a dash where there is no interval; an unreliable one is marked as such."""
    if not is_number(low) or not is_number(high):
        return same(NOTHING)
    bounds = number(low, decimals), number(high, decimals)
    return Text(
        {
            language: Markup("[{}{}{}]{}").format(
                bounds[0].html[language],
                BETWEEN[language],
                bounds[1].html[language],
                Markup(' <em class="mark">{}</em>').format(UNRELIABLE[language]) if unreliable else "",
            )
            for language in LANGUAGES
        }
    )


def unbroken(text: Text) -> Text:
    """A text that stays on one line, such as an interval inside a sentence."""
    return Text(
        {language: Markup('<span class="unbroken">{}</span>').format(html) for language, html in text.html.items()}
    )


def p_value(p: Any) -> Text:
    """A p-value; under 0.001 that is all that is said."""
    if not is_number(p):
        return same(NOTHING)
    if float(p) >= 0.001:
        return number(p)
    limits = {language: _data(float(p), f"< {written(0.001, DECIMALS, language)}") for language in LANGUAGES}
    return Text(limits, value=float(p))


def usd(value: Any) -> Text:
    """Dollars, with cents, or with as many digits as tell a small price from nothing."""
    if not is_number(value):
        return same(NOTHING)
    return number(value, usd_decimals(value))


def usd_decimals(value: float) -> int:
    """Decimals that tell an amount of dollars from nothing: of an interval, those of its wider end."""
    amount = abs(float(value))
    return 2 if amount == 0 or amount >= 1 else max(4, 1 - math.floor(math.log10(amount)))


def day(instant: datetime | None) -> Text:
    """A date in words."""
    if instant is None or pd.isna(instant):
        return same(NOTHING)
    return Text(
        {
            language: Markup('<time datetime="{}">{}</time>').format(
                f"{instant:%Y-%m-%d}", format_date(instant, "d MMMM y", locale(language))
            )
            for language in LANGUAGES
        }
    )


def _data(exact: float, shown: str) -> Markup:
    return Markup('<data value="{}" data-number>{}</data>').format(repr(exact), shown)


def any_unreliable(values: Any) -> bool:
    """Whether a JSON result holds an interval that is marked as too narrow."""
    if isinstance(values, Mapping):
        marked = bool(values.get("unreliable")) and values.get("ci") is not None
        return marked or any(map(any_unreliable, values.values()))
    return isinstance(values, list) and any(map(any_unreliable, values))


def columns_of_errors(judge: Mapping[str, Any]) -> list[str]:
    """In quotes the columns on which a judge's errors depend, significant after Holm, as they are ordered."""
    tried = [*judge["errors"]["tried"], *judge["errors"]["sizes"]] if judge["errors"] else []
    significant = [one["column"] for one in tried if one["p_holm"] is not None and one["p_holm"] < LEVEL]
    return [f"'{name}'" for name in dict.fromkeys(significant)]
