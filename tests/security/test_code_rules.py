"""What no code may do: unpickle, run text, load YAML as objects, start a shell, build SQL, open archives."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.security.source_rules import findings

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("analysis", "assets", "pipeline", "reports", "resources", "review", "deploy")

# What makes elements or code of a text in a browser, where `textContent` shows it.
MARKUP_OR_CODE = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|setHTMLUnsafe|srcdoc"
    r"|\beval\(|\bFunction\("
)
# Where a rule has to be broken, by file and rule, how often, and why that is safe.
ALLOWED = {
    # The documented loading of a user's own method: the user's code, named by the user's configuration.
    ("resources/photos/methods/own.py", "runs code"): 1,
    # A number of ours in a PRAGMA, which takes no parameters.
    ("resources/database/engine.py", "builds SQL"): 1,
    # Two words of ours in a PRAGMA.
    ("resources/database/migrate.py", "builds SQL"): 1,
    # ANALYZE and COPY take no parameters; table and columns are quoted by the dialect's own identifier_preparer.
    ("resources/database/bulk_rows.py", "builds SQL"): 2,
    # COPY of a SELECT that SQLAlchemy compiled and whose values the driver quoted (mogrify).
    ("resources/database/bulk_frames.py", "builds SQL"): 1,
    # The places of columns, counted by us: Postgres groups by no expression with a bound value.
    ("resources/database/call_lists.py", "builds SQL"): 1,
    # Our own styles and script, Plotly in base64, and data in base64, in JSON without any `<`, or escaped.
    ("reports/shared/page.py", "marks as markup"): 7,
    # The archives that ship with the package; zipfile keeps every name inside the folder.
    ("pipeline/samples/shipped.py", "opens archives"): 2,
    # Each of its values comes from `escape`.
    ("reports/shared/phrases.py", "marks as markup"): 1,
    # Our own style sheet, by its path.
    ("review/parts.py", "marks as markup"): 1,
}

# What a file imports before the lines that the rules are tried on.
USUAL = "import numpy as np, pandas as pd, sqlalchemy as sa, streamlit as st\n"


def sources() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


@cache
def places() -> dict[tuple[str, str], list[int]]:
    """The lines that break a rule, by file and rule."""
    found = defaultdict(list)
    for file, text in sources():
        for one in findings(ast.parse(text)):
            found[file, one.rule].append(one.line)
    return found


def test_no_code_breaks_a_rule_but_where_it_is_written_down() -> None:
    assert not {where: lines for where, lines in places().items() if len(lines) > ALLOWED.get(where, 0)}


def test_no_script_of_ours_makes_markup_or_code_of_a_text() -> None:
    scripts = [path for room in ROOMS for path in (ROOT / room).rglob("*.js")]
    assert scripts
    for path in scripts:
        assert not MARKUP_OR_CODE.search(path.read_text(encoding="utf-8")), path


def test_every_exception_is_still_needed() -> None:
    found = places()
    assert {where: len(found[where]) for where in ALLOWED} == ALLOWED


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("import pickle", "unpickles"),
        ("from joblib import load", "unpickles"),
        ("import cloudpickle", "unpickles"),
        ("torch.load(path)", "unpickles"),
        ("torch.load(path, weights_only=False)", "unpickles"),
        ("torch.jit.load(path)", "unpickles"),
        ("from torch import load\nload(path)", "unpickles"),
        ("from torch.serialization import load as loaded\nloaded(path)", "unpickles"),
        ("np.lib.format.read_array(file, allow_pickle=True)", "unpickles"),
        ("pd.read_pickle(path)", "unpickles"),
        ("yaml.load(text, Loader=yaml.Loader)", "loads YAML as objects"),
        ("yaml.unsafe_load(text)", "loads YAML as objects"),
        ("from yaml import load, Loader\nload(text, Loader)", "loads YAML as objects"),
        ("class Own(yaml.FullLoader): pass", "loads YAML as objects"),
        ("eval(text)", "runs code"),
        ("exec(text)", "runs code"),
        ("from runpy import run_path\nrun_path(path)", "runs code"),
        ("spec.loader.exec_module(module)", "runs code"),
        ("subprocess.run(line, shell=True)", "starts a shell"),
        ("os.system(line)", "starts a shell"),
        ("from os import system\nsystem(line)", "starts a shell"),
        ("subprocess.getoutput(line)", "starts a shell"),
        ("connection.execute(sa.text(f'SELECT {name}'))", "builds SQL"),
        ("connection.exec_driver_sql('SELECT %s' % name)", "builds SQL"),
        ("cursor.execute('SELECT ' + name)", "builds SQL"),
        ("sa.text('SELECT {}'.format(name))", "builds SQL"),
        ("statement = f'DROP TABLE {name}'\nconnection.exec_driver_sql(statement)", "builds SQL"),
        ("statement = 'DROP ' + name\nconnection.exec_driver_sql(statement)", "builds SQL"),
        ("statement = 'DROP {}'.format(name)\ncursor.execute(statement)", "builds SQL"),
        ("statement = 'DROP '\nstatement += name\ncursor.execute(statement)", "builds SQL"),
        ("statement: str = f'DROP {name}'\ncursor.execute(statement)", "builds SQL"),
        ("first = f'DROP {name}'\nstatement = first.strip()\ncursor.execute(statement)", "builds SQL"),
        ("cursor.execute(' '.join(['DROP', name]))", "builds SQL"),
        ("cursor.execute('DROP ' + name if name else 'SELECT 1')", "builds SQL"),
        ("connection.exec_driver_sql(statement=statement_of(name))", "builds SQL"),
        ("from sqlalchemy import text\nconnection.execute(text(f'DROP {name}'))", "builds SQL"),
        ("from sqlalchemy.sql import text as words\nwords(name)", "builds SQL"),
        ("pd.read_sql(f'SELECT {name}', connection)", "builds SQL"),
        ("sa.literal_column(name)", "builds SQL"),
        ("import zipfile", "opens archives"),
        ("import tarfile", "opens archives"),
        ("shutil.unpack_archive(path)", "opens archives"),
        ("gzip.decompress(data)", "opens archives"),
        ("from gzip import decompress\ndecompress(data)", "opens archives"),
        ("gzip.GzipFile(path)", "opens archives"),
        ("np.load(path)", "opens archives"),
        ("Markup(f'<b>{name}</b>')", "marks as markup"),
        ("Markup(name)", "marks as markup"),
        ("markupsafe.Markup('<b>' + name)", "marks as markup"),
        ("st.html(text)", "marks as markup"),
        ("st.markdown(text, unsafe_allow_html=True)", "marks as markup"),
        ("Environment(loader=loader)", "marks as markup"),
    ],
)
def test_the_rules_find_what_they_are_for(code: str, rule: str) -> None:
    assert [found.rule for found in findings(ast.parse(USUAL + code))] == [rule]


@pytest.mark.parametrize(
    "code",
    [
        "torch.load(path, weights_only=True)",
        "yaml.safe_load(text)",
        "class Own(yaml.SafeLoader): pass",
        "network.eval()",
        "subprocess.run([program, argument])",
        "connection.execute(sa.text('SELECT :one'), {'one': 1})",
        "connection.execute(sa.select(table).where(table.c.id == name))",
        "connection.execute(sa.select(table).join(other).where(table.c.id == name))",
        "connection.exec_driver_sql('BEGIN IMMEDIATE' if writes else 'BEGIN')",
        "from re import compile\ncompile(pattern)",
        "axes.text(0.5, 0.5, f'{value:.2f}')",
        "gzip.compress(data)",
        "Markup('<b>{}</b>').format(name)",
        "Environment(loader=loader, autoescape=True)",
    ],
)
def test_the_rules_leave_what_is_safe(code: str) -> None:
    assert findings(ast.parse(USUAL + code)) == []
