"""One line each on what a recommendation does not say: whether the judge may stand in, and what it does not see."""

from reports.fidelity.contents import Contents, say
from reports.shared.numbers import whole
from reports.shared.text import Text
from resources.tables.fidelity.golden import IN_PART, NOT_SEEN, SEEN


def said_of_stand_in(contents: Contents, setting: str) -> Text:
    """Whether the judge may stand in for an annotator at a setting, by its omega."""
    gate = contents.gate(setting, "judge_can_stand_in")
    if gate is None or gate.seen is None:
        return say("summary.stand_in_unknown")
    key = "summary.stands_in" if gate.passed else "summary.does_not_stand_in"
    return say(key, omega=gate.seen_text, needed=gate.needed_text)


def said_of_sight(contents: Contents) -> Text:
    """How many alterations of the golden set the judge does not see."""
    frame = contents.tables["sensitivity"]
    worse = frame[frame["expected"] == "worse"]
    missed, partly, seen = (int((worse["seen"] == word).sum()) for word in (NOT_SEEN, IN_PART, SEEN))
    if not missed + partly + seen:
        return say("summary.sees_unknown")
    total, setting = whole(missed + partly + seen), str(frame["setting"].iloc[0])
    if not missed and not partly:
        return say("summary.sees_all", total=total, setting=setting)
    return say("summary.sees", total=total, setting=setting, missed=whole(missed), partly=whole(partly))
