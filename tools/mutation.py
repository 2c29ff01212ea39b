"""Breaks the statistics in 500 places, one at a time, and counts how many of the broken ones their own tests notice.

python -m tools.mutation [RESULTS.jsonl]     goes on where an earlier run stopped; exit 1 below the promised share

A mutant is one small change of one module: another comparison, operator, number, truth value, keyword or guard. It is
killed when a test of the module's mirror in tests/ fails (without the tests marked slow), and survives otherwise. Which
500 are tried follows from the seed and the code alone. A killed mutant is not tried again while its function stays as
it is, a survivor is when a test of its mirror changes. docs/mutation.md says why the survivors survive.

Neither mutmut nor Cosmic Ray fits. mutmut 3 runs whatever tests reach a function, over the whole suite and not the
mirror, wants a first run of all tests, mutates inside functions alone and takes no sample. Cosmic Ray has one command
for all modules and starts an interpreter for each mutant: 3 to 5 seconds of imports before tests of 1. Here libraries
are loaded once and each mutant is a forked process that imports the module, changed, and runs its mirror.
"""

import ast
import copy
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "mutation.md"
SEED, MUTANTS, PROMISED = 20261129, 500, 0.9
# Modules of each statistic; the mirror of `a.b` is tests/a/test_b.py, and for these it is what follows them.
STATISTICS = {
    "ICC": ("agreement.icc", "agreement.mean_squares", "agreement.icc_by_product"),
    "kappa": (
        "agreement.kappa",
        "agreement.kappa_intervals",
        "agreement.chance_corrected",
        "agreement.coefficients",
        "agreement.fleiss",
        "agreement.contingency",
    ),
    "signed rank": ("significance.signed_rank", "significance.walsh"),
    "Bradley-Terry": (
        "preference.bradley_terry",
        "preference.bradley_terry_components",
        "preference.bradley_terry_counts",
        "preference.bradley_terry_errors",
        "preference.bradley_terry_newton",
        "preference.bradley_terry_ties",
    ),
    "intervals": ("intervals.jackknife", "intervals.headline", "intervals.measured", "significance.wilson"),
    "ties": ("ties",),
    "alternative annotator test": ("agreement.alternative_annotator",),
}
OF_STRENGTHS = ("preference.bradley_terry", "preference.bradley_terry_ties")
MIRRORS = {
    "preference.bradley_terry": ("preference.bradley_terry", "preference.bradley_terry_choix"),
    "preference.bradley_terry_counts": OF_STRENGTHS,
    "preference.bradley_terry_newton": OF_STRENGTHS,
    "intervals.measured": ("intervals.headline",),
}
OPERATORS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.Mod: ast.Mult,
    ast.FloorDiv: ast.Div, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
OTHER_NAMES = {
    "min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum",
    "floor": "ceil", "ceil": "floor", "zeros": "ones", "ones": "zeros", "argmin": "argmax", "argmax": "argmin",
    "isf": "ppf", "ppf": "isf", "sf": "cdf", "cdf": "sf", "sqrt": "square", "log": "exp", "exp": "log",
}  # fmt: skip
# Keywords that only check, or say where and how exactly to keep what is computed; None is `**rest`.
NO_KEYWORD = {"strict", "dtype", "out", None}
SECONDS, TIMES = 5, 3  # of processor time, and how often the unchanged mirror's time, until a mutant counts as killed
MEMORY = 4 << 30
WALL = 20  # the same on a clock, for a mutant that waits


