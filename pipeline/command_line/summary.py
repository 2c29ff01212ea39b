"""What a run found, on the terminal: gates, the settings side by side, and where the tables lie."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import dagster as dg
import pandas as pd
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from upath import UPath

from analysis.agreement.alternative_annotator import FEWEST_INSTANCES
from analysis.correlation.correlation import correlation
from analysis.gates import DOES_NOT_APPLY, NOT_ASKED
from analysis.intervals.measured import reliable_from
from analysis.one_answer import one_answers
from analysis.resampling.bootstrap import Resampling
from analysis.words import count_noun
from assets.fidelity.drift import NOT_PINNED
from assets.fidelity.logic.current_plan import ANOTHER_JUDGE
from assets.fidelity.logic.judge_answers import scores_of
from assets.fidelity.logic.recommendation_gates import as_good_as_best, chosen_setting, grade_of
from assets.fidelity.logic.setting_conditions import FOUR_CONDITIONS, is_corrected
from assets.fidelity.setting_summary import NOT_COMPARED
from assets.shared.table_gates import TableGate
from pipeline.command_line.status_shown import STYLES
from pipeline.command_line.study_state import FAIL, NOTE, STOP, kind_of
from pipeline.command_line.terminal import grid
from pipeline.runs import Outcome
from reports.shared.text import LANGUAGES, Translations
from reports.shared.verdict import is_trusted
from resources.configuration.fidelity import FidelityStudy, FidelityThresholds
from resources.configuration.load import SAMPLE, load_configuration
from resources.errors import listing
from resources.runtime.home import Home
from resources.tables.fidelity.decision import EVERYBODY
from resources.tables.fidelity.golden import NOT_SEEN, UNKNOWN

NAMED_ALTERATIONS = 5
NAMED_ANNOTATORS = 5
SHOWN_SETTING = "t0.2_p1.0"
COLUMNS = (
    ("icc", "ICC(1,k) [{level} CI]"),
    ("mad", "MAD"),
    ("half_width", "CI ±"),
    ("spearman_r", "Spearman"),
    ("mae", "MAE"),
    ("json_validity_rate", "JSON"),
)
# The gate that holds a column's number of each setting against its limit, on all objects valid there.
GATES = {
    "icc": "repeatable",
    "mad": "repeats_agree",
    "spearman_r": "orders_like_people",
    "mae": "close_to_people",
    "json_validity_rate": "answers_are_valid_json",
}


def verdict(recommended: pd.DataFrame, thresholds: FidelityThresholds) -> str:
    """The setting to use, its numbers to report and what cannot be distinguished from it; or none, and why."""
    chosen = chosen_setting(recommended)
    tried = int(recommended["n_settings_tried"].max()) if len(recommended) else 0
    if chosen.setting is None:
        if not tried:
            reasons = listing(recommended["failed"].unique(), 3)
            return f"no setting is recommended: none was compared. {reasons}".rstrip()
        words = f"no setting is recommended: none of {tried} that were compared keeps {FOUR_CONDITIONS}."
        if chosen.nearest is None:
            return f"{words} None is near: no setting was compared whose repeats vary."
        lacks = recommended.loc[recommended["setting"] == chosen.nearest, "failed"].iloc[0]
        return f"{words} Nearest is {chosen.nearest}: {lacks}"
    row = recommended[recommended["setting"] == chosen.setting].iloc[0]
    equals = [key for key in as_good_as_best(recommended) if key != chosen.setting]
    ties = f" Not distinguishable from it: {', '.join(equals)}." if equals else ""
    passing = int(recommended["passes"].astype(bool).sum())
    best = f"the best of {passing} settings that keep {FOUR_CONDITIONS}, {tried} tried"
    if tried == 1:
        best = f"which keeps {FOUR_CONDITIONS}, no other tried"
    elif passing == 1:
        best = f"the only one of {tried} settings tried that keeps {FOUR_CONDITIONS}"
    grade = grade_of(recommended, thresholds)
    doubts = f" ({'; '.join(grade.doubts)})" if grade.doubts else ""
    return f"{grade.name} {chosen.setting}{doubts}, {best}. {_numbers(row)}.{_few_products(row)}{ties}"


def _numbers(row: Any) -> str:
    """The numbers to report, and which objects they are of."""
    corrected = is_corrected(row)

    def number(what: str, reported: str, seen: str, also: str = "") -> str:
        low, high = row.get(f"{reported}_low"), row.get(f"{reported}_high")
        bounds = "" if pd.isna(low) or pd.isna(high) else f" [{low:.3f}, {high:.3f}]"
        before = f" ({_number(row[seen])} seen)" if corrected else ""
        return f"{what} {_number(row[reported])}{bounds}{before}{also}"

    objects = f"{row['n_reporting']} objects of {row['n_products_reporting']} products"
    chosen = row["n_settings_tried"] > 1
    where = f"On products that did not choose it (n = {objects})" if chosen else f"On {objects}"
    if corrected:
        where = f"Corrected for the choice, which was made on {objects}"
    parts = (
        number("ICC(1,k)", "icc_reported", "icc"),
        number("Spearman", "spearman_reported", "spearman_r", _scored(row)),
        number("median MAD", "mad_reported", "mad"),
        number("JSON validity", "json_validity_reported", "json_validity_rate"),
    )
    return f"{where}: {', '.join(parts)}"


def _scored(row: Any) -> str:
    """How many of these objects people scored, where that is not all of them."""
    if row["n_matched_reporting"] == row["n_reporting"]:
        return ""
    n_products = row["n_matched_products_reporting"]
    return f" (people scored {row['n_matched_reporting']} objects of {n_products} products)"


def _few_products(row: Any) -> str:
    n = min(row["n_products_reporting"], row["n_matched_products_reporting"])
    enough = reliable_from("spearman")
    return f" Few products ({n}): intervals are unreliable under {enough}." if n < enough else ""


def _number(value: Any) -> str:
    return "undefined" if pd.isna(value) else f"{value:.3f}"


def stand_in(annotators: pd.DataFrame, needed: float) -> str:
    """The result of the alternative annotator test, in a line; the verdict alone says what follows from it."""
    whole = annotators[annotators["annotator"] == EVERYBODY].iloc[0]
    if pd.isna(whole["omega"]):
        return f"Alternative annotator test: not testable ({whole['undefined']})."
    each = annotators[annotators["annotator"] != EVERYBODY]
    tested, few = each["rejected"].dropna().astype(bool), each[each["rejected"].isna()]
    named = listing([f"{row.annotator} ({row.n_instances})" for row in few.itertuples()], NAMED_ANNOTATORS)
    left_out = f" Not tested, with fewer than {FEWEST_INSTANCES} objects: {named}." if named else ""
    return (
        f"Alternative annotator test: it wins against {int(tested.sum())} of {len(tested)} annotators "
        f"(omega {whole['omega']:.2f}, needed {needed:g}).{left_out}"
    )


def unseen(sensitivity: pd.DataFrame) -> str | None:
    """What the judge does not see on the golden set, in a line; null where there is none."""
    altered = sensitivity[sensitivity["expected"] != "same"]
    if altered.empty:
        return None
    where = f"at {altered['setting'].iloc[0]}"
    missed = altered.loc[altered["seen"] == NOT_SEEN, "alteration"].tolist()
    unknown = int((altered["seen"] == UNKNOWN).sum())
    measured = len(altered) - unknown
    if not measured:
        return f"What it does not see is unknown: too few pairs of scores of all {unknown} alterations ({where})."
    too_few = f" Unknown, too few pairs: {unknown}." if unknown else ""
    if not missed:
        return f"Does not see: none of {measured} alterations ({where}).{too_few}"
    named = listing(missed, NAMED_ALTERATIONS)
    return f"Does not see: {len(missed)} of {measured} alterations ({where}): {named}.{too_few}"


def show_outcome(outcome: Outcome, console: Console, told_below: Collection[str] = ()) -> None:
    """Gates that do not hold with what was seen and needed, what stops or fails first; those that hold by name.

    Args:
        outcome: Of a run.
        console: Where to.
        told_below: Checks whose numbers follow in the study's own summary.
    """
    if not outcome.tables and not outcome.checks:
        return
    console.print(
        f"\n{len(set(outcome.tables))} tables made. Gates: STOP blocks what follows, FAIL is a threshold missed, "
        "note is advice."
    )
    lines = Table.grid(padding=(0, 2, 0, 0))
    asked = [check for check in outcome.checks if not _is_idle(check)]
    for check in sorted(asked, key=_order):
        word, style = _verdict(check)
        if not check.passed:
            said = "its numbers are below." if check.check_name in told_below else check.description
            lines.add_row(Text(f"  {word}", style=style), Text.assemble((_name(check), "bold"), f": {said}"))
    if held := [_name(check) for check in asked if check.passed]:
        lines.add_row(Text("  pass", style="green"), Text(f"{len(held)} hold: {', '.join(held)}."))
    if idle := [_name(check) for check in outcome.checks if _is_idle(check)]:
        words = Text(f"not asked: {', '.join(idle)}.", style="bright_black")
        console.print(lines, Padding(words, (0, 0, 0, 2)), sep="")
    else:
        console.print(lines)


def _is_idle(check: dg.AssetCheckEvaluation) -> bool:
    """Whether a check had nothing to look at."""
    said = check.description or ""
    return said.startswith((NOT_ASKED, DOES_NOT_APPLY))


def _name(check: dg.AssetCheckEvaluation) -> str:
    return check.check_name if check.partition is None else f"{check.check_name} ({check.partition})"


def _order(check: dg.AssetCheckEvaluation) -> int:
    return (STOP, FAIL, NOTE, "pass").index(_verdict(check)[0])


def _verdict(check: dg.AssetCheckEvaluation) -> tuple[str, str]:
    if check.passed:
        return "pass", "green"
    kind = kind_of(check)
    return kind, STYLES[kind]


def show_summary(home: Home, console: Console, gates: Mapping[str, TableGate]) -> None:
    """The table `setting_summary`, which gates fail at which settings, and the paths of what was made.

    Args:
        home: Where the tables are.
        console: Where to.
        gates: Those that count (no advice) of each setting, by code name, as the checks left them.
    """
    tables = home.tables / "fidelity"
    summary = pd.read_parquet(str(tables / "setting_summary.parquet"))
    plan = load_configuration(home).fidelity
    thresholds = plan.thresholds if plan else FidelityThresholds()
    for words in _one_answer(tables, summary):
        console.print(Text(words, style="bold red"))
    console.print(_as_table(summary, gates, level_of(plan)))
    console.print(
        "ICC(1,k): repeatability of the mean of the repeats, F interval (icc_by_setting has the one over products). "
        "MAD: median spread of an object's repeats. CI ±: half-width of an object's mean. Spearman, MAE: against "
        "people. JSON: valid answers. Scores are 0-1, * is the baseline; docs/statistics.md defines each number.",
        highlight=False,
    )
    for words in (*_compared_on(summary), *_incomplete(summary), _spent(summary), _over_all(gates)):
        console.print(words, highlight=False)
    _show_verdict(tables, gates, thresholds, console)
    _show_truth(home, console)
    console.print(f"Tables, as Parquet, in {tables}:", soft_wrap=True, highlight=False)
    names = [path.name if path.is_file() else f"{path.name}/" for path in tables.iterdir()]
    console.print(Padding(", ".join(sorted(names)), (0, 0, 0, 2)), highlight=False)


def _one_answer(tables: UPath, summary: pd.DataFrame) -> list[str]:
    """At which settings the judge answers everything alike."""
    paths = {key: tables / "score_matrix" / f"{key}.parquet" for key in summary["setting"]}
    matrices = {key: pd.read_parquet(str(path)) for key, path in paths.items() if path.exists()}
    scores = {key: scores_of(matrix) for key, matrix in matrices.items()}
    found = one_answers(
        (key, matrix["object"].repeat(scores[key].shape[1]), scores[key].ravel()) for key, matrix in matrices.items()
    )
    return [
        f"The judge gives one and the same answer, {one.score:g}, to all {one.n_things} objects ({', '.join(keys)}): "
        "it distinguishes nothing."
        for one, keys in found.items()
    ]


def _compared_on(summary: pd.DataFrame) -> list[str]:
    """On what the settings were compared, and why others were not."""
    kept_out = summary["undefined"].fillna("").astype(str).str.startswith(NOT_COMPARED)
    words = []
    if len(compared := summary[~kept_out]):
        first = compared.iloc[0]
        words.append(
            f"Compared on {first['n_objects']} objects of {first['n_products']} products that are valid in every "
            f"setting compared, {first['n_matched']} of them scored by people."
        )
    for reason, rows in summary[kept_out].groupby("undefined", sort=False):
        words.append(f"Not compared: {', '.join(rows['setting'])}: {str(reason).removeprefix(NOT_COMPARED)}")
    return words


def _incomplete(summary: pd.DataFrame) -> list[str]:
    """Which objects are left out of all settings, and what each setting's numbers could be with them."""
    compared = summary[~summary["undefined"].fillna("").astype(str).str.startswith(NOT_COMPARED)]
    lacking = compared[compared["incomplete"].notna()]
    if lacking.empty:
        return []
    first = compared.iloc[0]
    where = "; ".join(f"{row.setting}: {row.incomplete}" for row in lacking.itertuples())
    n_gone = count_noun(int(first["n_total"] - first["n_objects"]), "object")
    words = [f"Left out of all settings, as some setting has too few valid answers on them: {n_gone} ({where})."]
    for row in compared[compared["mae_worst"].notna()].to_dict("records"):
        worst, best = (
            f"ICC(1,k) {_number(row[f'icc_{end}'])}, MAD {_number(row[f'mad_{end}'])}, Spearman "
            f"{_number(row[f'spearman_{end}'])}, MAE {_number(row[f'mae_{end}'])}"
            for end in ("worst", "best")
        )
        words.append(f"{row['setting']} over all objects, missing answers worst for the judge: {worst}; best: {best}.")
    return words


