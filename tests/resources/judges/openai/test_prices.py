"""The price table, what a call costs by it, and how many tokens pictures are."""

from datetime import date, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from resources.configuration.fidelity import LocalJudge
from resources.configuration.openai_judge import OpenAIJudge
from resources.errors import UserError
from resources.judges.openai.prices import (
    GENAI_PRICES_READ_ON,
    OLDEST_DAYS,
    Flat,
    Patches,
    Tiles,
    _of_a_provider,
    most_tokens,
    price_age_gate,
    price_of,
    price_table,
)

TODAY = date(2026, 11, 28)


def configured(**changed: Any) -> OpenAIJudge:
    return OpenAIJudge(kind="openai", **changed)


def test_every_row_of_the_built_in_table_says_when_and_where_it_was_read() -> None:
    table = price_table()
    assert len({row.model for row in table.models}) > 20
    for row in table.models:
        assert row.read_on <= TODAY, row.model
        assert row.source.startswith("https://"), row.model
        assert 0 < row.input <= row.output, row.model
        assert row.cached_input is None or row.cached_input < row.input, row.model


def test_cached_and_written_tokens_have_their_own_prices() -> None:
    price = price_of("gpt-6.1-sol", configured(), TODAY)
    # 500 plain at $2, 300 cached at $0.10, 200 written at $2.50, 100 out at $10 a million.
    assert price.usd(1000, 100, 300, 200) == pytest.approx((500 * 2 + 300 * 0.1 + 200 * 2.5 + 100 * 10) / 1e6)
    assert price.most_usd(1000, 100) == pytest.approx((1000 * 2.5 + 100 * 10) / 1e6)


@pytest.mark.parametrize("name", ["gpt-4o-2024-08-06", "gpt-4o", "models/gpt-4o"])
def test_a_dated_snapshot_costs_what_its_model_does(name: str) -> None:
    assert price_of(name, configured(), TODAY).input == 2.5


@pytest.mark.parametrize("name", ["gpt-4o-mini-2024-07-18", "gpt-4o-mini"])
def test_a_snapshot_is_of_its_own_model(name: str) -> None:
    assert price_of(name, configured(), TODAY).input == 0.15


def test_a_price_that_changes_on_a_day_changes_on_that_day() -> None:
    prices = [price_of("gemini-3.8-flash", configured(), day).input for day in (date(2026, 12, 31), date(2027, 1, 1))]
    assert prices == [0.75, 1.5]


def test_an_unknown_model_is_refused_with_the_way_out() -> None:
    with pytest.raises(UserError, match=r"no price for 'gpt-6-lunar' \(did you mean 'gpt-6-luna'\?\).*price: \{input"):
        price_of("gpt-6-lunar", configured(), TODAY)


def test_a_price_of_ones_own_wins_and_keeps_the_familys_rule_for_pictures() -> None:
    price = price_of("gpt-4o", configured(price={"input": 1, "output": 3}), TODAY)
    assert (price.input, price.output, price.cached_input, price.read_on) == (1, 3, 1, None)
    assert price.images.rule == "tiles"
    assert price_of("my-own", configured(price={"input": 0, "output": 0})).is_free


