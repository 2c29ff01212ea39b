"""`touchstone pairwise`: the benchmark on a file of votes and a folder of photos, without a configuration."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from pipeline.command_line.pairwise_home import claimed, described, refuse_faulty, refuse_half, refuse_unusable
from pipeline.command_line.run_study import EngineName, run_and_show, tell_the_price_of_pairs, with_pairwise
from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.home import Home, touchstone_home

QUICK_PAIRS = 100


def pairwise(
    pairs: Annotated[
        Path | None,
        typer.Option(help="CSV of photo pairs with votes, in PhotoTriage's columns, or a JSONL list.", metavar="FILE"),
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="Folder of the photos, {series}-{number}.JPG.", metavar="FOLDER")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What the photos and votes are called; else as the CSV is.", metavar="NAME")
    ] = None,
    orders: Annotated[
        Literal["merged", "as_listed"] | None,
        typer.Option(help="Both orders of a pair as one, or each listed row by itself."),
    ] = None,
    photo_number: Annotated[
        str | None,
        typer.Option(help="Which photo a compareID means: compareID+1, file, or a mapping CSV.", metavar="HOW"),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="YAML of the older benchmark, or a touchstone.yaml; options count more.", metavar="YAML"),
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Only this method; can be given several times.", metavar="NAME")
    ] = None,
    engine: Annotated[
        EngineName | None, typer.Option(help="Who computes photo features: this machine, or a Ray cluster.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the folder of results goes.", metavar="FOLDER")
    ] = None,
    quick_test: Annotated[bool, typer.Option("--quick-test", help=f"{QUICK_PAIRS} pairs only, drawn by seed.")] = False,
) -> None:
    """Which image measure picks the photo that people pick? On your votes and photos, else on the configured study.

    Other votes, photos or orders than the configured ones, and a quick test, get a home of their own below
    benchmarks/ in the home, so that no table of the study is replaced. What is measured on photos is shared.
    """
    console = terminal()
    home = touchstone_home()
    changes = {
        "pairs_csv": pairs and pairs.absolute(),
        "image_root": images and images.absolute(),
        "dataset_name": name or None,
        "orders": orders,
        "photo_number": _photo_number(photo_number),
        "engine": engine,
        "output_dir": output and output.absolute(),
        "sample_size": QUICK_PAIRS if quick_test else None,
    }
    given = {key: value for key, value in changes.items() if value is not None}
    refuse_half(home, config, given)
    if config is None and not (pairs or images):
        _prepare_sample_series(home, console)
    methods = tuple(method or ())
    if config is None and not given.keys() - {"engine", "output_dir"}:
        from resources.study import study_from_environment

        study = with_pairwise(study_from_environment(), **given)
        refuse_unusable(study.pairwise, given)
        tell_the_price_of_pairs(console, study, methods)
        run_and_show(console, "pairwise", methods, study)
        return
    plan = described(home, config, given)
    refuse_unusable(plan, given)
    refuse_faulty(plan, methods)
    own = claimed(home, plan)
    console.print(f"Tables and report go to {own.base}", soft_wrap=True, highlight=False)
    if plan.judges:
        from resources.study import study_from_environment

        tell_the_price_of_pairs(console, study_from_environment(), methods)
    run_and_show(console, "pairwise", methods)
    console.print(f"In the web UI: TOUCHSTONE_HOME={own.base} touchstone dev", soft_wrap=True, highlight=False)


def _photo_number(said: str | None) -> str | Path | None:
    """A rule by its name, else the mapping's file."""
    if said is None or said in ("compareID+1", "file"):
        return said
    path = Path(said).absolute()
    if not path.is_file():
        raise UserError(f"--photo-number {said}: write compareID+1 or file, or name a CSV; there is no file {path}.")
    return path


def _prepare_sample_series(home: Home, console: Console) -> None:
    """The sample series, where no configuration names a user's own."""
    from resources.configuration.place import configuration_file

    if configuration_file(home) is not None:
        return
    from pipeline.samples.pairwise import write_pairwise_samples

    with console.status("Writing the sample series (once)"):
        write_pairwise_samples(home.samples / "pairwise")
    console.print("No votes and photos are named: the built-in sample series are judged.")
