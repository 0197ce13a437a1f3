"""A shop on loopback: pages with the snippet, and an event route on another origin that answers as it is told."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from abtest.domain.delivery.mutations import normalised
from abtest.domain.delivery.sdk_parts import parts_of
from abtest.storefront import bundle, live_editor, packaged
from tests.support.any_json import any_json

SOURCES = Path(__file__).parents[3] / "shared" / "abtest" / "storefront" / "src"
SNIPPET_TAG = '<script src="/s.js"></script>'
SHOP_ID = "0192f3a0-0000-7000-8000-00000000000a"
SIGNATURE = "v1.k1.00ff"
PATIENCE = 20.0

Json = Any
Answer = tuple[int, dict[str, str]]


def patient(hide_ms: str) -> str:
    """The tag of a page that waits so long for its treatments."""
    return f'<script src="/s.js" data-hide-ms="{hide_ms}"></script>'


def html(body: str, head: str = "", tag: str = SNIPPET_TAG) -> str:
    """A page whose snippet stands in the head, before anything that is seen."""
    return f"<!doctype html><html><head><title>Shop</title>{head}{tag}</head><body>{body}</body></html>"


class Shop:
    """What the pages, the config and the event route are, and what arrived; one for each test."""

    def __init__(self) -> None:
        self.pages: dict[str, list[str]] = {}
        self.experiments: list[Json] = []
        self.config: Json = {}
        """More of the config: personalizations, flags, holdout, zones."""
        self.runtime: Json = {}
        """More of the config's runtime settings: consent, handover, environments."""
        self.is_long = False
        """Whether the config stands in the snippet as long ones do: as a text."""
        self.scripts: list[str] = []
        """Expressions of the snippet's array: functions, and names of chunks."""
        self.files: dict[str, list[str]] = {}
        """Scripts and style sheets by path, in pieces as pages are."""
        self.folders: dict[str, Path] = {}
        """Files as they are, by the path that they stand under (it ends in a slash)."""
        self.outcome: Json = None
        """Outcome of a preview or a QA visit at the edge; None where the tool cannot be loaded."""
        self.console = ""
        """Origin of the console that this deployment has."""
        self.drafted: list[str] = []
        """Scripts of the draft, as `scripts`."""
        self.answers: list[Answer] = []
        self.attempts: list[tuple[str, Json, Answer]] = []
        self.gate = threading.Event()
        self._arrived = threading.Condition()
        self.port = 0

    @property
    def url(self) -> str:
        """Origin of the pages."""
        return f"http://127.0.0.1:{self.port}"

    def page(self, path: str, *chunks: str) -> None:
        """Serves a page; each further chunk waits for a request of `/gate`."""
        self.pages[path] = list(chunks)

    def script(self, source: str) -> int:
        """The index of a customer's script in the snippet."""
        self.scripts.append(f"function(){{{source}\n}}")
        return len(self.scripts) - 1

    def chunk(self, name: str) -> int:
        """The index of a script that the snippet fetches, if the file is there: see `chunk_source`."""
        self.runtime["assets_url"] = f"http://localhost:{self.port}/assets/"
        self.scripts.append(json.dumps(name))
        return len(self.scripts) - 1

    def sheet_chunk(self, name: str) -> Json:
        """The css of a treatment that is fetched."""
        self.runtime["assets_url"] = f"http://localhost:{self.port}/assets/"
        return {"chunk": name}

    def snippet(self) -> str:
        """As the service renders it: the bundle with the parts it needs, called with the config and the scripts."""
        config = {
            "shop_id": SHOP_ID,
            "runtime": {
                "environment": "production",
                "currency": "EUR",
                "events_url": f"http://localhost:{self.port}/events",
                "events_signature": SIGNATURE,
                **self.runtime,
            },
            "signals": {},
            "profile": {},
            "delivery": {"format": 1, "revision": 1},
            **_compiled({"experiments": self.experiments, **self.config}),
        }
        parts, inlined = parts_of(any_json(config)), json.dumps(config)
        if self.is_long:
            parts, inlined = parts | {"parsing"}, json.dumps(inlined)
        return f"{bundle(parts)}({inlined},[{','.join(self.scripts)}]);"

    def answer(self, body: bytes, method: str) -> Answer:
        """Takes one request of the event route."""
        with self._arrived:
            answer = self.answers.pop(0) if self.answers else (202, {})
            self.attempts.append((method, json.loads(body or b"{}"), answer))
            self._arrived.notify_all()
        return answer

    def events(self, kind: str | None = None) -> list[Json]:
        """The events of accepted requests, of one type or all."""
        accepted = [body for method, body, (status, _) in self.attempts if method == "POST" and status == 202]
        return [event for body in accepted for event in body["events"] if kind in (None, event["type"])]

    def wait(self, done: Callable[[], object]) -> None:
        """Until it holds of what arrived. Fails after some seconds, saying what did arrive."""
        with self._arrived:
            held = self._arrived.wait_for(done, PATIENCE)
        assert held, [(status, [e["type"] for e in body.get("events", [])]) for _, body, (status, _) in self.attempts]

    def wait_events(self, kind: str, count: int = 1) -> list[Json]:
        """The accepted events of the type, once there are so many."""
        self.wait(lambda: len(self.events(kind)) >= count)
        return self.events(kind)


