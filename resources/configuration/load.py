"""The configuration as it is read, once: `TOUCHSTONE_CONFIG`, else in the home, else the built-in sample study."""

import re
from pathlib import Path
from typing import Any, Final, get_args, get_origin

import yaml
from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from resources.configuration.alerts import Alerts
from resources.configuration.evaluation import Dataset, EvaluationGates, EvaluationStudy
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.limits import Limits
from resources.configuration.listed_judges import LISTED_JUDGES, ListedJudge, by_name, with_judges, without_judges
from resources.configuration.made_up import MadeUp, StudyName
from resources.configuration.pairwise import PairwiseStudy
from resources.configuration.place import configuration_file
from resources.configuration.reliability import (
    EmbeddingJudge,
    JudgeName,
    LexicalJudge,
    Recalibration,
    RecordedJudge,
    ReliabilityStudy,
)
from resources.configuration.section import with_empty_sections
from resources.configuration.yaml_text import KeyFaults, TooLarge, limits_of, values_in_yaml
from resources.errors import UserError, did_you_mean
from resources.runtime.home import Home, touchstone_home, with_users_folder
from resources.runtime.opened_files import refuse_no_file

SAMPLE_MADE_UP: Final[dict[StudyName, tuple[MadeUp, ...]]] = {
    "fidelity": ("people",),
    "pairwise": ("people",),
    "evaluation": ("people", "answers"),
    "reliability": ("second_prompt", "reviewer"),
}
# Names of their own, because answers under the second prompt are made up for each: none is those of a real judge.
FIRST, SECOND = "judge1", "judge2"
SAMPLE = "sample"
_MOST_FAULTS, _LONGEST_VALUE = 50, 100  # of one message; characters of a value in it
# What pydantic says of a tuple, which YAML has not, or of a section.
# A key of an access service, or what looks like one: long, in one piece, letters and digits mixed.
_SECRET = re.compile(r"sk-[\w-]+|(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{21,}", re.ASCII)
_PLAIN_WORDS = {
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping of keys to values",
    "model_type": "must be a mapping of keys to values",
    "model_attributes_type": "must be a mapping of keys to values",
}


