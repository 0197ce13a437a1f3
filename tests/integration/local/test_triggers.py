"""Queues and schedules of a running stack."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.local.conftest import Running
from tools.local.commands.client import CommandError
from tools.local.surroundings import PROJECT, machine_environment
from tools.local.testing import settle, status, tick

pytestmark = pytest.mark.stack


def jobs(stack: Running) -> list[str]:
    return [item.removeprefix("job:") for item in stack.act("state").json["items"] if item.startswith("job:")]


def dead(stack: Running) -> int:
    visible: int = status(stack.directory)["queues"]["abtest-local-jobsdead"]["visible"]
    return visible


def test_tick__with_more__stands_in_the_event(stack: Running) -> None:
    event = tick(stack.directory, "cron_rollup", {"open_hours": True})
    assert event["open_hours"] is True


def test_queue__good_messages_pass_and_bad_ones_die(stack: Running) -> None:
    before = dead(stack)
    stack.act("send", json.dumps(["good-1", "fail", "good-2"]))
    settle(stack.directory)
    assert {job.partition(":")[0] for job in jobs(stack)} >= {"good-1", "good-2"}
    assert dead(stack) == before + 1


def test_queue__an_exception_returns_the_whole_batch(stack: Running) -> None:
    before = dead(stack)
    stack.act("send", json.dumps(["poison"]))
    settle(stack.directory)
    assert dead(stack) == before + 1
    assert "ValueError" in stack.log("Worker")


def test_queue__a_window_makes_batches(stack: Running) -> None:
    stack.act("send-batched", json.dumps([f"batched-{number}" for number in range(15)]))
    settle(stack.directory)
    sizes = [int(job.split(":")[2]) for job in jobs(stack) if job.startswith("batched-")]
    assert len(sizes) == 15
    assert max(sizes) > 10  # more than one receive gives


def test_settle__ticks_sweep_and_rollup(stack: Running) -> None:
    # The sweep of this template takes its depth from the schedule's Input: it would fail without it.
    settle(stack.directory)
    assert "rolled-up" in stack.act("state").json["items"]


@pytest.mark.parametrize("name", ["cron_rollup", "cron-rollup", "Rollup", "rollup"])
def test_tick__knows_a_job_by_each_of_its_names(stack: Running, name: str) -> None:
    event = tick(stack.directory, name)
    assert (event["source"], event["detail-type"]) == ("aws.scheduler", "Scheduled Event")


def test_tick__passes_the_input(stack: Running) -> None:
    assert tick(stack.directory, "cron_sweep") == {"swept": 2}


def test_tick__of_an_unknown_job_lists_the_known_ones(stack: Running) -> None:
    with pytest.raises(CommandError, match="cron_rollup, cron_sweep"):
        tick(stack.directory, "cron_nothing")


def command(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.local", *arguments],
        cwd=PROJECT,
        env=machine_environment() | {"ABTEST_LOCAL_DIR": str(directory)},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def test_commands__speak_to_the_stack_of_their_directory(stack: Running) -> None:
    assert json.loads(command(stack.directory, "tick", "cron_sweep").stdout) == {"swept": 2}
    assert command(stack.directory, "settle").stdout.endswith("settled\n")
    table = command(stack.directory, "status").stdout
    assert "cron_rollup" in table
    assert stack.dev["store_url"] in table


def test_commands__without_a_stack_say_so(tmp_path: Path) -> None:
    answer = command(tmp_path, "tick", "cron_sweep")
    assert answer.returncode == 1
    assert "no stack runs" in answer.stderr
