"""Rules about source code that a reader could break without noticing, each found in the syntax tree."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

UNPICKLING_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "skops"}
ARCHIVE_MODULES = {"zipfile", "tarfile", "lzma", "bz2", "py7zr", "rarfile", "zlib"}
RUNS_CODE = {"eval", "exec", "compile", "execfile", "__import__"}
RUNS_SQL = {"execute", "executemany", "exec_driver_sql", "executescript", "copy_expert", "scalar", "scalars"}
READS_SQL = {"read_sql", "read_sql_query"}
TEXT_OF_SQL = {"sa.text", "sqlalchemy.text", "sa.literal_column", "sqlalchemy.literal_column", "sa.DDL"}


class Finding(NamedTuple):
    """A rule that is broken, and in which line."""

    line: int
    rule: str


def findings(tree: ast.Module) -> list[Finding]:
    """Every place of one file that breaks a rule, line by line."""
    built = _built_texts(tree)
    found = {Finding(getattr(node, "lineno", 0), rule) for node in ast.walk(tree) for rule in _broken(node, built)}
    return sorted(found)


def _broken(node: ast.AST, built: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        roots = {name.split(".")[0] for name in names}
        if roots & UNPICKLING_MODULES:
            yield "unpickles"
        if roots & ARCHIVE_MODULES:
            yield "opens archives"
    elif isinstance(node, ast.ClassDef):
        bases = {_name(base) for base in node.bases}
        if any(base.startswith("yaml.") and base.endswith("Loader") and "Safe" not in base for base in bases):
            yield "loads YAML as objects"
    elif isinstance(node, ast.Call):
        yield from _broken_call(node, _name(node.func), built)


def _broken_call(call: ast.Call, name: str, built: set[str]) -> Iterator[str]:
    last = name.rpartition(".")[2]
    options = {one.arg: one.value for one in call.keywords}
    if name in ("torch.load", "torch.hub.load") and not _is(options.get("weights_only"), True):
        yield "unpickles"
    if name == "torch.jit.load" or last == "read_pickle" or _is(options.get("allow_pickle"), True):
        yield "unpickles"
    if name in ("yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load", "yaml.unsafe_load_all"):
        yield "loads YAML as objects"
    if name in RUNS_CODE or last == "exec_module" or name.startswith("runpy."):
        yield "runs code"
    if _is(options.get("shell"), True) or name in ("os.system", "os.popen") or last in ("getoutput", "getstatusoutput"):
        yield "starts a shell"
    if _is_sql(name, last) and call.args and not _is_fixed(call.args[0], built, name in TEXT_OF_SQL):
        yield "builds SQL"
    if last in ("unpack_archive", "extractall") or name in ("gzip.decompress", "gzip.open"):
        yield "opens archives"
    if _marks_markup(call, name, last, options):
        yield "marks as markup"


def _is_sql(name: str, last: str) -> bool:
    return name in TEXT_OF_SQL or (last in RUNS_SQL and "." in name) or last in READS_SQL


def _is_fixed(text: ast.expr, built: set[str], must_be_constant: bool) -> bool:
    """Whether no value can have been put into the statement."""
    if isinstance(text, ast.JoinedStr | ast.BinOp):
        return False
    if isinstance(text, ast.Call):
        return not isinstance(text.func, ast.Attribute) or text.func.attr not in ("format", "join", "replace")
    if isinstance(text, ast.Name) and text.id in built:
        return False
    return isinstance(text, ast.Constant) or not must_be_constant


def _built_texts(tree: ast.Module) -> set[str]:
    """Names that somewhere in the file hold an f-string."""
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.JoinedStr)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _marks_markup(call: ast.Call, name: str, last: str, options: dict[str | None, ast.expr]) -> bool:
    if name == "Markup":
        return bool(call.args) and isinstance(call.args[0], ast.JoinedStr | ast.BinOp)
    if last == "Environment":
        return not _is(options.get("autoescape"), True)
    return _is(options.get("unsafe_allow_html"), True) or _is(options.get("unsafe_allow_javascript"), True)


def _is(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _name(node: ast.expr) -> str:
    """``a.b.c`` of an expression; what is called or indexed on the way shows as nothing."""
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
