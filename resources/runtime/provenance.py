"""Where a report or a JSON result comes from: version, commit, run, configuration, inputs, judge, prompt and seed."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version as installed_version
from typing import Any

from resources.runtime.home import CHECKOUT


@lru_cache
def current_commit() -> str | None:
    """The checkout's commit; none where Touchstone was installed as a package or git is missing."""
    if not (CHECKOUT / ".git").exists():
        return None
    # `--no-optional-locks`: a report writes nothing to the checkout, in which git may be at work.
    command = ["git", "--no-optional-locks", "-C", str(CHECKOUT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


@dataclass(frozen=True)
class Provenance:
    """What somebody needs to find or repeat the numbers of a page or file.

    Attributes:
        made_at: When it was made, with its zone.
        run_id: Dagster's run; none where a command made it without one.
        configuration_sha256: Of the configuration file; of the effective settings where there is no file.
        inputs: SHA-256 of each input by name; of a folder, over the hashes of all its files.
        judges: Names of the judges, or methods.
        prompts: SHA-256 of each prompt by its judge or version; empty where nothing reads a prompt.
        seed: Of everything drawn; none where nothing is.
        made_up: What of the input is made up, as `made_up` of the configuration names it; empty where nothing is.
        version: Of Touchstone.
        commit: Of the checkout, with `-dirty` where files were changed; none outside of one.
    """

    made_at: datetime
    run_id: str | None = None
    configuration_sha256: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    made_up: tuple[str, ...] = ()
    version: str = field(default_factory=lambda: installed_version("touchstone"))
    commit: str | None = field(default_factory=current_commit)

    @property
    def short(self) -> str:
        """Version, commit and time in one line, for every printed page."""
        made = f"{self.made_at:%Y-%m-%d %H:%M:%S %Z}"
        return f"Touchstone {self.version}{f' ({self.commit})' if self.commit else ''}, {made}"

    def as_json(self) -> dict[str, Any]:
        """The same for a JSON file; null for what does not apply."""
        return {
            "version": self.version,
            "commit": self.commit,
            "made_at": self.made_at.isoformat(timespec="seconds"),
            "run_id": self.run_id,
            "configuration_sha256": self.configuration_sha256,
            "inputs_sha256": dict(self.inputs),
            "judges": list(self.judges),
            "prompts_sha256": dict(self.prompts),
            "seed": self.seed,
            "made_up": list(self.made_up),
        }


def now() -> datetime:
    """The time of making, in UTC."""
    return datetime.now(UTC)
