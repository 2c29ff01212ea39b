"""What is given and differs from what is kept: the first ones in words, and how many there are."""

from typing import Any, Final

import sqlalchemy as sa

from analysis.words import count_noun

SHOWN: Final = 3
SHOWN_CHARACTERS: Final = 60


class Changed:
    """Values that differ, the first of them in `rows`; none where `rows` is empty."""

    def __init__(self, connection: sa.Connection, question: sa.Select[Any], order: sa.ColumnElement[Any]) -> None:
        """Look them up.

        Args:
            connection: In the transaction in which the new ones are staged.
            question: Each that differs, as a row.
            order: In which order they were given.
        """
        self.rows = connection.execute(question.order_by(order).limit(SHOWN)).all()
        self.n = len(self.rows)
        if self.n == SHOWN:
            self.n = connection.scalar(sa.select(sa.func.count()).select_from(question.subquery("changed"))) or 0

    def others(self, one: str, several: str, changes: list[str]) -> str:
        """A sentence on all but the first, with a space before it; nothing where it is alone.

        Args:
            one: What they are, such as `score`.
            several: The same of several.
            changes: The rows but for the first, each in words.
        """
        if self.n == 1:
            return ""
        left = self.n - 1 - len(changes)
        rest = f"; and {left:,} more" if left else ""
        return f" {count_noun(self.n - 1, f'more {one}', f'more {several}')} changed: {'; '.join(changes)}{rest}."


def short(text: str) -> str:
    """The text in quotes, cut where it is long."""
    return f"'{text if len(text) <= SHOWN_CHARACTERS else f'{text[:SHOWN_CHARACTERS]}...'}'"