class Configuration(BaseSettings):
    """Everything a user can set; secrets are not among it, they stay in the environment."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True)

    study: str = Field(
        "study", pattern=r"^[a-z][a-z0-9_]*$", max_length=100, description="names the study in the ledger"
    )
    fresh_within_hours: float | None = Field(None, ge=1, le=8760, description="older reports are shown as stale")
    alerts: Alerts = Alerts()
    limits: Limits = Limits()
    made_up: dict[StudyName, tuple[MadeUp, ...]] = Field({}, description="what is made up; the results say so")
    judges: dict[JudgeName, ListedJudge] = Field({}, description="judges by name, which studies draw from")
    fidelity: FidelityStudy | None = None
    evaluation: EvaluationStudy | None = None
    pairwise: PairwiseStudy | None = None
    reliability: ReliabilityStudy | None = None

    @model_validator(mode="before")
    @classmethod
    def empty_sections(cls, values: Any) -> Any:
        """A section with nothing under it asks for its defaults; of the studies `evaluation` alone has all of them."""
        if isinstance(values, dict) and values.get("evaluation", values) is None:
            values = values | {"evaluation": {}}
        return with_empty_sections(values, cls.model_fields)

    @model_validator(mode="after")
    def some_study(self) -> "Configuration":
        """Refuse a file that configures nothing."""
        if not any((self.fidelity, self.pairwise, self.evaluation, self.reliability)):
            raise ValueError(
                "no study is configured: add a section `fidelity`, `pairwise`, `evaluation` or `reliability`"
            )
        return self

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
    return Configuration(
        study=SAMPLE,
        fidelity=sample_fidelity(home),
        pairwise=sample_pairwise(home),
        evaluation=sample_evaluation(home),
        reliability=sample_reliability(home),
        made_up=SAMPLE_MADE_UP,
    )


def read_configuration(path: Path) -> Configuration:
    """One file, its relative paths taken from its own folder.

    Raises:
        UserError: The file cannot be read or is no YAML mapping, or a value or key is wrong.
    """
    return configured(values_in(path), path)


def values_in(path: Path) -> dict[str, Any]:
    """What a YAML file says, not yet looked at.

    Raises:
        UserError: The file cannot be read, or is no YAML mapping.
    """
    refuse_no_file(path)
    try:
        values = values_in_yaml(path, limits_of(path))
    except TooLarge as problem:
        raise UserError(f"{path}, {problem}" if str(problem).startswith("line") else f"{path}: {problem}") from problem
    except KeyFaults as problem:
        raise _faulty(path, problem.faults) from problem
    except (yaml.YAMLError, ValueError) as problem:
        raise UserError(f"{path} is not readable YAML: {_without_secrets(str(problem))}") from problem
    except OSError as problem:
        raise UserError(f"{path} cannot be read: {problem.strerror}. Check its permissions.") from problem
    if not isinstance(values, dict):
        raise UserError(f"{path} holds no settings. `touchstone init` writes a commented file to start from.")
    return values


def configured(values: dict[str, Any], path: Path) -> Configuration:
    """The configuration that these values of a file make, its relative paths taken from the file's folder.

    Raises:
        UserError: Every fault in one message.
    """
    try:
        configuration = Configuration(**_with_listed_judges(values, path))
    except ValidationError as problem:
        raise _faulty(path, [_fault(error) for error in problem.errors()]) from problem
    if configuration.study == SAMPLE:
        raise _faulty(path, [f"study: '{SAMPLE}' is the built-in study; name yours otherwise."])
    try:
        anchored: Configuration = _anchored(configuration, path.parent)
    except UserError as problem:
        raise _faulty(path, [str(problem)]) from problem
    return anchored


def _with_listed_judges(values: dict[str, Any], path: Path) -> dict[str, Any]:
    """The values with the judges of the list in place of their names.

    Raises:
        UserError: A judge of the list is wrong; what else is wrong with the file is in the message too, but for what
            depends on its judges.
    """
    try:
        values = by_name(values)
        if not values.get("judges"):
            return values
        return with_judges(values, LISTED_JUDGES.validate_python(values["judges"]))
    except UserError as problem:
        raise _faulty(path, [str(problem)]) from problem
    except ValidationError as problem:
        faults = [_fault({**error, "loc": ("judges", *error["loc"])}) for error in problem.errors()]
    try:
        Configuration(**without_judges(values))
    except ValidationError as problem:
        others = [error for error in problem.errors() if error["type"] != "value_error"]
        faults += [_fault(error) for error in others if error["loc"][:1] != ("judges",)]
    raise _faulty(path, faults)


def _faulty(path: Path, faults: list[str]) -> UserError:
    more = [f"  and {len(faults) - _MOST_FAULTS} more."] if len(faults) > _MOST_FAULTS else []
    return UserError("\n".join([f"{path} has faults:", *(f"  {fault}" for fault in faults[:_MOST_FAULTS]), *more]))


def _anchored(value: Any, folder: Path, where: str = "") -> Any:
    """Every relative path below `value`, at any depth, taken from the folder; `where` are the keys down to it."""
    if isinstance(value, Path):
        return folder / with_users_folder(value, where)
    inner = f"{where}." if where else ""
    if isinstance(value, BaseModel):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        return value.model_copy(
            update={name: _anchored(field, folder, f"{inner}{name}") for name, field in fields.items()}
        )
    if isinstance(value, dict):
        return {key: _anchored(item, folder, f"{inner}{key}") for key, item in value.items()}
    return value


def _fault(error: Any) -> str:
    loc = error["loc"]
    # Of a listed judge the third part is its kind, which the file need not have.
    where = ".".join(str(part) for part in (loc[:2] + loc[3:] if loc[:1] == ("judges",) else loc)) or "file"
    if error["type"] == "extra_forbidden":
        return f"{where}: no such key{did_you_mean(str(error['loc'][-1]), _known_keys(error['loc'][:-1]))}."
    if error["type"] == "missing":
        return f"{where}: must be given."
    if kinds := _kinds(error["loc"]):
        given = error["input"].get("kind") if isinstance(error["input"], dict) else error["input"]
        found = "" if given is None else f" (found {_shown(given)})"
        return f"{where}: needs `kind`: {' or '.join(kinds)}{found}."
    found = "" if isinstance(error["input"], dict | BaseModel) else f" (found {_shown(error['input'])})"
    if error["loc"][-1:] == ("key_variable",):
        found = " (found '***')"  # it may be the key itself
    said = _PLAIN_WORDS.get(error["type"], error["msg"].removeprefix("Value error, "))
    return f"{where}: {said}{found}."


def _shown(value: Any) -> str:
    words = _without_secrets(repr(value))
    return words if len(words) <= _LONGEST_VALUE else f"{words[:_LONGEST_VALUE]}..."


def _without_secrets(words: str) -> str:
    return _SECRET.sub("***", words)


def _known_keys(parents: tuple[Any, ...]) -> list[str]:
    """Keys of the section that the fault lies in."""
    model = _annotation(parents)
    return [key for one in [model, *get_args(model)] if is_section(one) for key in one.model_fields]


def _kinds(place: tuple[Any, ...]) -> list[str]:
    """What `kind` may be, where the place is a section of several kinds; nothing elsewhere."""
    members = [one for one in get_args(_annotation(place)) if is_section(one) and _tag(one)]
    return [kind for one in members for kind in get_args(_tag(one))] if len(members) > 1 else []


def _annotation(parents: tuple[Any, ...]) -> Any:
    """The type that these keys lead to; a union's members are distinguishable by their tag."""
    model: Any = Configuration
    for part in parents:
        members = [model, *get_args(model)]
        fields = [one.model_fields[part] for one in members if is_section(one) and part in one.model_fields]
        # One tag, `model`, is the name of a field too.
        tagged = [one for one in get_args(model) if is_section(one) and part in get_args(_tag(one))]
        model = tagged[0] if tagged else fields[0].annotation if fields else _of_a_name(model)
    return model


