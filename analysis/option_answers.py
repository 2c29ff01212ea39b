"""Multiple-choice answers brought to one of the options, where that needs no guess."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_OPENING = re.compile(r"^(?:option\b\s*[:.]?\s*)?[\s(\[{]*", re.IGNORECASE)
_CLOSING = re.compile(r"[\s)\]}.:,;]*$")


class OptionAnswer(NamedTuple):
    """The option that an answer names (none: no option), and whether its text had to be changed for that."""

    option: str | None
    normalised: bool


def normalised_answer(answer: str | None, options: Sequence[str]) -> OptionAnswer:
    """Which option an answer names.

    "b", "B.", "(B)", "Option B" and " b ) " all name the option "B". Nothing is guessed from a longer text.

    Args:
        answer: What was answered; none or blank names no option.
        options: The options as text, in any number.

    Returns:
        The option as `options` spells it. Case, outer spaces, brackets around it, a closing `.`, `:`, `,` or `;`, and
        the word "option" before it do not count.

    Raises:
        ValueError: Fewer than one option, a blank one, or two that differ in case or outer spaces alone.

    Source:
        docs/statistics.md, Multiple choice.
    """
    by_text = _by_text(options)
    if answer is None:
        return OptionAnswer(None, False)
    for text in (answer, _bare(answer)):
        option = by_text.get(_plain(text))
        if option is not None:
            return OptionAnswer(option, answer != option)
    # An option may itself be written "(B)" or "B.".
    by_bare_text = [option for text, option in by_text.items() if _plain(_bare(text)) == _plain(_bare(answer))]
    if len(by_bare_text) == 1 and _bare(answer):
        return OptionAnswer(by_bare_text[0], True)
    return OptionAnswer(None, False)


def _by_text(options: Sequence[str]) -> dict[str, str]:
    by_text = {_plain(option): option for option in options}
    if not options or "" in by_text:
        raise ValueError(f"options must be texts that are not blank, got {list(options)}")
    if len(by_text) < len(options):
        raise ValueError(f"two options differ in case or outer spaces alone: {list(options)}")
    return by_text


def _plain(text: str) -> str:
    return text.strip().casefold()


def _bare(text: str) -> str:
    return _CLOSING.sub("", _OPENING.sub("", text.strip()))
