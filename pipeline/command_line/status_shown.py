"""How `touchstone status` looks: a block for each study, in 80 columns."""

from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.command_line.study_state import FAIL, NOTE, ON_DEMAND, STOP, GateState, StudyState, failed
from pipeline.command_line.terminal import grid
from pipeline.staleness import TableState
from resources.errors import listing
from resources.runtime.sanitize import one_line

STYLES = {STOP: "bold red", FAIL: "red", NOTE: "yellow"}
LONGEST = 300
RUN_WORDS = {"SUCCESS": "succeeded", "FAILURE": "failed", "STARTED": "is running", "CANCELED": "was interrupted"}


def show_study(console: Console, state: StudyState, *, every_table: bool) -> None:
    """Print one study's block."""
    console.rule(Text(state.name, style="bold"), align="left")
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(no_wrap=True)
    lines.add_column()
    for place, line in enumerate(state.verdicts):
        lines.add_row("" if place else "Verdict", line)
    lines.add_row("Tables", Text(_tables_in_words(state)))
    lines.add_row("Last run", Text(_run_in_words(state)))
    for place, line in enumerate(state.numbers()):
        lines.add_row("" if place else "Found", Text(one_line(line, LONGEST)))
    lines.add_row("Gates", gates_in_words(state.every_gate))
    for gate in [*failed(state.every_gate, STOP), *failed(state.every_gate, FAIL)]:
        lines.add_row("", _gate(gate))
    if notes := failed(state.every_gate, NOTE):
        lines.add_row("", Text("note ", STYLES[NOTE]).append(listing((gate.name for gate in notes), 30), "default"))
    if report := state.report():
        lines.add_row("Report", Text(report, overflow="fold"))
    lines.add_row("Next", Text(one_line(state.next_step, LONGEST), "bold"))
    console.print(lines, highlight=False)
    if every_table:
        console.print(_every_table(state), highlight=False)
    console.print()


def _tables_in_words(state: StudyState) -> str:
    made = [one for one in state.tables.values() if not one.is_missing]
    words = [f"{len(made)} of {len(state.tables)} made"]
    never = [one.key.path[-1] for one in state.expected if one.is_missing]
    if never:
        words.append(f"never made: {listing(never, 3)}")
    if made and (parts := [f"{one.key.path[-1]} ({one.n_missing})" for one in made if one.n_missing]):
        words.append(f"partitions missing in {listing(parts, 3)}")
    if wanted := [key.path[-1] for key, one in state.tables.items() if one.is_missing and key.path[-1] in ON_DEMAND]:
        words.append(f"made only when asked for: {', '.join(wanted)}")
    outdated = [one for one in state.expected if one.outdated]
    if outdated:
        first = outdated[0]
        reason = next(iter(first.outdated.values()))
        words.append(f"{len(outdated)} out of date, the first {first.key.path[-1]} ({reason})")
    elif made:
        words.append("none out of date")
    return "; ".join(words)


def _run_in_words(state: StudyState) -> str:
    if state.run is None:
        return "never"
    words = RUN_WORDS.get(state.run.status, state.run.status.lower().replace("_", " "))
    when = "" if state.run.started is None else f", {_moment(state.run.started)} UTC"
    took = "" if state.run.seconds is None else f", {state.run.seconds:.0f} s"
    of = f" of {state.run.partition}" if state.run.partition else ""
    return f"{state.run.job}{of} {words}{when}{took}"


def gates_in_words(gates: list[GateState]) -> Text:
    """How many gates hold, stop, fail and advise, and how many ask nothing."""
    if not gates:
        return Text("none was checked")
    held = sum(not gate.n_failed for gate in gates if gate.n_asked)
    words = [Text(f"{held} pass", "green")]
    words += [
        Text(f"{n} {kind if kind != NOTE or n == 1 else 'notes'}", STYLES[kind])
        for kind in (STOP, FAIL, NOTE)
        if (n := len(failed(gates, kind)))
    ]
    if idle := sum(not gate.n_asked for gate in gates):
        words.append(Text(f"{idle} not asked", "bright_black"))
    return Text(", ").join(words)


def _gate(gate: GateState) -> Text:
    text = Text(f"{gate.kind} ", STYLES[gate.kind]).append(f"{gate.table}: {gate.name}. ", "default")
    text.append(one_line(gate.sentence, LONGEST), "default")
    # A sentence of one partition ends with the remedy already.
    if gate.to_do and gate.to_do not in gate.sentence:
        text.append(f" {one_line(gate.to_do, LONGEST)}", "default")
    return text


def _every_table(state: StudyState) -> Table:
    table = grid("table", "state", ">rows", "made (UTC)", "gates", wrapped=("gates",))
    for key, one in state.tables.items():
        made_at = "" if one.made_at is None else _moment(one.made_at)
        rows = "" if one.is_missing else str(one.n_rows)
        gates = gates_in_words(state.gates[key]) if state.gates[key] else Text()
        table.add_row(key.path[-1], _state(one), rows, made_at, gates)
    return table


def _state(one: TableState) -> Text:
    if one.is_missing:
        return Text("never made", "yellow")
    n = len(one.partitions)
    if one.outdated:
        return Text("out of date" if n == 1 else f"{len(one.outdated)}/{n} old", "yellow")
    if one.n_missing:
        return Text(f"{n - one.n_missing} of {n}", "yellow")
    return Text("made" if one.partitions == (None,) else f"{n} of {n}", "green")


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
