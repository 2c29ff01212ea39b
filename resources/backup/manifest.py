"""What a back-up says of itself: `backup.json`, written last, so that a folder without it is no back-up."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from resources.backup.copies import Copy
from resources.errors import UserError
from resources.runtime.partial_files import write_whole

NAME = "backup.json"


@dataclass(frozen=True)
class Manifest:
    """`dumps` maps ledger and dagster to a file each; `tables` is the address of tables that are not in the back-up."""

    study: str
    made_at: str
    version: str
    configuration: str | None
    tables: str | None
    dumps: dict[str, str]
    files: dict[str, Copy] = field(repr=False)

    @property
    def bytes(self) -> int:
        """Of all files together."""
        return sum(copy.bytes for copy in self.files.values())


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Say that the back-up is complete."""
    said = asdict(manifest) | {"files": {name: copy._asdict() for name, copy in manifest.files.items()}}
    write_whole(folder / NAME, json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def read_manifest(folder: Path) -> Manifest:
    """What the back-up in a folder says.

    Raises:
        UserError: There is none, or it cannot be read.
    """
    path = folder / NAME
    if not path.is_file():
        raise UserError(
            f"{folder} is no complete back-up: it has no {NAME}. Name a folder that `touchstone backup` made."
        )
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Manifest(**(said | {"files": {name: Copy(**copy) for name, copy in said["files"].items()}}))
    except (ValueError, TypeError, KeyError, AttributeError) as fault:
        raise UserError(f"{path} cannot be read ({fault}). Take another back-up, or a newer Touchstone.") from fault