def _spent(summary: pd.DataFrame) -> str:
    """Answers, faults and cost of the current judge, without those that another judge gave."""
    other = summary["undefined"].fillna("").astype(str).str.contains(ANOTHER_JUDGE, regex=False)
    own = summary[~other]
    answered, faults = int(own["n_evaluations"].sum()), int(own["n_faults"].sum())
    words = f"{answered} answers and {faults} faults in the ledger, {own['cost_usd'].sum():.2f} USD"
    if other.any():
        words += f", without {count_noun(int(other.sum()), 'setting')} that another judge answered"
    return f"{words}."


def level_of(plan: FidelityStudy | None) -> str:
    """The level of a study's intervals, such as 95 %; that of the default where the configuration has no study."""
    confidence = FidelityStudy.model_fields["confidence"].default if plan is None else plan.confidence
    return f"{100 * confidence:g} %"


def _as_table(summary: pd.DataFrame, gates: Mapping[str, TableGate], level: str) -> Table:
    """Every setting; a number whose gate fails there is red, and the last column says whether any does."""
    table = grid("setting", *(f">{heading.format(level=level)}" for _, heading in COLUMNS), "gates", wrapped=())
    for _, row in summary.iterrows():
        key = str(row["setting"])
        name = f"{key} *" if row["baseline"] else key
        if str(row["undefined"]).startswith(NOT_COMPARED):
            table.add_row(name, *("-" for _ in COLUMNS), "not compared")
            continue
        missed = _missed_at(key, gates)
        cells = [Text(_shown(column, row), style="red" if GATES.get(column) in missed else "") for column, _ in COLUMNS]
        table.add_row(name, *cells, Text("fail", style="red") if missed else Text("pass", style="green"))
    return table


