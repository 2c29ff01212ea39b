"""The secrets that the environment holds, and texts without them: for what leaves this machine."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

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


class Masking:
    """Takes the secrets of one environment out of texts, however they are spelt in an address, in JSON or in Python."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Looks at the environment once.

        Args:
            environment: Names and values.
        """
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
