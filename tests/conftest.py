"""Fixtures for every test."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support import sizes

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.support.moto_stack import AwsStack

TESTS = Path(__file__).parent
BEGIN_FIRST = (
    "e2e/test_openapi_fuzz.py",
    "faults/test_large_schedule.py",
    "property/test_shop_counter.py",
    "stories/test_month.py",
    "stories/test_bad_days.py",
    "stories/test_planned_looks.py",
    "stories/test_mutations.py",
    "faults/test_schedules.py",
    "faults/test_deaths.py",
    "e2e/test_oscar.py",
    "e2e/test_stories.py",
    "e2e/test_who_gets_what.py",
    "e2e/test_exports.py",
    "e2e/test_operator.py",
    "e2e/test_webhooks.py",
    "e2e/test_soak.py",
    "e2e/test_readme.py",
    "e2e/test_silent_store.py",
    "e2e/console/test_screens.py",
    "browser/report/test_pages.py",
    "browser/sdk/test_cut_bundles.py",
    "browser/sdk/test_golden_bundle.py",
    "browser/sdk/test_golden.py",
    "unit/adapters/test_pdf_texts.py",
)
"""Files that take longest, the longest first; workers take whole files in this order, and one of these at the end would
leave a core without work. What takes how long: `--durations=50`."""

settings.register_profile("untimed", deadline=None)  # what a busy machine takes says nothing about the code
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """One word for all tests that have a full size."""
    parser.addoption("--large", action="store_true", help="full sizes of all tests that have one")


def pytest_configure(config: pytest.Config) -> None:
    """Sizes are known before test modules are imported."""
    sizes.is_large = bool(config.getoption("--large"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, the others as they were found."""
    places = {TESTS / name: place for place, name in enumerate(BEGIN_FIRST)}
    if gone := [str(path) for path in places if not path.exists()]:
        raise pytest.UsageError(f"BEGIN_FIRST names what is not there: {', '.join(gone)}")
    items.sort(key=lambda item: places.get(item.path, len(places)))
    browsing = (item for item in items if TESTS / "browser" in item.path.parents)
    if unmarked := {item.path.name for item in browsing if not item.get_closest_marker("browser")}:
        raise pytest.UsageError(f"tests without the mark `browser` in tests/browser: {', '.join(sorted(unmarked))}")
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item.path)))


def group_of(path: Path) -> str:
    """Name of the group that one worker runs under `--dist loadgroup`: a file, or a third of those with a stack."""
    name = path.relative_to(TESTS).as_posix()
    if not name.startswith("e2e/"):
        return name.removesuffix(".py")
    if name.startswith("e2e/console/"):
        return "stack-3"
    place = BEGIN_FIRST.index(name) if name in BEGIN_FIRST else 1
    return "stack-1" if place % 4 in (0, 3) else "stack-2"


@pytest.fixture(scope="session")
def is_large(request: pytest.FixtureRequest) -> bool:
    """Whether tests are to run at full size."""
    return bool(request.config.getoption("--large"))


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
    """Headless Chromium: the shell, or with `--large` the whole browser."""
    from tests.support.browser import profiles_of

    yield from profiles_of(is_whole=sizes.is_large)


@pytest.fixture(scope="module")
def whole_browser() -> Iterator[Browser]:
    """The whole browser, for what its windows and tabs do."""
    from tests.support.browser import profiles_of

    yield from profiles_of(is_whole=True)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """End the browsers when the next test has none: no test without the mark runs next to Playwright's event loop."""
    if nextitem is None or not nextitem.get_closest_marker("browser"):
        support = sys.modules.get("tests.support.browser")
        if support:
            support.browsers.stop()


@pytest.fixture
def aws_stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsStack]:
    """The template's tables, buckets, queues and secret in moto, empty, and the environment of every function."""
    from tests.support.moto_stack import moto_stack  # moto takes half a second, and few tests need it

    with moto_stack(monkeypatch) as stack:
        yield stack
