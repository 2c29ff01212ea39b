"""File names of generated objects are read from their tail, whatever stands in the variant."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.configuration.fidelity import ALGORITHMS
from resources.inputs.fidelity.human_scores import BadObjectName, item_id, parse_object_name, vocabulary

TAIL = "_N3_A-B-C_2025-08-17_v1_h8a61ab22.glb"


@pytest.mark.parametrize(
    ("name", "item", "variant", "algorithm"),
    [
        (f"188368__rodin_multi{TAIL}", "188368", None, "rodin_multi"),
        (f"335888_curved-backrest_rodin_multi{TAIL}", "335888_curved-backrest", "curved-backrest", "rodin_multi"),
        (f"335888_curved-backrest__rodin_multi{TAIL}", "335888_curved-backrest", "curved-backrest", "rodin_multi"),
        (f"335888_Curved Backrest_rodin_multi{TAIL}", "335888_curved-backrest", "Curved Backrest", "rodin_multi"),
        (f"1_a_b_rodin_multi{TAIL}", "1_a_b", "a_b", "rodin_multi"),
        (f"1__TripoSR_single{TAIL}", "1", None, "triposr_single"),
        (f"1__RODIN_MULTI{TAIL.replace('8a61ab22', '8A61AB22').replace('glb', 'GLB')}", "1", None, "rodin_multi"),
        (f"runs\\out\\1__rodin_multi{TAIL}", "1", None, "rodin_multi"),
        (f"/runs/out/1__rodin_multi{TAIL}", "1", None, "rodin_multi"),
        (f" 1__rodin_multi{TAIL} ", "1", None, "rodin_multi"),
        ("1_N1_a_rodin_multi_N1_a_2025-08-17_v1_h8a61ab22.glb", "1_n1_a", "N1_a", "rodin_multi"),
        ("1__rodin_multi_N12_a_2025-08-17_v10_h8a61ab22.glb", "1", None, "rodin_multi"),
    ],
)
def test_a_name_is_read(name: str, item: str, variant: str | None, algorithm: str) -> None:
    parsed = parse_object_name(name, ALGORITHMS)
    assert (parsed.item_id, parsed.variant, parsed.algorithm) == (item, variant, algorithm)
    assert parsed.object == "8a61ab22"
    assert "/" not in parsed.filename
    assert "\\" not in parsed.filename


def test_the_longest_algorithm_that_fits_wins() -> None:
    parsed = parse_object_name(f"1_v_rodin_multi{TAIL}", ["multi", "rodin_multi", "din_multi"])
    assert (parsed.variant, parsed.algorithm) == ("v", "rodin_multi")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "chair.glb",
        f"__rodin_multi{TAIL}",
        f"1__rodin_multi{TAIL}.zip",
        "1__rodin_multi_N3_A-B_2025-08-17_v1_h8a61ab2.glb",
        "1__rodin_multi_N3_A1_2025-08-17_v1_h8a61ab22.glb",
        "1__rodin_multi_N3_A_17-08-2025_v1_h8a61ab22.glb",
        "1__rodin_multi_N3_A_2025-08-17_h8a61ab22.glb",
    ],
)
def test_another_form_is_refused_with_the_form_wanted(name: str) -> None:
    with pytest.raises(BadObjectName) as caught:
        parse_object_name(name, ALGORITHMS)
    assert f"'{name}' is not of the form" in caught.value.problem
    assert "{algorithm}_N{n}" in caught.value.problem
    assert caught.value.remedy == "Correct the file name."


@pytest.mark.parametrize(
    ("middle", "near"),
    [
        ("_rodin_mulit", "rodin_multi"),
        ("tall_tripo_sr_single", "triposr_single"),
        ("_TRELLIS_singel", "trellis_single"),
    ],
)
def test_an_unknown_algorithm_names_the_nearest_and_the_remedy(middle: str, near: str) -> None:
    with pytest.raises(BadObjectName) as caught:
        parse_object_name(f"1_{middle}{TAIL}", ALGORITHMS)
    assert f"did you mean '{near}'?" in caught.value.problem
    assert "`algorithms` in touchstone.yaml or to the catalogue" in caught.value.remedy


def test_an_algorithm_unlike_any_other_gets_no_guess() -> None:
    with pytest.raises(BadObjectName, match="is unknown; known are: rodin_multi"):
        parse_object_name(f"1__zzz{TAIL}", ["rodin_multi"])
    with pytest.raises(BadObjectName, match="is unknown; known are: none"):
        parse_object_name(f"1__zzz{TAIL}", [])


def test_item_ids_have_hyphens_for_spaces_and_no_capitals() -> None:
    assert item_id("1", None) == "1"
    assert item_id("1", "75  cm ") == "1_75-cm"
    assert item_id("1", "Curved Backrest") == "1_curved-backrest"


def test_a_vocabulary_keeps_the_first_spelling() -> None:
    assert vocabulary(["tripoSR_single", "x"], ["triposr_SINGLE", "y"]) == ("tripoSR_single", "x", "y")


@given(
    product=st.from_regex(re.compile(r"[A-Za-z0-9-]{1,8}", re.ASCII), fullmatch=True),
    variant=st.none() | st.from_regex(re.compile(r"[a-z0-9]+([-_ ][a-z0-9]+){0,3}", re.ASCII), fullmatch=True),
    algorithm=st.sampled_from(ALGORITHMS),
    digits=st.from_regex(re.compile(r"[0-9a-f]{8}", re.ASCII), fullmatch=True),
    double=st.booleans(),
)
def test_what_is_written_is_read_back(
    product: str, variant: str | None, algorithm: str, digits: str, double: bool
) -> None:
    separator = "_" if variant is None or double else ""
    name = f"{product}_{variant or ''}{separator}{'_' if variant else ''}{algorithm}_N1_a_2025-01-01_v2_h{digits}.glb"
    parsed = parse_object_name(name, ALGORITHMS)
    assert (parsed.product_id, parsed.variant, parsed.algorithm, parsed.object) == (product, variant, algorithm, digits)
