"""The environments of workers and of operators: the template's variables, what Lambda sets, the way to the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tools.local.provision.clients import CREDENTIALS
from tools.local.template.functions import Function
from tools.local.template.intrinsics import REGION


def worker_environment(function: Function, endpoint: str, machine: Mapping[str, str]) -> dict[str, str]:
    """Build the environment; `machine` has what a process needs of this machine, such as PATH."""
    return {
        **machine,
        # There is no X-Ray daemon here; a template that sets these itself wins.
        "AWS_XRAY_SDK_ENABLED": "false",
        "POWERTOOLS_TRACE_DISABLED": "true",
        **function.environment,
        **_way_to(endpoint),
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.11",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(function.timeout),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "LAMBDA_TASK_ROOT": str(function.code),
        "_HANDLER": function.handler,
        "PYTHONPATH": ":".join(str(path) for path in (function.code, *function.layers)),
    }


def operator_environment(functions: Iterable[Function], endpoint: str) -> dict[str, str]:
    """Return the variables of all functions in one mapping: tables, buckets and queues for an operator's command."""
    named = {name: value for function in functions for name, value in function.environment.items()}
    return {**named, **_way_to(endpoint)}


def _way_to(endpoint: str) -> dict[str, str]:
    return {
        **CREDENTIALS,
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }
