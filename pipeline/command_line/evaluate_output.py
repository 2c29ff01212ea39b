"""Where the results of `touchstone evaluate` go: the terminal, a JSON file, pictures."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from pipeline.command_line.evaluate_options import Asked
from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.opened_files import real_path
from resources.runtime.partial_files import is_device, write_whole


class Picture(NamedTuple):
    """A picture that can be drawn: what its file's name adds, and what it is, as Vega-Lite reads it."""

    ending: str
    spec: dict[str, Any]


def refuse_output(output: Path | None, *inputs: str, name: str = "results.json") -> None:
    """Say so before anything is computed where a result cannot be written.

    Args:
        output: Where it would go.
        inputs: What is read: a result in its place would be the end of it.
        name: Of a file, for the sentence about a folder.

    Raises:
        UserError: The path is a folder, a pipe or a device, or an input, or is in what is no folder or may not be
            written to.
    """
    if output is None:
        return
    if output.exists() and any(Path(one).exists() and output.samefile(one) for one in inputs):
        raise UserError(f"{output} is the file that is read. Name another for the result.")
    if output.is_dir():
        raise UserError(f"{output} is a folder. Name a file in it: {output / name}.")
    if is_device(output):
        raise UserError(f"{output} is no file, and would be replaced by one. Name a file, or use `--json`.")
    there = next(folder for folder in output.absolute().parents if folder.exists())
    if not there.is_dir():
        raise UserError(f"{output} cannot be written: {there.name} is a file, no folder. Name another place.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UserError(f"{output} cannot be written: {there} may not be written to. Name another place.")


def refuse_twice(*paths: Path | None) -> None:
    """Refuse two results in one file.

    Raises:
        UserError: Two paths lead to one.
    """
    seen: set[Path] = set()
    for path in filter(None, paths):
        if (place := real_path(path)) in seen:
            raise UserError(f"{path} is named for two results. Name a file for each.")
        seen.add(place)


def deliver(
    asked: Asked,
    result: dict[str, Any],
    show: Callable[[dict[str, Any], Console], None],
    pictures: Sequence[Picture],
    texts: Sequence[tuple[Path, str]] = (),
) -> None:
    """Tell a result.

    Args:
        asked: Where it goes: a file, the terminal as JSON, else for people; pictures next to the file, else in the
            current folder, with the name of what was read.
        result: Strict JSON values.
        show: Prints it for people.
        pictures: To draw.
        texts: Other files and what they hold.

    Raises:
        UserError: A file cannot be written.
    """
    text = json.dumps(result, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    output, as_json, paths = asked.output, asked.as_json, []
    new_folders = set()
    for path, other in [*([(output, text)] if output is not None else []), *texts]:
        new_folders |= set() if path.parent.exists() else {path.parent}
        try:
            write_whole(path, other)
        except OSError as error:
            raise UserError(f"{path} cannot be written ({error.strerror}).") from error
        paths.append(path)
    base = output.with_suffix("") if output is not None else Path(f"{asked.name}_{result['command']}")
    try:
        paths += _drawn(pictures, base)
    except OSError as error:
        raise UserError(f"{error.filename or base} cannot be written ({error.strerror}).") from error
    if as_json:
        # Not stdout's own encoding: JSON is UTF-8 whatever the terminal's locale.
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    else:
        show(result, terminal(highlight=False))
    to = terminal(stderr=as_json, highlight=False)
    for path in paths:
        if path.parent in new_folders:
            to.print(f"Wrote a new folder, {path.parent}", soft_wrap=True, markup=False)
            new_folders.remove(path.parent)
        to.print(f"Wrote {path}", soft_wrap=True, markup=False)


def _drawn(pictures: Sequence[Picture], base: Path) -> list[Path]:
    """The paths of the pictures; two whose names would be one are numbered."""
    if not pictures:
        return []
    from reports.shared.figure import FORMATS, save_figure

    endings = [_in_a_name(picture.ending) for picture in pictures]
    paths: list[Path] = []
    for number, (picture, ending) in enumerate(zip(pictures, endings, strict=True), start=1):
        parts = [base.name, *([ending] if ending else []), *([str(number)] if endings.count(ending) > 1 else [])]
        for suffix in FORMATS:
            path = base.with_name("_".join(parts) + suffix)
            save_figure(picture.spec, path)
            paths.append(path)
    return paths


def _in_a_name(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in text)
