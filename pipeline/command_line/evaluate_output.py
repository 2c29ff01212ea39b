"""Where the results of `touchstone evaluate` go: the terminal, a JSON file, pictures."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from pipeline.command_line.evaluate_options import Asked
from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.partial_files import is_device, write_whole


class Picture(NamedTuple):
    """A picture that can be drawn: what its file's name adds, and what it is, as Vega-Lite reads it."""

    ending: str
    spec: dict[str, Any]


def refuse_output(output: Path | None, *inputs: str) -> None:
    """Say so before anything is computed where a result cannot be written.

    Args:
        output: Where it would go.
        inputs: What is read: a result in its place would be the end of it.

    Raises:
        UserError: The path is a folder, a pipe or a device, or an input.
    """
    if output is not None and output.exists() and any(Path(one).exists() and output.samefile(one) for one in inputs):
        raise UserError(f"{output} is the file that is read. Name another for the result.")
    if output is not None and output.is_dir():
        raise UserError(f"{output} is a folder. Name a file in it: {output / 'results.json'}.")
    if output is not None and is_device(output):
        raise UserError(f"{output} is no file, and would be replaced by one. Name a file, or use `--json`.")


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
    try:
        if output is not None:
            write_whole(output, text)
            paths.append(output)
        for path, other in texts:
            write_whole(path, other)
            paths.append(path)
        paths += _drawn(
            pictures, output.with_suffix("") if output is not None else Path(f"{asked.name}_{result['command']}")
        )
    except OSError as error:
        raise UserError(f"{error.filename or output} cannot be written ({error.strerror}).") from error
    if as_json:
        # Not stdout's own encoding: JSON is UTF-8 whatever the terminal's locale.
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    else:
        show(result, terminal(highlight=False))
    to = terminal(stderr=as_json, highlight=False)
    for path in paths:
        to.print(f"Wrote {path}", soft_wrap=True)


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
