"""Why answers have no score, in words, with what to do about the most frequent reason."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis.words import count_noun
from resources.tables.call_states import ANSWER_STATES, SCORED_STATES

LONGEST_MESSAGE: Final = 160
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