def _compiled(part: Any) -> Any:
    """As the service compiles it: mutations say what their selectors depend on."""
    if isinstance(part, list):
        return [_compiled(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {name: normalised(value) if name == "mutations" else _compiled(value) for name, value in part.items()}


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == f"/s/{SHOP_ID}.js":
            status, kind, chunks = _tool(self.server.shop, parts.query)
        else:
            status, kind, chunks = _page(self.server.shop, parts.path)
        self._reply(status, kind, chunks, {"access-control-allow-origin": "*"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        status, headers = self.server.shop.answer(body, "POST")
        allowed = {"access-control-allow-origin": "*", "access-control-expose-headers": "retry-after"}
        self._reply(status, "application/json", ["{}"], allowed | headers)

    def do_OPTIONS(self) -> None:
        self.server.shop.answer(b"", "OPTIONS")
        self._reply(405, "text/plain", [""])

    def _reply(
        self, status: int, kind: str, chunks: Iterable[str | bytes], headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "cache-control": "no-cache", **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(chunk if isinstance(chunk, bytes) else chunk.encode())
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Quiet."""


JAVASCRIPT = "text/javascript; charset=utf-8"


def chunk_source(name: str, source: str) -> str:
    """The file of a script that is fetched."""
    return f"svc.chunk({json.dumps(name)},function(){{{source}\n}});"


def _tool(shop: Shop, query: str) -> tuple[int, str, Iterable[str | bytes]]:
    if query.startswith("svc_edit="):
        return 200, JAVASCRIPT, [live_editor(shop.console)]
    if shop.outcome is None:
        return 404, JAVASCRIPT, ["/* there is no tool */"]
    if query.startswith("svc_bar="):
        return 200, JAVASCRIPT, [f"{packaged('dist/bar.js')}();"]
    return 200, JAVASCRIPT, [f"{packaged('dist/qa.js')}({json.dumps(shop.outcome)},[{','.join(shop.drafted)}]);"]


def _page(shop: Shop, path: str) -> tuple[int, str, Iterable[str | bytes]]:
    if path == "/gate":
        shop.gate.set()
        return 204, "text/plain", [""]
    if path == "/s.js":
        return 200, JAVASCRIPT, [shop.snippet()]
    if path.startswith("/src/"):
        return 200, JAVASCRIPT, [(SOURCES / path[5:]).read_text()]
    for prefix, folder in shop.folders.items():
        if path.startswith(prefix) and (file := folder / path.removeprefix(prefix)).is_file():
            return 200, guess_type(path)[0] or "application/octet-stream", [file.read_bytes()]
    if path.endswith((".js", ".css")):
        pieces = shop.files.get(path)
        return 200 if pieces else 404, JAVASCRIPT if path.endswith(".js") else "text/css", _gated(shop, pieces or [""])
    chunks = shop.pages.get(path)
    return 200 if chunks else 404, "text/html; charset=utf-8", _gated(shop, chunks or [""])


def _gated(shop: Shop, chunks: list[str]) -> Iterator[str | bytes]:
    for number, chunk in enumerate(chunks):
        if number:
            shop.gate.wait(PATIENCE)
            shop.gate.clear()
        yield chunk


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, shop: Shop) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.shop = shop

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that navigates away breaks its connections: no news."""


def serve(shop: Shop) -> Iterator[Shop]:
    """The shop, as long as the iterator lives."""
    with _Server(shop) as server:
        shop.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield shop
        shop.gate.set()
        server.shutdown()
        thread.join()
