"""`touchstone import`: the user's files held against the contract, and what a run would do; nothing is written."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from pipeline.command_line.terminal import show_gate, terminal
from resources.errors import UserError, listing
from resources.runtime.opened_files import refuse_no_file

if TYPE_CHECKING:
    from resources.configuration.fidelity import FidelityStudy, HumanScoreColumns


def import_files(
    study: Annotated[Literal["fidelity", "pairwise", "reliability"], typer.Argument(help="Which study.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="fidelity: score file, catalogue, selected objects, image folders; pairwise: CSV of votes, folder of "
            "photos; reliability: one file of queries. The configured ones if left out."
        ),
    ] = None,
) -> None:
    """Check files and say what a run would do with them. Nothing is changed."""
    from resources.configuration.fidelity import FidelityStudy, HumanScoreColumns
    from resources.configuration.place import configuration_file
    from resources.runtime.home import touchstone_home
    from resources.study import study_from_environment

    console = terminal()
    if study == "reliability":
        from pipeline.command_line.import_relevance import import_relevance

        import_relevance(files or [], console)
        return
    home = touchstone_home()
    there = configuration_file(home) is not None
    if not files and not there:
        raise UserError(f"There is no touchstone.yaml in {home.local}. Name files to check, or run `touchstone init`.")
    if study == "pairwise":
        from pipeline.command_line.import_pairwise import import_pairwise

        section = study_from_environment().pairwise_section if there else None
        if not files and section is None:
            raise UserError(f"{home.local} has no section `pairwise`. Name the CSV of votes and the folder of photos.")
        import_pairwise(files or [], section, console)
        return
    configured = study_from_environment().fidelity if there else None
    given = recognised(files or [], configured.columns if configured else HumanScoreColumns())
    stopped = False
    if configured is None and not {"references", "candidates"} <= given.keys():
        if "human_scores" not in given:
            raise UserError("Name the score file too, or run `touchstone init` and name everything in touchstone.yaml.")
        plan = FidelityStudy(**({"references": Path(), "candidates": Path()} | given))
        stopped = not show_selection(plan, show_human_scores(plan, console), console)
        console.print("Name the folders of photos and renders too, and they are checked with it.", soft_wrap=True)
    else:
        plan = configured.model_copy(update=given) if configured else planned(given)
        stopped = show_objects(plan, show_human_scores(plan, console), console)
    if given:
        console.print("To use these files, write into touchstone.yaml:\nfidelity:", highlight=False)
        for name, path in given.items():
            console.print(f"  {name}: {path}", highlight=False, soft_wrap=True)
    if stopped:
        raise typer.Exit(2)


def planned(given: dict[str, Path]) -> "FidelityStudy":
    """A study of the given files, all else by default.

    Raises:
        UserError: The score file is not among them.
    """
    from resources.configuration.fidelity import FidelityStudy

    if "human_scores" not in given:
        raise UserError("Name the score file too, or run `touchstone init` and name everything in touchstone.yaml.")
    return FidelityStudy(**given)


def recognised(files: list[Path], columns: "HumanScoreColumns") -> dict[str, Path]:
    """Which input of the study each file is, by its columns; a folder is recognised by what lies in it.

    Raises:
        UserError: A file is missing or is no input of this study.
    """
    found: dict[str, Path] = {}
    for file in files:
        for kind in kinds_of(file, columns):
            if kind in found:
                raise UserError(f"{file} and {found[kind]} are both {kind}. Give one of them.")
            found[kind] = file.absolute()
    return found


def signs_of(columns: "HumanScoreColumns") -> dict[str, set[str]]:
    """The columns that tell the kinds of file apart, the most telling first."""
    return {
        "catalogue": {"job_id"},
        "selected_objects": {columns.filename, "output_glb_relpath"},
        "human_scores": {columns.filename, columns.score},
    }


def kinds_of(file: Path, columns: "HumanScoreColumns") -> list[str]:
    """The inputs that one file or folder serves."""
    if file.is_dir():
        photos = any(file.glob("*/gt_*"))
        renders = any(path for path in file.glob("*/*") if path.is_file() and not path.name.lower().startswith("gt_"))
        kinds = [kind for kind, there in (("references", photos), ("candidates", renders)) if there]
        if not kinds:
            raise UserError(f"{file} holds neither photos ({{item}}/gt_*.png) nor renders ({{item}}/candidate.png).")
        return kinds
    refuse_no_file(file)
    if not file.is_file():
        raise UserError(f"{file} is not there.")
    from resources.inputs.column_names import own_name
    from resources.inputs.csv_files import read_csv_file

    if file.suffix.lower() not in (".csv", ".tsv", ".txt"):
        raise UserError(f"{file} is no input of this study: CSV files and folders of images are.")
    there = list(read_csv_file(file, ()).frame.columns)
    kind = next((kind for kind, signs in signs_of(columns).items() if all(own_name(one, there) for one in signs)), None)
    if kind is None:
        raise UserError(f"{file} is no input of this study: it has the columns {listing(sorted(there), 30)}.")
    return [kind]


def show_human_scores(study: "FidelityStudy", console: Console) -> Any:
    """What the score file holds."""
    from rich.text import Text

    from resources.inputs.fidelity.human_scores import read_human_scores
    from resources.inputs.ratings.likely import models_among

    read = read_human_scores(study)
    frame = read.frame
    console.print(
        f"{study.human_scores.name}: {read.n_rows_in_file} rows, {len(frame)} ratings of "
        f"{frame['object'].nunique()} objects ({frame['item_id'].nunique()} items, "
        f"{frame['product_id'].nunique()} products) by "
        f"{frame['annotator'].nunique()} annotators; mean {frame['score'].mean():.3f}, "
        f"range {frame['score'].min():g}-{frame['score'].max():g}.",
        soft_wrap=True,
        highlight=False,
    )
    models, unsure = models_among(frame["annotator"].astype(str).unique())
    if models:
        said = f"  {listing(models)} is taken for a judge by name, and its scores count as people's: remove its rows."
        console.print(Text(said, "yellow"), soft_wrap=True)
    if unsure:
        said = f"  Which of {listing(unsure)} are judges? Their scores count as people's: remove the judges' rows."
        console.print(Text(said, "yellow"), soft_wrap=True)
    for note in read.notes:
        console.print(f"  {note}", soft_wrap=True, highlight=False, markup=False)
    if read.exclusions:
        console.print(f"  left out: {listing(read.exclusions)}", soft_wrap=True, highlight=False)
    if read.n_catalogue_jobs is not None:
        console.print(
            f"{study.catalogue.name if study.catalogue else ''}: {read.n_catalogue_jobs} jobs, "
            f"{read.n_catalogue_duplicates} listed twice (counted once). All {len(frame)} ratings found their job.",
            soft_wrap=True,
            highlight=False,
        )
    return frame


def show_selection(study: "FidelityStudy", human_scores: Any, console: Console) -> bool:
    """Whether the list of objects names the render of each object that people scored; it needs no images."""
    from assets.fidelity.study_objects import mismatch_gate, selected_objects

    selected = selected_objects(study)
    if selected is None:
        return True
    items = dict(zip(human_scores["object"], human_scores["item_id"], strict=True))
    frame = selected.assign(item_id=[items.get(name, name) for name in selected["object"]], excluded=None)
    return show_gate(mismatch_gate(frame), console)


def show_objects(study: "FidelityStudy", human_scores: Any, console: Console) -> bool:
    """What would be judged, what is left out, and what the gates say about it; true where one would stop a run."""
    from assets.fidelity.logic.judge_answers import judged_objects
    from assets.fidelity.study_objects import (
        enough_objects_gate,
        mismatch_gate,
        missing_gate,
        selected_objects,
        with_background,
    )
    from pipeline.command_line.recording_ahead import show_recording_gaps
    from resources.inputs.fidelity.study_objects import find_study_objects

    frame = find_study_objects(human_scores, selected_objects(study), study)
    left_out = frame[frame["excluded"].notna()]
    judged = len(frame) - len(left_out)
    calls = judged * len(study.partition_keys) * study.repeats
    console.print(f"Objects: {len(frame)}, {judged} can be judged.", highlight=False)
    for cause, rows in left_out.groupby("excluded"):
        details = listing(rows["exclusion_detail"].unique(), 3)
        console.print(f"  left out, {cause}: {len(rows)}. {details}", soft_wrap=True, highlight=False)
    if n := with_background(frame):
        console.print(
            f"  {n} of them with a background that is neither black nor transparent: it stays as it is and counts as "
            "part of the object, for the local judge and the golden set.",
            soft_wrap=True,
            highlight=False,
        )
    gates = (mismatch_gate(frame), missing_gate(frame, study.max_missing_share), enough_objects_gate(frame))
    passed = [show_gate(gate, console) for gate in gates]
    console.print(
        f"A run would make {calls} judge calls ({judged} objects x {len(study.partition_keys)} settings x "
        f"{study.repeats} repeats) with the judge '{study.judge_name}', less those that the ledger answers.",
        soft_wrap=True,
        highlight=False,
    )
    # A recording that cannot be replayed is found here, not after the run began.
    show_recording_gaps(console, study, judged_objects(frame))
    return not all(passed)
