"""Who makes the shards, by the name that the configuration gives: this process, or Ray."""

from collections.abc import Mapping
from typing import Final

from resources.photos.features.on_ray import on_ray
from resources.photos.features.run import Engine, one_after_another

ENGINES: Final[Mapping[str, Engine]] = {"local": one_after_another, "ray": on_ray}
