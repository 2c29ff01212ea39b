"""The plan: what is missing in which shard, and where new photos go."""

from collections.abc import Mapping
from typing import Any

from resources.photos.features.plan import ShardTask, plan_of
from resources.photos.features.prepared import Photo
from resources.photos.features.shards import Shard, shard_name
from resources.runtime.file_hash import digest_of

RULES, CLIP = {"measures": 1}, {"model": "clip"}
RECIPES = {"rules": digest_of(RULES), "clip": digest_of(CLIP)}


def shard(number: int, hashes: str, **records: Mapping[str, Any]) -> Shard:
    return Shard(shard_name(number), tuple(hashes), records or {"rules": RULES, "clip": CLIP}, {}, 0)


def wanted(hashes: str) -> dict[str, str]:
    return {one: f"{one}.jpg" for one in hashes}


def photos(hashes: str) -> tuple[Photo, ...]:
    return tuple(Photo(one, f"{one}.jpg") for one in hashes)


def test_the_first_run_cuts_the_photos_into_shards() -> None:
    plan = plan_of(wanted("abcde"), [], RECIPES, 2)
    assert [task.new for task in plan.tasks] == [photos("ab"), photos("cd"), photos("e")]
    assert plan.files == ("shard_000000.parquet", "shard_000001.parquet", "shard_000002.parquet")
    assert plan.n_photos == 5


def test_nothing_is_left_where_all_is_there() -> None:
    plan = plan_of(wanted("abc"), [shard(0, "ab"), shard(1, "c")], RECIPES, 2)
    assert plan.tasks == ()
    assert len(plan.files) == 2


def test_new_photos_fill_the_last_shard_before_a_new_one_is_begun() -> None:
    plan = plan_of(wanted("abcdef"), [shard(0, "abc")], RECIPES, 4)
    assert plan.tasks == (
        ShardTask("shard_000000.parquet", kept=("rules", "clip"), new=photos("d")),
        ShardTask("shard_000001.parquet", new=photos("ef")),
    )


def test_a_stage_that_is_missing_or_out_of_date_is_computed_for_the_studys_photos_only() -> None:
    old = shard(0, "abc", rules={"measures": 0}, vit={"model": "vit"})
    [task] = plan_of(wanted("ac"), [old], RECIPES, 4).tasks
    # The vit stage, which cannot be computed now, stays as it is.
    assert task == ShardTask(old.file, photos("ac"), ("rules", "clip"), ("vit",), rest="shard_000001.parquet")
    assert task.n_photos == 2


def test_other_photos_are_set_aside_only_with_a_stage_that_still_holds_and_under_a_number_of_their_own() -> None:
    old = shard(3, "ab", rules={"measures": 0})
    first, second = plan_of(wanted("ac"), [old], RECIPES, 4).tasks
    # Nothing of theirs holds, so nothing is kept.
    assert (first.rest, second.file) == ("", "shard_000004.parquet")
    first, second = plan_of(wanted("ac"), [shard(3, "ab", rules=RULES)], RECIPES, 4).tasks
    assert (first.rest, second.file) == ("shard_000004.parquet", "shard_000005.parquet")


def test_a_shard_with_another_set_of_stages_is_not_filled_up() -> None:
    plan = plan_of(wanted("ab"), [shard(0, "a", rules=RULES, clip=CLIP, vit={})], RECIPES, 9)
    assert plan.tasks == (ShardTask("shard_000001.parquet", new=photos("b")),)


def test_a_shard_of_other_photos_is_left_alone_and_is_no_row_of_the_table() -> None:
    plan = plan_of(wanted("b"), [shard(0, "a", rules={"measures": 0}), shard(1, "b")], RECIPES, 1)
    assert plan.tasks == ()
    assert plan.files == ("shard_000001.parquet",)


def test_a_photo_in_two_shards_counts_in_the_first() -> None:
    [task] = plan_of(wanted("a"), [shard(0, "a", rules=RULES), shard(1, "a", rules=RULES)], RECIPES, 1).tasks
    assert task.file == "shard_000000.parquet"


def test_a_new_shard_takes_a_number_that_no_other_has() -> None:
    [task] = plan_of(wanted("b"), [shard(7, "a")], RECIPES, 1).tasks
    assert task.file == "shard_000008.parquet"
