"""Which shards have to be made or completed, so that every photo has every stage and nothing is computed twice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from resources.photos.features.prepared import Photo
from resources.photos.features.shards import Shard, shard_name


@dataclass(frozen=True)
class ShardTask:
    """One shard's work, which needs no other shard: `missing` stages of photos in it, all stages of `new` ones.

    Photos in the shard that the study does not name stay where nothing is missing; otherwise they go to the shard
    `rest`, with the stages that are kept, as another study of the same photos may need them.
    """

    file: str
    there: tuple[Photo, ...] = ()
    missing: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    new: tuple[Photo, ...] = ()
    rest: str = ""

    @property
    def n_photos(self) -> int:
        """How many photos are decoded."""
        return len(self.new) + (len(self.there) if self.missing else 0)


@dataclass(frozen=True)
class Plan:
    """What there is to do, and every shard that holds a photo of the study, in order."""

    tasks: tuple[ShardTask, ...]
    files: tuple[str, ...]

    @property
    def n_photos(self) -> int:
        """How many photos are decoded."""
        return sum(task.n_photos for task in self.tasks)


def plan_of(wanted: Mapping[str, str], stored: Sequence[Shard], recipes: Mapping[str, str], shard_size: int) -> Plan:
    """The work that is left.

    Args:
        wanted: Content hash of each photo to a path of it.
        stored: Shards that are there.
        recipes: Stages that can be computed, with the digest of what their numbers depend on.
        shard_size: Most photos in a new shard; the last one is filled up first.
    """
    places: dict[str, str] = {}
    for shard in stored:
        places |= {sha256: shard.file for sha256 in shard.hashes if sha256 in wanted and sha256 not in places}
    tasks: dict[str, ShardTask] = {}
    numbers = count(1 + max((int(shard.file[6:-8]) for shard in stored), default=-1))
    for shard in stored:
        mine = tuple(Photo(one, wanted[one]) for one in shard.hashes if places.get(one) == shard.file)
        missing = tuple(name for name in recipes if shard.recipes.get(name) != recipes[name])
        if mine and missing:
            kept = tuple(name for name in shard.recipes if name not in missing)
            left = bool(kept) and any(one not in wanted for one in shard.hashes)
            rest = shard_name(next(numbers)) if left else ""
            tasks[shard.file] = ShardTask(shard.file, mine, missing, kept, rest=rest)
    new = [Photo(sha256, path) for sha256, path in wanted.items() if sha256 not in places]
    used = dict.fromkeys(sorted(set(places.values())))
    if new and stored:
        last = stored[-1]
        room = shard_size - len(last.hashes)
        # A shard with a stage that cannot be computed now would have photos with and without it.
        if room > 0 and last.recipes == dict(recipes):
            tasks[last.file] = ShardTask(last.file, kept=tuple(recipes), new=tuple(new[:room]))
            new, used[last.file] = new[room:], None
    for start in range(0, len(new), shard_size):
        file = shard_name(next(numbers))
        tasks[file] = ShardTask(file, new=tuple(new[start : start + shard_size]))
        used[file] = None
    return Plan(tuple(tasks[file] for file in sorted(tasks)), tuple(sorted(used)))
