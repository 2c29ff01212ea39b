"""Data inside a page: strict JSON that nothing breaks out of."""

import base64
import gzip
import hashlib
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.shared.embedded import columns_of, embedded, packed, source_hash, strict_json, vega
from tools.bundle_vega import FILE, bundle


def test_no_markup_and_no_line_separator_stands_in_the_json() -> None:
    text = strict_json({"id": "</script><!--\u2028\u2029&"})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text)["id"] == "</script><!--\u2028\u2029&"


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        strict_json([float("nan")])


def test_a_table_has_null_where_a_value_is_missing() -> None:
    frame = pd.DataFrame(
        {
            "number": [0.1, np.nan, np.inf],
            "count": pd.array([1, None, 3], dtype="Int64"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "text": pd.array(["a", None, "c"], dtype="str"),
            "texts": [["a", "b"], None, np.array(["c"])],
            "time": pd.to_datetime(["2026-01-02T03:04:05Z", None, "2026-01-02T03:04:05Z"]),
        }
    )
    columns = columns_of(frame)
    assert columns["number"] == [0.1, None, None]
    assert columns["count"] == [1, None, 3]
    assert columns["flag"] == [True, None, False]
    assert columns["text"] == ["a", None, "c"]
    assert columns["texts"] == [["a", "b"], None, ["c"]]
    assert columns["time"] == ["2026-01-02T03:04:05+00:00", None, "2026-01-02T03:04:05+00:00"]
    strict_json(columns)


def test_large_data_are_packed_and_small_ones_are_readable() -> None:
    assert embedded([1, 2]).body == "[1,2]"
    large = embedded(list(range(100_000)))
    assert large.packed
    assert json.loads(gzip.decompress(base64.b64decode(large.body))) == list(range(100_000))
    assert large.body == packed(strict_json(list(range(100_000))).encode())


def test_the_chart_library_is_vegas_own_file_with_its_hash() -> None:
    library = vega()
    text = gzip.decompress(base64.b64decode(library.body))
    assert library.hash == f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"
    assert len(library.body) < 500_000


@pytest.mark.slow
def test_the_chart_library_is_the_one_of_the_version_that_draws_the_pictures() -> None:
    assert bundle() == FILE.read_bytes(), "run tools/bundle_vega.py"


def test_a_hash_is_written_as_the_policy_wants_it() -> None:
    # SHA-256 of the empty string.
    assert source_hash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"


@given(st.lists(st.text()))
def test_every_text_comes_back_as_it_was(texts: list[str]) -> None:
    assert json.loads(strict_json(texts)) == texts
