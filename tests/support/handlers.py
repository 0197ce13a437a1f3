"""Lambda handlers as the platform starts them."""

import importlib
from collections.abc import Callable
from typing import Any

from tests.support.moto_stack import AwsStack

Handler = Callable[[Any, Any], Any]


def fresh_handler(stack: AwsStack, function_id: str, folder: str) -> Handler:
    """The handler of a function in a fresh process: its own environment and policy, its module run anew."""
    stack.enter(function_id)
    module = importlib.reload(importlib.import_module(f"{folder}.app"))
    handler: Handler = module.handler
    guard = stack.guard(function_id)

    def guarded(event: Any, context: Any = None) -> Any:
        with guard.running():
            return handler(event, context)

    return guarded
