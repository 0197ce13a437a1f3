"""What a start does with the keys of the start before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError

import pytest

from tools.local.context import StackContext
from tools.local.seed import NAMES, seed


@contextmanager
def api(status: int, shop_id: str) -> Iterator[str]:
    """A management API that answers every GET like this; its base address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps({"key": {"shop_id": shop_id}, "org_id": "owner"}).encode())

        def log_message(self, *_: object) -> None:
            """Silent."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def context(base_url: str, folder: Path) -> StackContext:
    (folder / "seed.json").write_text(json.dumps(dict.fromkeys(NAMES, "kept")))
    return StackContext(
        base_url=base_url,
        worker_base_url="",
        store_url="",
        endpoint_url="",
        environments={},
        folders={},
        state_directory=folder,
        previous={},
    )


def test_seed__known_to_the_stack__is_kept(tmp_path: Path) -> None:
    with api(200, "kept") as base_url:
        assert seed(context(base_url, tmp_path)) == {**dict.fromkeys(NAMES, "kept"), "user_id": "owner"}
    assert json.loads((tmp_path / "seed.json").read_text())["user_id"] == "owner"


def test_seed__stack_too_busy_to_say__keeps_the_keys_and_fails(tmp_path: Path) -> None:
    """A new shop in its place would hide all that was made with the old one."""
    with api(503, "kept") as base_url, pytest.raises(HTTPError):
        seed(context(base_url, tmp_path))
    assert json.loads((tmp_path / "seed.json").read_text())["api_key"] == "kept"
