"""Starting, stopping, restarting and killing a stack: what is kept, what is lost, what is left behind."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.local.conftest import Running
from tools.local.files import StateDirectory, read_json
from tools.local.surroundings import PROJECT
from tools.local.testing import StackFailedError, command, running_stack, status

pytestmark = pytest.mark.stack


def refusal(directory: Path, options: list[str], **ports: int) -> tuple[int, str]:
    """Start a stack that must refuse to run; returns status and error output."""
    line, environment = command(directory, options, **ports)
    done = subprocess.run(line, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False, timeout=30)
    return done.returncode, done.stderr.strip()


def saved_tables(engine: Path) -> str:
    """Tables in the last complete snapshot of the engine."""
    return (engine / "generations" / (engine / "current").read_text().strip() / "dynamodb.json").read_text()


def test_restart__finds_the_state_and_fresh_forgets_it(
    tmp_path: Path, options: list[str], start: Callable[..., Running]
) -> None:
    began = time.monotonic()
    with running_stack(tmp_path, options) as dev:
        stack = start(tmp_path, dev)
        assert stack.api("GET", "/things/1").status == 200
        assert time.monotonic() - began < 10
        stack.act("store", "kept")
        first = stack.act("state").json
    assert first["items"] == first["objects"] == ["kept"]
    with running_stack(tmp_path, options) as dev:  # on other ports
        assert start(tmp_path, dev).act("state").json == first
    with running_stack(tmp_path, [*options, "--fresh"]) as dev:
        emptied = start(tmp_path, dev).act("state").json
    assert emptied["items"] == emptied["objects"] == []
    assert emptied["secret"] != first["secret"]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_sigkill_of_the_stack__loses_nothing_and_leaves_no_orphan(
    tmp_path: Path, options: list[str], start: Callable[..., Running], eventually: Callable[..., None]
) -> None:
    line, environment = command(tmp_path, options)
    with (tmp_path / "output.txt").open("wb") as output:
        process = subprocess.Popen(line, cwd=PROJECT, env=environment, stdout=output, stderr=output)
    state = StateDirectory(tmp_path)
    eventually(lambda: read_json(state.running))
    stack = start(tmp_path, read_json(state.dev))
    worker = stack.act("pid").json["pid"]
    engine = status(tmp_path)["engine"]["pid"]
    stack.act("store", "kept")
    process.kill()
    process.wait()
    eventually(lambda: not alive(worker) and not alive(engine))
    with running_stack(tmp_path, options) as dev:
        assert start(tmp_path, dev).act("state").json["items"] == ["kept"]


def test_sigkill_of_the_engine__loses_seconds_and_the_stack_goes_on(
    tmp_path: Path, options: list[str], start: Callable[..., Running], eventually: Callable[..., None]
) -> None:
    with running_stack(tmp_path, options) as dev:
        stack = start(tmp_path, dev)
        stack.act("store", "saved")
        # Not only a newer generation: that may have begun before the item was stored.
        eventually(lambda: '"saved"' in saved_tables(tmp_path / "engine"))
        os.kill(status(tmp_path)["engine"]["pid"], signal.SIGKILL)
        eventually(lambda: stack.act("state").status == 200)
        assert stack.act("state").json["items"] == ["saved"]
        assert status(tmp_path)["engine"]["restarts"] == 1


def test_stop__lets_a_request_in_progress_finish(
    tmp_path: Path, options: list[str], start: Callable[..., Running]
) -> None:
    with running_stack(tmp_path, options) as dev:
        stack = start(tmp_path, dev)
        stack.api("GET", "/things/1")
        port = int(dev["base_url"].split(":")[2].partition("/")[0])
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        functions = {"Slow": 0}
        while not functions["Slow"]:
            functions = {function["name"]: function["invocations"] for function in status(tmp_path)["functions"]}
    with client:
        assert client.recv(12) == b"HTTP/1.1 500"  # it timed out in its own time, and was answered


def test_taken_port__is_one_line_that_says_what_to_do(tmp_path: Path, options: list[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        code, error = refusal(tmp_path, options, edge=number)
    assert code == 2
    assert error.startswith(f"error: port {number}, wanted by the edge API, cannot be used")
    assert error.endswith("choose another with --edge-port N")
    assert "\n" not in error


def test_one_port_for_two__is_refused(tmp_path: Path, options: list[str]) -> None:
    code, error = refusal(tmp_path, options, edge=9, store=9)
    assert (code, error) == (2, "error: port 9 is given to both the edge API and the demo store")


def test_second_stack__in_one_directory_is_refused(stack: Running, options: list[str]) -> None:
    code, error = refusal(stack.directory, options)
    assert (code, error) == (2, f"error: a stack already runs in {stack.directory}")


def test_two_stacks__run_side_by_side(
    tmp_path: Path, stack: Running, options: list[str], start: Callable[..., Running]
) -> None:
    with running_stack(tmp_path, options) as dev:
        start(tmp_path, dev).act("store", "mine")
        assert start(tmp_path, dev).act("state").json["items"] == ["mine"]
        assert "mine" not in stack.act("state").json["items"]


@pytest.mark.parametrize(
    ("extra", "complaint"),
    [
        (["--parameter", "Shape=round"], "the template has no parameter Shape"),
        (["--parameter", "Colour=pink"], "parameter Colour may be one of"),
        (["--parameter", "Colour"], "--parameter wants NAME=VALUE"),
        (["--template", "absent.yaml"], "there is no template at absent.yaml"),
    ],
)
def test_start__with_a_wrong_template_or_parameter_is_refused(
    tmp_path: Path, options: list[str], extra: list[str], complaint: str
) -> None:
    code, error = refusal(tmp_path, [*options, *extra])
    assert code in {1, 2}
    assert complaint in error
    assert "Traceback" not in error


def test_parameters__reach_the_functions(tmp_path: Path, options: list[str], start: Callable[..., Running]) -> None:
    with running_stack(tmp_path, [*options, "--strict-egress", "--parameter", "Colour=blue"]) as dev:
        environment = start(tmp_path, dev).act("environment").json
    assert (environment["LOOPBACK"], environment["COLOUR"]) == ("false", "blue")


def test_files__with_keys_are_the_owners_only(stack: Running) -> None:
    for name in ("dev.json", "stack.json"):
        assert (stack.directory / name).stat().st_mode & 0o777 == 0o600
    assert json.loads((stack.directory / "dev.json").read_text()) == stack.dev


def test_running_stack__reports_a_failed_start_with_its_output(tmp_path: Path, options: list[str]) -> None:
    with (
        pytest.raises(StackFailedError, match="no parameter Shape"),
        running_stack(tmp_path, [*options, "--parameter", "Shape=round"]),
    ):
        pass
