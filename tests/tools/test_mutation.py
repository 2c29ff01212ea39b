"""Mutants: which changes a source has, that each is made where it says, and that a sample follows from the seed."""

import pytest

from tools.mutation import MUTANTS, PROMISED, STATISTICS, chosen, mirror, mutants, mutated

SOURCE = '''
"""A docstring with 1 number."""

def f(x: list[1], most: float = 2.0) -> float:
    if x > most and not x == 3:
        raise ValueError(f"{x + 1} is too much")
    total = sum([x], start=1)
    return max(total, -x)
'''
CHANGES = [
    ("2.0", "3.0"),
    ("x > most and (not x == 3)", "False"),
    ("x > most and (not x == 3)", "x > most or not x == 3"),
    ("x > most", "x >= most"),
    ("not x == 3", "x == 3"),
    ("x == 3", "x != 3"),
    ("3", "4"),
    ("sum([x], start=1)", "sum([x])"),
    ("1", "2"),
    ("max(total, -x)", "min(total, -x)"),
    ("-x", "x"),
]


def test_conditions_operators_numbers_keywords_and_names_change_and_words_types_and_errors_do_not():
    found = list(mutants("made", "made", SOURCE))
    assert sorted((one.before, one.after) for one in found) == sorted(CHANGES)
    assert len({one.key for one in found}) == len(CHANGES)
    assert {one.scope for one in found} == {"f"}


@pytest.mark.parametrize(
    ("change", "argument", "result"),
    [
        (("x > most", "x >= most"), 2.0, ValueError),
        (("-x", "x"), -2, -1),
        (("sum([x], start=1)", "sum([x])"), 2, 2),
        (("1", "2"), 2, 4),
    ],
)
def test_a_mutant_is_the_module_with_that_one_change(change, argument, result):
    [number] = [one.number for one in mutants("made", "made", SOURCE) if (one.before, one.after) == change]
    module: dict = {}
    exec(mutated(SOURCE, number), module)
    if result is ValueError:
        with pytest.raises(ValueError, match="too much"):
            module["f"](argument)
    else:
        assert module["f"](argument) == result


def test_a_key_stays_where_another_function_changes():
    keys = {one.key for one in mutants("made", "made", SOURCE)}
    moved = {one.key for one in mutants("made", "made", f"def g():\n    return 5\n{SOURCE}")}
    assert keys < moved
    assert not keys & {one.key for one in mutants("made", "made", SOURCE.replace("[x]", "[x, x]"))}


def test_five_hundred_mutants_are_of_all_statistics():
    found = chosen()
    assert len(found) == len({one.key for one in found}) == MUTANTS == 500
    assert {one.statistic for one in found} == set(STATISTICS)
    assert PROMISED == 0.9


def test_every_module_has_a_mirror():
    for modules in STATISTICS.values():
        for module in modules:
            assert all(path.is_file() for path in mirror(module)), module
