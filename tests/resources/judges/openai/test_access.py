"""The three variables: what must be set, and that no secret shows."""

import pytest

from resources.configuration.openai_judge import OpenAIJudge
from resources.errors import UserError
from resources.judges.openai.access import OPENAI_URL, access_of, require_key
from tests.resources.judges.openai.asked import KEY

PLAIN = OpenAIJudge(kind="openai")
SECRETS = [
    "http://user:hidden@host/v1",
    "http://user:80/hidden@host/v1",
    "http://host/v1?token=hidden",
    "http://host#hidden",
]
OWN = "http://127.0.0.1:8000/v1"


def test_all_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(UserError, match="OPENAI_MODEL and OPENAI_API_KEY are not set"):
        access_of(PLAIN, {})
    with pytest.raises(UserError, match="OPENAI_MODEL is not set"):
        access_of(PLAIN, {"OPENAI_API_KEY": KEY})


def test_the_configurations_model_wins() -> None:
    configured = OpenAIJudge(kind="openai", model="mine")
    assert access_of(configured, {"OPENAI_MODEL": "other", "OPENAI_API_KEY": KEY}).model == "mine"


def test_openai_is_asked_where_no_address_is_given_and_needs_a_key() -> None:
    access = access_of(PLAIN, {"OPENAI_MODEL": "gpt-4o"})
    assert access.base_url == OPENAI_URL
    assert access.is_openai
    with pytest.raises(UserError, match="OPENAI_API_KEY is not set"):
        require_key(access)


def test_a_server_of_ones_own_may_need_no_key() -> None:
    access = access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": OWN})
    require_key(access)
    assert not access.is_openai


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:8000",
        "ftp://host/v1",
        "http://",
        "not an address",
        "http://127.0.0.1:abc/v1",
        "http://127.0.0.1:99999/v1",
        "http://[::1/v1",
        "http://[::g]/v1",
        "http://two words/v1",
        "http://user:planted/pw@host/v1",
        "http://b\u00fccher\u202e/v1",
        "http://host/\x7f",
        "http://a..b/v1",
        f"http://{'a' * 64}/v1",
        "http://\u2603.com/v1",
    ],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UserError, match="OPENAI_BASE_URL is no address"):
        access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": address})


@pytest.mark.parametrize("address", ["http://127.0.0.1/v1", "https://[::1]:8000/v1/", "http://my-host.local"])
def test_an_address_is_taken_as_it_is(address: str) -> None:
    access = access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": address})
    assert (access.base_url, access.public_url) == (address, address.rstrip("/"))


@pytest.mark.parametrize("address", SECRETS)
def test_a_secret_in_the_address_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(UserError, match="put a secret into OPENAI_API_KEY") as refused:
        access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": address})
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schl\u00fcssel"])
def test_a_key_that_no_header_takes_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(UserError) as refused:
        require_key(access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_API_KEY": key}))
    assert key not in str(refused.value)


def test_no_representation_shows_the_key_and_the_key_id_leads_nowhere() -> None:
    access, other = (access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_API_KEY": key}) for key in (KEY, KEY + "x"))
    assert KEY not in repr(access)
    assert access.key_id != other.key_id
    assert len(access.key_id) == 8
    assert access.key_id not in KEY


def test_words_of_any_length_are_masked_in_no_time() -> None:
    access = access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_API_KEY": KEY})
    assert len(access.masked("[" * 1_000_000)) <= 400
    assert access.masked(f"key {KEY} is wrong") == "key *** is wrong"
    assert access.masked("key sk-***xyz is wrong") == "key *** is wrong"


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://LOCALHOST/v1", True),
        ("http://box.local:8000/v1", True),
        ("http://10.255.0.1/v1", True),
        ("http://192.168.1.2/v1", True),
        ("http://172.16.0.1/v1", True),
        ("http://172.31.255.255/v1", True),
        ("http://172.32.0.1/v1", False),
        ("http://8.8.8.8/v1", False),
        ("http://localhost.example.com/v1", False),
        ("http://mylocal/v1", False),
        ("", False),
    ],
)
def test_a_server_in_the_own_network_is_told_from_one_outside(address: str, own: bool) -> None:
    assert access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": address}).is_own is own


def test_the_whole_key_is_masked_in_text_of_any_length_also_where_it_is_escaped() -> None:
    key = "sk-ab/cd-0123456789"
    access = access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_API_KEY": key})
    said = ("x" * 10_000, key, r"sk-ab\/cd-0123456789", r"\u0073k-ab/cd-0123456789")
    assert access.without_key(" ".join(said)) == " ".join((said[0], "***", "***", "***"))
    assert len(access.without_key("\\" * 2_000_000)) == 2_000_000
    short = access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_API_KEY": "none"})
    assert short.without_key("none of it") == "none of it"
