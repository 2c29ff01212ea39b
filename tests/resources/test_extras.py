"""Optional packages: the extras of pyproject.toml are those that the product knows and asks for."""

import tomllib

import pytest

from resources.errors import UserError
from resources.extras import EXTRAS, Extra, missing_modules, require_extra
from resources.runtime.home import CHECKOUT


def test_the_extras_are_those_of_pyproject_and_all_has_each_of_them() -> None:
    declared = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    together = declared.pop("all")
    assert declared.keys() == EXTRAS.keys()
    assert together == [f"touchstone[{','.join(sorted(EXTRAS))}]"]


def test_a_missing_extra_is_one_line_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "models", Extra("models", ("json", "no_such_module", "no_such.at_all")))
    assert missing_modules("models") == ["no_such_module", "no_such.at_all"]
    with pytest.raises(UserError) as raised:
        require_extra("models", "The judge", "Or take another.")
    assert str(raised.value) == (
        "The judge needs the extra `models` (no_such_module is not installed). In the checkout, run: "
        "pip install -e '.[models]'. Or take another."
    )


def test_an_extra_that_is_installed_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "models", Extra("models", ("json",)))
    require_extra("models", "The judge")
