"""What is sent to a webhook, and what becomes of an alert that it does not take; a real server on loopback."""

import logging
import socket
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from resources.alerts import webhook as module
from resources.alerts.webhook import GATE_FAILED, RUN_FAILED, WEBHOOK, Alert, AlertWebhook, NotDelivered
from resources.errors import UserError
from resources.runtime.home import CHECKOUT
from tests.alert_hook import alert_hook

KEY = "sk-planted-0123456789abcdefghijKEY"
TOKEN = "T0PLANTED/B0PLANTED/hookTOKEN0123456789"
FAILED = Alert(RUN_FAILED, "small", "fidelity", "0123456789ab", starts_again=False, error="human_scores: no such file")
GATE = Alert(
    GATE_FAILED,
    "small",
    "fidelity",
    "0123456789ab",
    table="icc_by_setting",
    partition="t0.2_p0.95",
    check="repeatable",
    says="ICC(1,k) is 0.61; needed >= 0.85.",
    seen=0.61,
    needed=">= 0.85",
    to_do="Plan more repeats.",
)


def test_a_message_has_a_text_for_a_chat_and_every_field(monkeypatch: pytest.MonkeyPatch) -> None:
    with alert_hook() as hook:
        monkeypatch.setenv(WEBHOOK, hook.address("/services/token-of-the-hook"))
        AlertWebhook().send(GATE)
    assert hook.paths == ["/services/token-of-the-hook"]
    assert hook.taken == [
        {
            "text": "Study small: gate repeatable on icc_by_setting (t0.2_p0.95) failed. ICC(1,k) is 0.61; needed "
            "&gt;= 0.85. What to do: Plan more repeats. Job fidelity, run 01234567.",
            "kind": "gate_failed",
            "study": "small",
            "job": "fidelity",
            "run": "0123456789ab",
            "starts_again": None,
            "error": None,
            "table": "icc_by_setting",
            "partition": "t0.2_p0.95",
            "check": "repeatable",
            "says": "ICC(1,k) is 0.61; needed >= 0.85.",
            "seen": 0.61,
            "needed": ">= 0.85",
            "to_do": "Plan more repeats.",
        }
    ]


def test_the_fields_are_those_that_the_documentation_lists() -> None:
    page = (CHECKOUT / "docs" / "operating.md").read_text(encoding="utf-8")
    assert not [name for name in ("text", *GATE.fields) if f"| `{name}` |" not in page]


def test_secrets_markup_and_length_do_not_get_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    hostile = Alert(RUN_FAILED, "small", "fidelity", "r1", error=f"<!channel> @here [x](http://y)\n\x1b[31m{KEY} " * 99)
    with alert_hook() as hook:
        monkeypatch.setenv(WEBHOOK, hook.address(f"/{TOKEN}?auth={KEY}"))
        AlertWebhook().send(hostile)
    [body], [taken] = hook.bodies, hook.taken
    assert KEY.encode() not in body
    assert b"hookTOKEN" not in body
    assert len(taken["error"]) <= 500
    assert not {"<", ">", "\x1b", "\n"} & set(taken["text"])
    assert "@here" not in taken["text"]


