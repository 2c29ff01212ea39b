"""Which methods a configuration asks for, in the order of the partitions, and names that no method has."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from resources.configuration.pairwise import LEARNED_METHODS, PairwiseStudy
from resources.photos.methods.contract import PairMethod
from resources.photos.methods.registry import PROBES, builders, method_of


def plan(**changes: Any) -> PairwiseStudy:
    return PairwiseStudy(pairs_csv=Path("pairs.csv"), image_root=Path("images"), **changes)


def test_the_default_has_seven_of_clip_seven_rules_and_three_learned_in_the_order_of_partitions() -> None:
    built = [method_of(plan(), name) for name in builders(plan())]
    assert tuple(method.name for method in built) == plan().methods
    assert len(built) == 17
    assert [method.name for method in built if isinstance(method, PairMethod)] == list(LEARNED_METHODS)


def test_an_attribute_brings_its_own_sentences() -> None:
    attribute = {"name": "calm", "positive": "calm", "negative": "busy"}
    method = method_of(plan(clip_attributes=[attribute]), "clip_calm")
    assert (method.positive, method.negative, method.needs) == ("calm", "busy", ("clip",))  # type: ignore[union-attr]


def test_every_learned_method_needs_its_networks_stage() -> None:
    assert tuple(PROBES) == LEARNED_METHODS
    assert [probe.needs for probe in PROBES.values()] == [("vit",), ("clip",), ("efficientnet",)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rule_based_methods": ["sharpnes_only"]}, "no such method \\(did you mean 'sharpness_only'"),
        ({"dl_methods": ["vit"]}, "dl_methods names 'vit'"),
        ({"composites": {"mine": {}}}, "composites without a weight: mine"),
        ({"composites": {"mine": {"hue": 1.0}}}, "sharpness"),
        ({"composites": {"mine": {"sharpness": -1.0}}}, "greater than 0"),
        ({"composites": {"vit_base": {"sharpness": 1.0}}}, "methods of one name: vit_base"),
        ({"own_methods": {"No Name": "a.py"}}, "pattern"),
    ],
)
def test_a_method_that_cannot_be_is_refused_when_the_configuration_is_read(changes: Any, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        plan(**changes)
