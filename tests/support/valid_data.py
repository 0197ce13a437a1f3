"""Requests that schemathesis makes from the OpenAPI document, valid ones only."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from functools import cache
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from tests.support.openapi import contract

ATTEMPTS = 50
Send = Callable[[Any], tuple[int, bytes]]


class _AcceptedError(Exception):
    """Ends the generation of requests."""


@cache
def _operations() -> dict[tuple[str, str], Any]:
    """Each operation of the document as schemathesis reads it, without the requests that webhooks send."""
    document = {name: deepcopy(part) for name, part in contract().document.items() if name != "webhooks"}
    results = schemathesis.openapi.from_dict(document).get_all_operations()
    operations = [result.ok() for result in results if isinstance(result, Ok)]
    return {(operation.method.upper(), operation.path): operation for operation in operations}


def assert_accepted(method: str, path: str, send: Send) -> None:
    """Send valid requests until the operation accepts one. Each run makes the same requests."""
    answers: list[tuple[int, bytes]] = []

    def is_accepted() -> bool:
        return bool(answers) and answers[-1][0] < 400

    @settings(
        max_examples=ATTEMPTS,
        database=None,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(_operations()[method, path].as_strategy(generation_mode=GenerationMode.POSITIVE))
    def attempt(case: Any) -> None:
        # Hypothesis repeats what failed, and an accepted request must not be sent twice.
        if not is_accepted():
            answers.append(send(case))
        if is_accepted():
            raise _AcceptedError

    with suppress(_AcceptedError):
        attempt()
    assert is_accepted(), (
        f"{method} {path} accepts no valid request: {[(status, body[:500]) for status, body in answers]}"
    )
