"""Which addresses may be reached. Pure: nothing here resolves or connects.

An allow-list of what is public, not a deny-list of what is private: `ipaddress.is_global` says yes to addresses that
lead inside, such as those that carry an IPv4 address in an IPv6 one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import quote, urljoin, urlsplit

Address = IPv4Address | IPv6Address

PORTS = {"http": 80, "https": 443}
LONGEST = 2048

# Instance metadata and the agents of cloud providers: reached by nobody, whatever a person allows.
_METADATA = frozenset(
    map(ip_address, ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254"))
)
_NOT_PUBLIC_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )
)  # fmt: skip
_UNICAST_V6 = IPv6Network("2000::/3")
# Teredo, ORCHID and other protocol blocks; documentation; anycast of the retired 6bone.
_NOT_PUBLIC_V6 = tuple(
    IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20")
)
_MAPPED = IPv6Network("::ffff:0:0/96")
_TRANSLATED = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_ISATAP = (0x00005EFE, 0x02005EFE)

_UNSAFE = re.compile(r"[\x00-\x20\x7f-\xa0\\\u200b-\u200f\u2028-\u202f\u2066-\u2069\ufeff]")
_HOST = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
)
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an address is not reached."""

    reason: str


@dataclass(frozen=True, slots=True)
class Target:
    """An address taken apart, in one normal form. `path` includes the query; there is no fragment."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host, and port where it is not the scheme's own: what a Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        return self.origin + self.path


@dataclass(frozen=True, slots=True)
class Guard:
    """What may be reached: public addresses on the usual ports, and what a person trusts by name.

    trusted: hosts (`wiki.example`, any port) and places (`localhost:8080`) that may also be private.
    """

    trusted: frozenset[str] = field(default=frozenset())

    def trusts(self, target: Target) -> bool:
        return target.host in self.trusted or f"{target.host}:{target.port}" in self.trusted

    def target(self, url: str, base: str = "") -> Target | Refused:
        """The address taken apart, relative to `base` when given; or why it is not even looked up."""
        found = parse(url, base)
        if isinstance(found, Refused) or found.port in PORTS.values() or self.trusts(found):
            return found
        return Refused(f"port {found.port} is not one of the web's (80, 443)")

    def refusal(self, target: Target, address: Address) -> Refused | None:
        """Why this address, which the target's name resolved to, must not be connected to."""
        if not _METADATA.isdisjoint(_destinations(address)):
            return Refused(f"{address} is a machine's metadata service")
        if self.trusts(target) or is_public(address):
            return None
        return Refused(f"{address} is not a public address")


def parse(url: str, base: str = "") -> Target | Refused:
    """Any http or https address in its normal form."""
    if len(url) > LONGEST:
        return Refused(f"longer than {LONGEST} characters")
    if _UNSAFE.search(url):
        return Refused("holds a space, a backslash or a control character")
    try:
        parts = urlsplit(urljoin(base, url))
        port = parts.port
    except ValueError:
        return Refused("not an address")
    if parts.scheme not in PORTS:
        return Refused(f"{parts.scheme or 'no scheme'}: only http and https are read")
    if "@" in parts.netloc:
        return Refused("holds a user name")
    host = _host(parts.hostname or "")
    if host is None or port == 0:
        return Refused("has no proper host name")
    path = quote(parts.path or "/", safe="/:@!$&'()*+,;=~-._%")
    query = "?" + quote(parts.query, safe="/:@!$&'()*+,;=~-._%?") if parts.query else ""
    return Target(parts.scheme, host, port or PORTS[parts.scheme], path + query)


def _host(name: str) -> str | None:
    """A host name in ASCII, or an IP address as it is commonly written; None for anything that only resembles one."""
    if ":" in name:
        try:
            return str(IPv6Address(name)) if "%" not in name else None
        except ValueError:
            return None
    try:
        plain = name.encode("idna").decode("ascii").lower().rstrip(".") if len(name) <= 253 else ""
    except UnicodeError:
        return None
    if not _HOST.fullmatch(plain):
        return None
    if _NUMBER.fullmatch(plain.rpartition(".")[2]):
        try:
            return str(IPv4Address(plain))
        except ValueError:
            return None
    return plain


def is_public(address: Address) -> bool:
    """Whether everybody on the internet reaches the same machine at this address."""
    return all(map(_stands_in_public, _destinations(address)))


def _stands_in_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return address not in _METADATA and not any(address in network for network in _NOT_PUBLIC_V4)
    return address in _UNICAST_V6 and not any(address in network for network in _NOT_PUBLIC_V6)


def _destinations(address: Address) -> tuple[Address, ...]:
    """Where packets to this address may end up: with the IPv4 address inside an IPv6 one, if it carries one."""
    if isinstance(address, IPv4Address):
        return (address,)
    number = int(address)
    if address in _MAPPED or address in _TRANSLATED:
        return (IPv4Address(number & 0xFFFFFFFF),)
    if address in _SIX_TO_FOUR:
        return (IPv4Address(number >> 80 & 0xFFFFFFFF),)
    if number >> 32 & 0xFFFFFFFF in _ISATAP:
        return address, IPv4Address(number & 0xFFFFFFFF)
    return (address,)
