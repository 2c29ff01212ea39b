"""What no code may do: unpickle, run text, load YAML as objects, start a shell, build SQL, open archives."""

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
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
    # COPY of a SELECT that SQLAlchemy compiled and whose values the driver quoted (mogrify).
    ("resources/database/bulk_rows.py", "builds SQL"): 3,
    # The places of columns, counted by us: Postgres groups by no expression with a bound value.
    ("resources/database/call_queries.py", "builds SQL"): 1,
}

# What a file imports before the lines that the rules are tried on.
USUAL = "import numpy as np, pandas as pd, sqlalchemy as sa, streamlit as st\n"
# What ruff finds in each, as its rule is called.
BY_RUFF = {
    "import pickle": "TID251",
    "from joblib import load": "TID251",
    "import cloudpickle": "TID251",
    "import torch\ntorch.load(path)": "TID251",
    "import torch\ntorch.jit.load(path)": "TID251",
    "from torch import load\nload(path)": "TID251",
    "pd.read_pickle(path)": "TID251",
    "import yaml\nyaml.load(text, Loader=yaml.Loader)": "TID251",
    "import yaml\nyaml.unsafe_load(text)": "TID251",
    "from yaml import load, Loader\nload(text, Loader)": "TID251",
    "import yaml\nclass Own(yaml.FullLoader): pass": "TID251",
    "eval(text)": "S307",
    "exec(text)": "S102",
    "from runpy import run_path\nrun_path(path)": "TID251",
    "import subprocess\nsubprocess.run(line, shell=True)": "S602",
    "import os\nos.system(line)": "S605",
    "from os import system\nsystem(line)": "S605",
    "import subprocess\nsubprocess.getoutput(line)": "S605",
    "import asyncio\nasyncio.create_subprocess_shell(line)": "TID251",
    "import zipfile": "TID251",
    "import tarfile": "TID251",
    "import shutil\nshutil.unpack_archive(path)": "TID251",
    "import gzip\ngzip.decompress(data)": "TID251",
    "from gzip import decompress\ndecompress(data)": "TID251",
    "import gzip\ngzip.GzipFile(path)": "TID251",
    "np.load(path)": "TID251",
    "from markupsafe import Markup\nMarkup(f'<b>{name}</b>')": "S704",
    "from markupsafe import Markup\nMarkup(name)": "S704",
    "import markupsafe\nmarkupsafe.Markup('<b>' + name)": "S704",
    "st.html(text)": "TID251",
    "from jinja2 import Environment\nEnvironment(loader=loader)": "S701",
}
SAFE_BY_RUFF = [
    "import yaml\nyaml.safe_load(text)",
    "import yaml\nclass Own(yaml.SafeLoader): pass",
    "network.eval()",
    "import subprocess\nsubprocess.run([program, argument])",
    "from re import compile\ncompile(pattern)",
    "import gzip\ngzip.compress(data)",
    "from markupsafe import Markup\nMarkup('<b>{}</b>').format(name)",
    "from jinja2 import Environment\nEnvironment(loader=loader, autoescape=True)",
]


def places(files: Iterable[str]) -> dict[tuple[str, str], list[int]]:
    """The lines that break a rule, by file and rule."""
    found = defaultdict(list)
    for file in files:
        for one in findings(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            found[file, one.rule].append(one.line)
    return found


@pytest.mark.slow
def test_no_code_breaks_a_rule_but_where_it_is_written_down() -> None:
    sources = [path.relative_to(ROOT).as_posix() for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    assert not {where: lines for where, lines in places(sources).items() if len(lines) > ALLOWED.get(where, 0)}


def test_no_script_of_ours_makes_markup_or_code_of_a_text() -> None:
    scripts = [path for room in ROOMS for path in (ROOT / room).rglob("*.js")]
    assert scripts
    for path in scripts:
        assert not MARKUP_OR_CODE.search(path.read_text(encoding="utf-8")), path


def test_every_exception_is_still_needed() -> None:
    found = places({file for file, _ in ALLOWED})
    assert {where: len(found[where]) for where in ALLOWED} == ALLOWED


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("np.lib.format.read_array(file, allow_pickle=True)", "unpickles"),
        ("spec.loader.exec_module(module)", "runs code"),
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
        ("st.markdown(text, unsafe_allow_html=True)", "marks as markup"),
    ],
)
def test_the_rules_find_what_they_are_for(code: str, rule: str) -> None:
    assert [found.rule for found in findings(ast.parse(USUAL + code))] == [rule]


@pytest.mark.parametrize(
    "code",
    [
        "connection.execute(sa.text('SELECT :one'), {'one': 1})",
        "connection.execute(sa.select(table).where(table.c.id == name))",
        "connection.execute(sa.select(table).join(other).where(table.c.id == name))",
        "connection.exec_driver_sql('BEGIN IMMEDIATE' if writes else 'BEGIN')",
        "axes.text(0.5, 0.5, f'{value:.2f}')",
    ],
)
def test_the_rules_leave_what_is_safe(code: str) -> None:
    assert findings(ast.parse(USUAL + code)) == []


def test_ruff_finds_what_its_rules_are_for_and_leaves_what_is_safe(tmp_path: Path) -> None:
    examples = [*BY_RUFF, *SAFE_BY_RUFF]
    for number, code in enumerate(examples):
        (tmp_path / f"{number}.py").write_text(USUAL + code + "\n")
    wanted = sorted({*BY_RUFF.values()})
    command = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), "--output-format=json"]
    done = subprocess.run(
        [*command, "--no-cache", "--ignore-noqa", str(tmp_path)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    found: dict[str, set[str]] = {code: set() for code in examples}
    for one in json.loads(done.stdout):
        if one["code"] in wanted:
            found[examples[int(Path(one["filename"]).stem)]].add(one["code"])
    assert found == {code: {BY_RUFF[code]} if code in BY_RUFF else set() for code in examples}
