"""Whether the prices that a budget is kept by are recent."""

from datetime import date

from analysis.gates import Gate, at_most
from resources.configuration.fidelity import LocalJudge, ReplayJudge
from resources.configuration.openai_judge import OpenAIJudge
from resources.judges.openai.access import access_of
from resources.judges.openai.prices import OLDEST_DAYS, OWN_SERVER, price_of

NAME = "prices_are_recent"


def price_age_gate(judge: LocalJudge | ReplayJudge | OpenAIJudge, today: date | None = None) -> Gate:
    """Days since the model's price was read against 180; a judge without a price from a table passes and says so.

    Raises:
        UserError: The judge has no model or no price.
    """
    needed = f"<= {OLDEST_DAYS} days"
    if not isinstance(judge, OpenAIJudge):
        return Gate(NAME, True, None, needed, f"The judge {judge.kind} costs nothing.")
    access = access_of(judge)
    model, price = (
        access.model,
        price_of(access.model, judge, today, own_server=access.is_own, base_url=access.base_url),
    )
    age = price.age_days(today)
    if price.source == OWN_SERVER:
        return Gate(NAME, True, None, needed, f"'{model}' is on {OWN_SERVER}.")
    if age is None:
        return Gate(NAME, True, None, needed, f"The price of '{model}' is the configuration's own: {price.sentence}.")
    if age < 0:
        remedy = f"It was read on {price.read_on}, which is still to come. Correct `read_on`."
        text = f"Age of the price of '{model}' is {age} days over 1 model; needed: 0 to {OLDEST_DAYS} days. {remedy}"
        return Gate(NAME, False, float(age), needed, text, 1, None, remedy, limit=OLDEST_DAYS)
    gate = at_most(
        NAME,
        float(age),
        OLDEST_DAYS,
        n=1,
        counted="model",
        what=f"Age of the price of '{model}'",
        unit="days",
        remedy=f"It was read on {price.read_on} from {price.source}. Look it up and set `price`, or update the table.",
    )
    return gate._replace(sentence=f"{price.sentence}, {age} days ago.") if gate.passed else gate
