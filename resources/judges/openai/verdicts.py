"""Which refusals end the run, with the words that say what to do, and how long to wait after the others."""

import random
from typing import Final

from resources.configuration.openai_judge import OpenAIJudge
from resources.judges.contract import Call
from resources.judges.openai.access import API_KEY, BASE_URL, MODEL, Access
from resources.judges.openai.client import NoAnswer
from resources.judges.openai.error_bodies import WRONG_KEY
from resources.judges.openai.request import is_about_the_form, setting_blamed
from resources.judges.openai.task import Remedies

UNAUTHORISED, PAYMENT_REQUIRED, FORBIDDEN, NOT_FOUND, TOO_LARGE = 401, 402, 403, 404, 413
REDIRECTS: Final = (300, 400)
OUT_OF_QUOTA: Final = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
FILTERED: Final = ("content_filter", "content_policy_violation")
FIRST_PAUSE_S: Final = 1.0
KEPT = "What came is kept, and running again goes on from here."


def stops_the_run(
    no_answer: NoAnswer, call: Call, access: Access, configuration: OpenAIJudge, remedies: Remedies
) -> str | None:
    """What a person has to do before any other call makes sense; null where another call may fare better."""
    said, status = no_answer.message, no_answer.status
    if no_answer.code in OUT_OF_QUOTA or status == PAYMENT_REQUIRED:
        return (
            f"The key's quota or credit at {access.public_url} is used up ({said}). Add credit, then run again. {KEPT}"
        )
    # Google answers a wrong key with status 400, others with 403.
    if status == UNAUTHORISED or (status and WRONG_KEY.search(f"{no_answer.code} {said}")):
        return f"{access.public_url} does not take the key ({said}). Set {API_KEY} to one that it issued. {KEPT}"
    if status == FORBIDDEN:
        return (
            f"{access.public_url} does not let the key use '{access.model}' ({said}). Set another {API_KEY} or {MODEL}."
        )
    if status == NOT_FOUND:
        return (
            f"{access.public_url} has no model '{access.model}', or no chat endpoint below this address ({said}). "
            f"Correct {MODEL} or {BASE_URL}; most addresses end in /v1."
        )
    if status is not None and REDIRECTS[0] <= status < REDIRECTS[1]:
        return (
            f"{access.public_url} sends requests on to another address (status {status}). That is not followed, "
            f"because the key and what is judged would go there. Set {BASE_URL} to the address itself, if you trust it."
        )
    if status == TOO_LARGE:
        return f"A call is too large for {access.public_url} ({said}). {remedies.too_large}"
    if no_answer.refused is not None and is_about_the_form(no_answer.refused) and configuration.answer_form != "auto":
        return (
            f"'{access.model}' does not take `answer_form: {configuration.answer_form}` ({said}). Set `answer_form: "
            f"auto` in the judge's section. {KEPT}"
        )
    if no_answer.refused is not None:
        return _refused_setting(no_answer, call, access, configuration, remedies)
    if no_answer.retry_after_s is not None and no_answer.retry_after_s > configuration.longest_wait_s:
        return (
            f"{access.public_url} asks to wait {no_answer.retry_after_s:,.0f} s, longer than longest_wait_s "
            f"({configuration.longest_wait_s:g} s) allows ({said}). Run again later. {KEPT}"
        )
    return None


def _refused_setting(
    no_answer: NoAnswer, call: Call, access: Access, configuration: OpenAIJudge, remedies: Remedies
) -> str | None:
    """A setting is never left out silently: the table would name one that was not in force."""
    assert no_answer.refused is not None
    blamed = setting_blamed(no_answer.refused)
    if blamed is None:
        return None
    remedy = {
        "temperature": remedies.temperature,
        "top_p": remedies.top_p,
        "seed": "Set `send_seed: false` in the judge's section.",
        "reasoning_effort": f"Correct `reasoning_effort: {configuration.reasoning_effort}` in the judge's section.",
        "detail": f"Set `image_detail: auto` in the judge's section (it is {configuration.image_detail}).",
    }[blamed]
    return (
        f"'{access.model}' does not take the {blamed} of {call.setting.key} ({no_answer.message}). It is not left out, "
        f"because the results would name a setting that was not in force. {remedy}"
    )


def pause_s(no_answer: NoAnswer, call: Call, longest_wait_s: float) -> float:
    """How long to wait before the call is asked again: as the server asks, else twice as long at every try of the run.

    A little chance, drawn from the call's seed, keeps calls that failed together from coming back together.
    """
    chance = random.Random(call.seed).random()
    if no_answer.retry_after_s is not None:
        return no_answer.retry_after_s + chance * min(1.0, no_answer.retry_after_s)
    return min(longest_wait_s, FIRST_PAUSE_S * 2 ** (call.nth_try - 1)) * (0.5 + chance) / 1.5
