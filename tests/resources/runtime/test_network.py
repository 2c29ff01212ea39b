"""Proxies and certificates of the environment: used, or refused in one line with the variable's name."""

import os

import certifi
import pytest

from resources.errors import UserError
from resources.runtime.network import prepare_network


@pytest.mark.parametrize("name", ["HTTP_PROXY", "https_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("value", ["nonsense://x:1", "http://", "http://user:secret@host:many", "ftp://host:1"])
def test_a_proxy_that_is_none_is_refused_by_its_variables_name(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match=f"^{name} is no address of a proxy") as refused:
        prepare_network()
    assert "secret" not in str(refused.value)


def test_usable_proxies_and_none_are_let_through(monkeypatch):
    for value in ("http://host:3128", "host:3128", ""):
        monkeypatch.setenv("HTTPS_PROXY", value)
        prepare_network()


@pytest.mark.parametrize("there", [True, False])
def test_a_socks_proxy_takes_its_package(monkeypatch, there):
    monkeypatch.setenv("ALL_PROXY", "socks5://user:secret@host:1")
    monkeypatch.setattr("resources.runtime.network.find_spec", lambda name: object() if there else None)
    if there:
        prepare_network()
        return
    with pytest.raises(UserError, match="^ALL_PROXY is a SOCKS proxy, .*socksio") as refused:
        prepare_network()
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
@pytest.mark.parametrize("entry", ["http://user:secret@host", "host:many", "a b", "[::1", "10.0.0.0/99", "a/b"])
def test_an_entry_of_no_proxy_that_is_no_host_is_refused_by_its_place(monkeypatch, name, entry):
    monkeypatch.setenv(name, f"localhost,{entry}")
    with pytest.raises(UserError, match=f"^{name}: entry 2 is no host, domain or network") as refused:
        prepare_network()
    assert "secret" not in str(refused.value)


def test_hosts_domains_and_networks_without_a_proxy_are_let_through(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*, localhost,.svc,*.corp,example.com:8443,10.0.0.0/8,::1,[::1]:80,fe80::/10,,a_b")
    prepare_network()


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_certificates_named_for_requests_or_curl_are_used_unless_others_are_named(monkeypatch, tmp_path, name):
    for other in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        # Set first, so that what is set meanwhile is taken back too.
        monkeypatch.setenv(other, "")
    bundle = certifi.where()
    monkeypatch.setenv(name, bundle)
    prepare_network()
    assert os.environ["SSL_CERT_FILE"] == bundle
    monkeypatch.setenv("SSL_CERT_FILE", "")
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    prepare_network()
    assert not os.environ["SSL_CERT_FILE"]


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_certificates_that_are_none_are_refused_by_their_variables_name(monkeypatch, tmp_path, name):
    (tmp_path / "none.pem").write_text("no certificate")
    for place in ("missing.pem", "none.pem"):
        monkeypatch.setenv(name, str(tmp_path / place))
        with pytest.raises(UserError, match=f"^{name} names .*{place}, which holds no certificates"):
            prepare_network()
