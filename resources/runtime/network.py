"""What the environment says about the way to a server: used, or refused in one line where it cannot be."""

import os
import re
import ssl
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from resources.errors import UserError

PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
NO_PROXY: Final = "NO_PROXY"
CERTIFICATES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_OURS, _OTHERS = CERTIFICATES[:2], CERTIFICATES[2:]
_SCHEMES: Final = ("http", "https", "socks5", "socks5h")
_HOST: Final = re.compile(r"\*|(\*?\.)?[\w-]+(\.[\w-]+)*\.?(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?", re.ASCII)


def prepare_network() -> None:
    """Look at the proxies and certificates that the environment names, before the first request.

    Certificates that are named for requests or curl alone are named for Python too, which reads no such variable.

    Raises:
        UserError: One cannot be used; the message names the variable and shows no password.
    """
    for name in (form for proxy in PROXIES for form in (proxy, proxy.lower())):
        if value := os.environ.get(name):
            _refuse_proxy(name, value)
    for name in (NO_PROXY, NO_PROXY.lower()):
        for place, entry in enumerate(os.environ.get(name, "").split(","), start=1):
            if entry.strip() and not _is_host(entry.strip()):
                raise UserError(f"{name}: entry {place} is no host, domain or network. Write HOST,.DOMAIN or unset it.")
    named = {name: value for name in CERTIFICATES if (value := os.environ.get(name))}
    for name, value in named.items():
        _refuse_certificates(name, value)
    if not any(name in named for name in _OURS):
        for value in (named[name] for name in _OTHERS if name in named):
            os.environ[_OURS[Path(value).is_dir()]] = value
            break


def _refuse_proxy(name: str, value: str) -> None:
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        usable = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UserError(f"{name} is no address of a proxy. Write http://HOST:PORT, or unset it.")
    if parts.scheme.startswith("socks") and find_spec("socksio") is None:
        raise UserError(f"{name} is a SOCKS proxy, which takes a package: `pip install socksio`, or unset it.")


def _is_host(entry: str) -> bool:
    try:
        ip_network(entry, strict=False)
    except ValueError:
        return _HOST.fullmatch(entry) is not None
    return True


def _refuse_certificates(name: str, value: str) -> None:
    """Folders may be several, as OpenSSL reads them."""
    places = [Path(one) for one in (value.split(os.pathsep) if name == "SSL_CERT_DIR" else [value])]
    try:
        for place in places:
            if not (
                place.is_dir() if name == "SSL_CERT_DIR" else place.is_file() or (name in _OTHERS and place.is_dir())
            ):
                raise OSError("it is not there")
            is_folder = place.is_dir()
            ssl.create_default_context(cafile=None if is_folder else place, capath=place if is_folder else None)
    except OSError as problem:
        raise UserError(f"{name} names {value}, which holds no certificates. Correct or unset it.") from problem
