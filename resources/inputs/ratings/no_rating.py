"""What is written where there is no rating: texts that always say so, and texts of which it is asked."""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from analysis.spelling import one_spelling
from resources.inputs.faults import Faults

# What programs and people write where there is no rating; no label has such a name.
NO_RATING: Final = frozenset({"None", "null", "NULL", "#N/A", "#NA", "-", "--", "?", ".", "n.a."})
# In whatever letter case.
_NOT_APPLICABLE: Final = frozenset(
    {"n/a", "not applicable", "not available", "not rated", "no answer", "prefer not to say", "prefer not to answer"}
    | {"non applicabile", "preferisco non rispondere", "nicht zutreffend", "keine angabe"}
)
# What a call that failed leaves, and what a person writes who passes an object over.
_FAILED: Final = re.compile(
    r"traceback|\b\w*(error|errore|fehler|exception)\s*[:(\[#\d]|rate[ _-]?limit|too many requests|quota exceeded|"
    r"\b(api|http|server|json|pars\w+|connection|network)[ _-]?error\b|timed[ _-]out\b|service unavailable|bad gateway|"
    r"connection (reset|refused|aborted)|(could|can) ?(not|n[\u2019']t) (be )?pars|(failed|unable) to pars|"
    r"unparse?able|^(skip(ped)?|saltat[oa]|\u00fcbersprungen|no (response|output|rating|score|label|data)|todo|tbd)\b",
    re.IGNORECASE,
)
# Also labels, where people and a judge both give them.
_PERHAPS: Final = re.compile(
    r"(err(or|ore)?|exception|time-?out|refus(ed|al)|declined|none|nil|null|nan|invalid|undefined|pending|cancell?ed|"
    r"aborted|truncated)[.!]?|none (given|found|provided|returned)\b.*|(i[\u2019']?m|i am) (sorry|unable|not able)\b.*|"
    r"sorry\b.*|as an ai\b.*|i (cannot|can[\u2019']t|could not|couldn[\u2019']t|won[\u2019']t)\b.*|"
    r"(unable|failed) to\b.*|content[ _-]?(filter|policy).*",
    re.IGNORECASE | re.DOTALL,
)
_MONTH: Final = (
    "(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|gen|mag|giu|lug|ago|set|ott|dic|m\u00e4r|mrz|mai|okt|dez)"
)
# As Excel shows a date of this year and of another, and how workbooks keep it.
_DATE: Final = re.compile(
    rf"\d{{1,2}}[-/ ]{_MONTH}\.?|{_MONTH}[- ]\d{{2,4}}|\d{{4}}-\d\d-\d\d(T00:00:00)?", re.IGNORECASE
)
LONGEST: Final = 60


def stands_for_no_rating(text: str | None) -> bool:
    """Whether a cell says by a word or a sign that there is no rating."""
    return text is not None and (text in NO_RATING or one_spelling(text) in _NOT_APPLICABLE)


def correction(text: str, is_rating: str = "") -> str:
    """What to do with a cell that may stand for no rating; `is_rating` is what to add where it is one."""
    if _DATE.fullmatch(text):
        return "A spreadsheet made a date of what was typed, such as 5-12 or 1/4. Type it again in a column of texts."
    if len(text) > LONGEST:
        return f"Correct it, or empty the cell if it stands for no rating{is_rating}."
    return f"Correct it, or add `--blank {shlex.quote(text)}` if it stands for no rating{is_rating}."


def refuse_no_labels(
    sides: Sequence[Sequence[str]],
    labels: Mapping[str, Sequence[str | None]],
    rows: Mapping[str, Sequence[int]],
    settled: Collection[str],
    faults: Faults,
) -> None:
    """Note each label that is probably none: what a failed call leaves, and a refusal that one side alone writes.

    Args:
        sides: The people, and the judges.
        labels: By rater, of each object; null where there is none.
        rows: Likewise.
        settled: Labels that the user named.
        faults: Takes a fault a label.
    """
    given = [{label for name in side for label in labels[name] if label is not None} for side in sides]
    for label in sorted(set().union(*given) - {*settled}):
        is_of_one_side = sum(label in side for side in given) == 1
        if not (_FAILED.search(label) or (is_of_one_side and _PERHAPS.fullmatch(label))):
            continue
        n = sum(list(texts).count(label) for texts in labels.values())
        name = next(name for side in sides for name in side if label in labels[name])
        problem = f"'{label:.60}' of '{name}' is probably no rating ({n:,} in all)."
        remedy = correction(label, ", `--scale nominal` if it is a label")
        faults.add(problem, remedy, rows[name][list(labels[name]).index(label)])
