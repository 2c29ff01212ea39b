"""What every failing check tells: what was seen, over how many, what is needed, what to do."""

import re

import dagster as dg

OVER = re.compile(r"over \d|\d of \d|\d+ days?\b|Over \d")


def tells_all_four(check: dg.AssetCheckEvaluation) -> None:
    """Fails where one of the four is lacking in a failing check's metadata or sentence."""
    assert not check.passed
    said, numbers = check.description or "", check.metadata
    assert {"seen", "over", "needed", "to_do"} <= set(numbers), check.check_name
    assert numbers["needed"].value, check.check_name
    to_do = str(numbers["to_do"].value)
    assert to_do, f"{check.check_name} does not say what to do: {said}"
    assert to_do in said, check.check_name
    assert re.search("needed", said), f"{check.check_name} does not say what is needed: {said}"
    assert OVER.search(said), f"{check.check_name} does not say over how many: {said}"
