"""The console with the API of a benchmark's shop, and the same list as pages that a server makes.

Pages: HTML from a template of Python's standard library, with htmx 4 for the filter, 150 ms after the last key. They
have the console's navigation and styles. Both read the list from the same handler, in this process; the session is
invented. Files are sent as brotli made before, JSON and pages as gzip.
"""

import asyncio
import gzip
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from string import Template
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import brotli

from abtest.domain.credentials.api_keys import SCOPES
from abtest.edge.console_page import ConsolePage
from benchmarks import npm
from benchmarks.bench_overview import EXPERIMENTS, Screen

HERE = Path(__file__).parent
FILES = Path("layers/console/console_files")
HTMX = HERE / "node_modules" / "htmx.org" / "dist" / "htmx.min.js"
LIST = "/pages/experiments"
HTML = "text/html; charset=utf-8"
IMMUTABLE = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Sent:
    """One response, as it goes over the network."""

    kind: str
    content: bytes
    coding: str = ""
    cached: str = "no-cache"
    status: int = 200


@contextmanager
def served(screen: Screen) -> Iterator[str]:
    """Serve both on a free port. Yields the origin: `/console/<shop>/experiments` and `/pages/experiments`."""
    site = Site(screen)

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            sent = site.answer(self.path, "HX-Request" in self.headers)
            self.send_response(sent.status)
            self.send_header("Content-Type", sent.kind)
            self.send_header("Content-Length", str(len(sent.content)))
            self.send_header("Cache-Control", sent.cached)
            if sent.coding:
                self.send_header("Content-Encoding", sent.coding)
            self.end_headers()
            self.wfile.write(sent.content)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    site.api.shutdown()


class Site:
    """Responses of both sides by address."""

    def __init__(self, screen: Screen) -> None:
        npm.install(HERE)
        self._screen = screen
        self._session = json.dumps(_session(screen)).encode()
        self._pages = Pages(screen)
        self._htmx = brotli.compress(HTMX.read_bytes())
        # The handler wants one thread, with a loop of its own.
        self.api = ThreadPoolExecutor(1, initializer=lambda: asyncio.set_event_loop(asyncio.new_event_loop()))

    def answer(self, address: str, is_part: bool) -> Sent:
        """Answer an address; `is_part` is what htmx asks for."""
        path, _, query = address.partition("?")
        if path == LIST:
            word = parse_qs(query).get("q", [""])[0]
            page = self.api.submit(self._pages.answer, word, is_part).result()
            return Sent(HTML, gzip.compress(page.encode(), 6), "gzip")
        if path == "/pages/htmx.js":
            return Sent("text/javascript", self._htmx, "br", IMMUTABLE)
        return self._of_console(path, address)

    def _of_console(self, path: str, address: str) -> Sent:
        if path.startswith("/api/v1/"):
            status, content = self.api.submit(_from_api, self._screen, address.removeprefix("/api/v1")).result()
            return Sent("application/json", gzip.compress(content, 6), "gzip", status=status)
        if path.startswith("/console/identity/"):
            return Sent("application/json", gzip.compress(self._session), "gzip")
        if path.startswith("/console/assets/"):
            file = FILES / "assets" / Path(path).name
            return Sent(guess_type(file)[0] or "", file.with_name(f"{file.name}.br").read_bytes(), "br", IMMUTABLE)
        built = ConsolePage.of(*((FILES / name).read_text() for name in ("index.html", "screens.json")))
        return Sent(HTML, built.at(path, has_session=True).encode())


class Pages:
    """Pages of the list of experiments."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._page = Template((HERE / "pages" / "experiments.html").read_text())
        (styles,) = (FILES / "assets").glob("main-*.css")
        self._styles = f"/console/assets/{styles.name}"

    def answer(self, word: str, is_part: bool) -> str:
        """Return the page, or its rows alone, as htmx wants them; `word` filters by name."""
        call = self._screen.call
        listed: Any = call(self._screen.experiments, "GET", f"/experiments?limit={EXPERIMENTS}&q={word}")
        rows = "".join(map(_row, listed["data"]))
        return rows if is_part else self._page.substitute(styles=self._styles, rows=rows, word=escape(word))


def _row(experiment: dict[str, Any]) -> str:
    arms = " / ".join(f"{100 * arm['weight']:.0f}" for arm in experiment["variations"])
    cells = (
        f'<a href="/pages/experiments/{experiment["id"]}">{escape(experiment["name"])}</a>',
        f'<span class="badge">{escape(experiment["status"])}</span>',
        f'Since <time>{escape(experiment.get("started_at") or "")}</time><small class="soft">Day 1</small>',
        f'100 %<small class="soft">{arms}</small>',
        escape(experiment.get("outcome") or "–"),
        escape(experiment.get("owner_user_id") or ""),
        '<button type="button" class="quiet">More</button>',
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _session(screen: Screen) -> dict[str, Any]:
    shop = {"id": screen.shop.id, "name": "Shop", "currency": "EUR", "timezone": "UTC", "org_id": screen.shop.org_id}
    access = {**shop, "role": "owner", "scopes": sorted(SCOPES)}
    user = {"id": screen.shop.org_id, "email": None, "name": "Owner"}
    until = "2100-01-01T00:00:00Z"
    return {"user": user, "level": "local", "shops": [access], "expires_at": until, "idle_until": until}


def _from_api(screen: Screen, path: str) -> tuple[int, bytes]:
    if not path.startswith("/experiments?"):
        return 404, b'{"error": {"code": "not_found", "message": "not in this benchmark"}}'
    return 200, json.dumps(screen.call(screen.experiments, "GET", path)).encode()
