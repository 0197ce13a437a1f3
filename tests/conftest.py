"""Fixtures for every test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.support.moto_stack import AwsStack

settings.register_profile("untimed", deadline=None)  # what a busy machine takes says nothing about the code
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def event_loop_of_handlers() -> Iterator[asyncio.AbstractEventLoop]:
    """The loop on which Mangum runs applications."""
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(autouse=True)
def _event_loop(event_loop_of_handlers: asyncio.AbstractEventLoop) -> None:
    """Mangum makes a loop of its own, and never closes it, where a test before left none (`asyncio.run` does)."""
    asyncio.set_event_loop(event_loop_of_handlers)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium for one module: while Playwright runs, nothing else in the process can use asyncio."""
    from playwright.sync_api import sync_playwright

    from tests.support.browser import launch

    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()


@pytest.fixture
def aws_stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsStack]:
    """The template's tables, buckets, queues and secret in moto, empty, and the environment of every function."""
    from tests.support.moto_stack import moto_stack  # moto takes half a second, and few tests need it

    with moto_stack(monkeypatch) as stack:
        yield stack
