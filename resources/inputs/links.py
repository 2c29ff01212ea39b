"""Links inside an image folder: they may lead anywhere in it, and nowhere else."""

from pathlib import Path

from resources.errors import UserError


def refuse_link_out(root: Path, place: Path, setting: str) -> None:
    """Refuse a link that leads out of a folder: its file would be read, and may be sent to a judge.

    Args:
        root: The folder; may be a link itself.
        place: A file or folder below it.
        setting: What names the folder in the configuration.

    Raises:
        UserError: It is such a link.
    """
    if not place.is_symlink():
        return
    target = place.resolve()
    if not target.is_relative_to(root.resolve()):
        raise UserError(
            f"{place}: this is a link that leads out of `{setting}` ({root}), to {target}. Nothing was read from it. "
            "Put the file itself there, or name a folder that holds both."
        )