class Mutant(NamedTuple):
    """The change `number` of a module; `key` names it and stays while its function does."""

    statistic: str
    module: str
    number: int
    line: int
    scope: str
    before: str
    after: str
    key: str


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """What a node may become, each a small change."""

    def changed(**fields: Any) -> ast.AST:
        new = copy.copy(node)
        for name, value in fields.items():
            setattr(new, name, value)
        return new

    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                yield changed(ops=[*ops[:i], OPERATORS[type(op)](), *ops[i + 1 :]])
        case ast.BinOp(left, op, right) if type(op) in OPERATORS and not (_is_text(left) or _is_text(right)):
            yield changed(op=OPERATORS[type(op)]())
        case ast.BoolOp(op=op) | ast.AugAssign(op=op) if type(op) in OPERATORS:
            yield changed(op=OPERATORS[type(op)]())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield changed(value=not value)
        case ast.Constant(value=int(value) | float(value)):
            yield changed(value=value + 1)
        case ast.If(test=test) if not (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"):
            yield changed(test=ast.Constant(value=False))
        case ast.IfExp(body=body, orelse=orelse):
            yield changed(body=orelse, orelse=body)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Call(keywords=keywords):
            for one in keywords:
                if one.arg not in NO_KEYWORD:
                    yield changed(keywords=[other for other in keywords if other is not one])
            match node.func:
                case ast.Name(id=name) if name in OTHER_NAMES:
                    yield changed(func=ast.Name(id=OTHER_NAMES[name], ctx=ast.Load()))
                case ast.Attribute(attr=name) if name in OTHER_NAMES:
                    yield changed(func=ast.Attribute(value=node.func.value, attr=OTHER_NAMES[name], ctx=ast.Load()))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def places(node: ast.AST, scope: str = "") -> Iterator[tuple[str, ast.AST, str, int | None, ast.AST]]:
    """Every node that may change: the function it is in, its parent and where that has it. No annotations, no texts."""
    inside = f"{scope}.{node.name}".lstrip(".") if isinstance(node, ast.FunctionDef | ast.ClassDef) else scope
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for i, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            skipped = isinstance(child, ast.Raise | ast.Assert | ast.JoinedStr) or getattr(child, "arg", 0) == "strict"
            if isinstance(child, ast.AST) and not skipped:
                yield inside, node, name, i, child
                yield from places(child, inside)


def changes(tree: ast.Module) -> Iterator[tuple[str, ast.AST, str, int | None, ast.AST, ast.AST]]:
    """Every change of a module in the order of its lines: its place, and what becomes of the node there."""
    for scope, parent, name, i, node in [*places(tree)]:
        if scope or not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)):  # a type
            for new in replacements(node):
                yield scope, parent, name, i, node, new


def mutants(statistic: str, module: str, source: str) -> Iterator[Mutant]:
    """All mutants of a module."""
    tree = ast.parse(source)
    homes = {id(node): text for part in tree.body for text in [ast.unparse(part)] for node in ast.walk(part)}
    seen: Counter[str] = Counter()
    for number, (scope, _, _, _, node, new) in enumerate(changes(tree)):
        before, after = (ast.unparse(one.test if isinstance(one, ast.If) else one) for one in (node, new))
        what = f"{SEED} {module} {scope} {before} -> {after}"
        seen[what] += 1
        key = hashlib.sha256(f"{what} {seen[what]} {homes[id(node)]}".encode()).hexdigest()
        yield Mutant(statistic, module, number, getattr(node, "lineno", 0), scope or "the module", before, after, key)


def mutated(source: str, number: int) -> CodeType:
    """A module with its change `number`."""
    tree = ast.parse(source)
    _, parent, name, i, _, new = next(islice(changes(tree), number, None))
    if i is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[i] = new
    return compile(ast.fix_missing_locations(tree), "mutant", "exec")


def chosen() -> list[Mutant]:
    """The same number of each statistic, as far as it has so many, and in each those whose key is least."""
    of_each = [
        sorted(
            (one for module in modules for one in mutants(name, module, source_of(module))),
            key=lambda one: one.key,
        )
        for name, modules in STATISTICS.items()
    ]
    rounds = [one for ranked in zip_longest(*of_each) for one in ranked if one is not None]
    return sorted(rounds[:MUTANTS], key=lambda one: (list(STATISTICS).index(one.statistic), one.module, one.number))


@cache
def source_of(module: str) -> str:
    """The text of a module of `analysis`, read once: it may be edited while this runs."""
    return (ROOT / "analysis" / f"{module.replace('.', '/')}.py").read_text()


def mirror(module: str) -> list[Path]:
    """The test files of a module."""
    parts = [name.split(".") for name in MIRRORS.get(module, (module,))]
    return [ROOT.joinpath("tests", "analysis", *folders, f"test_{name}.py") for *folders, name in parts]


class Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a mutant where its module is asked for."""

    def __init__(self, module: str, code: CodeType) -> None:
        self.name, self.code = f"analysis.{module}", code

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """Only the module."""
        return importlib.machinery.ModuleSpec(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        """Runs the changed source."""
        exec(self.code, module.__dict__)  # noqa: S102


class Quickest:
    """Runs examples after everything else, without looking for the smallest that fails, and notes what failed first."""

    failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """After the project's own profile."""
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile(
            "mutation", settings.get_profile("fast"), phases=phases, derandomize=True, database=None
        )
        settings.load_profile("mutation")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Tests of one example first."""
        items.sort(key=lambda item: getattr(getattr(item, "obj", None), "is_hypothesis_test", False))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The first that fails."""
        if report.failed and not self.failed:
            self.failed = report.nodeid.rpartition("/")[2]


