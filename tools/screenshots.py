"""Takes the pictures that README and docs show: of the web UI over a home with the samples, and of a verdict.

`make screenshots` runs it: `dagster-webserver` on a free port of 127.0.0.1, and Chromium without a window.
"""

import argparse
import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHECKOUT = Path(__file__).resolve().parents[1]
WIDTH, HEIGHT = 1440, 810
LARGEST_BYTES = 200_000
PATIENCE_S = 120.0
BUSY_S = 30.0
PICTURES: dict[str, Callable[["Page", str], None]] = {}


def picture(take: Callable[["Page", str], None]) -> Callable[["Page", str], None]:
    """Name a picture after the function that brings its page up."""
    PICTURES[take.__name__] = take
    return take


@picture
def verdict(page: "Page", address: str) -> None:
    """The first screen of the page that one file of ratings ends in."""
    with tempfile.TemporaryDirectory() as folder:
        people = [word for name in ("human1", "human2", "human3") for word in ("--human", name)]
        file = ["examples/ratings/scores.csv", "--judge", "gpt4_score", *people, "--item", "id"]
        program = str(Path(sys.executable).parent / "touchstone")
        subprocess.run([program, "verdict", *file, "--report", f"{folder}/verdict.html"], cwd=CHECKOUT, check=True)
        page.set_viewport_size({"width": 1280, "height": 960})
        page.goto(f"file://{folder}/verdict.html")
        settle(page)


@picture
def asset_graph(page: "Page", address: str) -> None:
    """The graph of all studies, each part of one a group."""
    page.goto(f"{address}/asset-groups/")
    page.get_by_text("Hide navigation").click()
    page.reload()
    page.get_by_text("fidelity_verdict").first.wait_for()
    settle(page)


@picture
def study_graph(page: "Page", address: str) -> None:
    """The tables of study B in the order of making, as what its report is made from."""
    page.set_viewport_size({"width": WIDTH, "height": 940})  # else the topmost is cut off
    page.goto(f"{address}/assets/pairwise_report?view=lineage&lineageScope=upstream&lineageDepth=6")
    page.get_by_text("Hide navigation").click()
    page.reload()
    page.get_by_text("photo_pairs").first.wait_for()
    settle(page)


@picture
def partitions(page: "Page", address: str) -> None:
    """One table by setting."""
    page.goto(f"{address}/assets/icc_by_setting?view=partitions&partition=t0.2_p0.95")
    page.get_by_text("t0.2_p0.95").first.wait_for()
    settle(page)


@picture
def checks(page: "Page", address: str) -> None:
    """The gates of one table, and what one of them says."""
    page.goto(f"{address}/assets/icc_by_setting?view=checks&checkDetail=repeatable")
    page.get_by_text("repeatable").first.wait_for()
    settle(page)


@picture
def plot(page: "Page", address: str) -> None:
    """The plot in a table's metadata."""
    page.goto(f"{address}/assets/recommended_setting?view=events")
    settle(page)
    page.get_by_text("Show Markdown").first.click()
    settle(page)


@picture
def columns(page: "Page", address: str) -> None:
    """What a table's columns mean."""
    page.goto(f"{address}/assets/stability?view=overview")
    page.get_by_text("Median of the repeats.").first.wait_for()
    settle(page)


def hide_place(page: "Page", home: Path) -> None:
    """Show paths below the home as they are in a checkout: where the pictures were taken concerns no one."""
    page.evaluate(
        """home => {
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (walker.nextNode())
                walker.currentNode.nodeValue = walker.currentNode.nodeValue.replaceAll(home, ".touchstone");
        }""",
        str(home),
    )


def settle(page: "Page") -> None:
    """Wait until nothing loads and nothing moves any more; the UI asks again and again, on a busy machine always."""
    from playwright.sync_api import TimeoutError

    with suppress(TimeoutError):
        page.wait_for_load_state("networkidle", timeout=1000 * BUSY_S)
    page.wait_for_timeout(2500)


@contextmanager
def web_server(home: Path) -> Iterator[str]:
    """The web UI over a home, at the address that is given."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = str(Path(sys.executable).parent / "dagster-webserver")
    environment = {**os.environ, "TOUCHSTONE_HOME": str(home), "DAGSTER_HOME": str(home / "dagster")}
    command = [program, "-h", "127.0.0.1", "-p", str(port), "-w", "workspace.yaml", "--read-only"]
    server = subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/server_info", server)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE_S)


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until a page answers.

    Raises:
        RuntimeError: It does not in time, or the server ended.
    """
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 - an address of ours
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise RuntimeError(f"{address} does not answer")


def small(png: bytes) -> bytes:
    """The picture in as many colours as keep it under `LARGEST_BYTES`.

    Raises:
        ValueError: Sixteen colours are too many.
    """
    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("RGB")
    for colours in (256, 128, 64, 32, 16):
        out = io.BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        if out.tell() <= LARGEST_BYTES:
            return out.getvalue()
    raise ValueError(f"a picture of {len(png)} bytes does not fit into {LARGEST_BYTES}")


def main() -> None:
    """Take the pictures, all or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path, help="TOUCHSTONE_HOME in which `touchstone demo` ran")
    parser.add_argument("names", nargs="*", help=f"only these of {', '.join(PICTURES)}")
    parser.add_argument("--output", type=Path, default=CHECKOUT / "docs")
    arguments = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        parser.error("there is no chromium: install it (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    arguments.output.mkdir(parents=True, exist_ok=True)
    with web_server(arguments.home.resolve()) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, take in PICTURES.items():
            if arguments.names and name not in arguments.names:
                continue
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.set_default_timeout(1000 * PATIENCE_S)
            take(page, address)
            hide_place(page, arguments.home.resolve())
            (arguments.output / f"{name}.png").write_bytes(small(page.screenshot()))
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
