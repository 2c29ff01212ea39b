"""No file fills the memory or takes minutes: each limit has its own error within a second, and a key that raises it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from resources.configuration.limits import DEFAULTS
from resources.configuration.load import read_configuration
from resources.configuration.older_benchmark import read_pairwise
from resources.configuration.yaml_text import current_limits
from resources.errors import UserError
from resources.inputs.any_file import record_file
from resources.inputs.csv_files import read_csv_file
from resources.inputs.evaluation.files import read_evaluation_file
from resources.inputs.evaluation.paper_baseline import read_baseline
from resources.judges.openai.prices import price_table
from resources.judges.replay import RecordedRows

# Nine lists of nine aliases each: 9**9 values behind 81 aliases.
BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
MERGED = "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10))


@pytest.fixture
def within_a_second() -> Iterator[None]:
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 1.0


def yaml_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "touchstone.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "line [67]: up to here the file stands for more than 100,000 values"),
        (MERGED, "line [67]: up to here the file stands for more than 100,000 values"),
        ("a: " + "[" * 50_000, "50 levels deep"),
        ("a: &a [*a]\n", r"line 1: '\*a' is within what it names"),
        (
            "# " + "x" * 300_000 + "\nevaluation: {}\n",
            "larger than 262,144 bytes.*raise `yaml_bytes`.*to 300018 or more",
        ),
    ],
)
@pytest.mark.parametrize("reader", [read_configuration, read_pairwise, price_table])
@pytest.mark.usefixtures("within_a_second")
def test_a_yaml_file_that_is_too_large_deep_or_repeated_is_refused_by_every_reader(tmp_path, text, said, reader):
    with pytest.raises(UserError, match=said):
        reader(yaml_file(tmp_path, text))


def test_a_key_of_the_file_itself_raises_what_its_yaml_may_hold(tmp_path):
    text = "limits:\n  # A long comment.\n  yaml_bytes: 400000\n\nevaluation: {}\n# " + "x" * 300_000
    assert read_configuration(yaml_file(tmp_path, text)).limits.yaml_bytes == 400_000
    with pytest.raises(UserError, match=r"limits\.yaml_byte: no such key \(did you mean 'yaml_bytes'\?\)"):
        read_configuration(yaml_file(tmp_path, "limits: {yaml_byte: 400000}\nevaluation: {}\n"))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.usefixtures("within_a_second")
def test_a_million_columns_are_refused_by_every_reader_of_csv(tmp_path, separator):
    path = tmp_path / "wide.csv"
    path.write_text(separator.join(["c"] * 1_000_000) + "\n1\n")
    for reader in (lambda: read_csv_file(path, ["c"]), lambda: record_file(path), lambda: read_evaluation_file(path)):
        with pytest.raises(UserError, match="row 1: the header has 1,000,000 columns, and at most 10,000.*`columns`"):
            reader()


@pytest.mark.usefixtures("within_a_second")
def test_a_line_without_an_end_is_refused_in_header_and_rows(tmp_path):
    size = 3 * 2**30
    for name, head, row in (("a.csv", b"", 1), ("b.csv", b"x,y\n1,2\n", 3), ("c.jsonl", b'{"x": 1}\n', 2)):
        path = tmp_path / name
        with path.open("wb") as file:
            file.write(head + b"x")
            # A hole on the disk, which reads as zeros.
            file.truncate(size)
        with pytest.raises(UserError, match=rf"row {row}: the line is longer than 16,777,216 bytes.*`line_bytes`"):
            list(record_file(path).records())
    with pytest.raises(UserError, match="line_bytes"):
        RecordedRows(path)
    with pytest.raises(UserError, match="line_bytes"):
        read_baseline(path)


@pytest.mark.parametrize("values", [[0.0] * 1_000_000, [f"{n:0100}" for n in range(20_000)]], ids=["equal", "long"])
def test_a_parquet_file_that_decompresses_to_more_than_the_limit_is_refused(tmp_path, monkeypatch, values):
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"mos": values}), path, compression="zstd")
    # Kilobytes on the disk: the first million values are stored once, the texts are zeros.
    assert path.stat().st_size < 100_000
    monkeypatch.setenv(
        "TOUCHSTONE_CONFIG", str(yaml_file(tmp_path, "limits: {parquet_bytes: 1000000}\nevaluation: {}"))
    )
    with pytest.raises(
        UserError, match=r"decompressed it is about [28],\d+,\d+ bytes.*raise `parquet_bytes`.* to [28]"
    ):
        list(record_file(path).records())


@pytest.mark.usefixtures("within_a_second")
def test_a_record_of_a_hundred_thousand_fields_is_refused(tmp_path):
    path = tmp_path / "wide.jsonl"
    path.write_text("{" + ", ".join(f'"c{n}": 1' for n in range(100_000)) + "}\n")
    with pytest.raises(UserError, match="100,000 different fields.*`columns`"):
        read_evaluation_file(path)


def test_limits_are_those_of_the_configuration_that_the_environment_names(tmp_path, monkeypatch):
    path = yaml_file(tmp_path, "study: s\nlimits: {columns: 20000}\nevaluation: {}\n")
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(path))
    wide = tmp_path / "wide.csv"
    wide.write_text(",".join(f"c{n}" for n in range(15_000)) + "\n")
    assert record_file(wide).names()[0][-1] == "c14999"
    path.write_text("study: s\nlimits:\nevaluation: {}\n")
    assert current_limits() == DEFAULTS == read_configuration(path).limits
    monkeypatch.setenv("TOUCHSTONE_CONFIG", str(tmp_path / "none.yaml"))
    assert current_limits() == DEFAULTS


def shared(n: int) -> pa.Array:
    """So many values, of which the file stores two texts of a mebibyte each."""
    numbers = pa.array([0, 1, None, 1] * (n // 4), pa.int32())
    return pa.DictionaryArray.from_arrays(numbers, pa.array([letter * 2**20 for letter in "ab"]))


@pytest.mark.parametrize("kind", ["flat", "in a group", "in a list"])
@pytest.mark.usefixtures("within_a_second")
def test_a_parquet_file_whose_rows_share_a_few_long_texts_is_refused_before_they_are_decoded(tmp_path, kind):
    leaf = shared(400_000)
    column = {
        "flat": lambda: leaf,
        "in a group": lambda: pa.StructArray.from_arrays([leaf], ["text"]),
        "in a list": lambda: pa.ListArray.from_arrays(pa.array(range(0, 400_001, 4), pa.int32()), leaf),
    }[kind]()
    path = tmp_path / "bomb.parquet"
    table = pa.table({"mos": pa.array([1.0] * len(column)), "text": column})
    pq.write_table(table, path, dictionary_pagesize_limit=2**30, compression="zstd", store_schema=False)
    assert path.stat().st_size < 100_000
    before = pa.total_allocated_bytes()
    with pytest.raises(UserError, match=r"bomb\.parquet: decompressed it is more than \d.*raise `parquet_bytes`"):
        next(record_file(path).records())
    # Their own three quarters of 400 gibibytes were never there.
    assert pa.default_memory_pool().max_memory() < before + 2**30
    assert next(record_file(path).records(["mos"])).fields == {"mos": 1.0}


def test_texts_that_are_stored_by_what_they_add_are_measured_too(tmp_path, monkeypatch):
    path = tmp_path / "bomb.parquet"
    table = pa.table({"text": ["x" * 2**20 + str(number) for number in range(64)]})
    pq.write_table(table, path, use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"})
    monkeypatch.setenv(
        "TOUCHSTONE_CONFIG", str(yaml_file(tmp_path, "limits: {parquet_bytes: 30000000}\nevaluation: {}"))
    )
    with pytest.raises(UserError, match="decompressed it is more than"):
        next(record_file(path).records())


def test_long_texts_that_rows_share_are_read_in_small_parts_where_they_keep_within_the_limit(tmp_path):
    path = tmp_path / "shared.parquet"
    pq.write_table(pa.table({"text": shared(1200)}), path, dictionary_pagesize_limit=2**30, store_schema=False)
    read = [record.fields["text"] for record in record_file(path).records()]
    assert [text[:1] if text else None for text in read] == ["a", "b", None, "b"] * 300
    assert {len(text) for text in read if text} == {2**20}
