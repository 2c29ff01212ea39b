"""Rules about source code that ruff has not, each found in the syntax tree: above all, no value in a SQL statement.

Ruff's own (`S`, and the list of banned names in pyproject.toml) are for the rest: pickles, text that is run, shells,
archives, YAML, markup.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

# Methods that take a statement, made by SQLAlchemy or a text; and those that take a text alone.
RUNS_SQL = {"execute", "executemany", "scalar", "scalars", "stream", "read_sql"}
RUNS_TEXT = {"exec_driver_sql", "executescript", "read_sql_query"}
TEXT_OF_SQL = {"text", "literal_column", "DDL"}
BUILDS_TEXT = {"format", "format_map", "replace"}
# Arguments that nothing may be given as true, with the rule that they break.
NEVER_TRUE = {
    "allow_pickle": "unpickles",
    "unsafe_allow_html": "marks as markup",
    "unsafe_allow_javascript": "marks as markup",
}


class Finding(NamedTuple):
    """A rule that is broken, and in which line."""

    line: int
    rule: str


def findings(tree: ast.Module) -> list[Finding]:
    """Every place of one file that breaks a rule, line by line."""
    file = _File(_imported(tree), set())
    _note_built_texts(tree, file)
    places = ((node, rule) for node in ast.walk(tree) for rule in set(_broken(node, file)))
    return sorted(Finding(getattr(node, "lineno", 0), rule) for node, rule in places)


@dataclass(frozen=True)
class _File:
    """What the names in one file stand for: what was imported under them, and which hold texts with values in them."""

    imported: dict[str, str]
    built: set[str]

    def name(self, node: ast.expr) -> str:
        """``a.b.c`` of an expression, from the module's own name on; what is called or indexed shows as nothing."""
        if isinstance(node, ast.Attribute):
            return f"{self.name(node.value)}.{node.attr}"
        return self.imported.get(node.id, node.id) if isinstance(node, ast.Name) else ""

    def is_built(self, text: ast.expr) -> bool:
        """Whether values were put into the text."""
        if isinstance(text, ast.IfExp):
            return self.is_built(text.body) or self.is_built(text.orelse)
        if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute):
            owner, method = text.func.value, text.func.attr
            # Statements are joined too, to tables.
            joins = method == "join" and isinstance(owner, ast.Constant)
            return joins or method in BUILDS_TEXT or self.is_built(owner)
        return isinstance(text, ast.JoinedStr | ast.BinOp) or (isinstance(text, ast.Name) and text.id in self.built)


def _imported(tree: ast.Module) -> dict[str, str]:
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update({one.asname: one.name for one in node.names if one.asname})
        elif isinstance(node, ast.ImportFrom):
            names.update({one.asname or one.name: f"{node.module}.{one.name}" for one in node.names})
    return names


def _note_built_texts(tree: ast.Module, file: _File) -> None:
    """Names that somewhere in the file are given a text with values in it, by themselves or by one another."""
    n_known = -1
    while len(file.built) > n_known:
        n_known = len(file.built)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if isinstance(node, ast.AugAssign) or (node.value is not None and file.is_built(node.value)):
                    file.built.update(target.id for target in targets if isinstance(target, ast.Name))


def _broken(node: ast.AST, file: _File) -> Iterator[str]:
    if not isinstance(node, ast.Call):
        return
    options = {one.arg: one.value for one in node.keywords}
    name = file.name(node.func)
    root, last = name.partition(".")[0], name.rpartition(".")[2]
    first = [*node.args, *options.values()][:1]
    if first and _builds_sql(first[0], name, root, last, file):
        yield "builds SQL"
    if last == "exec_module":
        yield "runs code"
    for option, rule in NEVER_TRUE.items():
        if isinstance(given := options.get(option), ast.Constant) and given.value is True:
            yield rule


def _builds_sql(text: ast.expr, name: str, root: str, last: str, file: _File) -> bool:
    """Whether a value can have become part of the statement; what takes a text alone has to be given a constant."""
    if (root == "sqlalchemy" and last in TEXT_OF_SQL) or last in RUNS_TEXT:
        return not _is_constant(text)
    return last in RUNS_SQL | {"copy_expert"} and "." in name and file.is_built(text)


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _is_constant(node.body) and _is_constant(node.orelse)
    return isinstance(node, ast.Constant)
