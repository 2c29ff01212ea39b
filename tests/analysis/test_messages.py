"""A sentence and what it was made of."""

import json
from collections import OrderedDict

import numpy as np
import pytest

from analysis.messages import Name, labelled, made_of, message, message_list, messages_behind, remember
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


def test_what_a_sentence_was_made_of_first_counts_and_the_oldest_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("analysis.messages._made", OrderedDict())
    monkeypatch.setattr("analysis.messages.MOST_KNOWN", 2)
    first = message("{n} of two", n=1)
    assert message("{n} of {total}", n=1, total="two") == first
    assert made_of(first) == ("{n} of two", {"n": 1})
    remember({first: ["{m} of two", {"m": 1}], "b": ["{x}", {"x": "b"}]})
    assert made_of(first) == ("{n} of two", {"n": 1})
    remember({"c": ["{x}", {"x": "c"}]})
    assert [made_of(one)[0] for one in (first, "b", "c")] == [first, "{x}", "{x}"]


def test_a_name_is_one_after_it_was_json() -> None:
    sentence = message("of {whom}, for the test of names: {what}", whom=Name("people"), what="once")
    stored = json.loads(json.dumps(messages_behind([sentence])))
    remember({"again": stored[sentence]})
    assert [type(value) for value in made_of("again")[1].values()] == [Name, str]


def test_a_word_is_a_name_whoever_made_the_sentence_first_without_saying_so() -> None:
    template = "of {whom}, said by two"
    for whom in ("people", Name("people"), "people"):
        sentence = message(template, whom=whom)
    assert type(made_of(sentence)[1]["whom"]) is Name


@pytest.mark.parametrize("made", [None, [1], {"d": 1}, {"d": ["t"]}, {"d": ["t", {"x": [1]}]}, {"d": [1, {}]}])
def test_what_no_messages_are_is_left_out(made: object) -> None:
    remember(made)
    assert made_of("d") == ("d", {})


def test_an_undefined_statistic_says_why_as_a_message() -> None:
    with pytest.raises(UndefinedStatistic, match="only 2 of them") as raised:
        raise UndefinedStatistic("only {n} of them", n=2)
    assert made_of(raised.value.reason) == ("only {n} of them", {"n": 2})
