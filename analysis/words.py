"""Numbers inside sentences: nouns that fit them, and two numbers that differ shown so that one sees it."""

from analysis.messages import message

FEWEST_DIGITS, MOST_DIGITS = 3, 12
ROUNDING = 1e-12


def noun(n: int, one: str, several: str | None = None) -> str:
    """The noun for that many things; `several` is `one` with an s where left out."""
    return one if n == 1 else several or f"{one}s"


def count_noun(n: int, one: str, several: str | None = None) -> str:
    """So many things in words, such as 1 query, 2 queries; `several` is `one` with an s where left out."""
    return f"{n:,} {noun(n, one, several)}"


def how_often(n: int) -> str:
    """So many times in words: once, 2 times."""
    return message("once") if n == 1 else message("{n:,} times", n=n)


def queries(n: int) -> str:
    """So many queries in words."""
    return count_noun(n, "query", "queries")


def distinct_numbers(one: float, other: float) -> tuple[str, str]:
    """Both numbers with 3 digits, or as many more as it takes to see that they differ."""
    for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1):
        words = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if words[0] != words[1]:
            return words
    return f"{one:.{FEWEST_DIGITS}g}", f"{other:.{FEWEST_DIGITS}g}"


def decimals(value: float, *, sign: bool = False) -> str:
    """A number with 3 decimals, or 3 digits where it is too large or too small for that; rounding errors are 0."""
    value = _exact(value)
    return f"{value:{_form(value, sign=sign)}}"


def _exact(value: float) -> float:
    """Nothing in place of what is left of it by floating point."""
    return 0.0 if abs(value) < ROUNDING else value


def _form(value: float, *, sign: bool = False) -> str:
    plain = value == 0 or 5e-4 <= abs(value) < 1e4
    return f"{'+' if sign else ''}.3{'f' if plain else 'g'}"


def with_bounds(value: float, low: float | None, high: float | None, *, sign: bool = False) -> str:
    """A number with its interval behind it, where there is one: 0.824 [0.752, 0.877]."""
    shown = decimals(value, sign=sign)
    return shown if low is None or high is None else f"{shown} [{decimals(low)}, {decimals(high)}]"


def bounded(value: float, low: float | None, high: float | None, *, sign: bool = False) -> str:
    """The same as `with_bounds` as a message, whose numbers have each language's marks."""
    value = _exact(value)
    form = f"{{value:{_form(value, sign=sign)}}}"
    if low is None or high is None:
        return message(form, value=value)
    low, high = _exact(low), _exact(high)
    return message(f"{form} [{{low:{_form(low)}}}, {{high:{_form(high)}}}]", value=value, low=low, high=high)
