"""Whether the prices that a budget is kept by are recent."""

from datetime import date

from analysis.gates import Gate, at_most
from resources.configuration.fidelity import LocalJudge, ReplayJudge
from resources.configuration.openai_judge import OpenAIJudge
from resources.judges.openai.access import access_of
from resources.judges.openai.prices import OLDEST_DAYS, price_of

NAME = "prices_are_recent"


def price_age_gate(judge: LocalJudge | ReplayJudge | OpenAIJudge, today: date | None = None) -> Gate:
    """Days since the model's price was read against 180; a judge without a price from a table passes and says so.

    Raises:
        UserError: The judge has no model or no price.
    """
    needed = f"<= {OLDEST_DAYS} days"
    if not isinstance(judge, OpenAIJudge):
        return Gate(NAME, True, None, needed, f"The judge {judge.kind} costs nothing.")
    model = access_of(judge).model
    price = price_of(model, judge, today)
    age = price.age_days(today)
    if age is None:
        return Gate(NAME, True, None, needed, f"The price of '{model}' is the configuration's own: {price.sentence}.")
    gate = at_most(
        NAME,
        float(age),
        OLDEST_DAYS,
        n=1,
        counted="model",
        what=f"Age of the price of '{model}'",
        unit=" days",
        remedy=f"It was read on {price.read_on} from {price.source}. Look it up and set `price`, or update the table.",
    )
    return gate._replace(sentence=f"{price.sentence}, {age} days ago.") if gate.passed else gate
