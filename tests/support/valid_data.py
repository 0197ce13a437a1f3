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

from tests.support.openapi import contract

ATTEMPTS = 50
Send = Callable[[Any], tuple[int, bytes]]


class _AcceptedError(Exception):
    """Ends the generation of requests."""


@cache
def _schema() -> Any:
    """The document as schemathesis reads it, without the requests that webhooks send."""
    document = {name: deepcopy(part) for name, part in contract().document.items() if name != "webhooks"}
    return schemathesis.openapi.from_dict(document)


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
    @given(_schema()[path][method].as_strategy(generation_mode=GenerationMode.POSITIVE))
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
