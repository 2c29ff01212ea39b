"""On the terminal: what of a study is made up."""

from collections.abc import Iterable

from rich.console import Console

from reports.shared.text import LANGUAGES, Translations


def show_made_up(console: Console, what: Iterable[str]) -> None:
    """A sentence for each, as in the report.

    Args:
        console: Where to.
        what: As `made_up` of the configuration names it.
    """
    words = Translations("shared/words")
    for one in what:
        said = " ".join(words.say(key).plain(LANGUAGES[0]) for key in ("made_up.title", f"made_up.{one}"))
        console.print(said, style="yellow", highlight=False, markup=False)
