"""Charts that pages of tests share, drawn once, and pages of runs that draw nothing else."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest


@pytest.fixture
def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chart of the same specification is drawn once for all tests of a process: that is half of a page's time.

    A page that a fixture of a module makes is drawn without this: what is compared with it was drawn for itself.
    """
    monkeypatch.setattr("vl_convert.vegalite_to_svg", _drawing)


@pytest.fixture(scope="module")
def pages() -> Iterator[None]:
    """Runs of the module write the pages of their reports, with what stands on them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.small_study.PAGES", ())
        yield


def _drawing(spec: dict[str, Any], allowed_base_urls: list[str]) -> str:
    assert allowed_base_urls == [], "nothing is loaded from a network"
    return _drawn(json.dumps(spec, sort_keys=True))


@lru_cache(maxsize=500)
def _drawn(spec: str) -> str:
    from vl_convert.vl_convert import vegalite_to_svg  # the one that is not replaced

    return str(vegalite_to_svg(json.loads(spec), allowed_base_urls=[]))
