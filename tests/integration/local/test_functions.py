"""Functions run in processes of their own: what they see, and what happens when they misbehave."""

import threading

import pytest

from tests.integration.local.conftest import Running
from tools.local.testing import status

pytestmark = pytest.mark.stack
ERROR = {"message": "Internal Server Error"}


def test_environment__is_the_functions_own(stack: Running) -> None:
    environment = stack.act("environment").json
    assert environment["API_BASE_URL"] == stack.dev["base_url"]
    assert environment["TABLE"] == "abtest-local-items"
    assert environment["TABLE_ARN"].endswith(":table/abtest-local-items")
    assert environment["BUCKET"] == "abtest-local-blobs-000000000000"
    assert environment["QUEUE_URL"].endswith("/000000000000/abtest-local-jobs")
    assert environment["LOOPBACK"] == "true"
    assert environment["DISTRIBUTION"] == "a/abtest-local-logs"
    assert environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "256"
    assert environment["AWS_ENDPOINT_URL"].startswith("http://127.0.0.1:")
    assert not [name for name in environment if name.startswith(("ABTEST_", "PYTEST"))]


def test_context__describes_the_invocation(stack: Running) -> None:
    context = stack.api("GET", "/things/1").json["context"]
    assert context["memory"] == "256"
    assert context["arn"].endswith(":function:abtest-local-probe")
    assert 0 < context["remaining"] <= 5000
    assert f"{context['request_id']} echoing" in stack.log("Probe")


def test_exception__is_500_with_its_trace_in_the_log(stack: Running) -> None:
    answer = stack.act("raise")
    assert (answer.status, answer.json) == (500, ERROR)
    assert "ZeroDivisionError" in stack.log("Probe")


@pytest.mark.parametrize("action", ["exit", "crash"])
def test_death__is_500_and_the_next_call_works(stack: Running, action: str) -> None:
    answer = stack.act(action)
    assert (answer.status, answer.json) == (500, ERROR)
    assert stack.act("pid").status == 200


def test_timeout__kills_the_worker_and_answers_500(stack: Running) -> None:
    answer = stack.api("GET", "/slow")
    assert (answer.status, answer.json) == (500, ERROR)
    assert "Task timed out after 1.00 seconds" in stack.log("Slow")


def test_hanging_function__does_not_hold_up_others(stack: Running) -> None:
    hanging = threading.Thread(target=stack.api, args=("GET", "/slow"))
    hanging.start()
    assert stack.api("GET", "/things/1").status == 200
    assert hanging.is_alive()
    hanging.join()


def test_import_error__is_500_at_each_call(stack: Running) -> None:
    for _ in range(2):
        assert stack.api("GET", "/broken").json == ERROR
    assert "No module named" in stack.log("Broken")
    functions = {function["name"]: function for function in status(stack.directory)["functions"]}
    assert functions["Broken"]["errors"] >= 2
