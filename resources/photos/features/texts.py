"""Sentences as CLIP sees them, each embedded once for one recipe and kept next to the shards."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from upath import UPath

from resources.configuration.pairwise import ClipModel
from resources.errors import UserError
from resources.gpu import GpuResource
from resources.photos.features.clip import ClipEmbedding
from resources.runtime.file_hash import digest_of
from resources.runtime.partial_files import whole_file

FILE: Final = "clip_texts.parquet"
Vectors = dict[str, NDArray[np.float32]]


def embed_texts(folder: UPath, clip: ClipEmbedding, texts: Iterable[str]) -> Vectors:
    """The sentences' unit vectors; those that this model has not seen yet are computed and kept."""
    recipe, wanted = digest_of(clip.record), list(dict.fromkeys(texts))
    stored_recipe, known = _stored(folder)
    vectors = dict(known) if stored_recipe == recipe else {}
    if new := [text for text in wanted if text not in vectors]:
        vectors |= dict(zip(new, clip.embed_texts(new), strict=True))
        _store(folder, recipe, vectors)
    return {text: vectors[text] for text in wanted}


def read_texts(folder: UPath) -> Vectors:
    """Every sentence that the latest CLIP model embedded; none where there was no model."""
    return _stored(folder)[1]


def sentence_vectors(folder: UPath, model: ClipModel, sentences: Sequence[str]) -> NDArray[np.float64]:
    """Unit vectors of any sentences, shape ``(k, d)``: stored ones as they are, others computed on the processor.

    Raises:
        Unavailable: One is not stored, and CLIP's weights are not on this machine.
    """
    vectors = read_texts(folder)
    if new := [text for text in dict.fromkeys(sentences) if text not in vectors]:
        gpu = GpuResource(device="cpu")
        vectors = vectors | dict(zip(new, ClipEmbedding(model, gpu).embed_texts(new), strict=True))
        gpu.free()
    return np.array([vectors[text] for text in sentences], dtype=np.float64)


def _stored(folder: UPath) -> tuple[str, Vectors]:
    try:
        with (folder / FILE).open("rb") as opened:
            table = pq.ParquetFile(opened).read()
    except FileNotFoundError:
        return "", {}
    except pa.ArrowException as error:
        raise UserError(f"{folder / FILE} is damaged ({error}). Delete it and make `image_features` again.") from error
    vectors = (np.asarray(row, dtype=np.float32) for row in table["vector"].to_pylist())
    recipe = (table.schema.metadata or {}).get(b"recipe", b"").decode()
    return recipe, dict(zip(table["text"].to_pylist(), vectors, strict=True))


def _store(folder: UPath, recipe: str, vectors: Vectors) -> None:
    schema = pa.schema(
        [pa.field("text", pa.string()), pa.field("vector", pa.list_(pa.float32()))], metadata={"recipe": recipe}
    )
    table = pa.table([list(vectors), [vector.tolist() for vector in vectors.values()]], schema=schema)
    with whole_file(folder / FILE) as part, part.open("wb") as opened:
        pq.write_table(table, opened)
