"""What a recording lacks of the calls that a study plans, and the configuration that fits it: said before a run."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Final

from rich.console import Console
from rich.text import Text

from assets.fidelity.golden_scores import records_items_only
from assets.fidelity.logic.judge_answers import judged_objects
from assets.fidelity.study_objects import selected_objects
from resources.configuration.fidelity import FidelityStudy
from resources.configuration.settings import Setting, SettingsGrid, judge_in, setting_from_key
from resources.database.call_records import ALTERATION_SIGN
from resources.errors import UserError, listing
from resources.inputs.fidelity.human_scores import read_human_scores
from resources.inputs.fidelity.study_objects import find_study_objects
from resources.judges.contract import JudgedObject
from resources.judges.judging import judge_of
from resources.judges.replay import ReplayJudge

SHOWN: Final = 4


def tell_of_recordings(console: Console, study: FidelityStudy, keys: Collection[str] = ()) -> None:
    """Say it before a run; what is wrong with a file is said by the run itself."""
    if not any(plan.judge.kind == "replay" for plan, _ in study.by_judge()):
        return
    with suppress(UserError):
        frame = find_study_objects(read_human_scores(study).frame, selected_objects(study), study)
        show_recording_gaps(console, study, judged_objects(frame), keys)


def show_recording_gaps(
    console: Console, study: FidelityStudy, objects: Sequence[JudgedObject], keys: Collection[str] = ()
) -> None:
    """Open each judge, and of a recording say what it lacks.

    Raises:
        UserError: A judge cannot be opened, such as a recording with a wrong row.
    """
    for plan, own in study.by_judge(keys):
        judge = judge_of(plan, objects)
        for line in recording_gaps(plan, judge, objects, own) if isinstance(judge, ReplayJudge) else ():
            console.print(Text(line, "yellow"), soft_wrap=True)


def recording_gaps(
    study: FidelityStudy, judge: ReplayJudge, objects: Sequence[JudgedObject], keys: Sequence[str]
) -> list[str]:
    """What of a plan is not recorded, then lines of the configuration that fit; nothing where nothing is missing."""
    by_item, recorded = records_items_only(study), judge.recorded_calls
    named = {one.object: one.item_id.casefold() if by_item else one.object for one in objects}
    there: dict[tuple[str, str], int] = {}
    for name, setting, repeat in recorded:
        there[name, setting] = there.get((name, setting), 0) + (repeat <= study.repeats)
    planned = list(dict.fromkeys(setting_from_key(key).key for key in keys))
    n_there = sum(there.get((name, key), 0) for name in named.values() for key in planned)
    n_planned = len(objects) * len(planned) * study.repeats
    has_golden = by_item or not _asks_golden(study) or any(ALTERATION_SIGN in name for name, _, _ in recorded)
    if n_there >= n_planned and has_golden:
        return []
    found = sorted({key for name, key in there if name in named.values()}, key=setting_from_key)
    absent = [object_ for object_, name in named.items() if not any((name, key) in there for key in found)]
    said = [f"The recording has {n_there} of these {n_planned} calls"]
    if not found:
        return [f"{said[0]}: none of an object of the study. It names {listing({one[0] for one in recorded}, SHOWN)}."]
    if lacking := [key for key in planned if key not in found]:
        said.append(f"nothing at {listing(lacking, SHOWN)}")
    if absent:
        said.append(f"nothing of {listing(absent, SHOWN)}")
    counts = sorted(there.get((name, key), 0) for object_, name in named.items() for key in found
                    if object_ not in absent)  # fmt: skip
    # As many objects as a study may leave out say nothing against a number of repeats.
    n_repeats = counts[int(study.max_incomplete_share * len(counts))]
    if n_repeats < study.repeats:
        said.append(f"{n_repeats} of {study.repeats} repeats")
    if not has_golden:
        said.append("no altered image of the golden set")
    lines = _settings_lines(found, judge_in(keys[0])) if lacking else []
    if 0 < n_repeats < study.repeats and study.stopping is None:
        lines.append(f"repeats: {n_repeats}")
        lines += [f"minimum_repeats: {n_repeats}"] if n_repeats < study.minimum_repeats else []
    lines += [] if has_golden else ["golden: {items: []}"]
    fitting = ["What fits it, in section `fidelity`:", *(f"  {line}" for line in lines)] if lines else []
    return ["; ".join(said) + ".", *fitting]


def _asks_golden(study: FidelityStudy) -> bool:
    return study.golden.pairs is not None or (study.texts is None and study.golden.items != ())


def _settings_lines(found: Sequence[str], judge: str | None) -> list[str]:
    """The settings that are recorded, as the configuration plans them; the first alone where no grid is these."""
    known = {setting_from_key(key) for key in found}
    grid = next((one for baseline in sorted(known) for rest in (known, known - {baseline})
                 if set((one := _grid(baseline, rest)).settings) == known), None)  # fmt: skip
    first = min(known)
    grid = grid or _grid(first, {first})
    values = ", ".join(
        f"{name}: {list(value) if isinstance(value, tuple) else value}" for name, value in grid.model_dump().items()
    )
    return [f"settings: {{{values}}}" if judge is None else f"settings_of: {{{judge}: {{{values}}}}}"]


def _grid(baseline: Setting, rest: Collection[Setting]) -> SettingsGrid:
    return SettingsGrid(
        baseline_temperature=baseline.temperature,
        baseline_top_p=baseline.top_p,
        temperatures=tuple(sorted({one.temperature for one in rest})),
        top_ps=tuple(sorted({one.top_p for one in rest}, reverse=True)),
    )
