"""Where the configuration is: `TOUCHSTONE_CONFIG`, else `touchstone.yaml` in the home."""

import os
from pathlib import Path

from resources.errors import UserError
from resources.runtime.home import Home, with_users_folder

FILE_NAME = "touchstone.yaml"


def configuration_file(home: Home) -> Path | None:
    """The file that counts, or None for the built-in sample study.

    Raises:
        UserError: `TOUCHSTONE_CONFIG` names a file that is not there, or something else has the file's name.
    """
    named = os.environ.get("TOUCHSTONE_CONFIG")
    if named:
        path = with_users_folder(Path(named), "TOUCHSTONE_CONFIG").absolute()
        if not path.is_file():
            raise UserError(f"TOUCHSTONE_CONFIG names {path}, which is no file. `touchstone init` writes one.")
        return path
    path = home.local / FILE_NAME
    if path.is_file():
        return path
    if path.exists() or path.is_symlink():
        raise UserError(
            f"{path} is no file: a folder, a pipe or a broken link. Remove it; `touchstone init` writes one."
        )
    return None
