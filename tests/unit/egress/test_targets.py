"""Which URLs may be called, and that all of them are read the way they are connected to."""

from urllib.parse import urlsplit

import pytest
from ada_url import URL
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.egress.targets import OperatorChosen, PublicOnly, UrlNotAllowedError, joined

HOSTILE = [
    *("", "/", "//example.com/", "example.com", "https:", "https://", "https:///example.com", "https:example.com"),
    *("http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "data:text/html,x"),
    *("javascript:alert(1)", "ws://example.com/", "wss://example.com/", "blob:https://example.com/x", "about:blank"),
    *("https://user@example.com/", "https://user:word@example.com/", "https://@example.com/", "https://:@example.com/"),
    *("https://example.com@127.0.0.1/", "https://127.0.0.1@example.com/", "https://example.com:443@evil.example/"),
    *("https://example.com\\@evil.example/", "https:\\\\example.com\\", "https://example.com\\.evil.example/"),
    *(" https://example.com/", "https://example.com/ ", "https://exa mple.com/", "https://example.com/a b"),
    *(
        "https://exam\tple.com/",
        "https://example.com/\r\nHost: evil.example",
        "https://example.com/\x00",
        "\nhttps://a.example",
    ),
    *(
        "https://example.com/\x7f",
        "https://example.com/\x85",
        "https://exa\u00admple.com/",
        "https://exa\u200bmple.com/",
    ),
    *(
        "https://example.com/\u2028",
        "https://example.com/\u202e",
        "https://example.com/\ufeff",
        "https://example.com/\ud800",
    ),
    *(
        "https://2130706433/",
        "https://0x7f000001/",
        "https://017700000001/",
        "https://0177.0.0.1/",
        "https://0x7f.0.0.1/",
    ),
    *(
        "https://127.1/",
        "https://127.0.1/",
        "https://1.2.3/",
        "https://8.8.8.010/",
        "https://1.2.3.4./",
        "https://00.0.0.0/",
    ),
    *("https://127.0.0.01/", "https://0x8.8.8.8/", "https://134744072/", "https://256.1.1.1/", "https://1.2.3.4.5/"),
    *(
        "https://\uff11\uff12\uff17.0.0.1/",
        "https://127\u30020\u30020\u30021/",
        "https://\u2460.1.1.1/",
        "https://foo.0x7f/",
    ),
    *(
        "https://%31%32%37.0.0.1/",
        "https://example%2ecom/",
        "https://%6c%6fcalhost/",
        "https://example.com%00.evil.example/",
    ),
    *("https://example.com%23.evil.example/", "https://example.com%2f@evil.example/", "https://[::1%25lo]/"),
    *(
        "https://[fe80::1%25eth0]/",
        "https://[fe80::1%eth0]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[0:0:0:0:0:0:0:1]/",
    ),
    *("https://[2606:4700:0:0::1111]/", "https://[::1/", "https://::1/", "https://[]/", "https://[v1.x]/"),
    *("https://example.com:80/", "https://example.com:8443/", "https://example.com:0/", "https://example.com:65536/"),
    *("https://example.com:44 3/", "https://example.com:-443/", "https://example.com:443:443/", "https://1.1.1.1:22/"),
    *(
        "https://localhost/",
        "https://LOCALHOST/",
        "https://localhost./",
        "https://foo.localhost/",
        "https://127.0.0.1:8443/",
    ),
    *(
        "https://metadata/",
        "https://metadata.google.internal/",
        "https://instance-data.ec2.internal/",
        "https://printer.local/",
    ),
    *(
        "https://1.0.0.127.in-addr.arpa/",
        "https://x.onion/",
        "https://x.alt/",
        "https://router/",
        "https://example.com./",
    ),
    *(
        "https://example..com/",
        "https://.example.com/",
        "https://example.com../",
        "https://exa<mple.com/",
        "https://a^b.example",
    ),
    *("https://0xa.local/", "https://" + "a" * 2048 + ".example/", "https://#@evil.example/"),
]
ALLOWED = {
    "https://example.com": ("example.com", "/"),
    "https://example.com:443/a?b=c#d": ("example.com", "/a?b=c"),
    "HTTPS://EXAMPLE.com/A": ("example.com", "/A"),
    "https://example.com:/": ("example.com", "/"),
    "https://shop_1.example.com/": ("shop_1.example.com", "/"),
    "https://b\u00fccher.example/\u00fc": ("xn--bcher-kva.example", "/%C3%BC"),
    "https://example.com/%0d%0aX:%20y": ("example.com", "/%0d%0aX:%20y"),
    "https://example.com/../../x": ("example.com", "/x"),
    "https://example.com/%zz/a|b/50%?a=|&b=[]&c=%7e": ("example.com", "/%25zz/a%7Cb/50%25?a=%7C&b=%5B%5D&c=%7e"),
    "https://example.com/x?": ("example.com", "/x"),
    "https://example.com/@user:80/": ("example.com", "/@user:80/"),
    "https://example.com?@evil.example": ("example.com", "/?@evil.example"),
    "https://1.1.1.1/": ("1.1.1.1", "/"),
    "https://[2606:4700:4700::1111]/": ("2606:4700:4700::1111", "/"),
    "https://[2606:4700:4700::ABCD]:443/": ("2606:4700:4700::abcd", "/"),
    "https://0xa.example/": ("0xa.example", "/"),
}


@pytest.mark.parametrize("url", HOSTILE)
def test_target__hostile_url__is_refused(url: str) -> None:
    with pytest.raises(UrlNotAllowedError) as refused:
        PublicOnly().target(url)
    assert (refused.value.status, refused.value.code) == (422, "url_not_allowed")


@pytest.mark.parametrize(("url", "expected"), ALLOWED.items())
def test_target__proper_url__says_where_to_connect(url: str, expected: tuple[str, str]) -> None:
    target = PublicOnly().target(url)
    assert (target.host, target.path) == expected
    assert (target.scheme, target.port) == ("https", 443)


def test_target__at_the_longest__is_taken_and_one_more_is_not() -> None:
    base = "https://example.com/"
    assert len(PublicOnly().target(base + "a" * (2048 - len(base))).url) == 2048
    with pytest.raises(UrlNotAllowedError):
        PublicOnly().target(base + "a" * (2049 - len(base)))


def _check(rules: PublicOnly, url: str, addresses: list[str]) -> None:
    rules.refuse(rules.target(url), addresses)


LOCAL = [
    "http://127.0.0.1:8402/x",
    "http://localhost:8402/",
    "http://[::1]:1/",
    "https://localhost:8443/",
    "http://127.9.9.9/",
]


@pytest.mark.parametrize("url", LOCAL)
def test_target__loopback__is_taken_only_where_it_is_allowed(url: str) -> None:
    rules = PublicOnly(allow_loopback=True)
    target = rules.target(url)
    assert target.is_local
    rules.refuse(target, ["127.0.0.1"])
    with pytest.raises(UrlNotAllowedError):
        _check(PublicOnly(), url, ["127.0.0.1"])


@pytest.mark.parametrize("url", ["http://example.com/", "http://10.0.0.1/", "https://example.com:8443/", "http://lo/"])
def test_target__other_than_loopback__is_as_strict_where_loopback_is_allowed(url: str) -> None:
    with pytest.raises(UrlNotAllowedError):
        PublicOnly(allow_loopback=True).target(url)


def test_refuse__a_public_name_that_leads_to_loopback__is_refused_even_where_loopback_is_allowed() -> None:
    rules = PublicOnly(allow_loopback=True)
    with pytest.raises(UrlNotAllowedError):
        rules.refuse(rules.target("https://example.com/"), ["127.0.0.1"])


def test_refuse__localhost_that_leads_elsewhere__is_refused() -> None:
    rules = PublicOnly(allow_loopback=True)
    with pytest.raises(UrlNotAllowedError):
        rules.refuse(rules.target("http://localhost/"), ["127.0.0.1", "10.0.0.1"])


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1/", "https://10.1.2.3/", "https://[::1]/", "https://169.254.169.254/"]
)
def test_refuse__private_address_in_its_usual_form__is_refused(url: str) -> None:
    rules = PublicOnly()
    target = rules.target(url)
    with pytest.raises(UrlNotAllowedError):
        rules.refuse(target, [target.host])


