"""Small servers on this machine for pages that a guarded browser visits, and for what it must not reach."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    """Response of a site; `body` may be endless, then it is sent until the browser leaves."""

    body: bytes | Iterator[bytes] = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Site:
    """HTTP server whose pages are functions of its port; `paths` has what was requested, `agents` by which client."""

    host: str
    pages: dict[str, Callable[[], Answer]]
    paths: list[str]
    agents: list[str] = field(default_factory=list)

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def page(self, html: str, path: str = "/") -> str:
        """Serve a page, and return its address."""
        self.pages[path] = lambda: Answer(html.encode())
        return self.url(path)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore browsers that leave early."""


@contextmanager
def site() -> Iterator[Site]:
    """Serve on a free port of the loopback interface."""
    pages: dict[str, Callable[[], Answer]] = {}
    paths: list[str] = []
    agents: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            paths.append(self.path)
            agents.append(self.headers.get("User-Agent", ""))
            answer = pages.get(self.path.partition("?")[0], lambda: Answer(status=404))()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Connection", "close")
            self.close_connection = True
            for name, value in answer.headers.items():
                self.send_header(name, value)
            pieces = [answer.body] if isinstance(answer.body, bytes) else answer.body
            if isinstance(answer.body, bytes):
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            for piece in pieces:
                self.wfile.write(piece)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Site(f"127.0.0.1:{server.server_port}", pages, paths, agents)
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Victim:
    """Listener on TCP and UDP ports of one number that must not be reached; `reached` names what did."""

    port: int
    reached: set[str]


_OK = b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def _handler(name: str, reached: set[str]) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(1)
            try:
                head = self.request.recv(4096)
            except OSError:
                head = b""
            parts = head.partition(b"\r\n")[0].split(b" ")
            path = parts[1].decode("latin-1") if len(parts) == 3 else ""
            reached.add(path.strip("/").partition("?")[0] if path.startswith("/") else name)
            if path:
                self.request.sendall(_OK)

    return Handler


@contextmanager
def victim(name: str) -> Iterator[Victim]:
    """Listen on all loopback addresses. HTTP requests are noted by their path, everything else by this name."""
    reached: set[str] = set()
    handler = _handler(name, reached)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            """Ignore browsers that leave early."""

    class Server6(Server):
        address_family = socket.AF_INET6

    server = Server(("127.0.0.1", 0), handler)
    port = server.server_address[1]
    servers = [server, *([Server6(("::1", port), handler)] if has_ipv6() else [])]
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", port))
    datagrams.settimeout(0.1)
    is_over = threading.Event()

    def listen() -> None:
        while not is_over.is_set():
            with suppress(TimeoutError):
                datagrams.recvfrom(2048)
                reached.add(f"{name}-udp")

    threads = [
        threading.Thread(target=work, daemon=True) for work in (*(each.serve_forever for each in servers), listen)
    ]
    for thread in threads:
        thread.start()
    try:
        yield Victim(port, reached)
    finally:
        is_over.set()
        for each in servers:
            each.shutdown()
            each.server_close()
        threads[-1].join()
        datagrams.close()


def has_ipv6() -> bool:
    """Return whether this machine has the loopback address of IPv6."""
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True
