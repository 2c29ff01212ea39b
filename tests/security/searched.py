"""Looks for a text in everything that was written: files, databases and what lies packed inside of either."""

import base64
import gzip
import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pandas as pd
import sqlalchemy as sa

from resources.database.engine import open_engine

SQLITE = b"SQLite format 3\x00"
PACKED = re.compile(rb'<script type="application/gzip"[^>]*>(.*?)</script>', re.DOTALL)


def places_of(secret: str, folder: Path) -> list[str]:
    """The files below a folder that hold the secret, as it is, quoted as in an address, or in base64."""
    return sorted(
        {
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.is_file()
            for content in contents(path)
            if holds(content, secret)
        }
    )


def rows_of(secret: str, url: str) -> list[str]:
    """The tables of a database in which a row holds the secret."""
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            names = sa.inspect(connection).get_table_names()
            tables = [sa.Table(name, sa.MetaData(), autoload_with=connection) for name in names]
            return [
                table.name
                for table in tables
                if holds(repr([tuple(row) for row in connection.execute(sa.select(table))]).encode(), secret)
            ]
    finally:
        engine.dispose()


def holds(content: bytes, secret: str) -> bool:
    """Whether the secret stands there in some spelling."""
    plain = secret.encode()
    # Base64 depends on where in a triple of bytes the secret begins; the middle of each form is always the same.
    encoded = [base64.b64encode(b"x" * start + plain)[4:-8] for start in range(3)]
    return any(form in content for form in (plain, quote(secret, safe="").encode(), *encoded))


def contents(path: Path) -> Iterator[bytes]:
    """A file's bytes, and what lies packed in it."""
    data = path.read_bytes()
    yield data
    if path.suffix == ".parquet":
        yield pd.read_parquet(path).to_csv().encode()
    elif data.startswith(SQLITE):
        yield from _values(path)
    elif path.suffix == ".html":
        for body in PACKED.findall(data):
            yield gzip.decompress(base64.b64decode(body))


def _values(path: Path) -> Iterator[bytes]:
    """Every value of every table: a value may be spread over pages, and Dagster packs its snapshots."""
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            for row in connection.execute(f'SELECT * FROM "{name}"'):
                for value in row:
                    if isinstance(value, bytes):
                        yield _unpacked(value)
                    elif isinstance(value, str):
                        yield value.encode("utf-8", "surrogatepass")


def _unpacked(value: bytes) -> bytes:
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value
