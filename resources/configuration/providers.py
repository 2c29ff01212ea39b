"""Which providers a judge may name, where each is reached, by which format and with which key."""

from typing import Final, Literal, NamedTuple

from resources.errors import did_you_mean

WireFormat = Literal["openai", "anthropic"]


class Provider(NamedTuple):
    """An address, the variable of its key (empty where it asks for none), and the format of requests and answers."""

    base_url: str
    key_variable: str
    wire_format: WireFormat = "openai"


PROVIDERS: Final = {
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": Provider("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "anthropic"),
    "google": Provider("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "mistral": Provider("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "deepseek": Provider("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "xai": Provider("https://api.x.ai/v1", "XAI_API_KEY"),
    "together": Provider("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "ollama": Provider("http://127.0.0.1:11434/v1", ""),
    "vllm": Provider("http://127.0.0.1:8000/v1", ""),
}
# They sign requests in ways of their own, which a gateway such as LiteLLM's proxy or OpenRouter does for them.
BY_GATEWAY: Final = ("bedrock", "vertex", "azure", "cohere", "watsonx", "sagemaker")


def refuse_unknown_provider(name: str) -> None:
    """Refuse a provider that is not in the list.

    Raises:
        ValueError: It is reached through a gateway, or is none that is known.
    """
    if name in BY_GATEWAY:
        raise ValueError(
            f"provider '{name}' is reached through a gateway that speaks OpenAI's format: give the gateway's address "
            "as `base_url`, the model's name there as `model`, and `key_variable`"
        )
    if name not in PROVIDERS:
        raise ValueError(
            f"there is no provider '{name}'{did_you_mean(name, PROVIDERS)}; there are {', '.join(PROVIDERS)}; any "
            "other server that speaks OpenAI's format is named by its `base_url`"
        )
