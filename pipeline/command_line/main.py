"""`touchstone`: the command line, whose errors that a user can fix are one line and exit code 2."""

from pipeline.command_line.terminal import terminal

# isort: split

import gc
import sys
import traceback
from importlib.metadata import version
from tempfile import NamedTemporaryFile
from typing import Annotated, NoReturn

import typer

from pipeline.command_line import (
    backup,
    calls,
    conformance,
    demo,
    dev,
    doctor,
    evaluate,
    import_files,
    init,
    judges,
    pairwise,
    reliability,
    review,
    run_study,
    serve,
    status,
    verdict,
)
from pipeline.command_line.given_once import Application
from resources.errors import UserError
from resources.runtime import ctrl_c
from resources.runtime.memory import COLLECTED_AT

LONGEST_FAULT = 300

application = Application(
    name="touchstone",
    help="May an automated judge's verdicts be trusted in place of people's, at which setting, and how surely?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
application.command("demo")(demo.demo)
application.command("verdict")(verdict.verdict)
application.command("run")(run_study.run)
application.command("pairwise")(pairwise.pairwise)
application.command("status")(status.status)
application.command("end-run")(status.end_run)
application.command("calls")(calls.calls)
application.command("gates")(status.gates)
application.command("conformance")(conformance.conformance)
application.command("init")(init.init)
application.command("import")(import_files.import_files)
application.command("doctor")(doctor.doctor)
application.command("dev")(dev.dev)
application.command("serve")(serve.serve)
application.command("backup")(backup.backup)
application.command("restore")(backup.restore)
application.command("review")(review.review)
application.add_typer(evaluate.application, name="evaluate")
application.add_typer(judges.application, name="judges")
application.add_typer(reliability.application, name="reliability")


def _say_version(asked: bool) -> None:
    if asked:
        from resources.runtime.provenance import current_commit

        commit = current_commit()
        sys.stdout.write(f"touchstone {version('touchstone')}{f' ({commit})' if commit else ''}\n")
        raise typer.Exit


@application.callback()
def everywhere(
    _version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print version and commit; end.")
    ] = False,
) -> None:
    """Take what goes with every command."""


def run() -> None:
    """Entry point of the `touchstone` script."""
    gc.set_threshold(*COLLECTED_AT)
    try:
        _run()
    finally:
        # Before it ends Python would look through all that is loaded once more: most of a second, for nothing.
        gc.freeze()
        ctrl_c.end()


def _run() -> None:
    try:
        application()
    except UserError as problem:
        _end(str(problem), 2)
    except OSError as problem:
        # A folder that cannot be written, a full disk: the user's to fix, and the system's words name it.
        _end(f"{problem.filename}: {problem.strerror}." if problem.filename else str(problem), 2)
    except Exception as problem:
        said = " ".join(f"{type(problem).__name__}: {problem}".split())[:LONGEST_FAULT].rstrip(".")
        _end(f"{said}. This is a fault of Touchstone; {_kept(problem)}", 1)


def _end(words: str, status: int) -> NoReturn:
    terminal(stderr=True).print("Error:", style="red", end=" ")
    sys.stderr.write(f"{words}\n")
    sys.exit(status)


def _kept(problem: Exception) -> str:
    """Where the developers find what happened: a traceback on a terminal helps no one else."""
    try:
        with NamedTemporaryFile("w", prefix="touchstone-fault-", suffix=".txt", delete=False, encoding="utf-8",
                                errors="backslashreplace") as file:  # fmt: skip
            file.write("".join(traceback.format_exception(problem)))
    except OSError:
        return "its details could not be written."
    return f"send its developers {file.name}."
