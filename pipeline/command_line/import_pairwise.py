"""`touchstone import pairwise`: votes and photos held against the contract, and what a run would do."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from analysis.words import count_noun
from pipeline.command_line.terminal import show_gate
from resources.errors import UserError, listing

if TYPE_CHECKING:
    import pandas as pd

    from resources.configuration.pairwise import PairwiseStudy

VOTES, PHOTOS = "pairs_csv", "image_root"


def import_pairwise(files: list[Path], configured: "PairwiseStudy | None", console: Console) -> None:
    """Check votes and photos and say what a run would do with them.

    Args:
        files: A CSV of votes, a folder of photos, or both.
        configured: The study whose other settings hold; none where there is no configuration.
        console: Where it is said.

    Raises:
        UserError: A file is missing or wrong, or there are no votes.
        Exit: A gate would stop a run.
    """
    from resources.configuration.pairwise import PairwiseStudy
    from resources.inputs.pairwise.photo_pairs import read_photo_pairs

    given = recognised(files)
    if configured is None and VOTES not in given:
        raise UserError("Name the CSV of votes too, or run `touchstone init` and name everything in touchstone.yaml.")
    plan = configured.model_copy(update=given) if configured else PairwiseStudy(**({PHOTOS: Path()} | given))
    read = read_photo_pairs(plan)
    show_votes(read.frame, read.n_rows_in_file, plan, console)
    for note in read.notes:
        console.print(f"  {note}", soft_wrap=True, highlight=False, markup=False)
    stopped = False
    if configured is None and PHOTOS not in given:
        console.print("Name the folder of photos too, and they are checked with it.")
    else:
        stopped = show_photos(read.frame, plan, console)
    if given:
        _show_use(given, console)
    if stopped:
        raise typer.Exit(2)


def recognised(files: list[Path]) -> dict[str, Path]:
    """Which input each file is: a folder holds photos, a file votes.

    Raises:
        UserError: One is not there, or there are two of a kind.
    """
    found: dict[str, Path] = {}
    for file in files:
        if not file.exists():
            raise UserError(f"{file} is not there.")
        kind = PHOTOS if file.is_dir() else VOTES
        if kind in found:
            raise UserError(f"{file} and {found[kind]} are both {kind}. Give one of them.")
        found[kind] = file.absolute()
    return found


def show_votes(frame: "pd.DataFrame", n_rows: int, plan: "PairwiseStudy", console: Console) -> None:
    """What the file holds, and how much of it passes the filter."""
    from assets.pairwise.logic.photo_pair_counts import after_filter, counts_of

    counts, kept = counts_of(frame), after_filter(frame)
    console.print(
        f"{plan.pairs_csv.name}: {n_rows} rows, {counts['n_votes']} votes on {counts['n_photo_pairs']} pairs of "
        f"{counts['n_images']} {plan.pairs_of} in {counts['n_series']} series; "
        f"{counts['n_shown_in_both_orders']} pairs in both orders.",
        soft_wrap=True,
        highlight=False,
    )
    left_out = frame.loc[~frame.index.isin(kept.index), "excluded"].value_counts()
    causes = listing(f"{n} {cause}" for cause, n in left_out.items()) or "none"
    console.print(
        f"  {len(kept)} of {len(frame)} pairs pass the filter (orders {plan.orders}, agreement >= "
        f"{plan.min_agreement:g}, reviewers >= {plan.min_reviewers}); left out: {causes}.",
        soft_wrap=True,
        highlight=False,
    )


def show_photos(frame: "pd.DataFrame", plan: "PairwiseStudy", console: Console) -> bool:
    """Which photos are there, and what would be measured and judged; true where a gate would stop a run.

    Of texts none has to be there and none is measured.
    """
    from assets.pairwise.image_features import wanted_stages
    from assets.pairwise.logic.method_scores import images_of
    from assets.pairwise.logic.photo_pair_counts import sampled
    from assets.pairwise.photo_pairs import judged_gate, photos_gate
    from resources.photos.features.stages import gpu_of, stages_of
    from resources.tables.pairwise_rows import judged_pairs

    of_photos = plan.pairs_of == "photos"
    gates = (photos_gate(frame, plan), judged_gate(frame)) if of_photos else (judged_gate(frame),)
    for gate in gates:
        show_gate(gate, console)
    judged = judged_pairs(sampled(frame, plan.sample_size, plan.seed))
    measured = f" and measure {len(images_of(judged))} photos, less those that were measured before"
    console.print(
        f"A run would judge {len(judged)} pairs by {count_noun(len(plan.methods), 'method')}"
        f"{measured if of_photos else ''}.",
        soft_wrap=True,
        highlight=False,
    )
    for stage, reason in stages_of(plan, gpu_of(plan), wanted_stages(plan)).unavailable.items():
        console.print(f"  methods that need {stage} would have no numbers: {reason}", soft_wrap=True, highlight=False)
    return not all(gate.passed for gate in gates)


def _show_use(given: dict[str, Path], console: Console) -> None:
    """How to run with these files."""
    if given.keys() == {VOTES, PHOTOS}:
        console.print(
            f"To run with them: touchstone pairwise --pairs {given[VOTES]} --images {given[PHOTOS]}",
            soft_wrap=True,
            highlight=False,
        )
    console.print("To keep them, write into touchstone.yaml:\npairwise:", highlight=False)
    for name, path in given.items():
        console.print(f"  {name}: {path}", highlight=False, soft_wrap=True)
