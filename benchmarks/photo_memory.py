"""Study B whole on 100,000 photos: the peak of resident memory, table by table, and seconds.

Photos are small and models narrow, with features as wide as the true ones: what is kept of a photo is what it would be,
and the run takes minutes. The pretrained EfficientNet is left out, whose time is that of its true size.
"""

import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import cv2
import numpy as np

PHOTOS = int(os.environ.get("TOUCHSTONE_BENCH_PHOTOS", "100000"))
IN_SERIES, VOTES, SIZE_PX = 4, 5, 32
CLIP_WIDTH, VIT_WIDTH = 512, 768
LIMIT_MB = 2048
TINY = "narrow-clip"


def write_inputs(folder: Path) -> None:
    """Photos of noise, series of four, each pair of neighbours with five votes; models with random weights."""
    import open_clip
    import torch
    from safetensors.torch import save_file
    from transformers import ViTConfig, ViTImageProcessor, ViTModel
    from transformers.utils import logging as transformers_logging

    # That the weights are random is what is wanted here.
    logging.getLogger().setLevel(logging.ERROR)
    transformers_logging.disable_progress_bar()
    random, photos = np.random.default_rng(0), folder / "photos"
    photos.mkdir()
    rows = ["series_id,compareID1,compareID2,compareFile1,compareFile2,LEFT,RIGHT,Agreement,MaxVote,num_reviewers"]
    for number in range(PHOTOS):
        series, place = divmod(number, IN_SERIES)
        picture = random.integers(0, 256, (SIZE_PX, SIZE_PX, 3), dtype=np.uint8)
        assert cv2.imwrite(str(photos / f"{series:06d}-{place + 1:02d}.JPG"), picture)
        left = int(random.integers(0, VOTES + 1))
        other, most = (place + 1) % IN_SERIES, max(left, VOTES - left)
        rows.append(
            f"{series},{place},{other},{series}-{place + 1}.JPG,{series}-{other + 1}.JPG,{left},{VOTES - left},"
            f"{most / VOTES},{place if 2 * left > VOTES else other},{VOTES}"
        )
    (folder / "pairs.csv").write_text("\n".join(rows) + "\n")
    vision = {"image_size": SIZE_PX, "layers": 1, "width": 64, "patch_size": SIZE_PX}
    words = {"context_length": 77, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 1}
    described = {"embed_dim": CLIP_WIDTH, "quick_gelu": True, "vision_cfg": vision, "text_cfg": words}
    (folder / f"{TINY}.json").write_text(json.dumps(described))
    open_clip.add_model_config(folder / f"{TINY}.json")
    torch.manual_seed(0)
    save_file(open_clip.create_model(TINY, pretrained=None).state_dict(), folder / "clip.safetensors")
    ViTModel(
        ViTConfig(image_size=SIZE_PX, patch_size=SIZE_PX, hidden_size=VIT_WIDTH, num_hidden_layers=1),
        add_pooling_layer=False,
    ).save_pretrained(folder / "vit")
    ViTImageProcessor(size={"height": SIZE_PX, "width": SIZE_PX}).save_pretrained(folder / "vit")
    (folder / "touchstone.yaml").write_text(
        f"""study: many_photos
pairwise:
  pairs_csv: pairs.csv
  image_root: photos
  clip_model: {{architecture: {TINY}, weights: clip.safetensors}}
  vit_model: {{weights: vit}}
  dl_methods: [vit_base, clip_probe]
"""
    )


def run(folder: Path) -> None:
    """The study in this process; peak memory as each table comes to its end."""
    import open_clip

    # Only here: the definitions read the configuration when they are imported.
    from pipeline.definitions import touchstone
    from pipeline.instance import open_instance
    from pipeline.runs import run_pairwise
    from resources.runtime.home import touchstone_home

    open_clip.add_model_config(folder / f"{TINY}.json")
    before_mb, started = peak_mb(), time.monotonic()
    tables = folder / "home" / "tables" / "pairwise"
    stopped = threading.Event()

    def watch() -> None:
        seen: set[str] = set()
        while not stopped.wait(0.5):
            for path in sorted(tables.glob("*.parquet")) + sorted(tables.glob("*/*.parquet")):
                name = str(path.relative_to(tables))
                if name not in seen:
                    seen.add(name)
                    print(
                        f"  {name:<46} {time.monotonic() - started:5.0f} s {now_mb():5.0f} MB, peak {peak_mb():5.0f}",
                        flush=True,
                    )

    watcher = threading.Thread(target=watch)
    watcher.start()
    with open_instance(touchstone_home()) as instance:
        outcome = run_pairwise(touchstone(), instance)
    stopped.set()
    watcher.join()
    print(f"  errors: {outcome.user_errors + outcome.other_errors or 'none'}")
    print(
        f"  {PHOTOS} photos: peak {peak_mb():.0f} MB (limit {LIMIT_MB}; {before_mb:.0f} before the run), "
        f"{time.monotonic() - started:.0f} s"
    )


def now_mb() -> float:
    """Resident memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def peak_mb() -> float:
    """Peak resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Write the inputs here, run in a process of its own, whose memory is its own."""
    if len(sys.argv) > 1:
        run(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(Path(folder))
        home = {"TOUCHSTONE_HOME": f"{folder}/home", "TOUCHSTONE_CONFIG": f"{folder}/touchstone.yaml"}
        subprocess.run([sys.executable, __file__, folder], check=True, env=os.environ | home)


if __name__ == "__main__":
    main()
