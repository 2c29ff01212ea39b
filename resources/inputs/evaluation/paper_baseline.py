"""A paper's results: a JSON list of data set, metric, value, model, tools and protocol."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from analysis.spelling import one_spelling
from resources.configuration.limits import raise_it
from resources.configuration.yaml_text import current_limits
from resources.errors import FileFault
from resources.inputs.faults import Faults
from resources.runtime.opened_files import refuse_no_file

# Papers spell them so too.
SAME = {"srocc": "srcc", "krocc": "krcc"}
LARGEST = 1e300
# None of these is above 1.
LOWEST = {"srcc": -1.0, "plcc": -1.0, "krcc": -1.0, "accuracy": 0.0}


Category = tuple[tuple[str, str], ...]
Sign = Literal["as_measured", "turned"]


class PaperResult(NamedTuple):
    """One number of a paper, of the samples of one `category` where that names fields and their values.

    `sign` says whether a correlation of scores of which lower is better is given as measured or turned.
    """

    dataset: str
    metric: str
    value: float
    model: str | None
    tools: str | None
    protocol: str | None
    category: Category = ()
    sign: Sign | None = None


def read_baseline(path: Path) -> list[PaperResult]:
    """Every entry of a baseline file.

    Raises:
        FileFault: The file is missing, no JSON list, or an entry is wrong.
        FileFaults: Several entries are.
    """
    refuse_no_file(path)
    most = current_limits().line_bytes
    try:
        if path.stat().st_size > most:
            problem = f"it is larger than {most:,} bytes."
            raise FileFault(path, problem, f"Keep the entries that are needed, {raise_it('line_bytes')}")
        entries = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FileFault(path, f"it cannot be opened ({error.strerror}).", "Correct `baseline`.") from error
    except ValueError as error:
        raise FileFault(path, f"it is no JSON ({error}).", "Write a list of objects.") from error
    if not isinstance(entries, list):
        raise FileFault(path, "it is no list.", 'Write [{"dataset": ..., "metric": ..., "value": ...}, ...].')
    faults = Faults(path.name)
    results = [
        result for row, entry in enumerate(entries, start=1) if (result := _result(entry, row, faults)) is not None
    ]
    faults.raise_if_any()
    return results


def results_for(results: Iterable[PaperResult], dataset: str) -> list[PaperResult]:
    """A data set's numbers; its name is compared without letter case."""
    return [result for result in results if one_spelling(result.dataset) == one_spelling(dataset)]


def _result(entry: Any, row: int, faults: Faults) -> PaperResult | None:
    if not isinstance(entry, dict):
        faults.add(f"entry {entry!r} is no object.", "Write one object for each number.", row)
        return None
    value = entry.get("value")
    missing = [key for key in ("dataset", "metric") if not isinstance(entry.get(key), str)]
    if missing or isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
        faults.add(f"dataset, metric and a number as value are needed, found {entry!r}.", "Complete the entry.", row)
        return None
    words = {key: None if entry.get(key) is None else _words(entry[key]) for key in ("model", "tools", "protocol")}
    metric = entry["metric"].strip().lower()
    metric = SAME.get(metric, metric)
    lowest = next((low for name, low in LOWEST.items() if metric == name or metric.startswith(f"{name}_")), None)
    if lowest is not None and not lowest <= value <= 1.0:
        problem = f"{metric} lies between {lowest:.0f} and 1, found {value!r}."
        faults.add(problem, "Correct it; 87 % is written 0.87.", row)
        return None
    category, sign = entry.get("category") or {}, entry.get("sign")
    if not isinstance(category, dict) or not all(isinstance(one, str | int) for one in category.values()):
        remedy = 'Write {"task_type": "counting"}, a value for each field.'
        faults.add(f"`category` names fields and their values, found {category!r}.", remedy, row)
        return None
    if sign is not None and sign not in get_args(Sign):
        faults.add(f"`sign` is as_measured or turned, found {sign!r}.", "Correct it, or leave it out.", row)
        return None
    of = tuple((str(name), str(one)) for name, one in category.items())
    return PaperResult(entry["dataset"].strip(), metric, float(value), **words, category=of, sign=sign)


def _words(value: Any) -> str | None:
    """What people read: a list as its parts, an empty one as nothing."""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_words, value))) or None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
