"""`python -S runtime.py HANDLER EVENT`: invoke a handler once and print its answer, or its error as Lambda does."""

import json
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

CONTEXT = SimpleNamespace(
    function_name="built",
    memory_limit_in_mb=512,
    invoked_function_arn="arn:aws:lambda:us-east-1:123456789012:function:built",
    aws_request_id="00000000-0000-0000-0000-000000000000",
    get_remaining_time_in_millis=lambda: 29_000,
)


def main(handler: str, event: str) -> None:
    module, name = handler.rsplit(".", 1)
    try:
        answer = getattr(import_module(module), name)(json.loads(Path(event).read_text()), CONTEXT)
    except Exception as error:
        answer = {"errorType": type(error).__name__, "errorMessage": str(error)}
    print()
    print(json.dumps(answer))


if __name__ == "__main__":
    del sys.path[0]  # this folder: the function must find nothing but itself and its layers
    main(*sys.argv[1:])
