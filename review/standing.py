"""What the study asks of its reviewers now, and what comes after them."""

from typing import NamedTuple

from analysis.agreement.contingency import Status
from analysis.words import count_noun, noun
from resources.database.reliability.review_records import ReviewProgress
from resources.study import Study

RUN, STATUS = "touchstone run reliability", "touchstone reliability status"
DECIDED_BY_PEOPLE = "every document on which the judges' labels differ is decided"


class Standing(NamedTuple):
    """What is asked in a few words, and whether people have decided all they had to; `after` says what is next."""

    asked: str
    all_decided: bool
    n_undecided: int
    after: str = ""


def standing(study: Study, progress: ReviewProgress, status: Status | None) -> Standing:
    """What is asked of reviewers after a validation that ended so; `status` is null before the first."""
    n = study.reviews.n_undecided()
    match status:
        case None:
            return Standing("", False, n)
        case "passed":
            return Standing("the latest validation passed: no more votes are needed", False, n)
        case "resolved_by_review":
            return Standing("resolved by review: no more votes are needed", n == 0, n, "Ground truth can be written.")
    missing = progress.needed - progress.reviewed
    if missing > 0:
        return Standing(f"{missing:,} more needed before the next step", False, n)
    if n == 0:
        return Standing(f"{DECIDED_BY_PEOPLE}", True, n, f"Next, for the person who runs the study: `{RUN}`.")
    return Standing(_step(study, n), False, n)


def _step(study: Study, n: int) -> str:
    """What is left where enough is reviewed: the manual review where it is open, else the step that follows."""
    left = f"{count_noun(n, 'document')} whose labels differ {noun(n, 'is', 'are')} undecided"
    if study.validations.manual_review_is_open():
        return f"the manual review is due: {count_noun(n, 'document')} left to decide"
    return f"enough for the next step, which `{STATUS}` names; {left}"
