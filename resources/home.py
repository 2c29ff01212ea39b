"""Where Touchstone keeps what it makes: `TOUCHSTONE_HOME`, in the checkout unless told."""

import os
from dataclasses import dataclass
from pathlib import Path

from upath import UPath

from resources.errors import UserError

CHECKOUT = Path(__file__).resolve().parents[1]
DEFAULT = ".touchstone"


@dataclass(frozen=True)
class Home:
    """Addresses below one home; `tables` and `images` may be remote, `local` never is."""

    base: UPath
    local: Path

    @property
    def tables(self) -> UPath:
        """Parquet files, one folder a study."""
        return self.base / "tables"

    @property
    def samples(self) -> Path:
        """The sample inputs that the project makes itself."""
        return self.local / "samples"

    @property
    def dagster(self) -> Path:
        """Dagster's own state (`DAGSTER_HOME`)."""
        return self.local / "dagster"

    @property
    def database_url(self) -> str:
        """`TOUCHSTONE_DATABASE_URL`, else SQLite in the home."""
        return os.environ.get("TOUCHSTONE_DATABASE_URL") or f"sqlite:///{self.local / 'touchstone.db'}"

    def claim(self, study: str) -> None:
        """Keep two studies from writing over each other's tables.

        Raises:
            UserError: The home holds another study.
        """
        marker = self.local / "study.txt"
        if marker.is_file() and (holder := marker.read_text().strip()) != study:
            raise UserError(
                f"{self.local} holds the study '{holder}', not '{study}'. Set TOUCHSTONE_HOME to a folder of its own."
            )
        self.local.mkdir(parents=True, exist_ok=True)
        marker.write_text(f"{study}\n")


def touchstone_home() -> Home:
    """The home that the environment names.

    A remote `TOUCHSTONE_HOME` (``s3://bucket/folder``) holds tables and images; the embedded database and
    Dagster's state need a disk and stay in the checkout's `.touchstone`.
    """
    named = os.environ.get("TOUCHSTONE_HOME") or str(CHECKOUT / DEFAULT)
    if "://" in named and not named.startswith("file://"):
        return Home(UPath(named), CHECKOUT / DEFAULT)
    local = Path(named.removeprefix("file://")).expanduser().absolute()
    return Home(UPath(local), local)
