"""The application that all operations of the document are sent to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.integration.bad_input.conftest import Operation, World
from tests.integration.valid_data.requests import BEFORE


@pytest.fixture(scope="module")
def world(event_loop_of_handlers: asyncio.AbstractEventLoop) -> World:
    """One application for all operations."""
    asyncio.set_event_loop(event_loop_of_handlers)
    return World()


@pytest.fixture
def untouched(world: World, operation: Operation) -> Iterator[World]:
    """The application and a shop whose things no other operation has changed."""
    yield world
    if operation.method != "GET" or operation.details["operationId"] in BEFORE:
        world.renew()
