"""A shop on loopback: pages that arrive in pieces as from a real server, and the files that they ask for."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

import brotli

from benchmarks.browser_server import BrowserServer

HTML, SCRIPT, JSON = "text/html; charset=utf-8", "text/javascript; charset=utf-8", "application/json"
PIECE_SECONDS = 0.03


@dataclass
class Resource:
    """What a path answers: in one piece compressed, or in several with a pause after each."""

    pieces: Sequence[bytes]
    kind: str
    packed: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: str, *pieces: str) -> "Resource":
        """From text; a single piece is compressed once, as a server that has it ready would."""
        content = [piece.encode() for piece in pieces]
        packed = {"br": brotli.compress(content[0], quality=11), "gzip": gzip.compress(content[0], 9)}
        return cls(content, kind, packed if len(pieces) == 1 else {})


@dataclass
class Site:
    """Paths and what they answer; everything else is an empty JSON object, posts too."""

    resources: dict[str, Resource] = field(default_factory=dict)
    port: int = 0

    @property
    def url(self) -> str:
        """The origin."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def edge_url(self) -> str:
        """Where our SDK sends events: another origin, as in life."""
        return f"http://localhost:{self.port}"

    def add(self, path: str, kind: str, *pieces: str) -> str:
        """Serve something; gives the path back."""
        self.resources[path] = Resource.of(kind, *pieces)
        return path


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a small answer waits 40 ms for the browser's acknowledgement of its headers
    server: "_Server"

    def do_GET(self) -> None:
        found = self.server.site.resources.get(urlsplit(self.path).path) or Resource([b"{}"], JSON)
        accepted = self.headers.get("accept-encoding", "")
        encoding = next((name for name in found.packed if name in accepted), "")
        pieces = [found.packed[encoding]] if encoding else found.pieces
        self._begin(found.kind, sum(map(len, pieces)), encoding)
        for number, piece in enumerate(pieces):
            if number:
                time.sleep(PIECE_SECONDS)
            self.wfile.write(piece)
            self.wfile.flush()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self._begin(JSON, 2, "")
        self.wfile.write(b"{}")

    def _begin(self, kind: str, length: int, encoding: str) -> None:
        self.send_response(200)
        headers = {"content-type": kind, "content-length": str(length), "cache-control": "no-store"}
        headers |= {"access-control-allow-origin": "*"} | ({"content-encoding": encoding} if encoding else {})
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


class _Server(BrowserServer):
    def __init__(self, site: Site) -> None:
        super().__init__(_Handler)
        self.site = site


@contextmanager
def serving() -> Iterator[Site]:
    """A site on a port of its own."""
    site = Site()
    with _Server(site) as server:
        site.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()


Progress = Callable[[str], None]


def document(head: str, body: str) -> str:
    """A whole page."""
    start = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>'
    return f"{start}{head}</head><body>{body}</body></html>"


def inline(*scripts: str, attributes: str = "") -> str:
    """Script elements with these texts."""
    safe = (text.replace("</script", "<\\/script") for text in scripts)
    return "".join(f"<script {attributes}>{text}</script>" for text in safe)
