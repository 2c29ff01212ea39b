"""A sentence and what it was made of."""

import json

import numpy as np
import pytest

from analysis.messages import labelled, made_of, message, message_list, messages_behind, remember
from analysis.undefined import UndefinedStatistic


def test_a_message_is_its_english_sentence() -> None:
    assert message("all pairs are ties") == "all pairs are ties"
    assert message("F, {level:g} %, k = {k}", level=95.0, k=np.int64(4)) == "F, 95 %, k = 4"
    two_forms = "only {n} pair|only {n} pairs"
    assert [message(two_forms, n=n) for n in (1, 2, 0)] == ["only 1 pair", "only 2 pairs", "only 0 pairs"]
    assert message_list(["a", None, "", "b"], ", ") == "a, b"
    assert message_list([]) == ""
    assert labelled("icc", "no value") == "icc: no value"


def test_a_sentence_knows_its_template_and_values() -> None:
    sentence = message("{n} of {total} left", n=np.int64(3), total=7)
    assert made_of(sentence) == ("{n} of {total} left", {"n": 3, "total": 7})
    assert made_of("a sentence of an older table") == ("a sentence of an older table", {})


def test_messages_in_messages_are_known_again_after_they_were_json() -> None:
    inner = message("{n} clusters, for the test of messages", n=9)
    whole = labelled("mae", message("none: {reason}", reason=inner))
    stored = json.loads(json.dumps(messages_behind([whole, "no message"])))
    assert set(stored) == {inner, f"none: {inner}", f"mae: none: {inner}"}
    remember({"a sentence of another process": ("a sentence of {whom}", {"whom": "another process"})} | stored)
    assert made_of("a sentence of another process")[1] == {"whom": "another process"}
    assert made_of(inner) == ("{n} clusters, for the test of messages", {"n": 9})


def test_an_undefined_statistic_says_why_as_a_message() -> None:
    with pytest.raises(UndefinedStatistic, match="only 2 of them") as raised:
        raise UndefinedStatistic("only {n} of them", n=2)
    assert made_of(raised.value.reason) == ("only {n} of them", {"n": 2})