def test_a_table_of_ones_own_replaces_the_built_in_one(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("name: ours\nmodels:\n  - {model: m, input: 1, output: 2, read_on: 2026-01-02, source: contract}\n")
    price = price_of("m", configured(prices=path), TODAY)
    assert price.sentence == "ours: 1 in, 1 cached, 2 out (USD a million tokens), read 2026-01-02 from contract"
    with pytest.raises(UserError, match="ours has no price"):
        price_of("gpt-4o", configured(prices=path), TODAY)


def test_a_table_that_is_edited_is_read_again_and_one_that_is_not_once(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    row = "name: ours\nmodels:\n  - {model: m, input: %s, output: 20, read_on: 2026-01-02, source: contract}\n"
    for price in (1, 12, 3):
        path.write_text(row % price)
        assert price_of("m", configured(prices=path), TODAY).input == price
    assert price_table(path) is price_table(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: ours\nmodels: []\n", "models"),
        ("name: ours\nmodels:\n  - {model: m, input: -1, output: 2, read_on: 2026-01-02, source: s}\n", "input"),
        ("name: ours\nmodels:\n  - {model: m, input: 1, output: 2}\n", "read_on"),
        ("{", "not readable YAML"),
    ],
)
def test_a_table_in_another_form_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        price_of("m", configured(prices=path))
    with pytest.raises(UserError, match="cannot be read"):
        price_of("m", configured(prices=tmp_path / "absent.yaml"))


@pytest.mark.parametrize(
    ("rule", "size", "detail", "tokens"),
    [
        # OpenAI's worked examples: 1024 x 1024 is reduced to 768 x 768, 4 tiles; 2048 x 4096 to 768 x 1536, 6 tiles.
        (Tiles(rule="tiles", base=85, tile=170), (1024, 1024), "high", 765),
        (Tiles(rule="tiles", base=85, tile=170), (2048, 4096), "high", 1105),
        (Tiles(rule="tiles", base=85, tile=170), (4096, 8192), "low", 85),
        # 32 x 32 patches of 32 px, times 1.2; 128 x 16 of them.
        (Patches(rule="patches", side_px=32, times=1.2), (1024, 1024), "auto", 1229),
        (Patches(rule="patches", side_px=32, times=1.2), (4096, 512), "auto", 2458),
        (Patches(rule="patches", side_px=32, times=1.62, most=1536), (2048, 2048), "auto", 2489),
        (Patches(rule="patches", side_px=28), (768, 768), "auto", 784),
        (Flat(rule="flat", each=1120), (50, 50), "auto", 1120),
    ],
)
def test_pictures_are_counted_as_the_providers_do(rule: Any, size: tuple[int, int], detail: Any, tokens: int) -> None:
    assert rule.tokens(*size, detail) == tokens


@pytest.mark.parametrize("side", [64, 512, 700, 768, 1000, 1536, 2048, 4096])
@pytest.mark.parametrize("model", ["gpt-4o", "gpt-6-luna", "gpt-5.4-mini", "claude-sonnet-5-5", "gemini-3.5-flash"])
def test_no_picture_within_a_side_takes_more_than_the_worst_case(model: str, side: int) -> None:
    rule = price_of(model, configured(), TODAY).images
    most = most_tokens(rule, side, "high")
    for other in range(16, side + 1, max(1, side // 50)):
        assert rule.tokens(side, other, "high") <= most
        assert rule.tokens(other, side, "high") <= most


def test_a_price_read_long_ago_fails_the_gate_on_the_181st_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "gpt-6-luna")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    read_on = price_of("gpt-6-luna", configured(), TODAY).read_on
    assert read_on is not None
    old = read_on + timedelta(days=OLDEST_DAYS)
    assert price_age_gate(configured(), old).passed
    gate = price_age_gate(configured(), old + timedelta(days=1))
    assert not gate.passed
    assert gate.seen == 181
    assert "Look it up" in gate.sentence
    assert "is 181 days over" in gate.sentence


def test_judges_without_a_price_from_a_table_pass_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "my-own")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert price_age_gate(LocalJudge()).sentence == "The judge local costs nothing."
    own = price_age_gate(configured(price={"input": 0, "output": 0}))
    assert own.passed
    assert "the configuration's own" in own.sentence
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    free = price_age_gate(configured())
    assert (free.passed, free.sentence) == (True, "'my-own' is on a server of your own: nothing is charged.")


def test_a_price_that_was_read_in_the_future_fails_the_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "m")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    path = tmp_path / "prices.yaml"
    path.write_text("name: ours\nmodels:\n  - {model: m, input: 1, output: 2, read_on: 2026-11-29, source: contract}\n")
    gate = price_age_gate(configured(prices=path), TODAY)
    assert not gate.passed
    assert gate.sentence == (
        "Age of the price of 'm' is -1 days over 1 model; needed: 0 to 180 days. It was read on 2026-11-29, which is "
        "still to come. Correct `read_on`."
    )


def test_a_model_that_no_table_knows_is_free_on_a_server_of_ones_own_only() -> None:
    price = price_of("qwen2.5-vl-7b", configured(), TODAY, own_server=True)
    assert price.is_free
    assert price.sentence == "A server of your own: nothing is charged"
    # A known name is priced there too: the server may pass requests on.
    assert price_of("gpt-4o", configured(), TODAY, own_server=True).input == 2.5


