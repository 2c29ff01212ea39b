"""The table of `make bench`: targets, and that a missed one fails nothing."""

import json

import pytest

from benchmarks import table
from benchmarks.table import Row, at_most, cells, over_the_floor, times_as_fast


def test_a_peer_that_takes_twenty_times_as_long_keeps_a_target_of_twenty_and_misses_one_of_more():
    kept = cells(Row("icc", 0.5, "ms", 10.0, "pingouin", target=times_as_fast(20)))
    missed = cells(Row("icc", 0.5, "ms", 10.0, "pingouin", target=times_as_fast(20.1)))
    assert kept == ["icc", "0.5", "ms", "pingouin", "10", "20", ">= 20", "yes"]
    assert missed[-1] == "NO"


def test_what_is_above_the_floor_is_ours_over_it():
    # 1.2 s over an ideal of 1 s
    row = Row("calls", 1.2, "s", floor=1.0, target=over_the_floor(1.15))
    assert (row.ratio, cells(row)[3:]) == (1.2, ["floor", "1", "1.2", "<= 1.15", "NO"])


def test_a_limit_of_the_number_itself_has_its_unit():
    assert cells(Row("demo", 89.0, "s on the clock", target=at_most(90)))[-2:] == ["<= 90 s on the clock", "yes"]


def test_a_row_without_a_number_says_why_and_keeps_no_target():
    assert cells(Row("bt", None, "", note="evalica: pip install evalica", target=at_most(1)))[-1] == ""


@pytest.fixture
def benches(monkeypatch, tmp_path):
    """Three benches: one that misses its target, one that breaks, one that is well."""

    def slow():
        yield Row("slow", 2.0, target=at_most(1))

    def breaks():
        yield Row("first", 1.0)
        raise ValueError("no such\nfile")

    def well():
        yield Row("well", 1.0, peer=3.0, of_peer="scipy", target=times_as_fast(2))

    def use(*chosen):
        monkeypatch.setattr(table, "chosen", lambda words: [(one.__name__, one) for one in chosen])
        monkeypatch.setattr(table, "RESULTS", tmp_path / "results")
        return tmp_path / "results"

    return use, slow, breaks, well


def test_a_missed_target_fails_nothing_and_the_numbers_are_kept_by_machine(benches, capsys):
    use, slow, _, well = benches
    folder = use(slow, well)
    assert table.main([]) == 0
    assert "| slow | 2 | s |  |  |  | <= 1 s | NO |" in capsys.readouterr().out
    [file] = folder.iterdir()
    found = json.loads(file.read_text())
    assert found["rows"][0] == {"what": "slow", "ours": 2.0, "unit": "s", "target": ["ours", "<=", 1], "holds": False}
    assert (found["rows"][1]["ratio"], found["rows"][1]["holds"]) == (3.0, True)


def test_a_bench_that_breaks_is_a_line_and_the_others_go_on(benches, capsys):
    use, _, breaks, well = benches
    use(breaks, well)
    assert table.main(["some"]) == 1
    said = capsys.readouterr().out
    assert "broke: ValueError: no such file" in said
    assert "| well | 1 | s | scipy | 3 | 3 | >= 2 | yes |" in said


def test_every_bench_of_the_table_has_a_sentence_and_a_name_of_its_own():
    pytest.importorskip("torch")
    found = table.chosen([])
    assert len({name for name, _ in found}) == len(found)
    assert all(bench.__doc__ for _, bench in found)
    assert [name for name, _ in table.chosen(["icc"])] == ["agreement.icc_of_10000_objects"]
