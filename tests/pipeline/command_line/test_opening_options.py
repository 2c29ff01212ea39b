"""Options that say how a file is written: one declaration for every command."""

from typing import get_type_hints

from pipeline.command_line import opening_options
from pipeline.command_line.init import init
from pipeline.command_line.verdict import verdict


def test_what_a_file_does_not_say_is_declared_once_for_every_command() -> None:
    for command in (init, verdict):
        hints = get_type_hints(command, include_extras=True)
        for name in ("sheet", "encoding", "decimal"):
            assert hints[name] is getattr(opening_options, name.capitalize())
