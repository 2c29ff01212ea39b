"""A gate on a table with partitions: the latest answer of every partition that exists, in one sentence."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import dagster as dg

from analysis.gates import Gate
from assets.shared.partitions import DATASETS, METHODS, SETTINGS
from resources.errors import listing
from resources.tables.check_results import latest_results

NOUNS = ((SETTINGS, "settings"), (METHODS, "methods"), (DATASETS, "data sets"))


class TableGate(NamedTuple):
    """One gate on every partition that has an answer.

    `gates` are the latest answers in the partitions' order, `judged` those of them that are of the run that asks (none
    where no run asks), and `noun` is what the partitions are.
    """

    gates: Mapping[str, Gate]
    judged: Sequence[str]
    noun: str

    @property
    def failing(self) -> list[str]:
        """The partitions that fail."""
        return [key for key, gate in self.gates.items() if not gate.passed]

    @property
    def asked(self) -> list[str]:
        """The partitions that the gate applies to."""
        return [key for key, gate in self.gates.items() if gate.is_asked]

    @property
    def furthest(self) -> Gate:
        """Whose numbers stand for all: the failing one furthest from its limit, else the passing one nearest to it."""
        of_all = self.failing or list(self.gates)
        with_number = [key for key in of_all if self.gates[key].seen is not None]
        return self.gates[max(with_number or of_all, key=self._lack)]

    @property
    def sentence(self) -> str:
        """What the worst one says, by name; those without a number, which no number can be set against, apart."""
        gates, failing, asked = self.gates, self.failing, self.asked
        said = {gate.sentence for gate in gates.values()}
        if len(gates) == 1 or (not failing and len(said) == 1 and all(one.seen is None for one in gates.values())):
            return said.pop()
        with_number = sorted((key for key in failing if gates[key].seen is not None), key=self._lack, reverse=True)
        sentences = []
        if failing and len(asked) == 1:
            sentences.append(f"{asked[0]} fails{self._now}{':' if with_number else '.'}")
        elif failing:
            sentences.append(f"{len(asked) - len(failing)} of {len(asked)} {self.noun} pass{self._now}.")
        elif len(asked) == 1:
            sentences.append(f"{asked[0]} passes{self._now}: {gates[asked[0]].sentence}")
        elif asked:
            nearest = max(asked, key=self._lack)
            alike = len({gates[key].seen for key in asked}) == 1
            sentences.append(f"All {len(asked)} {self.noun} pass{self._now}.")
            sentences += [] if alike else [f"Nearest to the limit is {nearest}:"]
            sentences.append(gates[nearest].sentence)
        if with_number:
            worst, *others = with_number
            sentences.append(f"{f'Worst is {worst}: ' if len(asked) > 1 else ''}{gates[worst].sentence}")
            also = [key for key in failing if key in others]
            sentences += [f"Also failing: {listing(also)}."] if also else []
        apart = [key for key in gates if key not in asked or (key in failing and gates[key].seen is None)]
        for words in dict.fromkeys(gates[key].sentence for key in apart):
            sentences.append(f"{listing(key for key in apart if gates[key].sentence == words)}: {words}")
        return " ".join(sentences)

    @property
    def table(self) -> str:
        """Every partition with its answer, in Markdown."""
        rows = [f"| {key} | {_state(gate)} | {gate.sentence} |" for key, gate in self.gates.items()]
        return "\n".join(["| which | gate | seen and needed |", "| --- | --- | --- |", *rows])

    @property
    def _now(self) -> str:
        """Which were judged in the run that asks, unless it judged all of them."""
        some = self.judged and len(self.judged) < len(self.gates)
        return f"; {len(self.judged)} judged in this run ({listing(self.judged)})" if some else ""

    def _lack(self, key: str) -> float:
        """Larger for a gate that is further from passing; one without a number is the furthest if it fails."""
        gate = self.gates[key]
        if gate.seen is None:
            return -math.inf if gate.passed else math.inf
        return -gate.seen if gate.needed.startswith(">=") else gate.seen


def _state(gate: Gate) -> str:
    return "not asked" if not gate.is_asked else "pass" if gate.passed else "**fail**"


def table_gate(
    instance: dg.DagsterInstance, check: dg.AssetCheckSpec, now: Mapping[str, Gate], judged: Collection[str] = ()
) -> TableGate:
    """A gate on its whole table: the answers given now, and of every other partition that exists its latest result.

    Args:
        instance: Keeps the results of earlier runs.
        check: The gate's check, on a table with partitions.
        now: Answers that are not stored yet, by partition.
        judged: Partitions whose stored results are of the run that asks, too.
    """
    keys = existing(check.partitions_def, instance)
    stored = latest_results(instance, check.key, [key for key in keys if key not in now])
    every = {**{str(key): gate_of(one) for key, one in stored.items()}, **now}
    gates = {key: every[key] for key in dict.fromkeys([*map(str, keys), *now]) if key in every}
    return TableGate(gates, [key for key in gates if key in now or key in judged], noun_of(check.partitions_def))


def existing(definition: dg.PartitionsDefinition | None, instance: dg.DagsterInstance) -> list[str | None]:
    """The partitions of a table that there are now; null alone where it has none."""
    return [None] if definition is None else [*definition.get_partition_keys(dynamic_partitions_store=instance)]


def noun_of(definition: dg.PartitionsDefinition | None) -> str:
    """What the partitions of a table are called."""
    return next((noun for known, noun in NOUNS if known == definition), "partitions")


def gate_of(evaluation: dg.AssetCheckEvaluation) -> Gate:
    """The gate behind a stored result; its numbers are as exact as the result has them."""
    values = {name: one.value for name, one in evaluation.metadata.items()}
    seen, needed, to_do = values.get("seen"), values.get("needed") or "", values.get("to_do") or ""
    return Gate(
        evaluation.check_name,
        evaluation.passed,
        None if seen is None else float(seen),  # type: ignore[arg-type]
        str(needed),
        evaluation.description or "",
        remedy=str(to_do),
    )
