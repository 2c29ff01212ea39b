"""Models that judge, in the configuration: of any provider, or behind an OpenAI-compatible address, often paid."""

from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from resources.configuration.providers import PROVIDERS, Provider, refuse_unknown_provider
from resources.configuration.section import Section
from resources.configuration.task import Task

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


class Asked(NamedTuple):
    """A provider, null where only an address is given, and the model's name there."""

    provider: Provider | None
    model: str


class ModelJudge(OpenAIJudge):
    """A model as `provider:model`, or as it is called at `base_url`; its key is in a variable of its own.

    Two such judges share neither an address nor a key. `name` is how studies and messages call it.
    """

    kind: Literal["model"]  # type: ignore[assignment]
    name: str | None = None
    model: str = Field(min_length=1)
    base_url: str | None = Field(None, description="of a server or a gateway; the provider's where left out")
    task: Task | None = Field(None, description="a prompt of one's own; the study's where left out")
    key_variable: str | None = Field(None, pattern=r"^[A-Z_][A-Z0-9_]*$", description="variable with its key")

    @model_validator(mode="after")
    def somewhere(self) -> "ModelJudge":
        """Refuse a model of which it is not known where to ask it."""
        provider, _, model = self.model.partition(":")
        if self.base_url is None and not model:
            raise ValueError(f"model '{self.model}' has no provider: write provider:model, or give its `base_url`")
        if self.base_url is None:
            refuse_unknown_provider(provider)
        return self

    @model_validator(mode="after")
    def known_to_the_format(self) -> "ModelJudge":
        """Refuse what Anthropic's format has no place for, rather than leave it out silently."""
        provider = self.asked.provider
        if provider is None or provider.wire_format != "anthropic":
            return self
        if self.image_detail != "auto":
            raise ValueError(f"image_detail: Anthropic's format has none; leave `{self.image_detail}` out")
        if self.answer_form == "json_object":
            raise ValueError("answer_form: Anthropic's format has no json_object; write json_schema, plain or auto")
        return self

    @property
    def asked(self) -> Asked:
        """Who is asked; with a `base_url` a colon is part of the model's name, unless another format goes with it."""
        name, _, model = self.model.partition(":")
        provider = PROVIDERS.get(name) if model else None
        if provider is None or (self.base_url is not None and provider.wire_format == "openai"):
            return Asked(None, self.model)
        return Asked(provider, model)
