"""Tags by which Dagster notes which partitions a run covers, and from which versions a table was made."""

from collections.abc import Mapping, Sequence
from typing import Final

PARTITION: Final = "dagster/partition"
FIRST: Final = "dagster/asset_partition_range_start"
LAST: Final = "dagster/asset_partition_range_end"
CODE_VERSION: Final = "dagster/code_version"
DATA_VERSION: Final = "dagster/data_version"
# Each before the name of what was read.
SEEN_VERSION: Final = "dagster/input_data_version/"
SEEN_EVENT: Final = "dagster/input_event_pointer/"


def study_of_group(group: str | None) -> str:
    """The study that a group of tables belongs to, such as `fidelity` of `fidelity_judging`."""
    return (group or "").split("_")[0]


def partitions_of(tags: Mapping[str, str], keys: Sequence[str]) -> list[str]:
    """The partitions that a run covers, one or all from one to another; none where it names none of these.

    Args:
        tags: Of the run.
        keys: The partitions that there are, in order.
    """
    first, last = (tags.get(PARTITION, tags.get(end)) for end in (FIRST, LAST))
    return list(keys[keys.index(first) : keys.index(last) + 1]) if first in keys and last in keys else []
