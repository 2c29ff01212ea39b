"""The three variables: what must be set, and that no secret shows."""

import pytest

from resources.configuration.openai_judge import OpenAIJudge
from resources.errors import UserError
from resources.judges.openai.access import OPENAI_URL, access_of, require_key
from tests.resources.judges.openai.asked import KEY

PLAIN = OpenAIJudge(kind="openai")
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


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "ftp://host/v1", "http://", "not an address"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UserError, match="OPENAI_BASE_URL is no address"):
        access_of(PLAIN, {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": address})


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
