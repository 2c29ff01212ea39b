"""Weights of the pretrained models that studies can use: in the hub's cache or not, and how to provide them."""

from typing import NamedTuple


class Weights(NamedTuple):
    """One pretrained model's weights: `path` is None where they are not on this machine."""

    model: str
    path: str | None
    remedy: str

    @property
    def sentence(self) -> str:
        """What a person wants to know."""
        return f"{self.model}: {self.path}" if self.path else f"{self.model}: not on this machine ({self.remedy})"


def weights_found() -> list[Weights]:
    """CLIP and ViT as the libraries that load them look for them; nothing is downloaded."""
    return [clip_weights("ViT-B-32-quickgelu", "openai"), vit_weights("google/vit-base-patch16-224")]


def clip_weights(architecture: str, tag: str) -> Weights:
    """Where open_clip would find the weights without a network."""
    import open_clip

    model = f"CLIP {architecture} ({tag})"
    repository = str(open_clip.get_pretrained_cfg(architecture, tag).get("hf_hub", "")).rstrip("/")
    if not repository:
        return Weights(model, None, "open_clip knows no such published weights: name a tag that it has, or a file")
    remedy = f"with a network: python -c \"import open_clip; open_clip.create_model('{architecture}', '{tag}')\""
    return Weights(model, _cached(repository, "open_clip_model.safetensors"), remedy)


def vit_weights(repository: str) -> Weights:
    """Where transformers would find the weights without a network."""
    remedy = f"with a network: hf download {repository}"
    return Weights(f"ViT {repository}", _cached(repository, "model.safetensors"), remedy)


def _cached(repository: str, file: str) -> str | None:
    from huggingface_hub import try_to_load_from_cache

    # A file that the hub is known not to have comes back as a sentinel, not as None.
    path = try_to_load_from_cache(repository, file)
    return path if isinstance(path, str) else None
