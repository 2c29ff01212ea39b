"""The shapes of the sample products: furniture and home ware put together from simple solids."""

from collections.abc import Callable

import numpy as np

from tools.samples.solids import Part, Point, box, disc, ellipsoid, pillow, rod, turned

Shape = tuple[Part, ...]
Build = Callable[[np.random.Generator], Shape]


def _legs(half_x: float, half_z: float, top: float, bottom: float, radius: float, splay: float) -> list[Part]:
    return [
        Part(
            rod(
                Point(sx * half_x, top, sz * half_z),
                Point(sx * half_x * splay, bottom, sz * half_z * splay),
                radius,
                radius * 0.65,
            ),
            main=False,
        )
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]


def cushion(rng: np.random.Generator) -> Shape:
    """A square to oblong sofa cushion."""
    width, height = rng.uniform(0.72, 0.86), rng.uniform(0.56, 0.8)
    return (Part(pillow(Point(width, height, rng.uniform(0.26, 0.34)), rng.uniform(0.06, 0.12))),)


def stool(rng: np.random.Generator) -> Shape:
    """A round upholstered seat on four splayed legs with a ring."""
    radius, thick = rng.uniform(0.58, 0.68), rng.uniform(0.16, 0.24)
    seat = disc(Point(0, 0.4, 0), radius, thick, thick * 0.8)
    legs = _legs(radius * 0.55, radius * 0.55, 0.3, -0.85, 0.05, rng.uniform(1.1, 1.35))
    return (Part(seat), *legs)


def pouf(rng: np.random.Generator) -> Shape:
    """A soft barrel to sit on."""
    high = rng.uniform(0.42, 0.56)
    return (Part(disc(Point(0, 0, 0), rng.uniform(0.74, 0.86), high, high * rng.uniform(0.7, 0.95))),)


def armchair(rng: np.random.Generator) -> Shape:
    """Seat, leaning back and two arms on short legs."""
    width, arm = rng.uniform(0.62, 0.72), rng.uniform(0.11, 0.15)
    parts = [
        box(Point(0, -0.22, 0.06), Point(width - arm, 0.2, 0.52), 0.1),
        box(Point(0, 0.22, -0.46), Point(width - arm * 0.6, 0.56, 0.14), 0.12, turn_deg=-10),
        box(Point(-width, -0.1, 0), Point(arm, 0.34, 0.56), 0.09),
        box(Point(width, -0.1, 0), Point(arm, 0.34, 0.56), 0.09),
    ]
    return (*(Part(part) for part in parts), *_legs(width * 0.85, 0.42, -0.4, -0.78, 0.055, 1.05))


def vase(rng: np.random.Generator) -> Shape:
    """An open vase turned on a wheel."""
    belly, neck = rng.uniform(0.48, 0.62), rng.uniform(0.2, 0.3)
    heights = [-0.88, -0.82, rng.uniform(-0.35, -0.1), 0.5, 0.72, 0.88]
    return (Part(turned(heights, [0.3, 0.34, belly, neck, neck * 0.95, neck * 1.5], wall=0.05)),)


def planter(rng: np.random.Generator) -> Shape:
    """A wide open pot on three blocks of legs."""
    top, foot = rng.uniform(0.66, 0.76), rng.uniform(0.4, 0.5)
    pot = turned([-0.45, -0.4, 0.1, 0.58, 0.6], [foot, foot + 0.06, top * 0.92, top, top], wall=0.06)
    return (Part(pot), *_legs(foot * 0.6, foot * 0.6, -0.42, -0.85, 0.05, 1.15))


def side_table(rng: np.random.Generator) -> Shape:
    """A thick round top over a drum or on legs."""
    radius, thick = rng.uniform(0.72, 0.82), rng.uniform(0.08, 0.12)
    top = Part(disc(Point(0, 0.42, 0), radius, thick, 0.035))
    if rng.uniform() < 0.5:
        return (top, Part(turned([-0.78, -0.3, 0.1, 0.36], [0.5, 0.3, 0.26, 0.34])))
    return (top, *_legs(radius * 0.55, radius * 0.55, 0.36, -0.8, 0.055, 1.25))


def cabinet(rng: np.random.Generator) -> Shape:
    """A sideboard of two doors with a groove between them."""
    width, height = rng.uniform(0.8, 0.9), rng.uniform(0.42, 0.52)
    doors = [box(Point(side * width * 0.5, 0.1, 0), Point(width * 0.495, height, 0.34), 0.02) for side in (-1, 1)]
    knobs = [ellipsoid(Point(side * 0.08, 0.12, 0.36), Point(0.028, 0.028, 0.03)) for side in (-1, 1)]
    legs = _legs(width * 0.82, 0.24, 0.1 - height, -0.78, 0.045, 1.12)
    return (*(Part(door) for door in doors), *(Part(knob, main=False) for knob in knobs), *legs)


def lamp(rng: np.random.Generator) -> Shape:
    """A table lamp: the shade wears the material, stem and foot are trim."""
    wide, narrow = rng.uniform(0.62, 0.72), rng.uniform(0.36, 0.48)
    shade = turned([-0.12, 0.78], [wide, narrow], wall=0.03)
    stem = rod(Point(0, -0.84, 0), Point(0, 0.6, 0), 0.04)
    return (Part(shade), Part(stem, main=False), Part(disc(Point(0, -0.85, 0), 0.36, 0.05, 0.03), main=False))


def table_body(rng: np.random.Generator) -> Shape:
    """A low chest or bench block with soft edges on legs."""
    width, height = rng.uniform(0.82, 0.92), rng.uniform(0.2, 0.28)
    body = box(Point(0, 0.12, 0), Point(width, height, 0.44), rng.uniform(0.04, 0.12))
    return (Part(body), *_legs(width * 0.8, 0.3, -0.05, -0.6, 0.05, 1.1))


BUILDS: dict[str, Build] = {
    "armchair": armchair,
    "bench": table_body,
    "cabinet": cabinet,
    "cushion": cushion,
    "lamp": lamp,
    "planter": planter,
    "pouf": pouf,
    "side_table": side_table,
    "stool": stool,
    "vase": vase,
}
