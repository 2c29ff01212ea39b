"""Proxies and certificates of the environment: used, or refused in one line with the variable's name."""

import pytest

from resources.errors import UserError
from resources.network import refuse_unusable_network


@pytest.mark.parametrize("name", ["HTTP_PROXY", "https_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("value", ["nonsense://x:1", "http://", "http://user:secret@host:many", "ftp://host:1"])
def test_a_proxy_that_is_none_is_refused_by_its_variables_name(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match=f"^{name} is no address of a proxy") as refused:
        refuse_unusable_network()
    assert "secret" not in str(refused.value)


def test_usable_proxies_and_none_are_let_through(monkeypatch):
    for value in ("http://host:3128", "host:3128", "socks5://u:p@host", ""):
        monkeypatch.setenv("HTTPS_PROXY", value)
        refuse_unusable_network()


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_certificates_that_are_none_are_refused_by_their_variables_name(monkeypatch, tmp_path, name):
    (tmp_path / "none.pem").write_text("no certificate")
    for place in ("missing.pem", "none.pem"):
        monkeypatch.setenv(name, str(tmp_path / place))
        with pytest.raises(UserError, match=f"^{name} names .*{place}, which holds no certificates"):
            refuse_unusable_network()
