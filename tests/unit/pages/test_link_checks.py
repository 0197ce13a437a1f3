"""Links of a page: which addresses are requested, what our client answers about each, and the verdict."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest
import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.contract.page_specs import spec_of
from abtest.domain.pages.link_checks import LinkResult, addresses, kept, links_verdict
from abtest.services.pages.checker import problem_of
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net, answer, certified, listening

NOW = "2026-03-02T09:00:00.000Z"
YESTERDAY = "2026-03-01T09:00:00.001Z"
EARLIER = "2026-03-01T09:00:00.000Z"
OWN = "https://shop.example/guides/lamp"
HOST = "shop.example"


def result(url: str, problem: str | None = None, checked_at: str = NOW) -> LinkResult:
    """Return a result."""
    return LinkResult(url=url, problem=problem, checked_at=checked_at)


def test_addresses__are_absolute_and_each_once__without_the_page_itself() -> None:
    body = "[a](/cart) [b](https://other.example/x?y=1#z) [c](/guides/lamp#faq) [d](MAILTO:a@b.example) [e](tel:+1)"
    footer = {"links": [{"label": "F", "href": "/cart"}, {"label": "G", "href": "/größe"}]}
    blocks = [{"type": "text", "id": "faq", "body": body}]
    spec = spec_of({"format": 1, "lang": "en", "theme": {}, "blocks": blocks, "footer": footer})
    assert addresses(spec, OWN) == [
        "https://shop.example/cart",
        "https://other.example/x?y=1",
        "https://shop.example/größe",
    ]


def test_results__that_worked_within_a_day__are_kept() -> None:
    results = [result("a", None, YESTERDAY), result("b", None, EARLIER), result("c", "answers 404", YESTERDAY)]
    assert list(kept(results, NOW)) == ["a"]


def test_results__that_did_not_work_within_a_minute__are_kept() -> None:
    results = [result("a", "answers 404", "2026-03-02T08:59:00.001Z")]
    results += [result("b", "answers 404", "2026-03-02T08:59:00.000Z")]
    assert list(kept(results, NOW)) == ["a"]


def test_verdict__names_the_first_broken_links() -> None:
    urls = [f"https://shop.example/{number}" for number in range(7)]
    broken = {url: result(url, "answers 404") for url in urls}
    status, message = links_verdict(urls, broken)
    assert status == "fail"
    assert message.startswith("https://shop.example/0 answers 404; https://shop.example/1 answers 404")
    assert message.endswith("https://shop.example/4 answers 404, and 2 more")
    assert links_verdict(urls[:1], {urls[0]: result(urls[0])}) == ("pass", "")
    assert links_verdict([], {}) == ("pass", "")
    assert links_verdict(urls, {urls[0]: result(urls[0])})[0] == "warn"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Authority of the server's certificate."""
    return trustme.CA()


@pytest.fixture
def net() -> Net:
    """A net in which the shop has a public address."""
    return Net(names={HOST: [PUBLIC_ADDRESS]})


@pytest.fixture
def client(net: Net, authority: trustme.CA) -> Iterator[OutboundHttp]:
    """Our client, and a shop whose paths are answers: a status, a number of redirects, a host to go to, silence."""
    with listening(shop, certified(authority, HOST)) as (port, _):
        net.ports[PUBLIC_ADDRESS] = port
        yield net.sender(authority, limits=Limits(seconds=2, body_bytes=1024))


def shop(connection: socket.socket, head: bytes) -> None:
    """Answer by the path."""
    path = head.split(b" ", 2)[1].decode()
    kind, _, value = path[1:].partition("/")
    answers: dict[str, Callable[[], bytes]] = {
        "status": lambda: answer(f"{value} Status"),
        "redirects": lambda: answer("302 Found", Location=f"/redirects/{int(value) - 1}") if int(value) else answer(),
        "to": lambda: answer("302 Found", Location=f"https://{value}/"),
        "large": lambda: answer(body=b"x" * 100_000),
    }
    if kind == "silence":
        connection.recv(1)  # until the client goes away
    else:
        connection.sendall(answers[kind]())


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("status/200", None),
        ("status/204", None),
        ("status/399", None),
        ("large", None),
        ("redirects/5", None),
        ("status/400", "answers 400"),
        ("status/503", "answers 503"),
        ("redirects/6", "redirects more than 5 times"),
        ("silence", "does not answer: "),
        ("to/unknown.example", "does not answer: "),
        ("to/169.254.169.254", "cannot be requested: "),
        ("to/vault.internal", "cannot be requested: "),
        ("to/inner.example", "cannot be requested: "),
    ],
)
def test_link__by_what_its_server_does(client: OutboundHttp, net: Net, path: str, problem: str | None) -> None:
    net.names["inner.example"] = [PUBLIC_ADDRESS, "10.0.0.7"]
    reported = problem_of(client, f"https://{HOST}/{path}")
    assert (reported is None) == (problem is None)
    assert problem is None or problem in str(reported)
    assert set(net.dialled) == {PUBLIC_ADDRESS}


def test_link__whose_name_changes_to_an_inner_address__is_requested_at_no_other(client: OutboundHttp, net: Net) -> None:
    replies = iter([[PUBLIC_ADDRESS], ["127.0.0.1"], ["127.0.0.1"]])
    net.resolve = lambda *_: next(replies)  # type: ignore[method-assign]
    rebinding = OutboundHttp(client._rules, resolve=net.resolve, dial=net.dial)
    assert "does not answer" in str(problem_of(rebinding, f"https://{HOST}/status/200"))  # an unknown authority
    assert net.dialled == [PUBLIC_ADDRESS]
    assert "cannot be requested" in str(problem_of(rebinding, f"https://{HOST}/status/200"))
    assert net.dialled == [PUBLIC_ADDRESS]