def test_target__of_the_operator__may_be_anywhere_in_an_unambiguous_form() -> None:
    rules = OperatorChosen()
    target = rules.target("http://store:8123/in?x=1")
    rules.refuse(target, ["10.0.0.5"])
    assert (target.host, target.port, target.authority) == ("store", 8123, "store:8123")
    with pytest.raises(UrlNotAllowedError):
        rules.target("http://user:word@store/")


@pytest.mark.parametrize(
    ("url", "authority"),
    [("https://[::1]:9/", "[::1]:9"), ("http://127.0.0.1/", "127.0.0.1"), ("https://localhost:80/", "localhost:80")],
)
def test_authority__is_what_the_host_header_says(url: str, authority: str) -> None:
    assert PublicOnly(allow_loopback=True).target(url).authority == authority


@pytest.mark.parametrize(
    ("location", "expected"),
    [("/b?c", "https://a.example/b?c"), ("b", "https://a.example/x/b"), ("//b.example", "https://b.example/")],
)
def test_joined__location__is_resolved_as_browsers_do(location: str, expected: str) -> None:
    assert joined("https://a.example/x/y", location) == expected


@pytest.mark.parametrize(
    "location", ["https:\\\\evil.example", "/\\evil.example", "/a b", "\thttps://b.example", "https://["]
)
def test_joined__ambiguous_location__is_refused(location: str) -> None:
    with pytest.raises(UrlNotAllowedError):
        joined("https://a.example/", location)


