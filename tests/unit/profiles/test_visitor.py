"""Visits hop by hop: whose hosts are called, how often, under which name, and what robots.txt has to do with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock

import pytest

from abtest.domain.egress.targets import PublicOnly, UrlNotAllowedError, read
from abtest.ports.http_sender import HttpAnswer, HttpUnreachableError
from abtest.services.profiles.visitor import Pace, UnreadError, Visitor
from tests.support.stores import NOW

HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; abtest-store-profile/1.0; +https://api.example/docs)"}
OPEN = HttpAnswer(status=404, content_type="", body=b"")


class Scripted:
    """Sender with an answer for each address; any other is a page."""

    def __init__(self, **answers: HttpAnswer | Exception) -> None:
        self.answers: dict[str, HttpAnswer | Exception] = dict(answers)
        self.requested: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self._lock = Lock()

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        """Answer as scripted."""
        assert redirects == 0, "each hop is checked by the visitor"
        with self._lock:
            self.requested.append(url)
            self.headers.append(headers)
        answer = self.answers.get(url, OPEN if url.endswith("/robots.txt") else page(url))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        """Fail: visits only read."""
        raise AssertionError(url)


def page(url: str) -> HttpAnswer:
    """Return a page."""
    return HttpAnswer(status=200, content_type="text/html", body=b"<p>", url=url)


def redirect(url: str, location: str) -> HttpAnswer:
    """Return a redirect."""
    return HttpAnswer(status=301, content_type="", body=b"", url=url, headers={"location": location})


def robots(text: str) -> HttpAnswer:
    """Return a robots.txt."""
    return HttpAnswer(status=200, content_type="text/plain", body=text.encode())


@pytest.fixture
def sender() -> Scripted:
    """The sender of the visits."""
    return Scripted()


@pytest.fixture
def visitor(sender: Scripted) -> Visitor:
    """A visitor of shop.example."""
    return Visitor(
        sender=sender,
        rules=PublicOnly(),
        hosts=frozenset({"shop.example"}),
        headers=HEADERS,
        now=lambda: NOW,
        pace=Pace(clock=lambda: 0.0, wait=lambda _: None),
    )


def test_request__names_us_and_a_page_about_us(visitor: Visitor, sender: Scripted) -> None:
    assert visitor.open("https://shop.example/").status == 200
    assert sender.requested == ["https://shop.example/robots.txt", "https://shop.example/"]
    assert sender.headers == [HEADERS, HEADERS]


def test_redirect__within_the_shop__is_followed_under_the_robots_of_each_host(
    visitor: Visitor, sender: Scripted
) -> None:
    sender.answers["https://shop.example/"] = redirect("https://shop.example/", "https://www.shop.example/de")
    sender.answers["https://www.shop.example/robots.txt"] = robots("User-agent: *\nDisallow: /de\n")
    with pytest.raises(UnreadError, match=r"the robots\.txt of www\.shop\.example forbids it") as caught:
        visitor.open("https://shop.example/")
    assert caught.value.trouble == "disallowed"
    assert "https://www.shop.example/de" not in sender.requested


@pytest.mark.parametrize(
    "location",
    [
        "https://other.example/",
        "https://shop.example.evil.example/",
        "https://evilshop.example/",
        "http://shop.example/",
        "https://shop.example:8443/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:169.254.169.254]/latest/meta-data/",
        "https://[::ffff:10.0.0.1]/",
        "https://[fd00:ec2::254]/latest/meta-data/",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://localhost/",
        "http://localhost:8400/",
        "http://127.0.0.1:8400/",
        "http://127.0.0.1/",
        "https://metadata.google.internal/",
        "https://user@shop.example/",
        "file:///etc/passwd",
    ],
)
def test_redirect__to_where_no_request_may_go__reaches_no_one(
    visitor: Visitor, sender: Scripted, location: str
) -> None:
    sender.answers["https://shop.example/"] = redirect("https://shop.example/", location)
    with pytest.raises(UnreadError) as caught:
        visitor.open("https://shop.example/")
    assert caught.value.trouble == "refused"
    assert sender.requested == ["https://shop.example/robots.txt", "https://shop.example/"]


@pytest.mark.parametrize("location", ["http://127.0.0.1:8400/api", "http://localhost:8080/", "http://[::1]:8080/"])
def test_redirect__of_a_store_on_this_machine__reaches_no_other_port_or_name(
    visitor: Visitor, sender: Scripted, location: str
) -> None:
    local = replace(visitor, rules=PublicOnly(allow_loopback=True), local="127.0.0.1:8080")
    sender.answers["http://127.0.0.1:8080/"] = redirect("http://127.0.0.1:8080/", location)
    with pytest.raises(UnreadError, match="which is not the store") as caught:
        local.open("http://127.0.0.1:8080/")
    assert caught.value.trouble == "refused"
    assert sender.requested == ["http://127.0.0.1:8080/robots.txt", "http://127.0.0.1:8080/"]


def test_redirect__of_a_public_store_to_this_machine__reaches_no_one(visitor: Visitor, sender: Scripted) -> None:
    local = replace(visitor, rules=PublicOnly(allow_loopback=True))
    sender.answers["https://shop.example/"] = redirect("https://shop.example/", "http://127.0.0.1:8400/")
    with pytest.raises(UnreadError, match="which is not the store"):
        local.open("https://shop.example/")
    assert sender.requested == ["https://shop.example/robots.txt", "https://shop.example/"]


def test_page__whose_redirects_are_slow__has_one_deadline_for_all(visitor: Visitor, sender: Scripted) -> None:
    seconds = iter(range(0, 1000, 6))
    slow = replace(visitor, clock=lambda: float(next(seconds)))
    for number in range(5):
        url = f"https://shop.example/{number}"
        sender.answers[url] = redirect(url, f"/{number + 1}")
    with pytest.raises(UnreadError, match="still redirects after 10 s") as caught:
        slow.open("https://shop.example/0")
    assert caught.value.trouble == "unreachable"
    assert [url for url in sender.requested if not url.endswith("robots.txt")] == [
        "https://shop.example/0",
        "https://shop.example/1",
    ]


def test_request__after_the_end_of_the_run__is_not_sent(visitor: Visitor, sender: Scripted) -> None:
    late = replace(visitor, clock=lambda: 100.0, until=99.0)
    for url in ("https://shop.example/", "https://shop.example/a"):
        with pytest.raises(UnreadError, match="the run had no more time") as caught:
            late.open(url)
        assert caught.value.trouble == "too_late"
    assert sender.requested == []


def test_robots__that_redirects_away__forbids_everything(visitor: Visitor, sender: Scripted) -> None:
    sender.answers["https://shop.example/robots.txt"] = redirect(
        "https://shop.example/robots.txt", "https://a.example/"
    )
    with pytest.raises(UnreadError, match="cannot be read"):
        visitor.open("https://shop.example/")
    assert sender.requested == ["https://shop.example/robots.txt"]


@pytest.mark.parametrize(
    ("problem", "trouble"),
    [
        (HttpUnreachableError("no complete response within 10 s", "timeout"), "unreachable"),
        (UrlNotAllowedError("shop.example cannot be called: 10.0.0.1 is not a public address"), "refused"),
    ],
)
def test_sender__that_fails__is_the_reason(
    visitor: Visitor, sender: Scripted, problem: Exception, trouble: str
) -> None:
    sender.answers["https://shop.example/a"] = problem
    with pytest.raises(UnreadError, match=str(problem)) as caught:
        visitor.open("https://shop.example/a")
    assert caught.value.trouble == trouble


def test_robots__are_requested_once_for_a_host(visitor: Visitor, sender: Scripted) -> None:
    for path in "abc":
        visitor.open(f"https://shop.example/{path}")
    assert sender.requested.count("https://shop.example/robots.txt") == 1


def paced(take: Callable[[Pace], None]) -> list[float]:
    """Return how long each turn waited, on a clock that does not move."""
    waits: list[float] = []
    take(Pace(clock=lambda: 100.0, wait=waits.append))
    return waits


def test_pace__of_a_host__is_one_request_a_second() -> None:
    target, other = read("https://shop.example/a"), read("https://www.shop.example/a")

    def take(pace: Pace) -> None:
        for each in (target, target, target, other):
            pace.take_turn(each)

    assert paced(take) == [1.0, 2.0]


def test_pace__is_slower_where_robots_ask_for_it() -> None:
    target = read("https://shop.example/a")

    def take(pace: Pace) -> None:
        pace.take_turn(target, 5.0)
        pace.take_turn(target, 0.2)
        pace.take_turn(target)

    assert paced(take) == [5.0, 6.0]


def test_pace__of_this_machine__is_free() -> None:
    target = read("http://127.0.0.1:8080/a")

    def take(pace: Pace) -> None:
        for _ in range(3):
            pace.take_turn(target)

    assert paced(take) == []
