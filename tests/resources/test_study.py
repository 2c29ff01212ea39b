"""The running study: a part that is not configured says so."""

from pathlib import Path

import pytest
from upath import UPath

from resources.errors import UserError
from resources.home import Home
from resources.study import Study


@pytest.mark.parametrize("section", ["fidelity", "evaluation"])
def test_a_study_that_is_not_configured_is_an_error_with_the_remedy(tmp_path: Path, section: str) -> None:
    study = Study("s", None, Home(UPath(tmp_path), tmp_path))
    with pytest.raises(UserError, match=rf"no section `{section}`\. `touchstone init` writes one"):
        getattr(study, section)
