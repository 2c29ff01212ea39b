"""Published numbers: every one is met, and a wrong one of any function is caught."""

import dataclasses
from collections.abc import Callable
from operator import truediv

import numpy as np
import pytest

from analysis.conformance.all_cases import CASES
from analysis.conformance.case import Case, check
from analysis.conformance.cases_of_tid2013 import tid2013_cases
from tests.analysis.tid2013 import tid2013

FUNCTIONS = {f"{case.function.__module__}.{case.function.__name__}": case.function for case in CASES}


def names(case: Case) -> str:
    return f"{case.statistic} of {case.data}"


def further(values: np.ndarray) -> np.ndarray:
    return values * 1.01 + np.where(values < 0, -0.1, 0.1)


def spoiled(value: object) -> object:
    """The same result with every number in it a tenth and one percent further from 0, and every word another."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return "a"
    if isinstance(value, float | int | np.number):
        return float(further(np.asarray(value)))
    if isinstance(value, np.ndarray):
        return further(value) if value.dtype.kind == "f" else value
    if isinstance(value, dict):
        return {key: spoiled(part) for key, part in value.items()}
    if hasattr(value, "_fields"):
        return type(value)(*map(spoiled, value))
    if isinstance(value, list | tuple):
        return type(value)(map(spoiled, value))
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(
            value, **{field.name: spoiled(getattr(value, field.name)) for field in dataclasses.fields(value)}
        )
    return value


def planted(function: Callable[..., object]) -> Callable[..., object]:
    def wrong(*arguments: object, **rest: object) -> object:
        return spoiled(function(*arguments, **rest))

    wrong.__module__, wrong.__qualname__ = function.__module__, function.__qualname__
    return wrong


def caught(cases: list[Case]) -> None:
    """Every number that the wrong result changes is out of its tolerance, and there is one."""
    wrong = [(check(case), check(dataclasses.replace(case, function=planted(case.function)))) for case in cases]
    changed = [found for right, found in wrong if found.got is not None and found.got != right.got]
    assert changed
    assert [found for found in changed if found.passed] == []


@pytest.mark.parametrize("case", CASES, ids=names)
def test_the_published_number_is_met(case):
    found = check(case)
    assert found.passed, f"{found.got} for {case.printed}: {found.reason}"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_wrong_value_of_any_function_is_caught(name):
    caught([case for case in CASES if case.function is FUNCTIONS[name]])


def test_no_case_occurs_twice_and_there_are_enough():
    # The reference cases of the definitions and at least forty more.
    assert len(CASES) >= 140
    seen = [(case.statistic, case.function, case.data, case.printed) for case in CASES]
    assert len(set(seen)) == len(seen)


def test_the_tolerance_is_half_of_the_last_printed_digit():
    case = Case("mean", float, (0.7754,), "", "0.775", "one number", "made up")
    assert check(case).passed
    assert not check(dataclasses.replace(case, printed="0.7750")).passed
    assert dataclasses.replace(case, printed="3.71e-05").tolerance == pytest.approx(5.01e-8)


def test_a_function_that_fails_is_a_line_and_no_end():
    found = check(Case("ratio", truediv, (1, 0), "", "1.0", "nothing", "made up"))
    assert (found.passed, found.got, found.reason) == (False, None, "ZeroDivisionError: division by zero")
    assert check(Case("ratio", float, ("nan",), "", "1.0", "nothing", "made up")).reason == "the result is no number"


@pytest.mark.slow
def test_the_numbers_of_tid2013(shared_data):
    columns, _ = tid2013(shared_data)
    cases = tid2013_cases(columns["mos"], columns)
    assert len(cases) == 10
    assert [found for found in map(check, cases) if not found.passed] == []
    for function in {case.function for case in cases}:
        caught([case for case in cases if case.function is function])
