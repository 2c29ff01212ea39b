"""Options as a command line gives them; one given twice where one is read is refused, as the last would count."""

import re
from math import isfinite
from typing import Any, Final

import click
import typer
from click.core import ParameterSource
from typer.core import TyperCommand, TyperGroup

from resources.errors import listing

FOR: Final = "-for"  # `--flag` is of all, `--flag-for NAME` of one, which may be written as `--flag NAME`


def given_options(context: click.Context) -> list[tuple[str, str]]:
    """Each option that the command line gives, with its value; of flags there is none."""
    options = [one for one in context.command.params if isinstance(one, click.Option) and not one.is_flag]
    written = [one for one in options if context.get_parameter_source(str(one.name)) is ParameterSource.COMMANDLINE]
    values = [(one, context.params[str(one.name)]) for one in written]
    return [(one.opts[0], str(v)) for one, value in values for v in (value if one.multiple else [value])]


class _Once:
    """What a command and a group have in common."""

    def make_parser(self, ctx: click.Context) -> Any:
        """Click's parser, which takes a flag's value where there is an option for it, and refuses what is given twice.

        Its `parse_args` raises a `UsageError` then.
        """
        parser = super().make_parser(ctx)  # type: ignore[misc]
        parse = parser.parse_args
        named = [one for option in ctx.command.params for one in option.opts if one.endswith(FOR)]

        def parse_args(args: list[str]) -> tuple[dict[str, Any], list[str], list[click.Parameter]]:
            for flag in (one.removesuffix(FOR) for one in named):
                args = [re.sub(f"^{flag}=", f"{flag}{FOR}=", one) for one in args]
                # What no argument takes is a flag's value.
                if flag in args and parse([*args])[1]:
                    following = [*args[1:], "-"]
                    args = [f"{flag}{FOR}" if one == flag and after[:1] != "-" else one
                            for one, after in zip(args, following, strict=True)]  # fmt: skip
            values, rest, order = parse(args)
            single = [one for one in order if isinstance(one, click.Option) and not (one.multiple or one.count)]
            twice = dict.fromkeys("/".join((*one.opts, *one.secondary_opts)) for one in single if single.count(one) > 1)
            if twice:
                problem = f"{listing(twice)} is given several times, and one is read. Keep one."
                raise click.UsageError(problem, ctx)
            return values, rest, order

        parser.parse_args = parse_args
        return parser


class OnceCommand(_Once, TyperCommand):
    """A command each of whose options is given once."""

    def invoke(self, ctx: click.Context) -> Any:
        """As click does, for which nan is within any range, and a file that ends too early just "Aborted."."""
        for option in ctx.command.params:
            value = ctx.params.get(str(option.name))
            if isinstance(value, float) and not isfinite(value):
                raise click.BadParameter(f"{value} is no finite number.", ctx, option)
        try:
            return super().invoke(ctx)
        except EOFError as problem:
            raise RuntimeError(f"EOFError: {problem}") from problem


class OnceGroup(_Once, TyperGroup):
    """Commands under one name; each of its own options is given once."""


class Application(typer.Typer):
    """`typer.Typer` with commands and groups of these kinds."""

    def __init__(self, **options: Any) -> None:
        """As typer does."""
        super().__init__(cls=OnceGroup, **options)

    def command(self, name: str | None = None, **options: Any) -> Any:
        """As typer does."""
        return super().command(name, cls=OnceCommand, **options)
