"""Weights of the pretrained models that studies can use: in the hub's cache or not, and how to provide them."""

from typing import Final, NamedTuple

from analysis.messages import message

NOT_HERE: Final = (
    "{model}: not on this machine (with a network: {command}); without one, copy its {file} here and set `{setting}`"
)
# Where the hub has the weights that studies use if they name none: open_clip, which knows, takes seconds to load.
CLIP_REPOSITORIES: Final = {("ViT-B-32-quickgelu", "openai"): "timm/vit_base_patch32_clip_224.openai"}
UNPUBLISHED: Final = "open_clip knows no such published weights: name a tag that it has, or a file"


class Weights(NamedTuple):
    """One pretrained model's weights: `path` is None where they are not on this machine, `command` gets them."""

    model: str
    path: str | None
    command: str | None

    @property
    def sentence(self) -> str:
        """What a person wants to know."""
        remedy = f"with a network: {self.command}" if self.command else UNPUBLISHED
        return f"{self.model}: {self.path}" if self.path else f"{self.model}: not on this machine ({remedy})"

    def lacking(self, file: str, setting: str) -> str:
        """What a study lacks without them, and how to provide it: such a file, which a setting then names."""
        if self.command is None:
            return f"{self.sentence}; without one, copy its {file} here and set `{setting}`"
        return message(NOT_HERE, model=self.model, command=self.command, file=file, setting=setting)


def weights_found() -> list[Weights]:
    """CLIP and ViT as the libraries that load them look for them; nothing is downloaded."""
    return [clip_weights("ViT-B-32-quickgelu", "openai"), vit_weights("google/vit-base-patch16-224")]


def clip_weights(architecture: str, tag: str) -> Weights:
    """Where open_clip would find the weights without a network."""
    model = f"CLIP {architecture} ({tag})"
    repository = CLIP_REPOSITORIES.get((architecture, tag)) or _clip_repository(architecture, tag)
    if not repository:
        return Weights(model, None, None)
    command = f"python -c \"import open_clip; open_clip.create_model('{architecture}', '{tag}')\""
    return Weights(model, _cached(repository, "open_clip_model.safetensors"), command)


def vit_weights(repository: str) -> Weights:
    """Where transformers would find the weights without a network."""
    return Weights(f"ViT {repository}", _cached(repository, "model.safetensors"), f"hf download {repository}")


def _clip_repository(architecture: str, tag: str) -> str:
    import open_clip

    return str(open_clip.get_pretrained_cfg(architecture, tag).get("hf_hub", "")).rstrip("/")


def _cached(repository: str, file: str) -> str | None:
    from huggingface_hub import try_to_load_from_cache

    # A file that the hub is known not to have comes back as a sentinel, not as None.
    path = try_to_load_from_cache(repository, file)
    return path if isinstance(path, str) else None
