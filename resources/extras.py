"""The optional parts of the installation: what each brings, what is missing of one, and the line that adds it."""

from importlib.util import find_spec
from typing import Final, NamedTuple

from resources.errors import UserError


class Extra(NamedTuple):
    """What an extra of pyproject.toml is for, and the modules that it brings."""

    purpose: str
    modules: tuple[str, ...]


EXTRAS: Final = {
    "models": Extra(
        "study B's learned methods, study D's judge `embedding`",
        ("torch", "torchvision", "transformers", "open_clip", "timm", "safetensors", "huggingface_hub"),
    ),
    "review": Extra("the review page", ("streamlit",)),
    "scale": Extra("photo features on a Ray cluster", ("ray",)),
    "k8s": Extra("a pod for each step on Kubernetes", ("dagster_k8s",)),
}


def missing_modules(extra: str) -> list[str]:
    """Modules of an extra that are not installed here; none is loaded to find out."""
    return [name for name in EXTRAS[extra].modules if not _is_installed(name)]


def install_command(extra: str) -> str:
    """What a user types in the checkout.

    Not the package's name: on the public index another project has it.
    """
    return f"pip install -e '.[{extra}]'"


def require_extra(extra: str, for_what: str, otherwise: str = "") -> None:
    """Refuse to go on without an extra.

    Args:
        extra: A name of `EXTRAS`.
        for_what: What needs it; begins the message.
        otherwise: What the user may do instead, a sentence.

    Raises:
        UserError: A module of the extra is not installed.
    """
    if missing := missing_modules(extra):
        raise UserError(
            f"{for_what} needs the extra `{extra}` ({missing[0]} is not installed). In the checkout, run: "
            f"{install_command(extra)}{f'. {otherwise}' if otherwise else ''}"
        )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        # An import that something blocks, or a module that was taken out of the list of the loaded ones.
        return False