def _missed_at(setting: str, gates: Mapping[str, TableGate]) -> list[str]:
    """The gates that fail at a setting, by code name."""
    return [name for name, gate in gates.items() if setting in gate.failing]


def _over_all(gates: Mapping[str, TableGate]) -> str:
    """How many gates fail over all settings, and at how many of those they apply to."""
    fails = {name: gate for name, gate in gates.items() if gate.failing}
    if not fails:
        return "Over all settings no gate fails." if gates else ""
    where = [f"{name} at {len(gate.failing)} of {len(gate.asked)}" for name, gate in fails.items()]
    fail = "gate fails" if len(fails) == 1 else "gates fail"
    return f"Over all settings {len(fails)} {fail}: {', '.join(where)}."


def _show_verdict(
    tables: UPath, gates: Mapping[str, TableGate], thresholds: FidelityThresholds, console: Console
) -> None:
    path = tables / "recommended_setting.parquet"
    if not path.exists():
        console.print("Setting: none, the table recommended_setting was not made.", highlight=False)
        return
    recommended = pd.read_parquet(str(path))
    chosen = chosen_setting(recommended)
    words = verdict(recommended, thresholds)
    if gates and chosen.setting:
        missed = _missed_at(chosen.setting, gates)
        words += f" On all objects valid there {'it misses ' + ', '.join(missed) if missed else 'no gate fails'}."
    stored = tables / "fidelity_trust_verdict.parquet"
    if chosen.setting and stored.exists() and not is_trusted(pd.read_parquet(str(stored))):
        words = f"if the judge is used in spite of its verdict, {words}"
    console.print(Text.assemble(("Setting: ", "bold"), words))
    if key := chosen.setting or chosen.nearest:
        path = tables / "annotator_test" / f"{key}.parquet"
        if path.exists():
            console.print(stand_in(pd.read_parquet(str(path)), thresholds.stand_in_share), highlight=False)
    path = tables / "sensitivity.parquet"
    if path.exists() and (line := unseen(pd.read_parquet(str(path)))):
        console.print(line, highlight=False)


