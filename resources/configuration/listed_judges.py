"""The list `judges:` of the configuration, and the studies' references to it by name."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter

from resources.configuration.fidelity import LocalJudge, ReplayJudge
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.reliability import EmbeddingJudge, JudgeName, LexicalJudge, RecordedJudge
from resources.errors import UserError, did_you_mean

ListedJudge = Annotated[
    ModelJudge | LocalJudge | ReplayJudge | EmbeddingJudge | LexicalJudge | RecordedJudge, Field(discriminator="kind")
]

LISTED_JUDGES: Final[TypeAdapter[dict[str, Any]]] = TypeAdapter(dict[JudgeName, ListedJudge])


def by_name(values: Mapping[str, Any]) -> dict[str, Any]:
    """The file's values with `judges` as a mapping from names to judges, each a model where it names no `kind`.

    Raises:
        UserError: One has no name, or two have the same.
    """
    listed = values.get("judges")
    if not isinstance(listed, list):
        return dict(values)
    judges: dict[str, Any] = {}
    for number, judge in enumerate(listed, start=1):
        name = judge.get("name") if isinstance(judge, dict) else None
        if not isinstance(name, str) or not name:
            raise UserError(
                f"judges: number {number} has no name. Write `name:` first, a word that studies call it by."
            )
        if name.lower() in {known.lower() for known in judges}:
            raise UserError(f"judges: two have the name '{name}', whatever the case of its letters. Rename one.")
        kind = judge.get("kind", "model")
        own = {key: value for key, value in judge.items() if kind == "model" or key != "name"}
        judges[name] = own | {"kind": kind}
    return dict(values) | {"judges": judges}


def without_judges(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values without what refers to the list, so that the rest can be read before the list is known."""
    return _referring(values, None) if values.get("judges") else dict(values)


def with_judges(values: Mapping[str, Any], judges: Mapping[str, Any]) -> dict[str, Any]:
    """The values with the judges in place of their names.

    Raises:
        UserError: A study names one that is not in the list.
    """
    return _referring(values, judges)


def _referring(values: Mapping[str, Any], judges: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values with references replaced, or left out where the list is not known."""
    found = dict(values)
    if isinstance(fidelity := values.get("fidelity"), dict) and isinstance(fidelity.get("judge"), str):
        found["fidelity"] = _replaced(fidelity, "judge", _one("fidelity.judge", fidelity["judge"], judges))
    if isinstance(fidelity, dict) and fidelity.get("judge") is not None and fidelity.get("judges"):
        raise UserError("fidelity: name one judge as `judge`, or several as `judges`, not both.")
    for section in ("fidelity", "pairwise"):
        if isinstance(study := found.get(section), dict) and "judges" in study:
            named = _several(f"{section}.judges", study["judges"], judges)
            found[section] = _replaced(study, "judges", named)
    if isinstance(reliability := values.get("reliability"), dict):
        named = _several("reliability.judges", reliability.get("judges"), judges)
        found["reliability"] = reliability = _replaced(reliability, "judges", named)
        if isinstance(again := reliability.get("recalibration"), dict):
            named = _several("reliability.recalibration.judges", again.get("judges"), judges)
            found["reliability"] = reliability | {"recalibration": _replaced(again, "judges", named)}
    return found


def _replaced(section: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    return {name: value if name == key else old for name, old in section.items() if name != key or value is not None}


def _several(where: str, written: Any, judges: Mapping[str, Any] | None) -> Any:
    """A list of names, or a mapping of which some values are names."""
    if isinstance(written, list):
        if twice := [str(name) for place, name in enumerate(written) if name in written[:place]]:
            raise UserError(f"{where}: '{twice[0]}' stands there twice. Name each judge once.")
        written = {str(name): str(name) for name in written}
    if not isinstance(written, dict) or not any(isinstance(value, str) for value in written.values()):
        return written
    if judges is None:
        return None
    return {
        name: _one(f"{where}.{name}", value, judges) if isinstance(value, str) else value
        for name, value in written.items()
    }


def _one(where: str, name: str, judges: Mapping[str, Any] | None) -> Any:
    if judges is None:
        return None
    if name not in judges:
        raise UserError(
            f"{where}: there is no judge '{name}' in the list `judges`{did_you_mean(name, judges)}. It has "
            f"{', '.join(judges)}."
        )
    return judges[name]
