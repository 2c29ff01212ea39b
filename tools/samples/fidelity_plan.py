"""What the fidelity samples hold, drawn from a seed: products, variants, generated objects and their grades."""

from dataclasses import dataclass

import numpy as np

from resources.configuration.fidelity import ALGORITHMS
from tools.samples.degradation import Alteration, alteration
from tools.samples.materials import HARD, KINDS, SOFT

RUN = "2026-01-15_v1"
ANNOTATORS = ("a1", "a2", "a3")
SCORE_STEP = 0.025
ANNOTATOR_BIAS_SD, ANNOTATOR_NOISE_SD = 0.03, 0.04
MANUFACTURERS = ("Harbour & Pine", "Lumen Works", "Casa Nord", "Atelier Fold")
# Shape, name, categories; the name is the product's whatever material it is drawn in.
PRODUCTS: tuple[tuple[str, str, tuple[str, str, str]], ...] = (
    ("stool", "ALBA", ("Furniture", "Chairs and stools", "Stools")),
    ("stool", "BRIO", ("Furniture", "Chairs and stools", "Stools")),
    ("bench", "CORSA", ("Furniture", "Chairs and stools", "Stools")),
    ("armchair", "DELTA", ("Furniture", "Sofas and armchairs", "Armchairs")),
    ("armchair", "ELMA", ("Furniture", "Sofas and armchairs", "Armchairs")),
    ("armchair", "FARO", ("Furniture", "Sofas and armchairs", "Armchairs")),
    ("pouf", "GIRO", ("Furniture", "Sofas and armchairs", "Poufs")),
    ("pouf", "HALO", ("Furniture", "Sofas and armchairs", "Poufs")),
    ("cushion", "ISLA", ("Decoration", "Textiles", "Cushions")),
    ("cushion", "JUNO", ("Decoration", "Textiles", "Cushions")),
    ("cushion", "KITE", ("Decoration", "Textiles", "Cushions")),
    ("vase", "LIRA", ("Decoration", "Ornaments", "Vases")),
    ("vase", "MENTA", ("Decoration", "Ornaments", "Vases")),
    ("planter", "NIDO", ("Decoration", "Ornaments", "Vases")),
    ("side_table", "ONDA", ("Furniture", "Tables", "Side tables")),
    ("side_table", "PERLA", ("Furniture", "Tables", "Side tables")),
    ("cabinet", "QUADRO", ("Furniture", "Storage", "Cabinets")),
    ("lamp", "RAGGIO", ("Decoration", "Lighting", "Lamps")),
)
WITH_VARIANTS = ("ALBA", "DELTA", "ISLA", "LIRA", "ONDA", "QUADRO")
SOFT_SHAPES = ("stool", "bench", "armchair", "pouf", "cushion")


@dataclass(frozen=True)
class SampleItem:
    """One item to judge: a product, or one of its variants, in one material."""

    product_id: str
    variant: str  # as the catalogue writes it, empty without one
    name: str
    manufacturer: str
    categories: tuple[str, str, str]
    shape: str
    shape_seed: int
    kind: str
    seed: int

    @property
    def item_id(self) -> str:
        """`{product}` or `{product}_{variant}`, lower case with hyphens."""
        return f"{self.product_id}_{slug(self.variant)}" if self.variant else self.product_id


@dataclass(frozen=True)
class SampleObject:
    """One generated object of an item, and how unfaithful it is."""

    item: SampleItem
    algorithm: str
    job_id: str  # 40 hex digits
    change: Alteration
    seed: int

    @property
    def hash8(self) -> str:
        """What tells the object in file names."""
        return self.job_id[:8]

    @property
    def views(self) -> tuple[int, str]:
        """Number of input photos and their letters, as the generator was given them."""
        return (1, "a") if self.algorithm.endswith("_single") else (3, "A-B-C")

    @property
    def filename(self) -> str:
        """The object's file, in the form that the human scores name it."""
        count, letters = self.views
        stem = f"{self.item.item_id}_" if self.item.variant else f"{self.item.product_id}__"
        return f"{stem}{self.algorithm}_N{count}_{letters}_{RUN}_h{self.hash8}.glb"


