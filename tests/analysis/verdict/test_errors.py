"""What errors depend on: a regression done by hand, worlds with a known bias, and none where there is none."""

import numpy as np
import pytest

from analysis.verdict.errors import FAMILY, Dependence, Factor, errors
from analysis.verdict.people import Floats, People

N = 300
Rng = np.random.Generator


def rated(random: Rng, n_people: int = 3, noise: float = 0.6) -> tuple[Floats, People]:
    truth = random.standard_normal(N)
    return truth, People(truth[:, None] + noise * random.standard_normal((N, n_people)), np.arange(N))


def by_name(people: People, judge: Floats, *factors: Factor, name: str = "") -> dict[str, Dependence]:
    found = errors(people, judge, factors, name=name)
    assert found is not None
    return {one.column: one for one in found.tried}


def test_a_slope_is_that_of_the_regression_on_people_and_the_column() -> None:
    random = np.random.default_rng(0)
    truth, people = rated(random, n_people=1)
    column = random.standard_normal(N) * 50 + 200
    judge = truth + 0.004 * column + 0.3 * random.standard_normal(N)
    one = by_name(people, judge, Factor("words", column, "number"))["words"]
    person = people.answers[:, 0]
    design = np.column_stack([np.ones(N), person, (column - column.mean()) / column.std()])
    expected = np.linalg.lstsq(design, judge - person, rcond=None)[0][2]
    assert one.effects[0].estimate.value == pytest.approx(expected)
    assert one.step == pytest.approx(column.std())
    assert one.p_holm is not None
    assert one.p_holm < 0.001
    assert one.bias == "length bias"


def test_a_column_that_goes_with_quality_is_no_source_of_error_where_people_have_noise() -> None:
    # With people's noise in what is held fixed, a proxy of the truth would seem to be one in nearly every data set.
    flagged = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        truth, people = rated(random)
        judge = truth + 0.3 * random.standard_normal(N)
        proxy = Factor("proxy", truth + 0.3 * random.standard_normal(N), "number")
        p = by_name(people, judge, proxy)["proxy"].p
        flagged += p is not None and p < 0.05
    assert flagged <= 6