# Where genai-prices 0.2.3 differs, in USD a million tokens: ours, then theirs. The table's rows go before it, so that
# what they price costs what it did.
OTHERWISE = {
    ("gpt-5.6-sol", "cached_input"): (4, 0.4),
    ("gpt-5.6-sol", "cache_write"): (4, 5),
    ("gpt-5.6-terra", "cache_write"): (2, 2.5),
    ("gpt-5.6-luna", "cache_write"): (0.2, 0.25),
    ("claude-opus-5-5", "cache_write"): (4, 5),
    ("claude-opus-5", "cache_write"): (5, 6.25),
    ("claude-sonnet-5-5", "cached_input"): (0.2, 0.1),
    ("claude-sonnet-5-5", "cache_write"): (2, 2.5),
    ("claude-haiku-4-5", "cache_write"): (1, 1.25),
    ("gemini-3.8-flash", "cached_input"): (0.75, 0.075),
    ("gemini-3.5-flash", "cached_input"): (1.5, 0.15),
    ("gemini-3.5-flash-lite", "cached_input"): (0.3, 0.03),
    ("gemini-3.1-pro-preview", "cached_input"): (2, 0.2),
}
ADDRESSES = {
    "gpt": "https://api.openai.com/v1",
    "claude": "https://api.anthropic.com/v1/",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai/",
}


def test_the_built_in_table_and_genai_prices_agree_but_for_what_is_listed() -> None:
    differences = {}
    for row in price_table().models:
        day = row.valid_from or TODAY
        ours, theirs = (
            price_of(row.model, configured(), day),
            _of_a_provider(row.model, ADDRESSES[row.model.split("-")[0]], day),
        )
        assert theirs is not None, row.model
        for kind in ("input", "output", "cached_input", "cache_write"):
            if row.valid_from is None and getattr(ours, kind) != getattr(theirs, kind):
                differences[row.model, kind] = (getattr(ours, kind), getattr(theirs, kind))
        assert (ours.input, ours.output) == (theirs.input, theirs.output), row.model
    assert differences == OTHERWISE


def test_a_providers_model_that_the_table_does_not_know_is_priced_by_genai_prices() -> None:
    price = price_of("o3", configured(), TODAY, base_url=ADDRESSES["gpt"])
    # 800 plain at $2, 200 cached at $0.50, 100 out at $8 a million.
    assert price.usd(1000, 100, 200) == pytest.approx((800 * 2 + 200 * 0.5 + 100 * 8) / 1e6)
    assert price.sentence.startswith("genai-prices 0.2.3: 2 in, 0.5 cached, 8 out (USD a million tokens), read 2026-11")
    for other in ("http://example.org/v1", None):
        with pytest.raises(UserError, match="has no price for 'o3'"):
            price_of("o3", configured(), TODAY, base_url=other)


def test_a_long_call_costs_what_its_provider_takes_for_long_calls() -> None:
    price = price_of("gemini-2.5-pro", configured(), TODAY, base_url=ADDRESSES["gemini"])
    # Up to 200,000 tokens $1.25 and $10 a million, beyond them $2.50 and $15 for all.
    assert price.usd(200_000, 1000) == pytest.approx(0.2 * 1.25 + 0.01)
    assert price.usd(200_001, 1000) == pytest.approx(0.200001 * 2.5 + 0.015)
    assert price.most_usd(200_001, 1000) == price.usd(200_001, 1000)


def test_a_price_or_a_table_of_ones_own_goes_before_genai_prices(tmp_path: Path) -> None:
    own = price_of("o3", configured(price={"input": 1, "output": 3}), TODAY, base_url=ADDRESSES["gpt"])
    assert (own.input, own.output) == (1, 3)
    path = tmp_path / "prices.yaml"
    path.write_text("name: ours\nmodels:\n  - {model: m, input: 1, output: 2, read_on: 2026-01-02, source: contract}\n")
    with pytest.raises(UserError, match="ours has no price for 'o3'"):
        price_of("o3", configured(prices=path), TODAY, base_url=ADDRESSES["gpt"])


def test_a_price_that_changes_with_the_hour_is_not_guessed() -> None:
    with pytest.raises(UserError, match="has no price for 'deepseek-chat'"):
        price_of("deepseek-chat", configured(), TODAY, base_url="https://api.deepseek.com")


def test_the_day_on_which_genai_prices_was_read_belongs_to_its_release() -> None:
    # Who takes another release looks up its newest change of a price, and writes it as `GENAI_PRICES_READ_ON`.
    assert (version("genai-prices"), GENAI_PRICES_READ_ON) == ("0.2.3", date(2026, 11, 9))
