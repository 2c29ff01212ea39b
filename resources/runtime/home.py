"""Where Touchstone keeps what it makes: `TOUCHSTONE_HOME`, in the checkout by default."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

from upath import UPath

from resources.errors import UserError

CHECKOUT = Path(__file__).resolve().parents[2]
DEFAULT = ".touchstone"
REMOTE = "remote"
DATABASE = "touchstone.db"
MARKER = "study.txt"
DATABASE_URL, DAGSTER_POSTGRES_URL = "TOUCHSTONE_DATABASE_URL", "DAGSTER_POSTGRES_URL"


@dataclass(frozen=True)
class Home:
    """Addresses below one home; `tables` may be remote, `local` never is."""

    base: UPath
    local: Path

    @property
    def tables(self) -> UPath:
        """Parquet files, one folder a study."""
        return self.base / "tables"

    @property
    def outputs(self) -> Path:
        """Pictures and JSON results, for people and other programs."""
        return self.local / "outputs"

    def report(self, study: str) -> Path:
        """Where a study's page is, whether it was made or not."""
        return self.outputs / f"{study}_report.html"

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
        return os.environ.get(DATABASE_URL) or f"sqlite:///{quote(str(self.local / DATABASE), safe='/ ')}"

    @property
    def asks_for_postgres(self) -> bool:
        """Whether the home's dagster.yaml takes the address of a Postgres for Dagster's state."""
        settings = self.dagster / "dagster.yaml"
        return settings.is_file() and DAGSTER_POSTGRES_URL in settings.read_text(encoding="utf-8", errors="replace")

    def claim(self, study: str) -> None:
        """Keep two studies from writing over each other's tables: the first one to come writes its name, once.

        Raises:
            UserError: The home holds another study.
        """
        if self._holder() is None:
            self._write_holder(study)
        # Read again: of two studies that came at the same moment one wrote last.
        holder = self._holder()
        if holder != study:
            raise UserError(
                f"{self.local} holds the study '{holder}', not '{study}'. Set TOUCHSTONE_HOME to a folder of its own."
            )

    def holds_a_study(self) -> bool:
        """Whether a study was run here before."""
        return self._holder() is not None

    def _holder(self) -> str | None:
        """The study whose home this is; null where there is no marker, or one that a crash left empty or unreadable."""
        try:
            return (self.local / MARKER).read_text(encoding="utf-8").strip() or None
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def _write_holder(self, study: str) -> None:
        self.local.mkdir(parents=True, exist_ok=True)
        written = self.local / f".{MARKER}.{uuid4().hex}.partial"
        try:
            written.write_text(f"{study}\n", encoding="utf-8")
            written.replace(self.local / MARKER)
        finally:
            written.unlink(missing_ok=True)


def touchstone_home() -> Home:
    """The home that the environment names.

    A remote `TOUCHSTONE_HOME` (``s3://bucket/folder``) holds the tables. What needs a disk stays in the checkout, in a
    folder for each address (``.touchstone/remote/s3-bucket-folder-1a2b3c4d``): the embedded database, Dagster's state,
    sample inputs and the configuration, `touchstone.yaml`, where `TOUCHSTONE_CONFIG` names no other file.
    """
    named = os.environ.get("TOUCHSTONE_HOME") or str(CHECKOUT / DEFAULT)
    if not named.isascii() and any("\ud800" <= letter <= "\udfff" for letter in named):
        shown = named.encode("utf-8", "backslashreplace").decode()
        raise UserError(f"TOUCHSTONE_HOME: '{shown}' is not UTF-8. Rename the folder, or set PYTHONUTF8=1.")
    if "://" in named and not named.startswith("file://"):
        return Home(UPath(named), CHECKOUT / DEFAULT / REMOTE / _folder_name(named))
    local = with_users_folder(Path(named.removeprefix("file://")), "TOUCHSTONE_HOME").absolute()
    return Home(UPath(local), local)


def with_users_folder(path: Path, setting: str) -> Path:
    """The path with ``~`` or ``~name`` at its start replaced by that user's folder.

    Raises:
        UserError: There is no such user; the message names the setting that the path comes from.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        raise UserError(f"{setting}: '{path}' begins with the folder of a user who is unknown. Correct it.") from None


def _folder_name(address: str) -> str:
    """A name that people recognise and that no other address has."""
    address = address.rstrip("/")
    scheme, place = address.split("://", 1)
    # What comes before the @ may be a password.
    readable = re.sub(r"[^A-Za-z0-9]+", "-", f"{scheme}-{place.rpartition('@')[2]}").strip("-")[:60]
    return f"{readable}-{hashlib.sha256(address.encode()).hexdigest()[:8]}"