def slug(variant: str) -> str:
    """A variant as file names write it."""
    return variant.lower().replace(" ", "-")


def _kinds(count: int, among: tuple[str, ...], rng: np.random.Generator) -> list[str]:
    """Families in random order, every one used before any comes twice."""
    kinds: list[str] = []
    while len(kinds) < count:
        following = [str(kind) for kind in rng.permutation(among)]
        # Neighbours may be two variants of one product, which are distinguishable by their material.
        kinds += following[::-1] if kinds and kinds[-1] == following[0] else following
    return kinds[:count]


def planned_items(rng: np.random.Generator) -> list[SampleItem]:
    """18 products; six of them come as two variants, so 24 items."""
    entries = [(index, twin) for index, product in enumerate(PRODUCTS) for twin in _twins(product[1])]
    soft = iter(_kinds(len(entries), SOFT, rng))
    hard = iter(_kinds(len(entries), HARD, rng))
    ids = 410_000 + np.sort(rng.choice(9_000, len(PRODUCTS), replace=False)) * 7
    shape_seeds = rng.integers(2**31, size=len(PRODUCTS))
    items = []
    for index, twin in entries:
        shape, name, categories = PRODUCTS[index]
        kind = next(soft if shape in SOFT_SHAPES else hard)
        items.append(
            SampleItem(
                product_id=str(ids[index]),
                variant=KINDS[kind].label if twin else "",
                name=name,
                manufacturer=MANUFACTURERS[index % len(MANUFACTURERS)],
                categories=categories,
                shape=shape,
                shape_seed=int(shape_seeds[index]),
                kind=kind,
                seed=int(rng.integers(2**31)),
            )
        )
    return items


def _twins(name: str) -> tuple[bool, ...]:
    return (True, True) if name in WITH_VARIANTS else (False,)


def planned_objects(seed: int) -> list[SampleObject]:
    """Two objects an item, by two algorithms, with grades spread evenly from about 0.1 to 1.

    Args:
        seed: Everything that is drawn follows from it.

    Returns:
        Objects ordered by item.
    """
    rng = np.random.default_rng(seed)
    items = planned_items(rng)
    count = 2 * len(items)
    grades = 0.1 + 0.89 * (rng.permutation(count) + rng.uniform(0, 1, count)) / count
    objects = []
    offset = 0
    for index, grade in enumerate(grades):
        item = items[index // 2]
        # A step of 1 to 3 gives an item's second object another algorithm.
        offset += int(rng.integers(1, 4)) if index % 2 else int(rng.integers(len(ALGORITHMS)))
        objects.append(
            SampleObject(
                item=item,
                algorithm=ALGORITHMS[offset % len(ALGORITHMS)],
                job_id=rng.bytes(20).hex(),
                change=alteration(float(grade), item.kind, rng),
                seed=int(rng.integers(2**31)),
            )
        )
    return objects


def human_scores(objects: list[SampleObject], seed: int) -> list[tuple[str, float, str]]:
    """One (file name, score, annotator) per object and annotator: grade, the annotator's bias, noise.

    Scores are 0-1 on a grid of ``SCORE_STEP``.
    """
    rng = np.random.default_rng([seed, 1])
    biases = rng.normal(0, ANNOTATOR_BIAS_SD, len(ANNOTATORS))
    rows = []
    for judged in objects:
        for annotator, bias in zip(ANNOTATORS, biases, strict=True):
            felt = judged.change.grade + bias + rng.normal(0, ANNOTATOR_NOISE_SD)
            score = float(np.clip(np.rint(felt / SCORE_STEP) * SCORE_STEP, 0, 1))
            rows.append((judged.filename, round(score, 3), annotator))
    return rows
