"""Documents that cannot be judged because their text is not known."""

from collections.abc import Iterable

from analysis.words import count_noun
from resources.errors import UserError, listing
from resources.judges.relevance.documents import AskedDocument


def refuse_without_text(judge: str, asked: Iterable[AskedDocument]) -> None:
    """Ask about no document before each has a text.

    Raises:
        UserError: Some have none; they are named.
    """
    without = [f"query '{one.query_id}', document '{one.doc_id}'" for one in asked if one.document is None]
    if without:
        have = count_noun(len(without), "document has", "documents have")
        raise UserError(
            f"judges.{judge}: {have} no text, and cannot be judged by reading: {listing(without)}. Give the text in "
            "column 'document' (of a Postgres input: `documents_table`), or scores given earlier; nothing was changed."
        )