def test_groups_are_compared_with_the_average_and_their_own_family_is_named() -> None:
    random = np.random.default_rng(2)
    truth, people = rated(random)
    model = np.repeat(["gpt-4o", "claude", "llama"], N // 3)
    judge = truth + 0.6 * (model == "gpt-4o") + 0.3 * random.standard_normal(N)
    one = by_name(people, judge, Factor("model", model, "group"), name="gpt4_score")["model"]
    assert one.effects[0].name == "gpt-4o"
    # 0.6 above the two others is 0.4 above the average of three groups of one size.
    assert one.effects[0].estimate.value == pytest.approx(0.4, abs=0.1)
    assert sum(effect.estimate.value * effect.n for effect in one.effects) == pytest.approx(0.0, abs=1e-9)
    assert one.bias == "self-preference"
    assert by_name(people, judge, Factor("model", model, "group"), name="qwen")["model"].bias == ""


@pytest.mark.parametrize(
    ("judge", "group", "same"),
    [
        ("gpt4_score", "gpt-4o", True),
        ("ChatGPT", "gpt-4o", True),
        ("graphics", "phi-3", False),
        ("phi3", "graphics", False),
        ("my phi judge", "phi-3", True),
    ],
)
def test_a_family_is_a_word_of_its_own(judge: str, group: str, same: bool) -> None:
    assert bool(set(map(str.casefold, FAMILY.findall(judge))) & set(map(str.casefold, FAMILY.findall(group)))) is same


@pytest.mark.parametrize(("positive", "bias"), [(True, "self-preference"), (False, "")])
def test_only_of_a_good_label_can_a_judge_prefer_anything(positive: bool, bias: str) -> None:
    random = np.random.default_rng(8)
    label = random.integers(0, 2, N).astype(float)
    model = np.where(np.arange(N) % 2 == 0, "gpt-4o", "claude")
    judge = np.where((model == "gpt-4o") & (random.random(N) < 0.6), 1.0, label)
    people = People(label[:, None], np.arange(N), "labels", labels=("fail", "pass"), positive=positive)
    one = by_name(people, judge, Factor("model", model, "group"), name="gpt4")["model"]
    assert one.effects[0].name == "gpt-4o"
    assert one.p_holm is not None
    assert one.p_holm < 0.001
    assert one.bias == bias


def test_unrelated_groups_and_numbers_are_significant_as_often_as_promised() -> None:
    flagged = np.zeros(2)
    for seed in range(60):
        random = np.random.default_rng(seed)
        truth, people = rated(random)
        judge = truth + 0.5 * random.standard_normal(N)
        group = Factor("group", random.choice(["a", "b", "c", "d"], N), "group")
        number = Factor("number", random.standard_normal(N), "number")
        found = by_name(people, judge, group, number)
        flagged += [float(found["group"].p or 0.0) < 0.05, float(found["number"].p or 0.0) < 0.05]
    # 5 % of 60 is 3; 9 or more come by chance in 0.3 %.
    assert (flagged < 9).all()


def test_a_judge_that_is_as_often_too_high_as_too_low_in_a_group_has_larger_errors_there() -> None:
    random = np.random.default_rng(7)
    truth, people = rated(random)
    criterion = np.repeat(["coherence", "fluency"], N // 2)
    noise = np.where(criterion == "fluency", 0.9, 0.3) * random.standard_normal(N)
    found = errors(people, truth + noise, [Factor("criterion", criterion, "group")])
    assert found is not None
    [signed], [size] = found.tried, found.sizes
    assert (signed.p_holm or 0.0) > 0.05
    assert (found.error, found.size_of) == ("judge - people", "absolute error")
    assert [one.name for one in size.effects] == ["fluency", "coherence"]
    assert size.p_holm is not None
    assert size.p_holm < 1e-6
    # Holm over both tests, of which this is the smaller.
    assert size.p_holm == pytest.approx(2 * (size.p or 0.0))
    # Of a normal error the mean size is 0.8 sd: sqrt(0.9^2 + 0.6^2 / 3) against sqrt(0.3^2 + 0.6^2 / 3), each 0.2 from
    # the average.
    assert size.effects[0].estimate.value == pytest.approx(0.2, abs=0.06)


def test_sizes_of_errors_in_unrelated_groups_are_significant_as_often_as_promised() -> None:
    flagged = np.zeros(3)
    for seed in range(60):
        random = np.random.default_rng(seed)
        truth, people = rated(random)
        # On steps with ends, where errors have less room: a group that goes with quality is no source of their size.
        steps = People(np.clip(np.rint(people.answers), -2, 2), people.clusters)
        judge = np.clip(np.rint(truth + 0.5 * random.standard_normal(N)), -2, 2)
        group = Factor("group", random.choice(["a", "b", "c", "d"], N), "group")
        number = Factor("number", random.standard_normal(N), "number")
        better = Factor("better", np.where(truth > 0.0, "good", "bad"), "group")
        found = errors(steps, judge, [group, number, better])
        assert found is not None
        p = {one.column: one.p or 0.0 for one in found.sizes}
        flagged += [p["group"] < 0.05, p["number"] < 0.05, p["better"] < 0.05]
    assert (flagged < 9).all()


def test_labels_hold_the_majority_fixed_and_slices_count_the_same_label() -> None:
    random = np.random.default_rng(3)
    label = random.integers(0, 2, N).astype(float)
    language = np.where(np.arange(N) % 3 == 0, "it", "en")
    judge = np.where((language == "it") & (random.random(N) < 0.4), 1.0 - label, label)
    people = People(label[:, None], np.arange(N), "labels", labels=("fail", "pass"))
    found = errors(people, judge, [Factor("language", language, "group")])
    assert found is not None
    assert found.measure == "same label"
    assert (found.error, found.size_of) == ("judge - people", "another label")
    worst = found.worst[0]
    assert (worst.value, worst.n) == ("it", 100)
    assert worst.estimate.value == (judge == label)[language == "it"].mean()
    assert worst.estimate.interval.low is not None
    assert found.overall == (judge == label).mean()


def test_clusters_count_and_not_objects() -> None:
    random = np.random.default_rng(4)
    source = np.repeat(np.arange(10), 30)
    truth = random.standard_normal(N)
    moved = random.standard_normal(10)[source]
    judge = truth + 0.5 * random.standard_normal(10)[source] + 0.1 * random.standard_normal(N)
    factor = Factor("of the source", moved, "number")
    apart = errors(People(truth[:, None], np.arange(N)), judge, [factor])
    together = errors(People(truth[:, None], source), judge, [factor])
    assert apart is not None
    assert together is not None
    assert together.tried[0].n_clusters == 10
    assert (together.tried[0].p or 0.0) > (apart.tried[0].p or 0.0)


@pytest.mark.parametrize("unit", [1e150, 1e-150])
def test_a_unit_changes_nothing(unit: float) -> None:
    random = np.random.default_rng(5)
    truth, people = rated(random)
    judge = truth + 0.3 * random.standard_normal(N)
    factor = Factor("number", truth**2, "number")
    plain = errors(people, judge, [factor])
    scaled = errors(People(people.answers * unit, people.clusters), judge * unit, [factor])
    assert plain is not None
    assert scaled is not None
    assert scaled.tried[0].p == pytest.approx(plain.tried[0].p)
    assert scaled.overall / unit == pytest.approx(plain.overall)


def test_too_little_is_said() -> None:
    random = np.random.default_rng(6)
    truth, people = rated(random)
    rare = Factor("rare", np.where(np.arange(N) < 5, "x", "y"), "group")
    one = by_name(people, truth, rare)["rare"]
    assert (one.p, one.why) == (None, "fewer than two groups of 10 objects")
    # A group of all of them is no part.
    whole = errors(people, truth, [Factor("all", np.full(N, "x"), "group")])
    assert whole is not None
    assert whole.worst == ()
    # Nothing but blanks among the objects that were rated.
    one = by_name(people, truth, Factor("blank", np.full(N, ""), "group"))["blank"]
    assert (one.n, one.effects, one.why) == (0, (), "fewer than two groups of 10 objects")
    assert errors(people, truth, []) is None
    assert errors(people.of(np.arange(N) < 15), truth[:15], [rare]) is None


def test_errors_that_are_equal_in_a_group_have_no_interval_of_no_width() -> None:
    # The judge gives one more to each of its own family's 20 and people's answer to the others: all of an effect's
    # jackknife is 0, and 20 more may differ.
    person, family = np.tile([1.0, 2.0, 3.0, 4.0], 15), np.tile(["gpt", "claude", "llama"], 20)
    judge = person + (family == "gpt")
    people = People(np.column_stack([person, person]), np.arange(60))
    found = by_name(people, judge, Factor("model", family, "group"), name="gpt-4")["model"]
    own = found.effects[0]
    assert (own.name, own.n, own.estimate.value) == ("gpt", 20, pytest.approx(2 / 3))
    assert (own.estimate.interval.low, own.estimate.interval.high) == (None, None)
    assert own.estimate.interval.method == "none: the same whichever cluster is left out"
    assert found.bias == "self-preference"
    result = errors(people, judge, [Factor("model", family, "group")])
    assert result is not None
    worst = result.worst[0]
    assert (worst.value, worst.estimate.value, worst.estimate.interval.low) == ("gpt", pytest.approx(1.0), None)
