"""Where photos of a series lie: each by its name, in any spelling of its ending where the exact one is absent."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from resources.inputs.links import refuse_link_out

ENDING: Final = ".JPG"
# In this order, in any letter case, where the exact name is absent.
ENDINGS: Final = (".jpg", ".jpeg", ".png")


def photo_name(series: str, compare_id: int) -> str:
    """The photo's name without its ending: files count from 1, compareIDs from 0."""
    return f"{series}-{compare_id + 1:02d}"


@dataclass(frozen=True)
class PhotoPlaces:
    """The files of one folder, listed once; no folder is a folder without files."""

    root: Path
    _exact: frozenset[str]
    _any_case: Mapping[str, str]

    @cached_property
    def _prefix(self) -> str:
        return str(self.root / "x")[:-1]

    @classmethod
    def at(cls, root: Path) -> "PhotoPlaces":
        """The files that lie in the folder itself.

        Raises:
            UserError: One of them is a link that leads out of it.
        """
        names: list[str] = []
        if root.is_dir():
            with os.scandir(root) as entries:
                files = [entry for entry in entries if entry.is_file()]
            for entry in files:
                if entry.is_symlink():
                    refuse_link_out(root, Path(entry.path), "image_root")
            names = sorted(entry.name for entry in files)
        # Of names that differ only in letter case the first in the alphabet counts, on every machine the same.
        return cls(root, frozenset(names), {name.casefold(): name for name in reversed(names)})

    def place_of(self, name: str) -> tuple[str, bool]:
        """The photo's address and whether it is there; where it is not, the address at which it belongs."""
        exact = f"{name}{ENDING}"
        spellings = (self._any_case.get(f"{name}{ending}".casefold()) for ending in ENDINGS)
        found = exact if exact in self._exact else next((one for one in spellings if one is not None), None)
        # Joined as text: a Path for each of many thousand photos costs more than finding them.
        return f"{self._prefix}{found or exact}", found is not None
