"""The path of Dagster's folder in a form that Dagster can read, whatever signs the home's path has."""

import glob
import os
import tempfile
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from resources.errors import UserError


def as_dagster_takes_it(folder: Path) -> Path:
    """The folder, or a link to it: Dagster reads dagster.yaml by a pattern, in which `[v2]` is one of two letters.

    It would find no such file, and run with telemetry on and retries off.

    Raises:
        UserError: The link cannot be made.
    """
    if glob.escape(str(folder)) == str(folder):
        return folder
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    link = Path(tempfile.gettempdir()) / f"touchstone-{user}-{sha256(str(folder).encode()).hexdigest()[:16]}"
    if glob.escape(str(link)) != str(link):
        raise UserError(f"Dagster takes no *, ? or [ in a path. Set TOUCHSTONE_HOME to another folder than {folder}.")
    new = link.with_name(f"{link.name}.{uuid4().hex}")
    try:
        # Another user's link of this name would lead elsewhere; it cannot be replaced in a folder of temporary files.
        if not (link.is_symlink() and link.lstat().st_uid == os.getuid() and link.readlink() == folder):
            new.symlink_to(folder, target_is_directory=True)
            new.replace(link)
    except OSError as problem:
        new.unlink(missing_ok=True)
        raise UserError(
            f"Dagster takes no *, ? or [ in a path, and {link}, which would lead to {folder}, cannot be made "
            f"({problem.strerror}). Set TOUCHSTONE_HOME to a folder without them."
        ) from problem
    return link
