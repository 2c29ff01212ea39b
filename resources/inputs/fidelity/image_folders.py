"""Finds an item's photos and candidates in the study's image folders."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from upath import UPath

from resources.errors import UserError, listing
from resources.inputs.links import refuse_link_out
from resources.runtime.opened_files import refuse_name

MAX_PHOTOS = 5
EXTENSIONS = ("png", "jpg", "jpeg", "webp")
_PHOTO = re.compile(rf"gt_.*\.({'|'.join(EXTENSIONS)})", re.IGNORECASE)


@dataclass(frozen=True)
class ImageFolders:
    """Item folders below one root, each listed once; names match in any letter case when the exact one is absent.

    Looking for an item or an image raises `UserError` where a link leads out of the root.
    """

    root: UPath
    setting: str
    _listings: dict[str, Mapping[str, UPath]] = field(default_factory=dict)

    @classmethod
    def at(cls, root: str | Path | UPath, setting: str) -> "ImageFolders":
        """The folders below ``root``, which the configuration names as ``setting``.

        Raises:
            UserError: There is no such folder.
        """
        folder = UPath(root)
        if not folder.is_dir():
            raise UserError(f"{root}: there is no such folder. Correct `{setting}` in touchstone.yaml.")
        return cls(folder, setting)

    @cached_property
    def _items(self) -> Mapping[str, UPath]:
        return {folder.name: self._inside(folder) for folder in self.root.iterdir() if folder.is_dir()}

    @cached_property
    def _items_in_any_case(self) -> Mapping[str, list[UPath]]:
        names: dict[str, list[UPath]] = {}
        for name, folder in self._items.items():
            names.setdefault(name.casefold(), []).append(folder)
        return names

    def folder_of(self, item_id: str) -> UPath:
        """The item's folder; where there is none, the path at which it was looked for."""
        alike = self._items_in_any_case.get(item_id.casefold(), [])
        # Of folders that differ only in letter case none is taken rather than the wrong one.
        found = self._items.get(item_id) or (alike[0] if len(alike) == 1 else None)
        return found or self.root / (item_id.replace("/", "_") if item_id.strip(".") else "_")

    def ambiguity_of(self, item_id: str) -> str | None:
        """A sentence where several folders could be the item's; null where one is, or none."""
        alike = sorted(folder.name for folder in self._items_in_any_case.get(item_id.casefold(), []))
        if len(alike) < 2 or item_id in self._items:
            return None
        return f"{self.root}: folders {listing(alike)} differ only in letter case. Keep one, named {item_id}."

    def photos_of(self, item_id: str) -> list[UPath]:
        """Every ``gt_*`` image of the item in natural order: gt_2 comes before gt_10."""
        files = self._files_of(item_id).values()
        return sorted((file for file in files if _PHOTO.fullmatch(file.name)), key=lambda file: _natural(file.name))

    def image_of(self, item_id: str, stem: str) -> UPath | None:
        """The item's image of that name with the first extension of `EXTENSIONS` that there is."""
        files = self._files_of(item_id)
        names = (f"{stem}.{extension}".casefold() for extension in EXTENSIONS)
        return next((files[name] for name in names if name in files), None)

    def _files_of(self, item_id: str) -> Mapping[str, UPath]:
        if item_id not in self._listings:
            folder = self.folder_of(item_id)
            files = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else []
            self._listings[item_id] = {file.name.casefold(): self._inside(file) for file in files}
        return self._listings[item_id]

    def _inside(self, place: UPath) -> UPath:
        """The file or folder, unless it is a link that leads elsewhere; addresses of other kinds have no links."""
        refuse_name(place)
        if isinstance(place, Path):
            refuse_link_out(self.root, place, self.setting)
        return place


def _natural(name: str) -> list[tuple[int, str]]:
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
