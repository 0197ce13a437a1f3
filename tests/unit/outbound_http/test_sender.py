"""The outbound client against a server on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from abtest.adapters.outbound_http import OutboundHttp
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.ports.http_sender import HttpUnreachableError


class Store(BaseHTTPRequestHandler):
    """Echoes bodies at /echo, redirects at /away."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/away":
            self.send_response(307)
            self.send_header("Location", "/echo")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(207)
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Silence."""


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Store) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_post__brings_back_status_type_and_body(server: str) -> None:
    answer = OutboundHttp().post(f"{server}/echo", b'{"a":1}\n', headers={"Content-Type": "application/x-ndjson"})
    assert (answer.status, answer.content_type, answer.body) == (207, "application/x-ndjson", b'{"a":1}\n')


def test_post__to_what_redirects__does_not_follow(server: str) -> None:
    assert OutboundHttp().post(f"{server}/away", b"x", headers={"Content-Type": "text/plain"}).status == 307


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://name.invalid/"])
def test_post__to_what_does_not_answer__is_unreachable(url: str) -> None:
    with pytest.raises(HttpUnreachableError):
        OutboundHttp().post(url, b"x", headers={})


@pytest.mark.parametrize("url", ["not an address", "ftp://127.0.0.1/", "http://user:word@127.0.0.1/"])
def test_post__to_what_is_no_web_address__is_refused(url: str) -> None:
    with pytest.raises(UrlNotAllowedError):
        OutboundHttp().post(url, b"x", headers={})


def test_post__with_an_answer_that_is_too_large__cuts_it_and_goes_on(server: str) -> None:
    sender = OutboundHttp()
    assert len(sender.post(f"{server}/echo", b"x" * (1024 * 1024 + 5), headers={"Content-Type": "a/b"}).body) == 1024**2
    assert sender.post(f"{server}/echo", b"next", headers={"Content-Type": "a/b"}).body == b"next"
