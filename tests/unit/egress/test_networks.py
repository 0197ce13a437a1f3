"""Which addresses are public."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.egress.networks import REFUSED, first_refusal, refusal_of

NOT_PUBLIC = [
    *("0.0.0.0", "0.255.255.255", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255"),
    *("127.0.0.1", "127.0.0.53", "127.255.255.254", "168.63.129.16", "169.254.169.254", "169.254.170.2", "169.254.0.1"),
    *("172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1"),
    *("192.88.99.1", "192.168.0.1", "192.168.255.255", "192.175.48.1", "198.18.0.1", "198.19.255.255"),
    *("198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::7f00:1", "::10.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1"),
    *(
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ),
    *("2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::1", "2620:4f:8000::1"),
    *("3ffe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fd12:3456:789a::1", "fe80::1", "febf::1"),
    *("fec0::1", "feff::1", "ff02::1", "ff0e::1", "4000::1", "8000::1", "1::1", "2a00:1450::5efe:a00:1"),
    *("2a00:1450::200:5efe:7f00:1", "e000::1", "::2"),
]
PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"),
    *("128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"),
    *("192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"),
    *("2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700:4700::1111", "2a00:1450:4001::200e", "3000::1"),
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_refusal_of__what_is_not_public__says_why(address: str) -> None:
    assert refusal_of(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_refusal_of__what_is_public__is_none(address: str) -> None:
    assert refusal_of(ip_address(address)) is None


@pytest.mark.parametrize(("network", "reason"), REFUSED)
def test_table__both_ends_of_each_network__are_refused(network: str, reason: str) -> None:
    ends = ip_network(network)
    assert refusal_of(ends[0])
    assert refusal_of(ends[-1])
    assert reason


def test_table__holds_no_network_twice_and_widens_downwards() -> None:
    networks = [ip_network(network) for network, _ in REFUSED]
    assert len(set(networks)) == len(networks)
    hidden = [
        str(later)
        for place, later in enumerate(networks)
        for earlier in networks[:place]
        if earlier.version == later.version and later.subnet_of(earlier)  # type: ignore[arg-type]
    ]
    assert hidden == []


def _inside(network: IPv4Network | IPv6Network) -> st.SearchStrategy[IPv4Address | IPv6Address]:
    return st.integers(0, network.num_addresses - 1).map(lambda offset: network[offset])


@given(st.sampled_from(REFUSED).flatmap(lambda entry: _inside(ip_network(entry[0]))))
def test_refusal_of__any_address_of_a_refused_network__says_why(address: IPv4Address | IPv6Address) -> None:
    assert refusal_of(address)


@given(st.ip_addresses(v=4))
def test_refusal_of__an_ipv4_address__is_never_laxer_than_the_standard_library(address: IPv4Address) -> None:
    if refusal_of(address) is None:
        assert address.is_global
        assert not address.is_multicast


@given(st.ip_addresses(v=4))
def test_refusal_of__an_ipv4_address_inside_an_ipv6_one__is_refused_whatever_it_is(address: IPv4Address) -> None:
    number = int(address)
    carriers = [0xFFFF << 32, 0, 0xFFFF << 48, 0x64FF9B << 96, 0x2A001450 << 96 | 0x5EFE << 32]
    for carrier in carriers:
        assert refusal_of(IPv6Address(carrier | number))
    assert refusal_of(IPv6Address(0x2002 << 112 | number << 80))


@given(st.ip_addresses(v=6))
def test_refusal_of__a_public_ipv6_address__is_global_unicast(address: IPv6Address) -> None:
    if refusal_of(address) is None:
        assert address.is_global
        assert int(address) >> 125 == 1


def test_first_refusal__one_private_answer_among_public_ones__spoils_all() -> None:
    assert first_refusal(["8.8.8.8", "2606:4700::1111"]) is None
    assert "10.0.0.1" in (first_refusal(["8.8.8.8", "10.0.0.1"]) or "")
    assert "::1" in (first_refusal(["8.8.8.8", "::1"]) or "")


def test_first_refusal__an_address_with_a_zone__is_refused() -> None:
    assert "interface" in (first_refusal(["2606:4700::1111%eth0"]) or "")
