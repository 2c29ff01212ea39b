"""What the environment says about the way to a server, refused in one line where it cannot be used."""

import os
import ssl
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from resources.errors import UserError

PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
CERTIFICATES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_SCHEMES: Final = ("http", "https", "socks5", "socks5h")


def refuse_unusable_network() -> None:
    """Look at the proxies and certificates that the environment names.

    Raises:
        UserError: One cannot be used; the message names the variable and shows no password.
    """
    for name in (form for proxy in PROXIES for form in (proxy, proxy.lower())):
        if value := os.environ.get(name):
            try:
                parts = urlsplit(value if "://" in value else f"http://{value}")
                usable = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
            except ValueError:
                usable = False
            if not usable:
                raise UserError(f"{name} is no address of a proxy. Write http://HOST:PORT, or unset it.")
    for name in CERTIFICATES:
        if value := os.environ.get(name):
            place = Path(value)
            there = place.is_dir() if name == "SSL_CERT_DIR" else place.is_file()
            try:
                if not there:
                    raise OSError("it is not there")
                ssl.create_default_context(
                    cafile=value if place.is_file() else None, capath=value if place.is_dir() else None
                )
            except OSError as problem:
                raise UserError(f"{name} names {value}, which holds no certificates. Correct or unset it.") from problem
