"""Whether a judge costs money: one answer for the judge itself, the command line and the schedules."""

from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.section import Section
from resources.errors import UserError
from resources.judges.openai.access import Access, access_of
from resources.judges.openai.prices import price_of


def costs_money(judge: Section, access: Access | None = None) -> bool:
    """Whether a call may cost money; false only where it is known that none does.

    Args:
        judge: As configured.
        access: Server and model; as configuration and environment name them where left out.
    """
    if not isinstance(judge, OpenAIJudge):
        return False
    if judge.price is not None:
        return any(judge.price.model_dump().values())
    try:
        asked = access or access_of(judge)
        return not price_of(asked.model, judge, own_server=asked.is_own).is_free
    except UserError:
        # Whoever asks the judge hears what is missing; until then nobody may take it for free.
        return True
