"""The judge `openai` in the configuration: a vision model behind an OpenAI-compatible endpoint, often a paid one."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from resources.configuration.section import Section

ImageDetail = Literal["auto", "low", "high"]
AnswerForm = Literal["json_schema", "json_object", "plain"]


class Price(Section):
    """What a model costs, in USD for a million tokens; 0 for a server of your own."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(None, ge=0, description="tokens read that a cache served; as `input` if unset")
    cache_write: float | None = Field(None, ge=0, description="tokens written to a cache; as `input` if unset")


class OpenAIJudge(Section):
    """Address, model and key come from OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY.

    `model` here wins over the variable, the key is read nowhere else. What changes an answer is part of the judge's
    identity; concurrency, limits, retries and money are not.
    """

    kind: Literal["openai"]
    model: str | None = None
    image_side_px: int = Field(768, ge=64, le=4096, description="longer side of the images that are sent")
    image_format: Literal["jpeg", "png"] = "jpeg"
    image_detail: ImageDetail = "auto"
    answer_form: Literal["auto", AnswerForm] = "auto"
    max_output_tokens: int = Field(1000, ge=50)
    reasoning_effort: str | None = Field(None, description="some models take a temperature only at none")
    send_seed: bool = True
    send_neutral_top_p: bool = Field(True, description="false leaves a top_p of 1 out, for models that refuse it")
    concurrency: int = Field(8, ge=1, le=512)
    requests_per_minute: int | None = Field(None, ge=1)
    tokens_per_minute: int | None = Field(None, ge=1)
    requests_per_day: int | None = Field(None, ge=1, description="of one key, counted from midnight UTC")
    timeout_s: float = Field(120, gt=0)
    attempts: int = Field(5, ge=1, le=20, description="tries at one call within a run, while faults come")
    longest_wait_s: float = Field(120, gt=0, description="a server that asks for a longer pause ends the attempts")
    faults_until_open: int = Field(10, ge=1, description="faults in a row after which the provider counts as down")
    budget_usd: float | None = Field(None, gt=0, description="hard limit of all that the study ever spends")
    auto_budget_usd_per_day: float | None = Field(None, gt=0, description="what schedules and sensors may spend")
    price: Price | None = None
    prices: Path | None = Field(None, description="a price table of your own, in the form of the built-in one")
