"""Which addresses may be reached."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deeproot.search.web.guard import Guard, Refused, Target, is_public, parse

_INSIDE = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.254 127.0.0.1 127.255.0.1 169.254.0.1 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1
    203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16 :: ::1 ::7f00:1 ::127.0.0.1
    ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 64:ff9b::127.0.0.1
    64:ff9b::10.1.2.3 64:ff9b:1::1 64:ff9b:1:ffff::8.8.8.8 2002:7f00:1:: 2002:a9fe:a9fe::1 2002:c0a8:101::1
    2002:0a00:0001:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1 2001:20::1 2001:db8::1 3fff::1 5f00::1
    100::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 fe80::5efe:8.8.8.8 fec0::1 feff::1 ff02::1 2607:f8b0::5efe:10.0.0.1
    2607:f8b0::200:5efe:192.168.0.1 4000::1
"""
INSIDE = _INSIDE.split()
_OUTSIDE = """
    8.8.8.8 1.1.1.1 93.184.216.34 172.32.0.1 100.128.0.1 192.0.1.1 198.20.0.1 2606:2800:220:1:248:1893:25c8:1946
    2a00:1450:4001:81b::200e 64:ff9b::8.8.8.8 ::ffff:8.8.8.8 2002:808:808::1
"""
OUTSIDE = _OUTSIDE.split()


@pytest.mark.parametrize("address", INSIDE)
def test_an_address_that_leads_inside_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", OUTSIDE)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_what_is_public_is_global_to_the_standard_library_too(address: IPv4Address) -> None:
    assert not is_public(address) or (address.is_global and not address.is_multicast)


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_an_ipv4_address_is_judged_the_same_in_every_wrapping(address: IPv4Address) -> None:
    number = int(address)
    for wrapped in (0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80 | 1):
        assert is_public(IPv6Address(wrapped)) == is_public(address)


REFUSED = {
    "file:///etc/passwd": "only http",
    "ftp://example.org/": "only http",
    "javascript:alert(1)": "only http",
    "data:text/html,hi": "only http",
    "gopher://example.org:70/": "only http",
    "//example.org/": "only http",
    "example.org": "only http",
    "": "only http",
    "http://": "host",
    "http:///path": "host",
    "http://example.org\\@evil.example/": "backslash",
    "http://example.org\\.evil.example/": "backslash",
    "http://exa mple.org/": "space",
    "http://example.org/a b": "space",
    " http://example.org/": "space",
    "http://example.org/\r\nHost: evil": "control",
    "http://example.org/\x00": "control",
    "http://exam\tple.org/": "control",
    "http://example.org/\u2028": "control",
    "http://user@example.org/": "user name",
    "http://user:secret@example.org/": "user name",
    "http://example.org:22/": "port 22",
    "http://example.org:8080/": "port 8080",
    "http://example.org:0/": "host",
    "http://example.org:99999/": "not an address",
    "http://example.org:80x/": "not an address",
    "http://[::1": "not an address",
    "http://[fe80::1%25eth0]/": "host",
    "http://127.1/": "host",
    "http://2130706433/": "host",
    "http://0x7f000001/": "host",
    "http://0177.0.0.1/": "host",
    "http://127.0.0.0x1/": "host",
    "http://1.2.3.4.5/": "host",
    "http://256.1.1.1/": "host",
    "http://-bad.example/": "host",
    "http://a..b/": "host",
    "http://exam%70le.org/": "host",
    "http://" + "a" * 300 + ".org/": "host",
    "http://example.org/" + "a" * 3000: "longer",
}


@pytest.mark.parametrize(("url", "why"), REFUSED.items())
def test_an_address_that_is_none_of_the_webs_is_refused_with_the_reason(url: str, why: str) -> None:
    found = Guard().target(url)
    assert isinstance(found, Refused)
    assert why in found.reason


NORMAL = {
    "HTTP://Example.ORG": "http://example.org/",
    "https://example.org:443/a?b=c#d": "https://example.org/a?b=c",
    "http://example.org:80/": "http://example.org/",
    "http://example.org./": "http://example.org/",
    "http://example.org?q=1": "http://example.org/?q=1",
    "http://münchen.example/straße": "http://xn--mnchen-3ya.example/stra%C3%9Fe",
    "http://example.org/a%20b/%7Ec": "http://example.org/a%20b/%7Ec",
    "http://１２７.0.0.1/": "http://127.0.0.1/",
    "http://[64:FF9B::A9FE:A9FE]/": "http://[64:ff9b::a9fe:a9fe]/",
    "http://[::ffff:127.0.0.1]/": "http://[::ffff:7f00:1]/",
    "https://sub_domain.example/x": "https://sub_domain.example/x",
}


@pytest.mark.parametrize(("url", "normal"), NORMAL.items())
def test_an_address_has_one_normal_form(url: str, normal: str) -> None:
    found = Guard().target(url)
    assert isinstance(found, Target)
    assert found.url == normal
    assert Guard().target(normal) == found


@given(st.text(max_size=60).map(lambda text: f"http://{text}"))
def test_whatever_is_written_becomes_a_refusal_or_an_address_that_means_the_same_when_read_again(url: str) -> None:
    found = parse(url)
    assert isinstance(found, Refused) or parse(found.url) == found


@given(st.text(max_size=60))
def test_a_relative_address_never_leaves_the_web(text: str) -> None:
    found = parse(text, "https://example.org/a/b")
    assert isinstance(found, Refused) or found.scheme in ("http", "https")


def target(url: str, guard: Guard) -> Target:
    found = guard.target(url)
    assert isinstance(found, Target), found
    return found


def test_a_trusted_place_may_be_private_and_have_any_port() -> None:
    guard = Guard(frozenset({"localhost:8888", "wiki.example"}))
    for url in ("http://localhost:8888/", "http://wiki.example:3000/"):
        assert guard.refusal(target(url, guard), ip_address("10.0.0.5")) is None
    assert isinstance(guard.target("http://localhost:22/"), Refused)
    assert guard.refusal(target("http://localhost/", guard), ip_address("127.0.0.1")) is not None


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "64:ff9b::a9fe:a9fe", "::ffff:169.254.169.254", "fd00:ec2::254"]
)
def test_metadata_is_reached_by_nobody_whatever_is_trusted(address: str) -> None:
    guard = Guard(frozenset({"wiki.example"}))
    refused = guard.refusal(target("http://wiki.example/", guard), ip_address(address))
    assert refused is not None
    assert "metadata" in refused.reason
