"""Which data sets there are, with their files, and what is configured for each."""

import hashlib
import json
from typing import Any

from resources.configuration.evaluation import Dataset, EvaluationStudy
from resources.errors import UserError
from resources.inputs.any_file import ENDINGS
from resources.runtime.opened_files import refuse_name


def known_datasets(study: EvaluationStudy) -> dict[str, Dataset]:
    """Every data set with its file: the configured ones, then what lies in the inbox under its file's name.

    Raises:
        UserError: Two files of one name, or a configured data set without a file.
    """
    found: dict[str, Dataset] = {}
    dropped: dict[str, Any] = {}
    if study.inbox is not None and study.inbox.is_dir():
        for path in sorted(study.inbox.iterdir()):
            if path.is_file() and not path.name.startswith(".") and path.suffix.lower() in ENDINGS:
                refuse_name(path)
                if path.stem in dropped:
                    raise UserError(
                        f"{path} and {dropped[path.stem].name} are one data set by name. Rename one of them."
                    )
                dropped[path.stem] = path
    for name, dataset in study.datasets.items():
        file = dataset.file or dropped.get(name)
        if file is None:
            raise UserError(f"Data set '{name}' has no `file`, and the inbox holds no file of that name.")
        found[name] = dataset.model_copy(update={"file": file})
    for name, path in dropped.items():
        found.setdefault(name, study.defaults.model_copy(update={"file": path}))
    return found


def configured_as(dataset: Dataset) -> str:
    """A digest of all that is set for a data set, but for where its file lies: another one makes it again."""
    plan = dataset.model_dump(mode="json", exclude={"file"})
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()
