"""A gate is one function with one declaration: Dagster's check, its row in docs/gates.md and in a report come of it."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import dagster as dg
import pandas as pd

from analysis.gates import NOT_ASKED, Gate
from assets.shared.checks import WARN, gate_result, result_of_each
from assets.shared.partitions import METHODS, SETTINGS
from reports.shared.gate_row import GateRow, gate_row
from resources.configuration.section import Section
from resources.runtime.dagster_tags import study_of_group
from resources.study import Study


class Kind(Enum):
    """What failing means; the value is what the description of a check begins with."""

    INTEGRITY = "Integrity (STOP)"
    QUALITY = "Quality (FAIL)"
    ADVICE = "Advice (note)"


@dataclass(frozen=True)
class Declared:
    """What a gate asks and what follows, in words; `reads` are the tables that its function is handed.

    `withheld` is what people read. What withholds is the code of the tables further down, and for an integrity gate
    Dagster, which makes none of them.
    """

    function: Callable[..., Gate | None]
    kind: Kind
    to_do: str
    withheld: str
    reads: tuple[str, ...]
    once: Callable[[Study], Any] | None

    @property
    def asks(self) -> str:
        """What must hold, as a sentence."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def description(self) -> str:
        """What the UI says of the check."""
        asks = self.asks if self.asks[1:2].isupper() else self.asks[:1].lower() + self.asks[1:]
        held = f"\nWithheld: {self.withheld}" if self.withheld else ""
        return f"{self.kind.value}: {asks}\n\nWhat to do: {self.to_do}{held}"

    def ask(self, frames: Mapping[str, pd.DataFrame], **given: Any) -> Gate | None:
        """The gate's answer over its tables; of a table with partitions over those of one.

        Args:
            frames: Its tables by name.
            given: Whatever of `GIVEN` the function takes; more is not handed on.
        """
        wanted = inspect.signature(self.function).parameters
        handed = {name: value for name, value in given.items() if name in wanted}
        return self.function(**{name: frames[name] for name in self.reads}, **handed)


GATES: Final[dict[dg.AssetCheckKey, Declared]] = {}
# What a gate's function may take besides tables: the study's section of the configuration, the whole study, the key of
# the partition that it is asked for, what partitions share, and the metadata of the table as it was made before.
GIVEN: Final = ("plan", "study", "partition", "once", "before")


def declared(check: dg.AssetChecksDefinition) -> Declared:
    """The declaration behind a check."""
    return GATES[next(iter(check.check_keys))]


def rows_of(
    checks: Iterable[dg.AssetChecksDefinition], tables: Mapping[str, pd.DataFrame], plan: Section
) -> list[GateRow]:
    """The gates as a report shows them, without those that are not asked of these tables."""
    rows = []
    for said in map(declared, checks):
        answer = said.ask(tables, plan=plan)
        if answer is not None and answer.n is not None and (answer.n or not answer.passed):
            rows.append(gate_row(answer, advice=said.kind is Kind.ADVICE))
    return rows


def gate(
    table: dg.AssetsDefinition,
    kind: Kind,
    *,
    to_do: str,
    withheld: str = "",
    once: Callable[[Study], Any] | None = None,
) -> Callable[[Callable[..., Gate | None]], dg.AssetChecksDefinition]:
    """Declare a gate: a function from tables, each an argument of its name, and the study's `plan` to an answer.

    Of a table with partitions the function is asked for each of them, with that partition's frames. What else it may
    take is in `GIVEN`. The docstring says what must hold.

    Args:
        table: On which it is a check.
        kind: Whether it stops, withholds or advises.
        to_do: What to do where it fails, as a sentence.
        withheld: What is not made or not to be relied on then; said for a quality gate, and for no other.
        once: What partitions share, made of the study once in a run and handed over as `once`.

    Raises:
        ValueError: A quality gate does not say what it withholds, or another kind does.
    """
    if bool(withheld) != (kind is Kind.QUALITY):
        raise ValueError(f"a gate on {table.key.path[-1]}: a quality gate says what is withheld, and no other does")

    def check_of(function: Callable[..., Gate | None]) -> dg.AssetChecksDefinition:
        wanted = inspect.signature(function).parameters
        reads = tuple(name for name in wanted if name not in GIVEN)
        said = Declared(function, kind, to_do, withheld, reads, once)
        check = dg.asset_check(
            asset=table,
            name=function.__name__,
            description=said.description,
            blocking=kind is Kind.INTEGRITY,
            partitions_def=table.partitions_def,
            additional_ins={name: dg.AssetIn(name) for name in reads if name != table.key.path[-1]},
        )(_check_of(said, table))
        GATES[next(iter(check.check_keys))] = said
        return check

    return check_of


def _check_of(said: Declared, table: dg.AssetsDefinition) -> Callable[..., dg.AssetCheckResult]:
    """The function that Dagster calls; it reads from the signature what to hand over."""
    severity = WARN if said.kind is Kind.ADVICE else dg.AssetCheckSeverity.ERROR
    partitions, own = table.partitions_def, table.key.path[-1]
    group = study_of_group(table.group_names_by_key[table.key])
    wants_before = "before" in inspect.signature(said.function).parameters
    order = next((kept for kept in (SETTINGS, METHODS) if kept == partitions), None)

    def check(context: dg.AssetCheckExecutionContext, study: Study, **frames: Any) -> dg.AssetCheckResult:
        given = {"study": study, "plan": getattr(study, group)}
        if said.once is not None:
            given["once"] = said.once(study)
        if wants_before:
            given["before"] = _metadata_before(context.instance, table.key)
        if partitions is None:
            answer = said.ask(frames, **given)
            assert answer is not None
            return gate_result(answer, severity)
        keys = sorted(frames[own]) if order is None else order.get_partition_keys()
        gates = {}
        for key in keys:
            if key in frames[own]:
                parts = {name: frame[key] if isinstance(frame, dict) else frame for name, frame in frames.items()}
                unset = Gate(said.function.__name__, True, None, "nothing", NOT_ASKED)
                gates[key] = said.ask(parts, partition=key, **given) or unset
        return result_of_each(context, gates, severity)

    handed = {
        "context": dg.AssetCheckExecutionContext,
        **dict.fromkeys(said.reads, Any),
        "study": dg.ResourceParam[Study],
    }
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    check.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, either, annotation=kind) for name, kind in handed.items()],
        return_annotation=dg.AssetCheckResult,
    )
    return check


def _metadata_before(instance: dg.DagsterInstance, table: dg.AssetKey) -> Mapping[str, Any] | None:
    """The metadata of a table as the time before last made it; null where it was made once."""
    made = instance.fetch_materializations(table, limit=2).records
    if len(made) < 2 or made[1].asset_materialization is None:
        return None
    return {name: one.value for name, one in made[1].asset_materialization.metadata.items()}