def _shown(column: str, row: Any) -> str:
    value = row[column]
    if pd.isna(value):
        return "-"
    if column == "icc" and row["deterministic"]:
        return "determ."
    if column == "icc" and not pd.isna(row["icc_low"]):
        return f"{value:.3f} [{row['icc_low']:.3f}, {row['icc_high']:.3f}]"
    return f"{value:.3f}"


def _show_truth(home: Home, console: Console) -> None:
    """On the sample study the right answer is known: print how near the judge came to it."""
    if load_configuration(home).study != SAMPLE:
        return
    truth = pd.read_csv(home.samples / "fidelity" / "truth.csv", dtype={"object": str})
    tables = home.tables / "fidelity"
    key = _setting_of_verdict(tables) or SHOWN_SETTING
    path = tables / "matched_scores" / f"{key}.parquet"
    if not path.exists():
        return
    both = pd.read_parquet(str(path)).merge(truth, left_on="match_key", right_on="object", validate="one_to_one")
    found = correlation(both["judge_score"], both["grade"], "spearman", both["product_id"], resampling=Resampling(0))
    few = ", unreliable" if found.interval.unreliable else ""
    console.print(
        f"The samples' true grades are known: at {key} the judge's Spearman correlation with them is "
        f"{found.value:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}] "
        f"(n = {found.n} objects of {found.n_clusters} products{few}).",
        highlight=False,
    )


