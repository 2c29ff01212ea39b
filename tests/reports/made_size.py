"""How much there is of everything in a made study, and how its settings and items are called."""

from dataclasses import dataclass

from resources.configuration.settings import SettingsGrid

KEYS = tuple(setting.key for setting in SettingsGrid().settings)


@dataclass(frozen=True)
class Size:
    """How much there is of everything."""

    n_objects: int = 12
    n_repeats: int = 5
    keys: tuple[str, ...] = KEYS[:3]
    annotators: tuple[str, ...] = ("a1", "a2")
    n_groups: int = 2


def item_of(place: int) -> str:
    """Two objects an item."""
    return f"{100 + place // 2}"
