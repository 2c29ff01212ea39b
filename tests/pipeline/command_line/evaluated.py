"""Runs `touchstone evaluate` as tests do, and holds what it answers against the published schema."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from typer.testing import CliRunner

from pipeline.command_line.main import application
from resources.errors import UserError

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "evaluation.schema.json"
WIDTH = 80


@cache
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def evaluated(*arguments: object) -> dict[str, Any]:
    """The JSON on stdout: nothing else stands there, and the schema allows it."""
    done = CliRunner().invoke(application, ["evaluate", *map(str, arguments), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    result = strict(done.stdout)
    validator().validate(result)
    return result


def told(*arguments: object) -> str:
    """What a person reads: no line is wider than a terminal, but for paths that were written."""
    runner = CliRunner(env={"COLUMNS": str(WIDTH)})
    done = runner.invoke(application, ["evaluate", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    too_wide = [line for line in done.stdout.splitlines() if len(line) > WIDTH and not line.startswith("Wrote ")]
    assert not too_wide
    return done.stdout


def refused(*arguments: object) -> str:
    """The words of a mistake that the user can fix."""
    done = CliRunner().invoke(application, ["evaluate", *map(str, arguments)])
    assert isinstance(done.exception, UserError), done.exception
    assert not done.stdout
    return str(done.exception)


def json_lines(path: Path, *records: dict[str, Any] | str) -> Path:
    """A file of records; a text is a line as it is."""
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def untimed(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the time at which it was made."""
    provenance = {key: value for key, value in result["provenance"].items() if key != "made_at"}
    return result | {"provenance": provenance}
