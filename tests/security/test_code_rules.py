"""What no code may do: unpickle, run text, load YAML as objects, start a shell, build SQL, open archives."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.source_rules import Finding, findings

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("analysis", "assets", "pipeline", "resources", "review", "deploy")

# What makes elements or code of a text in a browser, where `textContent` shows it.
MARKUP_OR_CODE = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|setHTMLUnsafe|srcdoc"
    r"|\beval\(|\bFunction\("
)
# Where a rule has to be broken, by file and rule, and why that is safe.
ALLOWED = {
    # The documented loading of a user's own method: the user's code, named by the user's configuration.
    ("resources/methods/own.py", "runs code"),
    # A number of ours in a PRAGMA, which takes no parameters.
    ("resources/database/engine.py", "builds SQL"),
    # Two words of ours in a PRAGMA.
    ("resources/database/migrate.py", "builds SQL"),
    # ANALYZE and COPY take no parameters; table and columns are quoted by the dialect's own identifier_preparer.
    ("resources/database/bulk_rows.py", "builds SQL"),
    # COPY of a SELECT that SQLAlchemy compiled and whose values the driver quoted (mogrify).
    ("resources/database/bulk_frames.py", "builds SQL"),
}


def sources() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def all_findings() -> list[tuple[str, Finding]]:
    return [(file, found) for file, text in sources() for found in findings(ast.parse(text))]


def test_no_code_breaks_a_rule_but_where_it_is_written_down() -> None:
    broken = {
        f"{file}:{found.line} {found.rule}" for file, found in all_findings() if (file, found.rule) not in ALLOWED
    }
    assert not broken


def test_no_script_of_ours_makes_markup_or_code_of_a_text() -> None:
    scripts = [path for room in ROOMS for path in (ROOT / room).rglob("*.js")]
    assert scripts
    for path in scripts:
        assert not MARKUP_OR_CODE.search(path.read_text(encoding="utf-8")), path


def test_every_exception_is_still_needed() -> None:
    assert {(file, found.rule) for file, found in all_findings()} & ALLOWED == ALLOWED


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("import pickle", "unpickles"),
        ("from joblib import load", "unpickles"),
        ("import cloudpickle", "unpickles"),
        ("torch.load(path)", "unpickles"),
        ("torch.load(path, weights_only=False)", "unpickles"),
        ("torch.jit.load(path)", "unpickles"),
        ("np.load(path, allow_pickle=True)", "unpickles"),
        ("pd.read_pickle(path)", "unpickles"),
        ("yaml.load(text, Loader=yaml.Loader)", "loads YAML as objects"),
        ("yaml.unsafe_load(text)", "loads YAML as objects"),
        ("class Own(yaml.FullLoader): pass", "loads YAML as objects"),
        ("eval(text)", "runs code"),
        ("exec(text)", "runs code"),
        ("spec.loader.exec_module(module)", "runs code"),
        ("subprocess.run(line, shell=True)", "starts a shell"),
        ("os.system(line)", "starts a shell"),
        ("subprocess.getoutput(line)", "starts a shell"),
        ("connection.execute(sa.text(f'SELECT {name}'))", "builds SQL"),
        ("connection.exec_driver_sql('SELECT %s' % name)", "builds SQL"),
        ("cursor.execute('SELECT ' + name)", "builds SQL"),
        ("sa.text('SELECT {}'.format(name))", "builds SQL"),
        ("statement = f'DROP TABLE {name}'\nconnection.exec_driver_sql(statement)", "builds SQL"),
        ("pd.read_sql(f'SELECT {name}', connection)", "builds SQL"),
        ("sa.literal_column(name)", "builds SQL"),
        ("import zipfile", "opens archives"),
        ("import tarfile", "opens archives"),
        ("shutil.unpack_archive(path)", "opens archives"),
        ("gzip.decompress(data)", "opens archives"),
        ("Markup(f'<b>{name}</b>')", "marks as markup"),
        ("st.markdown(text, unsafe_allow_html=True)", "marks as markup"),
        ("Environment(loader=loader)", "marks as markup"),
    ],
)
def test_the_rules_find_what_they_are_for(code: str, rule: str) -> None:
    assert rule in {found.rule for found in findings(ast.parse(code))}


@pytest.mark.parametrize(
    "code",
    [
        "torch.load(path, weights_only=True)",
        "np.load(path)",
        "yaml.safe_load(text)",
        "class Own(yaml.SafeLoader): pass",
        "network.eval()",
        "subprocess.run([program, argument])",
        "connection.execute(sa.text('SELECT :one'), {'one': 1})",
        "connection.execute(sa.select(table).where(table.c.id == name))",
        "axes.text(0.5, 0.5, f'{value:.2f}')",
        "gzip.compress(data)",
        "Markup('<b>{}</b>').format(name)",
        "Environment(loader=loader, autoescape=True)",
    ],
)
def test_the_rules_leave_what_is_safe(code: str) -> None:
    assert findings(ast.parse(code)) == []
