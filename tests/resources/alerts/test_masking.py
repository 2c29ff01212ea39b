"""No secret of the environment stays in a text, however it is spelt; words that are none stay."""

import base64
import json
from urllib.parse import quote

import pytest

from resources.alerts.webhook import MASK, Masking

KEY = "sk-planted-0123456789abcdefghijKEY"
PASSWORD = "planted/pass:word@2026"
TOKEN = "T0PLANTED/B0PLANTED/hookTOKEN0123456789"
ENVIRONMENT = {
    "OPENAI_API_KEY": KEY,
    "TOUCHSTONE_DATABASE_URL": f"postgresql://touchstone:{quote(PASSWORD, safe='')}@127.0.0.1:5432/ledger",
    "TOUCHSTONE_ALERT_WEBHOOK": f"https://hooks.example/services/{TOKEN}?auth=planted-query-value",
    "PATH": "/usr/bin:/opt/touchstone",
}


@pytest.mark.parametrize(
    "text",
    [
        f"no entry for {KEY}",
        f"{{'key': '{KEY}'}}",
        f"x{KEY}y",
        f"password={PASSWORD}",
        f"password={quote(PASSWORD, safe='')}",
        json.dumps({"password": PASSWORD}),
        f"postgresql://touchstone:{quote(PASSWORD, safe='')}@127.0.0.1:5432/ledger is down",
        f"POST https://hooks.example/services/{TOKEN} failed",
        f"the part {TOKEN.split('/')[2]} of it",
        "the value planted-query-value",
    ],
)
def test_a_secret_is_masked_in_every_spelling(text: str) -> None:
    masked = Masking(ENVIRONMENT)(text)
    assert MASK in masked
    for secret in (KEY, PASSWORD, quote(PASSWORD, safe=""), TOKEN, TOKEN.split("/")[2], "planted-query-value"):
        assert secret not in masked


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdefgh12345678",
        f"authorization: basic {base64.b64encode(b'user:secret').decode()}",
        "postgresql://someone:hush@db.example/x",
        "the key sk-proj-0123456789",
    ],
)
def test_what_looks_like_a_secret_is_masked_where_no_variable_holds_it(text: str) -> None:
    masked = Masking({})(text)
    assert MASK in masked
    assert not {"abcdefgh12345678", "hush", "0123456789"} & set(masked.replace("@", " ").replace("-", " ").split())


def test_a_short_password_is_masked_as_a_word_and_not_inside_of_words() -> None:
    masking = Masking({"TOUCHSTONE_DATABASE_URL": "postgresql://me:art@127.0.0.1/ledger"})
    assert masking("password art is wrong, start again") == f"password {MASK} is wrong, start again"


@pytest.mark.parametrize(
    "environment",
    [{}, {"OPENAI_API_KEY": "none"}, {"OPENAI_API_KEY": ""}, {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}],
)
def test_words_that_are_no_secret_stay(environment: dict[str, str]) -> None:
    text = "human_scores.csv, row 3: none of http://127.0.0.1:8000/v1 is in t0.2_p0.95 (user@example.org)"
    assert Masking(environment)(text) == text


def test_a_variable_that_is_no_address_is_no_fault() -> None:
    assert Masking({"SOME_URL": "http://[broken", "OTHER_TOKEN": "http://[broken-too"})("fine") == "fine"