SCHEMES = (
    "https://",
    "http://",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "443",
    "80",
    "?",
    "#",
    ".",
    "[",
    "]",
    "%25",
    "%2e",
    "\t",
    " ",
)
HOSTS = ("127.0.0.1", "0x7f.1", "[::1]", "example.com", "localhost", "8.8.8.8", "a", "\u3002", "\uff0f", "\uff20")
PIECES = st.sampled_from(SCHEMES + HOSTS)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_target__whatever_is_let_through__is_read_alike_by_two_parsers(url: str) -> None:
    try:
        target = PublicOnly().target(url)
    except UrlNotAllowedError:
        return
    again = urlsplit(target.url)
    assert (again.scheme, again.hostname, again.port, again.username) == ("https", target.host, None, None)
    assert URL(target.url).href == target.url
    assert PublicOnly().target(target.url) == target


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "the address must begin with https://"),
        ("//127.0.0.1/", "the address must begin with https://"),
        ("shop.example/hook", "the address must begin with https://"),
        ("https://", "the address needs a host after https://"),
        ("https://:443/", "the address needs a host after https://"),
        ("https://127.0.0.1:99999/", "the port must be a number up to 65535"),
        ("https://shop.example:port/", "the port must be a number up to 65535"),
        ("https://[fe80::1%25eth0]/", "the host must not have a zone, such as %25eth0: it names an interface"),
        ("https://[fe80::1%eth0]:443/", "the host must not have a zone"),
        ("https://[::g]/", "the host must be a name or an IP address; an IPv6 address is written in brackets"),
        ("https://1.2.3.4.5/", "the host must be a name or an IP address"),
        ("https://shop.exam<ple/", "the host must be a name or an IP address"),
    ],
)
def test_target__that_is_not_an_address__is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(UrlNotAllowedError) as refused:
        PublicOnly().target(url)
    assert refused.value.message.startswith(reason)
