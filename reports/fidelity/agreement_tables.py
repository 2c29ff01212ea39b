"""Tables of agreement for the setting that is shown: every statistic, groups of objects, and the largest errors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import pandas as pd

from reports.fidelity.contents import Contents, few, say
from reports.shared.numbers import interval, is_number, number, p_value, whole
from reports.shared.phrases import phrase
from reports.shared.pictures import Picture, picture
from reports.shared.table_view import Head, TableView
from reports.shared.text import Part, Text
from resources.tables.call_states import SCORED_STATES

LARGEST_ERRORS: Final = 5
LONGEST_REASON: Final = 400
# Of a picture next to an error: there are ten a setting.
PICTURE_PX: Final = 192
TERMS: Final = {
    "spearman_r": "spearman",
    "pearson_r": "pearson",
    "kendall_tau_b": "kendall",
    "ccc": "concordance",
    "ccc_accuracy": "concordance",
    "scale_shift": "concordance",
    "location_shift": "concordance",
    "mae": "mae",
    "rmse": "rmse",
    "bias": "bias",
    "mae_by_product": "mae",
    "rmse_by_product": "rmse",
    "bias_by_product": "bias",
    "sd_of_differences": "limits",
    "limit_low": "limits",
    "limit_high": "limits",
    "difference_slope": "limits",
    "calibration_slope": "calibration",
    "calibration_intercept": "calibration",
    "mae_linear": "calibration",
    "rmse_linear": "calibration",
    "mae_isotonic": "calibration",
    "rmse_isotonic": "calibration",
    "human_icc_1_1": "ceiling",
    "human_icc_1_k": "ceiling",
}
IN_GROUPS: Final = ("spearman_r", "pearson_r", "mae", "bias")


@dataclass(frozen=True)
class LargestError:
    """An object on which judge and people differ most, with the judge's reasons."""

    item: str
    object: str
    numbers: Text
    reasons: list[str]
    pictures: list[Picture]


def overall_table(contents: Contents, key: str) -> TableView | None:
    """Every statistic over all objects of one setting, with interval, p and method."""
    rows: list[list[Part]] = []
    for name in TERMS:
        row = contents.statistic(key, name)
        if row["statistic"] is None:
            continue
        words = phrase(row["undefined"] or row["method"]) if row["undefined"] or row["method"] else ""
        bounds = interval(row["ci_low"], row["ci_high"], unreliable=few(row))
        cells = [number(row["value"]), bounds, p_value(row["p"])]
        rows.append([say(f"statistic.{name}"), *cells, whole(row["n_used"]), whole(row["n_products"]), words])
    if not rows:
        return None
    heads = [
        Head(say("head.statistic"), numeric=False),
        Head(say("head.value")),
        Head(say("head.interval"), term="interval"),
        Head(say("head.p"), term="p_value"),
        Head(say("head.objects")),
        Head(say("head.products")),
        Head(say("head.method"), numeric=False, wide=True),
    ]
    return TableView(say("agreement.overall", setting=key), heads, rows)


def group_table(contents: Contents, key: str) -> TableView | None:
    """Agreement by category and by algorithm."""
    frame = contents.of("human_agreement", key)
    frame = frame[frame["grouped_by"] != "overall"]
    if frame.empty:
        return None
    heads = [Head(say("head.group"), numeric=False), Head(say("head.objects")), Head(say("head.products"))]
    for name in IN_GROUPS:
        heads.append(Head(say(f"statistic.{name}"), term=TERMS[name]))
        if name == "spearman_r":
            heads.append(Head(say("head.interval")))
    rows = []
    for (kind, group), part in frame.groupby(["grouped_by", "group"], sort=False):
        by_name: dict[Any, dict[Any, Any]] = part.set_index("statistic").to_dict("index")
        first = part.iloc[0]
        said: Part = str(group) if group not in ("(missing)", "(several)") else say(f"group.{str(group).strip('()')}")
        cells: list[Part] = [say(f"group.{kind}", name=said), whole(first["n_used"]), whole(first["n_products"])]
        for name in IN_GROUPS:
            row = by_name.get(name, {})
            cells.append(number(row.get("value")))
            if name == "spearman_r":
                cells.append(interval(row.get("ci_low"), row.get("ci_high"), unreliable=few(row)))
        rows.append(cells)
    return TableView(say("agreement.groups", setting=key), heads, rows)


def largest_errors(contents: Contents) -> dict[str, list[LargestError]]:
    """By setting the objects with the largest difference between judge and people, with what the judge was shown."""

    # The same objects are often the worst at several settings.
    @cache
    def pictures(match_key: str) -> list[Picture]:
        return _pictures(contents, match_key)

    return {key: _largest_errors(contents, key, pictures) for key in contents.settings}


def _largest_errors(contents: Contents, key: str, pictures: Callable[[str], list[Picture]]) -> list[LargestError]:
    matched = contents.of("matched_scores", key)
    size = matched["difference"].abs().round(12)
    worst = matched.assign(size=size).sort_values(["size", "match_key"], ascending=[False, True]).head(LARGEST_ERRORS)
    calls = contents.of("judge_calls", key)
    by = "object" if contents.plan.match_by == "object" else "item_id"
    answered = calls[calls["state"].isin(SCORED_STATES) & calls[by].isin(worst["match_key"])]
    # The first repeat speaks for all; of an attempt that was tried again, the last one counts.
    answered = answered.sort_values(["repeat", "attempt"], ascending=[True, False]).drop_duplicates(by)
    reasons = dict(zip(answered[by], answered["rationale"], strict=True))
    return [
        _error(row, reasons.get(row["match_key"]), pictures(str(row["match_key"]))) for row in worst.to_dict("records")
    ]


def _error(row: dict[Any, Any], reasons: Any, pictures: list[Picture]) -> LargestError:
    parts = {"judge": number(row["judge_score"]), "people": number(row["human_score"])}
    difference = number(row["difference"])
    said = [str(one) for one in reasons] if reasons is not None and not _missing(reasons) else []
    return LargestError(
        str(row["item_id"]) if row["item_id"] is not None and not pd.isna(row["item_id"]) else str(row["match_key"]),
        str(row["match_key"]),
        say("agreement.error", difference=difference, **parts),
        [_short(one) for one in said],
        pictures,
    )


def _pictures(contents: Contents, match_key: str) -> list[Picture]:
    """The first photo and the render of the object."""
    found = contents.objects_by_key
    if match_key not in found.index:
        return []
    row, gone = found.loc[match_key], say("sensitivity.picture_gone")
    shown = []
    for name, path in (("photo", next(iter(row["reference_paths"]), None)), ("render", row["candidate_path"])):
        alt = say(f"agreement.alt_{name}", item=str(row["item_id"]))
        shown.append(picture(path if isinstance(path, str) else None, alt, say(f"agreement.{name}"), gone, PICTURE_PX))
    return shown


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 1]}\u2026"


def _missing(reasons: Any) -> bool:
    return not hasattr(reasons, "__len__") and not is_number(reasons)
