"""The visitor's cookie comes back from the shop's own origin for 400 days, and from nowhere else."""

from typing import Any

import pytest

from abtest.edge.gateway import Request
from abtest.edge.visitor_cookie import MAX_CHARS, refreshed

VISITOR = "0123456789abcdef0123456789abcdef"
VALUE = f"{VISITOR}.00ff00ff00ff00ff..~1a~2b.~3c-4d.direct.1.2.3.4.5"


def answered(cookie: str | None = f"svc_v={VALUE}", path: str = "/_svc/events", **more: Any) -> list[str]:
    headers = {"origin": "https://garden.example", "sec-fetch-site": "same-origin"} | more.pop("headers", {})
    event = {
        "rawPath": path,
        "headers": headers,
        "cookies": [] if cookie is None else ["a=b", *cookie.split("; ")],
        "requestContext": {"http": {"method": "POST", "sourceIp": "203.0.113.7"}},
        **more,
    }
    return list(refreshed(event, Request.of(event)))


def test_cookie__of_the_own_origin__comes_back_as_it_was() -> None:
    assert answered() == [f"svc_v={VALUE}; Path=/; Max-Age=34560000; SameSite=Lax; Secure"]


def test_cookie__that_is_the_id_alone__is_one() -> None:
    assert answered(f"svc_v={VISITOR}") == [f"svc_v={VISITOR}; Path=/; Max-Age=34560000; SameSite=Lax; Secure"]


def test_cookie__in_the_header__is_read_too() -> None:
    event = {"headers": {"cookie": f"a=b; svc_v={VALUE}; c=d", "sec-fetch-site": "same-origin"}}
    given = {"rawPath": "/_svc/events", "requestContext": {"http": {"method": "POST", "sourceIp": "::1"}}, **event}
    assert len(refreshed(given, Request.of(given))) == 1


def test_cookie__on_plain_http__is_not_secure() -> None:
    (cookie,) = answered(headers={"origin": "http://localhost:8080"})
    assert "Secure" not in cookie


def test_cookie__shared_below_a_domain__stays_so() -> None:
    (cookie,) = answered(queryStringParameters={"d": "garden.example"})
    assert cookie.endswith("; Domain=garden.example; Secure")


@pytest.mark.parametrize("domain", ["", "x", "com", "a.b; Path=/x", "a.b\r\nSet-Cookie: x", ".a.b", "A.B", "a.b" * 90])
def test_domain__that_is_none__is_left_out(domain: str) -> None:
    (cookie,) = answered(queryStringParameters={"d": domain})
    assert "Domain" not in cookie


@pytest.mark.parametrize("path", ["/events", "/other"])
def test_cookie__elsewhere__is_left_alone(path: str) -> None:
    assert answered(path=path) == []


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_cookie__of_another_origin__is_left_alone(site: str) -> None:
    assert answered(headers={"sec-fetch-site": site}) == []


@pytest.mark.parametrize(
    "cookie",
    [
        None,
        "svc_v=",
        "svc_v=short.x",
        f"svc_v={VISITOR}<script>",
        f"svc_v={VISITOR}.a,b",
        f"svc_v={VISITOR}.\r\nSet-Cookie: a=b",
        f"svc_v={VISITOR}.é",
        f"svc_vv={VALUE}",
        f"svc_v={VALUE}; svc_v={VISITOR}.other",
        f"svc_v={VISITOR}.{'a' * (MAX_CHARS - 32)}",
    ],
)
def test_cookie__of_another_form__is_left_alone(cookie: str | None) -> None:
    assert answered(cookie) == []


def test_cookie__at_the_limit__comes_back() -> None:
    assert len(answered(f"svc_v={VISITOR}.{'a' * (MAX_CHARS - 33)}")) == 1
