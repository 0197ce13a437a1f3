"""Preview proxy: tokens, hosts, cookies of a session, pages as they are shown, and shops that misbehave."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep
from typing import Any

import pytest

from abtest.adapters.outbound_http import Limits
from abtest.domain.credentials.preview import make_token
from abtest.domain.preview.landing import ShownPage, page_key, write_page
from abtest.edge.preview import METHODS
from tests.support.previewed import Received
from tests.support.previewing import BLUE, CONTROL, SESSION_ID, Previewing, previewing
from tests.support.storefronts import ROOTS
from tests.unit.outbound_http.servers import Talk, listening, says

OTHER_SESSION = "0192a3b4-0000-7000-8000-0000000000ff"
HTML = {"accept": "text/html,*/*", "sec-fetch-dest": "iframe"}


@pytest.fixture
def preview() -> Iterator[Previewing]:
    with previewing() as running:
        running.shop.page("/", "<!doctype html><title>Lamps</title><a href='/cart'>Cart</a>")
        yield running


def state_of(preview: Previewing, token: str) -> Any:
    """Return the state of a session."""
    return preview.ask("GET", "/api/preview/state", f"pst={token}").json


def written(preview: Previewing) -> str:
    """Keep a landing page that is written, and return the token of its session."""
    preview.open()
    page = ShownPage(html="<!doctype html><h1>Lamp</h1>", policy="default-src 'none'; sandbox")
    preview.files.put(page_key(SESSION_ID), write_page(page), content_type="application/json")
    return make_token(ROOTS, preview.grant(audience="landing_page", hosts=()))


# ---------------------------------------------------------------- landing pages


def test_written_page__by_its_token__is_shown_with_its_policy_and_kept_nowhere(preview: Previewing) -> None:
    shown = preview.ask("GET", "/api/preview/page", f"pst={written(preview)}")
    assert (shown.status, shown.text) == (200, "<!doctype html><h1>Lamp</h1>")
    expected = {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; sandbox",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
    }
    assert {name: shown.headers.get(name) for name in expected} == expected


def test_written_page__of_another_kind_of_session__is_401_both_ways(preview: Previewing) -> None:
    token = written(preview)
    assert preview.ask("GET", "/api/preview/page", f"pst={preview.open()}").error == (401, "preview_token_invalid")
    assert preview.page(token, "/").error == (401, "preview_token_invalid")
    assert preview.ask("GET", "/api/preview/state", f"pst={token}").error == (401, "preview_token_invalid")


def test_written_page__that_is_gone_or_written_to__is_refused(preview: Previewing) -> None:
    token = written(preview)
    assert preview.ask("POST", "/api/preview/page", f"pst={token}").status == 405
    preview.files.delete(page_key(SESSION_ID))
    assert preview.ask("GET", "/api/preview/page", f"pst={token}").status == 404


# ---------------------------------------------------------------- tokens


def test_token__missing__is_401_on_every_route(preview: Previewing) -> None:
    for path in ("/api/preview", "/api/preview/state", "/api/preview/snippet"):
        assert preview.ask("GET", path, "url=https%3A%2F%2Fshop.example%2F").error == (401, "preview_token_missing")


def test_token__forged_truncated_swapped_or_huge__is_one_401(preview: Previewing) -> None:
    token = preview.open()
    version, kid, claims, seal = token.split(".")
    other = make_token(ROOTS, preview.grant(OTHER_SESSION)).split(".")
    wrong = [
        token[:-1],
        f"{version}.{kid}.{claims}.{seal[::-1]}",
        f"{version}.{kid}.{other[2]}.{seal}",
        f"{version}.k9.{claims}.{seal}",
        "x" * 8192,
        "v1....",
        make_token(ROOTS, preview.grant(OTHER_SESSION)),
    ]
    replies = [preview.page(each, "/") for each in wrong]
    assert {reply.error for reply in replies} == {(401, "preview_token_invalid")}
    assert len({reply.body for reply in replies}) == 1, "no difference shows what was wrong"
    assert preview.shop.received == []


def test_token__after_its_time__is_expired(preview: Previewing) -> None:
    token = preview.open()
    preview.clock.advance(seconds=3600)
    assert preview.page(token, "/").error == (401, "preview_token_expired")


def test_session__revoked_in_the_middle__is_over_at_once(preview: Previewing) -> None:
    token = preview.open()
    assert preview.page(token, "/").status == 200
    preview.sessions.delete(SESSION_ID)
    assert preview.page(token, "/").error == (401, "preview_token_invalid")


def test_session__that_asks_too_often__waits(preview: Previewing) -> None:
    token = preview.open()
    replies = [preview.ask("GET", "/api/preview/state", f"pst={token}") for _ in range(601)]
    assert [reply.status for reply in replies] == [200] * 600 + [429]
    assert int(replies[-1].headers["retry-after"]) >= 1
    assert preview.page(preview.open(OTHER_SESSION), "/").status != 429


def test_failure__unforeseen__is_internal_error_and_shows_nothing_of_it(
    preview: Previewing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    token = preview.open()

    def failing(*_args: object, **_more: object) -> None:
        raise RuntimeError("no table of that name")

    monkeypatch.setattr(preview.sessions, "get", failing)
    reply = preview.page(token, "/")
    assert reply.error == (500, "internal_error")
    assert "table" not in reply.text
    assert "RuntimeError: no table of that name" in caplog.text
    assert token not in caplog.text


# ---------------------------------------------------------------- addresses


def test_url__missing_or_not_of_the_web__is_400(preview: Previewing) -> None:
    token = preview.open()
    for url in ("", "javascript:alert(1)", "ftp://shop.example/", "lamps"):
        assert preview.ask("GET", "/api/preview", f"pst={token}&url={url}").error == (400, "invalid_request")
    assert preview.ask("GET", "/api/preview", f"pst={token}").error == (400, "invalid_request")


@pytest.mark.parametrize(
    "url",
    [
        "https://other.example/",
        "http://127.0.0.1/",
        "http://127.0.0.1:1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost:{port}/",
        "http://127.0.0.1.evil.example:{port}/",
    ],
)
def test_host__of_others__is_403_and_listed(preview: Previewing, url: str) -> None:
    token = preview.open()
    address = url.format(port=preview.shop.host.partition(":")[2])
    assert preview.page(token, address).error == (403, "preview_host_not_allowed")
    assert preview.shop.received == []
    [blocked] = state_of(preview, token)["blocked"]
    assert blocked["url"] == address
    assert "this preview shows" in blocked["reason"]


def test_redirect__to_an_inner_address__is_shown_as_it_is_and_refused_when_followed(preview: Previewing) -> None:
    token, inner = preview.open(), "http://169.254.169.254/"
    preview.shop.pages["/out"] = lambda _: (302, {"location": inner}, b"")
    reply = preview.page(token, "/out")
    assert (reply.status, reply.headers["location"]) == (302, inner)
    assert preview.page(token, inner).error == (403, "preview_host_not_allowed")


def test_form_by_get__is_redirected_to_the_usual_address(preview: Previewing) -> None:
    token = preview.open()
    preview.shop.page("/search", "found")
    reply = preview.ask("GET", "/api/preview", f"pst={token}&url=http://{preview.shop.host}/search&q=red+lamp")
    assert reply.status == 302
    assert preview.followed(token, reply.headers["location"]).text.endswith("found")
    assert preview.shop.received[-1].path == "/search?q=red+lamp"


# ---------------------------------------------------------------- pages


def test_page__is_rewritten_and_held_to_a_sandbox(preview: Previewing) -> None:
    token = preview.open()
    preview.shop.page(
        "/",
        "<!doctype html><a href='/cart'>Cart</a>",
        X_Frame_Options="DENY",
        Content_Security_Policy="x",
        Set_Cookie="a=1",
    )
    reply = preview.page(token, "/", headers=HTML)
    site = f"https://{SESSION_ID}.preview.test"
    assert f"{site}/api/preview?pst={token}&amp;url=http://{preview.shop.host}/cart" in reply.text
    assert f"{site}/api/preview/snippet?pst={token}" in reply.text
    assert reply.headers["content-security-policy"].startswith("sandbox ")
    assert reply.headers["cache-control"] == "no-store"
    assert not {"x-frame-options", "set-cookie"} & set(reply.headers)
    assert state_of(preview, token)["page"] == {"url": f"http://{preview.shop.host}/", "status": 200}


def test_shop__sees_its_own_page_and_cookies_and_nothing_of_ours(preview: Previewing) -> None:
    token = preview.open()
    site = f"https://{SESSION_ID}.preview.test"
    referer = f"{site}/api/preview?pst={token}&url=http://{preview.shop.host}/lamps"
    sent = {
        "referer": referer,
        "origin": site,
        "authorization": "Bearer x",
        "x-forwarded-for": "1.2.3.4",
        "x-svc-cdn": "s",
    }
    preview.page(token, "/", "POST", headers={**sent, "content-type": "text/plain"}, body="q=1")
    [request] = preview.shop.received
    assert (request.method, request.body, request.headers["host"]) == ("POST", "q=1", preview.shop.host)
    assert (request.headers["origin"], request.headers["referer"]) == (
        f"http://{preview.shop.host}",
        f"http://{preview.shop.host}/lamps",
    )
    assert not {"cookie", "authorization", "x-forwarded-for", "x-svc-cdn"} & set(request.headers)


def test_first_document__clears_what_an_earlier_session_left() -> None:
    with previewing("https://edge.test") as preview:
        preview.shop.page("/", "<!doctype html>")
        token = preview.open()
        assert preview.page(token, "/", headers=HTML).headers["clear-site-data"] == '"storage"'
        assert "clear-site-data" not in preview.page(token, "/", headers=HTML).headers


@pytest.mark.parametrize("method", METHODS)
def test_method__of_the_web__reaches_the_shop(preview: Previewing, method: str) -> None:
    if method in ("GET", "POST", "PUT"):
        preview.page(preview.open(), "/", method, body="x" if method != "GET" else "")
        assert preview.shop.received[0].method == method
    assert preview.ask("TRACE", "/api/preview").error == (405, "method_not_allowed")


def test_service_worker__is_refused(preview: Previewing) -> None:
    token = preview.open()
    assert preview.page(token, "/sw.js", headers={"service-worker": "script"}).error == (
        403,
        "preview_host_not_allowed",
    )
    assert state_of(preview, token)["blocked"][0]["reason"] == "a service worker"


def test_large_file__is_loaded_from_the_shop(preview: Previewing) -> None:
    token = preview.open()
    preview.shop.pages["/film.mp4"] = lambda _: (200, {"content-type": "video/mp4"}, bytes(4_500_000))
    reply = preview.page(token, "/film.mp4")
    assert (reply.status, reply.headers["location"]) == (307, f"http://{preview.shop.host}/film.mp4")


def test_error__for_a_person__is_a_page_with_the_reason(preview: Previewing) -> None:
    reply = preview.page(preview.open(), "https://other.example/<b>", headers=HTML)
    assert reply.headers["content-type"].startswith("text/html")
    assert "<p>This preview shows 127.0.0.1" in reply.text
    assert "and not other.example.</p>" in reply.text
    assert "<b>" not in reply.text


# ---------------------------------------------------------------- cookies


def test_cookies__are_kept_for_the_session_alone(preview: Previewing) -> None:
    token, other = preview.open(), preview.open(OTHER_SESSION)
    preview.shop.page("/log-in", "in", Set_Cookie="sid=1; HttpOnly; Path=/")
    preview.page(token, "/log-in")
    for each in (token, other):
        preview.page(each, "/")
    assert [request.headers.get("cookie") for request in preview.shop.requests_of("/")] == ["sid=1", None]
    assert state_of(preview, token)["cookies"] == ["sid"]


def test_cookies__of_responses_at_once__are_all_kept(preview: Previewing) -> None:
    token = preview.open()
    for number in range(6):
        preview.shop.page(f"/{number}", "x", Set_Cookie=f"c{number}=1; Path=/")
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda number: preview.page(token, f"/{number}"), range(6)))
    assert [reply.status for reply in replies] == [200] * 6
    assert state_of(preview, token)["cookies"] == [f"c{number}" for number in range(6)]


def test_cookie__of_a_script__is_sent_to_the_shop(preview: Previewing) -> None:
    token = preview.open()
    change = json.dumps({"url": f"http://{preview.shop.host}/lamps", "cookies": ["seen=0; Path=/", "seen=1; Path=/"]})
    headers = {"content-type": "application/json"}
    assert preview.ask("POST", "/api/preview/state", f"pst={token}", headers=headers, body=change).status == 204
    preview.page(token, "/")
    assert preview.shop.received[-1].headers["cookie"] == "seen=1"


# ---------------------------------------------------------------- state


def test_snippet__is_that_of_the_variation_which_can_change(preview: Previewing) -> None:
    token = preview.open(with_experiment=True)

    def snippet() -> str:
        return preview.ask("GET", "/api/preview/snippet", f"pst={token}").text

    assert snippet() == f"/* {BLUE} */"
    headers, change = {"content-type": "application/json"}, json.dumps({"variation_id": CONTROL})
    assert preview.ask("POST", "/api/preview/state", f"pst={token}", headers=headers, body=change).status == 204
    assert (snippet(), state_of(preview, token)["variation_id"]) == (f"/* {CONTROL} */", CONTROL)


def test_snippet__without_an_experiment__does_nothing(preview: Previewing) -> None:
    assert "no experiment" in preview.ask("GET", "/api/preview/snippet", f"pst={preview.open()}").text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 400),
        ("[]", 400),
        ('{"variation_id": 1}', 400),
        ('{"variation_id": "0192a3b4-0000-7000-8000-0000000000a9"}', 400),
        ('{"url": "https://other.example/", "cookies": ["a=1"]}', 400),
        ('{"url": "https://other.example/", "cookies": "a=1"}', 400),
        ('{"url": "https://other.example/", "cookies": [1]}', 400),
        (json.dumps({"url": "https://other.example/", "cookies": ["a=1"] * 51}), 400),
        ('{"cookies": ["a=1"]}', 400),
        ('{"cookies": ["' + "x" * 70_000 + '"]}', 413),
    ],
)
def test_state__bad_change__changes_nothing(preview: Previewing, body: str, status: int) -> None:
    token = preview.open(with_experiment=True)
    before = state_of(preview, token)
    headers = {"content-type": "application/json"}
    reply = preview.ask("POST", "/api/preview/state", f"pst={token}", headers=headers, body=body)
    assert (reply.status, state_of(preview, token)) == (status, before)


def test_state__of_a_form_of_another_site__is_refused(preview: Previewing) -> None:
    headers = {"content-type": "text/plain"}
    reply = preview.ask("POST", "/api/preview/state", f"pst={preview.open()}", headers=headers, body="{}")
    assert reply.error == (415, "unsupported_media_type")


@pytest.mark.parametrize("name", ["", "..%2Fx", "../x", "a/b", "unknown.js"])
def test_file__that_is_none__is_404(preview: Previewing, name: str) -> None:
    assert preview.ask("GET", f"/api/preview/f/{preview.open()}/{name}").status == 404


# ---------------------------------------------------------------- shops that misbehave


def _bomb(_: Received) -> tuple[int, dict[str, str], bytes]:
    return 200, {"content-type": "text/html", "content-encoding": "gzip"}, gzip.compress(bytes(30_000_000))


def test_shop__that_sends_too_much__is_too_large(preview: Previewing) -> None:
    token = preview.open()
    preview.shop.pages["/bomb"] = _bomb
    preview.shop.page("/long", "<p>" * 2_000_000)
    for path in ("/bomb", "/long"):
        assert preview.page(token, path).error == (502, "preview_too_large")


def test_shop__that_does_not_answer__is_a_bad_gateway() -> None:
    with previewing(limits=Limits(seconds=0.3, body_bytes=1000)) as preview:
        token = preview.open()
        preview.shop.pages["/slow"] = _slowly
        assert preview.page(token, "/slow").error == (504, "preview_upstream_timeout")
        preview.shop.pages["/odd"] = lambda _: (200, {"content-encoding": "zz"}, b"x")
        assert preview.page(token, "/odd").error == (502, "preview_upstream_failed")


def _slowly(_: Received) -> tuple[int, dict[str, str], bytes]:
    sleep(1)
    return 200, {}, b""


def _dripping(first: bytes, drop: bytes) -> Talk:
    def talk(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(first)
        while True:
            connection.sendall(drop)
            sleep(0.1)

    return talk


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        (_dripping(b"", b"H"), (504, "preview_upstream_timeout")),
        (_dripping(HEAD, b"X-Drop: 1\r\n"), (504, "preview_upstream_timeout")),
        (_dripping(HEAD + b"Content-Length: 1000\r\n\r\n", b"x"), (504, "preview_upstream_timeout")),
        (says(HEAD + b"Content-Length: 1000\r\n\r\n<p>half"), (502, "preview_upstream_failed")),
        (says(HEAD + b"Set-Cookie: a=1\r\n" * 10_000 + b"\r\n"), (502, "preview_upstream_failed")),
        (says(b"\x16\x03\x01 nonsense"), (502, "preview_upstream_failed")),
    ],
)
def test_shop__hostile_at_the_wire__costs_one_error_in_time(talk: Talk, expected: tuple[int, str]) -> None:
    with listening(talk) as (port, _), previewing(limits=Limits(seconds=1, body_bytes=100_000)) as preview:
        preview.shop.host = f"127.0.0.1:{port}"
        token, began = preview.open(), monotonic()
        assert preview.page(token, "/").error == expected
        assert monotonic() - began < 3
        assert state_of(preview, token)["cookies"] == []


def test_cookies__of_other_hosts__are_not_kept() -> None:
    lines = ("a=1; Domain=other.example", "b=2; Domain=com", "c=3; Domain=localhost", "d=4; Path=/")
    head = HEAD + b"".join(f"Set-Cookie: {line}\r\n".encode() for line in lines) + b"Content-Length: 0\r\n\r\n"
    with listening(says(head)) as (port, _), previewing() as preview:
        preview.shop.host = f"127.0.0.1:{port}"
        token = preview.open()
        assert preview.page(token, "/").status == 200
        assert state_of(preview, token)["cookies"] == ["d"]


def test_redirect__in_a_circle__is_the_browser_s_to_end(preview: Previewing) -> None:
    token = preview.open()
    preview.shop.pages["/round"] = lambda _: (302, {"location": "/round"}, b"")
    reply = preview.page(token, "/round")
    assert reply.status == 302
    assert preview.followed(token, reply.headers["location"]).headers["location"] == reply.headers["location"]
    assert len(preview.shop.received) == 2
