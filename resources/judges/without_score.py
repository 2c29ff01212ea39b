"""Why answers have no score, in words, with what to do about the most frequent reason."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis.words import count_noun
from resources.database.call_records import CallRecord
from resources.errors import UserError
from resources.tables.call_states import ANSWER_STATES, SCORED_STATES

LONGEST_MESSAGE: Final = 160
ENOUGH_UNUSABLE: Final = 10
SHOWN_ANSWER: Final = 300
AT_THE_LIMIT: Final = "Raise `max_output_tokens`, or lower `reasoning_effort`."
REMEDIES: Final = {
    "invalid_json": "Take a model that keeps to the form of the answer.",
    "schema_error": "Take a model that keeps to the form of the answer.",
    "out_of_range": "Take a model that keeps to the scale that the prompt asks for.",
    "ambiguous": "Take a model that gives one verdict, on the scale that the prompt asks for.",
    "reasoning_only": "Lower `reasoning_effort`, raise `max_output_tokens`, or take a model that also answers.",
    "cut_off": "Look up in the server's log or documentation why it ends answers so.",
    "filtered": "Take a provider or model whose filter lets it pass, or leave these out.",
    "refused": "Take a model that does not refuse, or change what it is asked.",
}


def why_no_score(states: Sequence[str] | pd.Series, messages: Sequence[str | None] | pd.Series) -> str:
    """A sentence or two; empty where every answer has a score.

    Args:
        states: Of answers and faults; faults are not looked at.
        messages: What was wrong with each.
    """
    frame = pd.DataFrame({"state": list(states), "message": list(messages)})
    answers = frame[frame["state"].isin(ANSWER_STATES)]
    without = answers[~answers["state"].isin(SCORED_STATES)]
    if without.empty:
        return ""
    state = str(without["state"].value_counts().index[0])
    rows = without[without["state"] == state]
    said = rows["message"].dropna().astype(str).value_counts()
    example = f", such as: {said.index[0][:LONGEST_MESSAGE].rstrip('.')}" if len(said) else ""
    remedy = AT_THE_LIMIT if state == "cut_off" and "max_output_tokens" in example else REMEDIES[state]
    return f"Of {count_noun(len(answers), 'answer')}, {len(rows)} are `{state}`{example}. {remedy}"


def refuse_unusable(states: Sequence[str], model: str) -> None:
    """Refuse to ask a judge on whose answers of an earlier run have no score.

    Raises:
        UserError: There are ten or more.
    """
    if len(states) >= ENOUGH_UNUSABLE:
        raise UserError(
            f"None of the {len(states)} answers of {model} that the ledger has to these calls has a score, so nothing "
            f"was sent. {why_no_score(states, [None] * len(states))} In study A `touchstone calls --retry` asks for "
            "them again as they are."
        )


class FirstAnswers:
    """The first answers of a run, which stop a judge where none has a score; `matter` is false where one had before."""

    def __init__(self, *, matter: bool) -> None:
        self._seen: list[CallRecord] | None = [] if matter else None

    def see(self, rows: Sequence[CallRecord], model: str) -> None:
        """Take note of attempts that the ledger has.

        Raises:
            UserError: Of the first ten answers of this model none has a score.
        """
        if self._seen is None:
            return
        self._seen += [row for row in rows if row.answered]
        if any(row.score is not None for row in self._seen):
            self._seen = None
        elif len(self._seen) >= ENOUGH_UNUSABLE:
            seen, self._seen = self._seen, None
            why = why_no_score([row.state for row in seen], [row.fault_message for row in seen])
            raw = next((row.raw_answer for row in seen if row.raw_answer), None)
            shown = f" One of them reads: {' '.join(raw.split())[:SHOWN_ANSWER]}" if raw else ""
            raise UserError(
                f"None of the first {len(seen)} answers of {model} has a score. {why} They are kept, and no more are "
                f"asked for.{shown}"
            )