def tried(module: str, number: int | None, seconds: float) -> dict[str, Any]:
    """Runs the mirror over one mutant, or over the module as it is, in a process of its own.

    Returns:
        `outcome` (killed or survived), `by` which test, and `seconds` of processor time.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        signal.alarm(int(seconds * WALL))
        for shown in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), shown)
        if number is not None:
            sys.meta_path.insert(0, Instead(module, mutated(source_of(module), number)))
        quickest = Quickest()
        files = [str(path) for path in mirror(module)]
        options = ["-x", "-m", "not slow", "-p", "no:cacheprovider", "--assert", "plain", "--rootdir", str(ROOT)]
        code = int(pytest.main([*files, *options], plugins=[quickest]))
        os.write(writing, json.dumps({"code": code, "by": quickest.failed}).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        said = stream.read()
    _, _, used = os.wait4(child, 0)
    found = json.loads(said) if said else {"code": -1, "by": "out of time or memory"}
    killed = found["code"] != 0
    return {
        "outcome": "killed" if killed else "survived",
        "by": found["by"] or "does not import" if killed else "",
        "seconds": round(used.ru_utime + used.ru_stime, 2),
    }


def load_libraries(modules: list[str]) -> None:
    """Imports what the mirrors import, and forgets what is the project's own, which each child imports anew."""
    # Before numpy is loaded: a process with threads cannot be forked safely.
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    for name in (
        "pingouin",
        "tests.conftest",
        "tests.built",
        "tests.chromium",
        "tests.postgres",
        "tests.stored_tables",
    ):
        importlib.import_module(name)
    for module in modules:
        for path in mirror(module):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for name in [name for name in sys.modules if f"{name}.".startswith(("analysis.", "tests.analysis."))]:
        del sys.modules[name]
    del sys.modules["tests"].analysis
    sys.dont_write_bytecode = False  # or every child compiles all of the project that it imports
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


def main(results: Path) -> bool:
    """Tries what has not been tried, a line of the results each, and prints the table and the survivors."""
    every = chosen()
    results.parent.mkdir(parents=True, exist_ok=True)
    before = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    outcomes = {line["key"]: line for line in before}
    tests = {
        module: hashlib.sha256(b"".join(path.read_bytes() for path in mirror(module))).hexdigest()
        for module in {one.module for one in every}
    }
    due = [
        one
        for one in every
        if (old := outcomes.get(one.key)) is None
        or (old["outcome"] == "survived" and old["tests"] != tests[one.module])
    ]
    if due:
        load_libraries(sorted({one.module for one in due}))
    limits: dict[str, float] = {}
    with results.open("a") as stream:
        for one in due:
            if one.module not in limits:
                whole = tried(one.module, None, 600)
                if whole["outcome"] != "survived":
                    raise SystemExit(f"The tests of {one.module} fail without any change: {whole['by']}")
                limits[one.module] = SECONDS + TIMES * whole["seconds"]
            line = one._asdict() | tried(one.module, one.number, limits[one.module]) | {"tests": tests[one.module]}
            outcomes[one.key] = line
            print(json.dumps(line), file=stream, flush=True)
    return report(every, outcomes)


def report(every: list[Mutant], outcomes: dict[str, dict[str, Any]]) -> bool:
    """Prints the table of the page and the survivors; whether enough were killed and the page explains all others."""
    survivors = [one for one in every if outcomes[one.key]["outcome"] == "survived"]
    tried_of, alive_of = Counter(one.statistic for one in every), Counter(one.statistic for one in survivors)
    print("| statistic | mutants | killed | survived | killed, % |\n| --- | --: | --: | --: | --: |")
    rows = [(name, tried_of[name], alive_of[name]) for name in STATISTICS] + [("all", len(every), len(survivors))]
    for name, n, alive in rows:
        print(f"| {name} | {n} | {n - alive} | {alive} | {100 * (n - alive) / n:.1f} |")
    explained = PAGE.read_text() if PAGE.exists() else ""
    unexplained = [one for one in survivors if f"`{one.key[:8]}`" not in explained]
    for one in unexplained:
        print(f"{one.key[:8]} {one.module}:{one.line} {one.scope}: {one.before} -> {one.after}")
    print(f"{len(unexplained)} of {len(survivors)} survivors are not explained in {PAGE.relative_to(ROOT)}")
    return len(survivors) <= (1 - PROMISED) * len(every) and not unexplained


if __name__ == "__main__":
    sys.exit(not main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".touchstone" / "mutation.jsonl")))