def test_a_number_that_json_has_not_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with alert_hook() as hook:
        monkeypatch.setenv(WEBHOOK, hook.address())
        AlertWebhook().send(Alert(GATE_FAILED, "small", "fidelity", "r1", seen=float("nan")))
    assert hook.taken[0]["seen"] is None


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_refused_and_not_followed(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with alert_hook() as hook, alert_hook() as elsewhere:
        hook.status, hook.headers = status, {"Location": elsewhere.address("/stolen")}
        monkeypatch.setenv(WEBHOOK, hook.address(f"/{TOKEN}"))
        with pytest.raises(NotDelivered, match=f"it answered {status}, a redirect, which is not followed") as raised:
            AlertWebhook().send(FAILED)
    assert elsewhere.bodies == []
    assert "hookTOKEN" not in str(raised.value)


@pytest.mark.parametrize("status", [400, 403, 429, 500])
def test_a_refusal_is_said_by_its_status_alone(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with alert_hook() as hook:
        hook.status = status
        monkeypatch.setenv(WEBHOOK, hook.address(f"/{TOKEN}"))
        with pytest.raises(NotDelivered, match=f"^it answered {status}$"):
            AlertWebhook().send(FAILED)


@pytest.mark.parametrize(("alert", "status"), [(FAILED, 413), (GATE, 413), (GATE, 400), (GATE, 406)])
def test_words_that_a_webhook_refuses_are_left_out_and_the_alert_arrives(
    alert: Alert, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with alert_hook() as hook:
        monkeypatch.setenv(WEBHOOK, hook.address())
        hook.longest, hook.too_long = 900, status
        AlertWebhook().send(replace(alert, error="x" * 400, says="x" * 400))
    [told] = hook.taken
    assert len(hook.bodies) == 2
    assert (told["kind"], told["study"], told["run"], told["check"]) == (alert.kind, "small", alert.run, alert.check)
    assert told["text"].count("The webhook did not take what was said: see the run in the UI.") == 1
    assert "xxx" not in told["text"]


def test_a_webhook_that_is_down_is_said_without_its_address(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with alert_hook() as hook:
        address = hook.address(f"/{TOKEN}")
    monkeypatch.setenv(WEBHOOK, address)
    with pytest.raises(NotDelivered, match="it cannot be reached") as raised:
        AlertWebhook().send(FAILED)
    assert "hookTOKEN" not in str(raised.value) + caplog.text


def test_a_webhook_that_never_answers_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(WEBHOOK, f"http://127.0.0.1:{silent.getsockname()[1]}/{TOKEN}")
        with pytest.raises(NotDelivered, match="no answer within"):
            AlertWebhook().send(FAILED)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "is not set"),
        ("  ", "is not set"),
        (f"hooks.example/{TOKEN}", "is no address"),
        (f"https:///{TOKEN}", "is no address"),
        (f"https://hooks.example:port/{TOKEN}", "is no address"),
        (f"https://user:{KEY}@hooks.example/x", "is no address"),
        (f"https://hooks.example/{TOKEN} x", "is no address"),
        (f"http://hooks.example/{TOKEN}", "as it is not https"),
        (f"http://10.0.0.1/{TOKEN}", "as it is not https"),
        (f"http://127.0.0.1.example/{TOKEN}", "as it is not https"),
        (f"ftp://127.0.0.1/{TOKEN}", "as it is not https"),
        (f"file://localhost/{TOKEN}", "as it is not https"),
    ],
)
def test_an_address_that_may_not_be_sent_to_is_named_by_its_variable_with_the_remedy(
    address: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WEBHOOK, address)
    lacking = AlertWebhook().lacking or ""
    assert said in lacking
    assert "Set TOUCHSTONE_ALERT_WEBHOOK to the webhook's address, https://" in lacking
    assert "PLANTED" not in lacking
    assert KEY not in lacking
    with pytest.raises(UserError):
        AlertWebhook().send(FAILED)


def test_a_proxy_that_cannot_be_used_is_named_before_an_alert_goes_beyond_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "ftp://user:PLANTED@host:1")
    monkeypatch.setenv(WEBHOOK, "https://hooks.example/x")
    assert AlertWebhook().lacking == (
        "No alert can be sent: HTTPS_PROXY is no address of a proxy. Write http://HOST:PORT, or unset it."
    )
    monkeypatch.setenv(WEBHOOK, "http://127.0.0.1:1/x")
    assert AlertWebhook().lacking is None


@pytest.mark.parametrize("address", ["https://hooks.example/x?y=z", "http://127.0.0.1:1/x", "http://[::1]:1/x"])
def test_an_address_that_may_be_sent_to_lacks_nothing(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WEBHOOK, address)
    assert AlertWebhook().lacking is None


def test_the_resource_keeps_no_address_that_dagster_could_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WEBHOOK, f"https://hooks.example/{TOKEN}")
    definitions = dg.Definitions(resources={"alerts": AlertWebhook()})
    assert "PLANTED" not in repr(AlertWebhook()) + str(definitions.get_repository_def().get_top_level_resources())
    assert AlertWebhook.model_fields == {}