def _of_a_name(model: Any) -> Any:
    """What a mapping from names to sections holds; anything else as it is."""
    held = get_args(model)[1] if get_origin(model) is dict else model
    return get_args(held)[0] if hasattr(held, "__metadata__") else held


def is_section(value: Any) -> bool:
    """Whether a type annotation is a part of the configuration."""
    return isinstance(value, type) and issubclass(value, BaseModel)


def _tag(section: type[BaseModel]) -> Any:
    kind = section.model_fields.get("kind")
    return kind.annotation if kind else None


def sample_fidelity(home: Home) -> FidelityStudy:
    """Study A on the sample renders."""
    folder = home.samples / "fidelity"
    return FidelityStudy(
        human_scores=folder / "subjective.csv",
        catalogue=folder / "database.csv",
        references=folder / "references",
        candidates=folder / "candidates",
    )


def sample_pairwise(home: Home) -> PairwiseStudy:
    """Study B on the sample series, all of whose photos are there; several series show one scene."""
    folder = home.samples / "pairwise"
    return PairwiseStudy(
        pairs_csv=folder / "pairs.csv",
        image_root=folder / "photos",
        dataset_name="sample_series",
        cluster_column="scene",
        max_missing_share=0.0,
    )


def sample_evaluation(home: Home) -> EvaluationStudy:
    """Study C on two files of scores and answers; one of them also by another score."""
    folder = home.samples / "evaluation"
    pictures = Dataset(
        file=folder / "datasets" / "sample_scores.jsonl",
        prediction="result.final_score",
        opinion_sd="metadata.mos_sd",
        votes="metadata.n_votes",
        cluster="metadata.reference",
        group_by=(("distortion_type",), ("reference_mode", "distortion_type")),
        gates=EvaluationGates(min_srcc=0.8, max_paper_deviation=0.05),
    )
    questions = Dataset(
        file=folder / "datasets" / "sample_answers.jsonl",
        group_by=(("task_type", "reference_mode"), ("metadata.question_type",)),
        gates=EvaluationGates(min_accuracy=0.75, max_paper_deviation=0.05),
    )
    return EvaluationStudy(
        inbox=home.local / "inbox",
        datasets={
            "sample_scores": pictures,
            "sample_sharpness": pictures.model_copy(
                update={"prediction": "result.sharpness_score", "gates": EvaluationGates()}
            ),
            "sample_answers": questions,
        },
        baseline=folder / "baseline.json",
    )


def sample_reliability(home: Home) -> ReliabilityStudy:
    """Study D on queries that two offline judges see differently; the second prompt's answers are made up."""
    folder = home.samples / "reliability"
    recorded = RecordedJudge(kind="recorded", path=folder / "recalibrated.jsonl")
    return ReliabilityStudy(
        queries=folder / "queries.jsonl",
        judges={FIRST: EmbeddingJudge(kind="embedding"), SECOND: LexicalJudge(kind="lexical")},
        calibration=folder / "calibration.jsonl",
        recalibration=Recalibration(judges={FIRST: recorded, SECOND: recorded}),
    )
