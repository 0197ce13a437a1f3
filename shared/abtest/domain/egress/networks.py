"""Public IP addresses: a list of our own, as the standard library takes several of these networks for public."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

REFUSED: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "this network: many systems take it for themselves"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "carrier-grade NAT, and metadata services within it"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "a metadata service at a public address"),
    ("169.254.0.0/16", "link-local, and the metadata services of clouds"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol assignments, and metadata services within them"),
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "AS112: answered by the nearest host"),
    ("192.52.193.0/24", "multicast tunnels"),
    ("192.88.99.0/24", "6to4 relays"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "AS112: answered by the nearest host"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved, and broadcast"),
    ("::/128", "unspecified: many systems take it for themselves"),
    ("::1/128", "loopback"),
    ("::/96", "IPv4-compatible: an IPv4 address in another dress"),
    ("::ffff:0:0/96", "IPv4-mapped: an IPv4 address in another dress"),
    ("::ffff:0:0:0/96", "IPv4-translated: an IPv4 address in another dress"),
    ("64:ff9b::/96", "NAT64: leads to an IPv4 address"),
    ("64:ff9b:1::/48", "NAT64 within a network: leads to an IPv4 address"),
    ("100::/64", "discarded"),
    ("2001::/32", "Teredo: leads to an IPv4 address"),
    ("2001:2::/48", "benchmarking"),
    ("2001::/23", "protocol assignments"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4: leads to an IPv4 address"),
    ("2620:4f:8000::/48", "AS112: answered by the nearest host"),
    ("3ffe::/16", "given back: not assigned to anyone"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing within a network"),
    ("fc00::/7", "unique local, and the metadata services of clouds"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)
"""Networks that no request of ours goes to, each with the reason; the narrower one of two comes first."""

GLOBAL_IPV6 = IPv6Network("2000::/3")
"""The assigned part of IPv6; addresses outside are not public, whether the table names them or not."""

_IPV4 = [(IPv4Network(network), reason) for network, reason in REFUSED if ":" not in network]
_IPV6 = [(IPv6Network(network), reason) for network, reason in REFUSED if ":" in network]
# RFC 5214, section 6.1: the interface part begins with 5EFE, with the bit for a universal address clear or set.
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


def refusal_of(address: Address) -> str | None:
    """Return why no request may go to the address; None when it is public."""
    if isinstance(address, IPv4Address):
        return next((reason for network, reason in _IPV4 if address in network), None)
    reason = next((reason for network, reason in _IPV6 if address in network), None)
    if reason is None and address not in GLOBAL_IPV6:
        return "not assigned to anyone"
    # The interface part of an ISATAP address holds an IPv4 address, under any prefix.
    tag = int(address) >> 32 & 0xFFFFFFFF
    return reason or ("ISATAP: leads to an IPv4 address" if tag in _ISATAP else None)


def first_refusal(addresses: Iterable[str]) -> str | None:
    """Return why no request may go to a name with these addresses; one that is not public is enough."""
    for text in addresses:
        address = _read(text)
        if address is None:
            return f"{text!r} is not an IP address"
        # Only IPv6Address has a scope (`fe80::1%eth0`); `in` ignores it, so it is refused before the table is read.
        reason = "bound to an interface" if getattr(address, "scope_id", None) else refusal_of(address)
        if reason is not None:
            return f"{address} is not a public address ({reason})"
    return None


def is_loopback(text: str) -> bool:
    """Return whether the address is this machine itself."""
    address = _read(text)
    return address is not None and address.is_loopback


def _read(text: str) -> Address | None:
    """Return the address; None for a text that a resolver should not have returned."""
    try:
        return ip_address(text)
    except ValueError:
        return None
