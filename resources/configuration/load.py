"""The configuration as it is read, once: `TOUCHSTONE_CONFIG`, else in the home, else the sample study."""

import os
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from resources.configuration.fidelity import FidelityStudy
from resources.errors import UserError, nearest
from resources.home import Home, touchstone_home

FILE_NAME = "touchstone.yaml"


class Configuration(BaseSettings):
    """Everything a user can set; secrets are not among it, they stay in the environment."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True)

    study: str = Field("study", pattern=r"^[a-z][a-z0-9_]*$", description="names the study in the ledger")
    fidelity: FidelityStudy

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read the file's values only: a stray variable in the environment changes no study."""
        return (init_settings,)


def configuration_file(home: Home) -> Path | None:
    """The file that counts, or None for the built-in sample study.

    Raises:
        UserError: `TOUCHSTONE_CONFIG` names a file that is not there.
    """
    named = os.environ.get("TOUCHSTONE_CONFIG")
    if named:
        path = Path(named).expanduser().absolute()
        if not path.is_file():
            raise UserError(f"TOUCHSTONE_CONFIG names {path}, which is no file. `touchstone init` writes one.")
        return path
    path = home.local / FILE_NAME
    return path if path.is_file() else None


def load_configuration(home: Home | None = None) -> Configuration:
    """The configuration that the environment and the home name.

    Raises:
        UserError: Every fault of the file in one message, with the nearest known key for an unknown one.
    """
    home = home or touchstone_home()
    path = configuration_file(home)
    return sample_configuration(home) if path is None else read_configuration(path)


def sample_configuration(home: Home) -> Configuration:
    """The study on the inputs that the project makes itself."""
    inputs = home.samples / "fidelity"
    return Configuration(
        study="sample",
        fidelity=FidelityStudy(
            human_scores=inputs / "subjective.csv",
            catalogue=inputs / "database.csv",
            references=inputs / "references",
            candidates=inputs / "candidates",
        ),
    )


def read_configuration(path: Path) -> Configuration:
    """One file, its relative paths taken from its own folder.

    Raises:
        UserError: The file is no YAML mapping, or a value or key is wrong.
    """
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise UserError(f"{path} is not readable YAML: {problem}") from problem
    if not isinstance(values, dict):
        raise UserError(f"{path} holds no settings. `touchstone init` writes a commented file to start from.")
    try:
        configuration = Configuration(**values)
    except (ValidationError, TypeError) as problem:
        raise UserError(f"{path} has faults:\n{_faults(problem)}") from problem
    return configuration.model_copy(update={"fidelity": _anchored(configuration.fidelity, path.parent)})


def _anchored(study: FidelityStudy, folder: Path) -> FidelityStudy:
    anchored: dict[str, Any] = {
        name: folder / value.expanduser()
        for name in ("human_scores", "references", "candidates", "catalogue", "selected_objects")
        if isinstance(value := getattr(study, name), Path)
    }
    if study.judge.kind == "replay":
        anchored["judge"] = study.judge.model_copy(update={"path": folder / study.judge.path.expanduser()})
    return study.model_copy(update=anchored)


def _faults(problem: ValidationError | TypeError) -> str:
    if isinstance(problem, TypeError):
        return f"  {problem}"
    return "\n".join(f"  {_fault(error)}" for error in problem.errors())


def _fault(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{where}: no such key{nearest(str(error['loc'][-1]), _known_keys(error['loc'][:-1]))}."
    if error["type"] == "missing":
        return f"{where}: must be given."
    return f"{where}: {error['msg']} (found {error['input']!r})."


def _known_keys(parents: tuple[Any, ...]) -> list[str]:
    """Keys of the section that the fault lies in; a union's members are told apart by their tag."""
    model: Any = Configuration
    for part in parents:
        field = getattr(model, "model_fields", {}).get(part)
        if field is not None:
            model = field.annotation
        elif (member := _member(model, part)) is not None:
            model = member
    members = [model, *getattr(model, "__args__", ())]
    return [key for one in members if isinstance(one, type) and issubclass(one, BaseModel) for key in one.model_fields]


def _member(union: Any, tag: Any) -> Any:
    for member in getattr(union, "__args__", ()):
        kind = getattr(member, "model_fields", {}).get("kind")
        if kind is not None and tag in getattr(kind.annotation, "__args__", ()):
            return member
    return None
