"""Experiments as folders: the command line tool against the API on a port of this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tools import files

Create = Callable[..., dict[str, Any]]
SHORT = {"name": "Short", "weight": 0.5, "mutations": [{"selector": "h1", "action": "text", "text": "Made well"}]}
DESIGN: dict[str, Any] = {"variations": [{"name": "Control", "weight": 0.5, "is_control": True}, SHORT]}
MUTATIONS = "variations/short/mutations.json"


@pytest.fixture(autouse=True)
def address(api: MemoryApi, tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve the API on a port, and set the tool's variables."""

    class Gateway(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])))

        def _answer(self, body: bytes | None) -> None:
            client = Client(api.handler, key=self.headers["Authorization"].removeprefix("Bearer "))
            answer = client.request(self.command, self.path.removeprefix("/api/v1"), raw=body)
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Gateway)

    def serve() -> None:
        asyncio.set_event_loop(loop := asyncio.new_event_loop())  # Lambda's handler wants one
        server.serve_forever(0.01)
        loop.close()

    thread = Thread(target=serve)
    thread.start()
    base = f"http://127.0.0.1:{server.server_port}/api/v1"
    monkeypatch.setenv("API", base)
    monkeypatch.setenv("KEY", tenant.admin)
    yield base
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path, create: Create) -> Path:
    """Pull an experiment."""
    pulled = tmp_path / "pulled"
    assert files.main(["pull", create(**DESIGN)["id"], str(pulled)]) == 0
    return pulled


def test_folder__pulled_edited_planned_and_applied__is_the_experiment(
    folder: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    mutations = folder / MUTATIONS
    mutations.write_text(mutations.read_text().replace("Made well", "Made to last"))
    (folder / "experiment.css").write_text("h1 { color: teal }\n")
    assert files.main(["plan", str(folder)]) == 0
    assert '+    "text": "Made to last"' in capsys.readouterr().out
    assert files.main(["apply", str(folder)]) == 0
    assert files.main(["apply", str(folder)]) == 1  # the plan is used up
    (experiment,) = client.get("/experiments").json()["data"]
    assert experiment["variations"][1]["mutations"][0]["text"] == "Made to last"
    assert experiment["experiment_css"] == "h1 { color: teal }"
    (folder / "experiment.css").unlink()
    assert (files.main(["plan", str(folder)]), files.main(["apply", str(folder)])) == (0, 0)
    assert client.get(f"/experiments/{experiment['id']}").json()["experiment_css"] is None


def test_folder__planned_as_new__becomes_another_experiment(folder: Path, client: Client) -> None:
    assert (files.main(["plan", str(folder), "--new"]), files.main(["apply", str(folder)])) == (0, 0)
    assert len(client.get("/experiments").json()["data"]) == 2


def test_folder__pulled_again__is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert files.main(["pull", "any", str(folder)]) == 1
    assert capsys.readouterr().err == f"{folder} is not empty\n"


def _without_state(folder: Path) -> None:
    (folder / files.STATE).unlink()


def _not_utf_8(folder: Path) -> None:
    (folder / "experiment.css").write_bytes(b"h1 {}\xff")


def _broken(folder: Path) -> None:
    (folder / MUTATIONS).write_text("[\n  {,\n")


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (_without_state, "was not pulled; plan --new makes a new experiment of its files"),
        (_not_utf_8, "experiment.css is not UTF-8: byte 6 cannot be read"),
        (_broken, "nothing can be applied before the errors are corrected"),
    ],
)
def test_plan__of_a_folder_that_cannot_be_read__has_the_reason(
    folder: Path, damage: Callable[[Path], None], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(folder)
    assert files.main(["plan", str(folder)]) == 1
    assert line in capsys.readouterr().err
    assert files.main(["apply", str(folder)]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_plan__after_a_foreign_change__names_the_error_of_the_api(
    folder: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = json.loads((folder / files.STATE).read_text())["experiment"]
    client.patch(f"/experiments/{experiment}", {"description": "changed meanwhile"})
    assert files.main(["plan", str(folder)]) == 1
    assert capsys.readouterr().err.startswith("409 tree_conflict: ")


def test_call__without_an_address_a_key_or_an_answer__has_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], api: MemoryApi
) -> None:
    monkeypatch.setenv("KEY", api.key(["experiments:read"]).text + "x")
    assert files.main(["pull", "one", str(tmp_path / "a")]) == 1
    assert capsys.readouterr().err.startswith("401 invalid_api_key: ")
    monkeypatch.setenv("API", "http://127.0.0.1:9")
    assert files.main(["pull", "one", str(tmp_path / "a")]) == 1
    assert "cannot be reached" in capsys.readouterr().err
    monkeypatch.delenv("KEY")
    assert files.main(["pull", "one", str(tmp_path / "a")]) == 1
    assert capsys.readouterr().err.startswith("set API to the address of the API")


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"[]", b'{"error": "off"}', b"\xff"])
def test_reason__of_something_in_front_of_the_api__is_its_body(body: bytes) -> None:
    assert files.reason_of(502, body) == f"502: {body.decode(errors='replace')}"