def _setting_of_verdict(tables: UPath) -> str | None:
    path = tables / "recommended_setting.parquet"
    if not path.exists():
        return None
    chosen = chosen_setting(pd.read_parquet(str(path)))
    return chosen.setting or chosen.nearest


def show_drift(home: Home, console: Console) -> None:
    """The table `drift`, the newest day last."""
    drift = pd.read_parquet(str(home.tables / "fidelity" / "drift.parquet"))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    shift = f"shift [{level_of(load_configuration(home).fidelity)} CI]"
    for heading in ("day (UTC)", "objects", shift, "ICC(A,1)", "what changed"):
        table.add_column(heading, justify="left" if heading in ("day (UTC)", "what changed") else "right")
    rows = drift.to_dict("records")
    for row in rows:
        pinned = " (pinned)" if row["n_pinned"] and row["occasion"] == row["pinned"] else ""
        table.add_row(
            f"{row['occasion']}{pinned}",
            f"{row['n_objects']} of {row['n_pinned']}" if row["n_pinned"] else "-",
            _shift(row),
            "-" if pd.isna(row["icc"]) else f"{row['icc']:.3f}",
            "" if pd.isna(row["changes"]) else str(row["changes"]),
        )
    console.print(table)
    if rows and not rows[-1]["n_pinned"]:
        console.print(f"Nothing to compare with: {NOT_PINNED}.", highlight=False)
    elif rows and pd.isna(rows[-1]["shift"]) and rows[-1]["occasion"] != rows[-1]["pinned"]:
        console.print(f"No comparison on {rows[-1]['occasion']}: {rows[-1]['undefined']}.", highlight=False)


def _shift(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["shift"]):
        return "-"
    bounds = "" if pd.isna(row["shift_low"]) else f" [{row['shift_low']:+.3f}, {row['shift_high']:+.3f}]"
    return f"{row['shift']:+.3f}{bounds}"


def show_made_up(console: Console, what: Iterable[str]) -> None:
    """A sentence for each, as in the report."""
    words = Translations("shared/words")
    for one in what:
        said = " ".join(words.say(key).plain(LANGUAGES[0]) for key in ("made_up.title", f"made_up.{one}"))
        console.print(said, style="yellow", highlight=False, markup=False)
