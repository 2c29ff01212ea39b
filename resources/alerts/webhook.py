"""Resource `alerts`: sends alerts to the webhook that `TOUCHSTONE_ALERT_WEBHOOK` names, without any secret in them."""

import json
import logging
import math
import os
import threading
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import dagster as dg

from resources.alerts.masking import Masking
from resources.alerts.message import LONGEST_FIELD, LONGEST_TEXT, Alert, chat_text
from resources.errors import UserError
from resources.runtime.network import prepare_network
from resources.runtime.sanitize import one_line

WEBHOOK: Final = "TOUCHSTONE_ALERT_WEBHOOK"
TIMEOUT_S: Final = 5.0  # for each step: connecting, sending, each part of the answer
# Answers of 4xx that are about the address, the access or the moment; any other says that it dislikes what is sent.
NOT_OF_THE_BODY: Final = (401, 403, 404, 408, 425, 429)
PATIENCE_S: Final = 10.0  # for all of them: a server that drips would never meet the timeout
SET_IT: Final = (
    f"Set {WEBHOOK} to the webhook's address, https://... (http:// for 127.0.0.1 alone), in the environment of what "
    "loads the study (`touchstone dev`, `touchstone serve`), and start that again."
)


class NotDelivered(Exception):
    """The webhook did not take an alert; why, in words without its address."""


class _Refused(NotDelivered):
    """It read the alert and did not like it."""


class AlertWebhook(dg.ConfigurableResource):
    """Sends one alert at a time. It has no fields: an address in a resource's configuration would be kept and shown."""

    @property
    def lacking(self) -> str | None:
        """Why no alert can be sent, and what to do; null where there is an address to send to."""
        try:
            _address()
        except UserError as problem:
            return str(problem)
        return None

    def send(self, alert: Alert) -> None:
        """Deliver an alert once, every text in it masked and cut; in short where the webhook refuses its words.

        Raises:
            UserError: There is no address, or none that may be sent to.
            NotDelivered: The webhook cannot be reached, does not answer in time, or refuses.
        """
        address = _address()
        masking = Masking(os.environ)
        try:
            _deliver(address, alert, masking)
        except _Refused:
            # Else it would come first at every tick, and hold back all that follow.
            _deliver(address, alert.in_short, masking)


def _deliver(address: str, alert: Alert, masking: Masking) -> None:
    body = json.dumps(body_of(alert, masking), ensure_ascii=False, allow_nan=False).encode()
    failures: list[NotDelivered] = []
    thread = threading.Thread(target=_post, args=(address, body, failures), name="alert", daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    if thread.is_alive():
        raise NotDelivered(f"no answer within {PATIENCE_S:g} s")
    if failures:
        raise type(failures[0])(one_line(masking(str(failures[0])), LONGEST_FIELD))


def body_of(alert: Alert, masking: Masking) -> dict[str, Any]:
    """What is sent: `text` for a chat, and the alert's fields."""

    def shown(value: Any, longest: int) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            return None
        # Masked before it is cut: what is left of a secret after a cut is still a part of it.
        return one_line(masking(value), longest) if isinstance(value, str) else value

    fields = {name: shown(value, LONGEST_FIELD) for name, value in alert.fields.items()}
    return {"text": chat_text(shown(alert.sentence, LONGEST_TEXT))} | fields


def _post(address: str, body: bytes, failures: list[NotDelivered]) -> None:
    """Send it, and note why it failed; of an answer only the status is read."""
    # Imported here: nothing but an alert needs it.
    import httpx2

    # Their lines for every request and answer hold addresses, and any part of one may be a secret.
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "touchstone"}
    # Beyond this machine by the proxy that the environment names; to this machine by none.
    beyond = urlsplit(address).scheme == "https"
    try:
        with (
            httpx2.Client(timeout=TIMEOUT_S, trust_env=beyond, follow_redirects=False) as client,
            client.stream("POST", address, content=body, headers=headers) as answer,
        ):
            status = answer.status_code
    except httpx2.RequestError as problem:
        failures.append(NotDelivered(f"it cannot be reached ({problem or type(problem).__name__})"))
        return
    except (httpx2.InvalidURL, ValueError, OSError) as problem:
        # Its words may hold the address.
        failures.append(NotDelivered(f"the request could not be made ({type(problem).__name__})"))
        return
    if status // 100 != 2:
        redirected = ", a redirect, which is not followed: set the address that it leads to"
        is_of_the_body = status // 100 == 4 and status not in NOT_OF_THE_BODY
        kind = _Refused if is_of_the_body else NotDelivered
        failures.append(kind(f"it answered {status}{redirected if status // 100 == 3 else ''}"))


def _address() -> str:
    """The address, where it is one; it is never repeated, because any part of it may be a secret.

    Raises:
        UserError: It is missing, or none that may be sent to, or the environment's way there cannot be used.
    """
    given = os.environ.get(WEBHOOK, "").strip()
    if not given:
        raise UserError(f"No alert can be sent: {WEBHOOK} is not set. {SET_IT}")
    try:
        parts = urlsplit(given)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    is_plain = given.isascii() and given.isprintable() and " " not in given
    if not host or not is_plain or "@" in parts.netloc or parts.fragment:
        raise UserError(f"No alert can be sent: {WEBHOOK} is no address that can be sent to. {SET_IT}")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_this_machine(host)):
        raise UserError(
            f"No alert can be sent: {WEBHOOK} would let everybody on the way read along, as it is not https. {SET_IT}"
        )
    if parts.scheme == "https":
        try:
            prepare_network()
        except UserError as problem:
            raise UserError(f"No alert can be sent: {problem}") from problem
    return given


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
