"""Resource `alerts`: sends alerts to the webhook that `TOUCHSTONE_ALERT_WEBHOOK` names, without any secret in them."""

import json
import logging
import math
import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

import dagster as dg

from resources.errors import UserError
from resources.runtime.network import prepare_network
from resources.runtime.sanitize import one_line

MASK: Final = "***"
# A shorter value is a word such as "none", which any sentence may hold; a password in an address counts at any length.
LONG: Final = 8
_NAMED_SECRET = re.compile(
    r"(^|_)(KEY|KEYS|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|PGPASSWORD|CREDENTIALS?|WEBHOOK|DSN)(_|$)", re.IGNORECASE
)
# What shows a secret whatever the environment holds: an authorization, a user and password in an address, a key.
_SHOWN_SECRETS: Final = (
    (re.compile(r"\b(basic|bearer)\s+[\w.~+/=-]{6,}", re.IGNORECASE), rf"\1 {MASK}"),
    (re.compile(r"(?<=://)[^\s/@]+@"), f"{MASK}@"),
    (re.compile(r"\bsk-[\w-]{8,}"), MASK),
)
RUN_FAILED, GATE_FAILED, GATE_PASSES = "run_failed", "gate_failed", "gate_passes_again"
DRIFTS, WARNS, WARNS_NO_MORE = "drift", "advice", "advice_no_longer"
LONGEST_TEXT: Final = 1200
LONGEST_FIELD: Final = 500
NOT_TAKEN: Final = "The webhook did not take what was said: see the run in the UI."
WEBHOOK: Final = "TOUCHSTONE_ALERT_WEBHOOK"
TIMEOUT_S: Final = 5.0  # for each step: connecting, sending, each part of the answer
# Answers of 4xx that are about the address, the access or the moment; any other says that it dislikes what is sent.
NOT_OF_THE_BODY: Final = (401, 403, 404, 408, 425, 429)
PATIENCE_S: Final = 10.0  # for all of them: a server that drips would never meet the timeout
SET_IT: Final = (
    f"Set {WEBHOOK} to the webhook's address, https://... (http:// for 127.0.0.1 alone), in the environment of what "
    "loads the study (`touchstone dev`, `touchstone serve`), and start that again."
)


class Masking:
    """Takes the secrets of one environment out of texts, however they are spelt in an address, in JSON or in Python."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Looks at the environment once."""
        found = {secret for name, value in environment.items() for secret in _secrets(name, value.strip()) if secret}
        spelt = {spelling for secret in found for spelling in _spellings(secret)}
        # The longest first: a secret may be part of another.
        patterns = [_pattern(one) for one in sorted(spelt, key=len, reverse=True)]
        self._secrets = re.compile("|".join(patterns)) if patterns else None

    def __call__(self, text: str) -> str:
        """The text with three asterisks in place of every secret."""
        masked = self._secrets.sub(MASK, text) if self._secrets else text
        for pattern, shown in _SHOWN_SECRETS:
            masked = pattern.sub(shown, masked)
        return masked


def _secrets(name: str, value: str) -> Iterator[str]:
    """What of one variable no one else may see."""
    is_named = _NAMED_SECRET.search(name) is not None
    if is_named and len(value) >= LONG:
        yield value
    try:
        parts = urlsplit(value) if "://" in value else None
        user, password = (parts.username, parts.password) if parts else (None, None)
    except ValueError:
        return
    if parts is None or not parts.netloc:
        return
    if password:
        yield password
        yield unquote(password)
        # An account without its password may be shown; a token in its place may not.
    elif user and len(user) >= LONG:
        yield user
    yield from (found for key, found in parse_qsl(parts.query) if _NAMED_SECRET.search(key) or len(found) >= LONG)
    if is_named:
        # Of a webhook the path is the secret, and so is any part of it that is not a plain word.
        path = parts.path.strip("/")
        yield from (path, *path.split("/")) if len(path) >= LONG else ()


def _spellings(secret: str) -> set[str]:
    plain = {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1]}
    return plain | {json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}


def _pattern(spelling: str) -> str:
    """A short one only where it stands alone: it may be part of a word."""
    escaped = re.escape(spelling)
    return escaped if len(spelling) >= LONG else rf"(?<!\w){escaped}(?!\w)"


@dataclass(frozen=True)
class Alert:
    """What is reported; a field that has no meaning for the kind of alert is null.

    `error` is what a run's failed steps said, `starts_again` whether Dagster does so by itself (null where it is not
    known yet), `says` a gate's sentence, `seen` and `needed` its numbers.
    """

    kind: str
    study: str
    job: str
    run: str
    starts_again: bool | None = None
    error: str | None = None
    table: str | None = None
    partition: str | None = None
    check: str | None = None
    says: str | None = None
    seen: float | None = None
    needed: str | None = None
    to_do: str | None = None

    @property
    def sentence(self) -> str:
        """The alert in words."""
        where = f"{self.table} ({self.partition})" if self.partition else self.table
        run = f"Job {self.job}, run {self.run[:8]}."
        if self.kind == RUN_FAILED:
            again = " Dagster starts it again by itself." if self.starts_again else ""
            return f"Study {self.study}: run {self.run[:8]} of job {self.job} failed. {self.error or ''}{again}"
        if self.kind == GATE_PASSES:
            return f"Study {self.study}: gate {self.check} on {where} passes again. {self.says or ''} {run}"
        if self.kind == WARNS_NO_MORE:
            return f"Study {self.study}: check {self.check} on {where} no longer warns. {self.says or ''} {run}"
        to_do = f" What to do: {self.to_do}" if self.to_do else ""
        happened = {
            GATE_FAILED: f"gate {self.check} on {where} failed",
            DRIFTS: f"the judge drifts, by check {self.check} on {where}",
            WARNS: f"check {self.check} on {where} warns",
        }[self.kind]
        return f"Study {self.study}: {happened}. {self.says or ''}{to_do} {run}"

    @property
    def in_short(self) -> "Alert":
        """The same without words of others, for a webhook that refuses them."""
        bare = replace(self, error=None, partition=None, says=None, seen=None, needed=None, to_do=None)
        return replace(bare, error=NOT_TAKEN) if self.kind == RUN_FAILED else replace(bare, says=NOT_TAKEN)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the message."""
        return asdict(self)


def chat_text(words: str) -> str:
    """Words for a chat, which takes `<...>` for links and calls, and `@name` for calling people."""
    escaped = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"@(?=\w)", "@\u200b", escaped)


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
