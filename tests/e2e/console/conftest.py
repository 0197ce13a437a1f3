"""A signed-in console for each story, in a shop of its own."""

from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Browser

from tests.e2e.story import Story, new_shop
from tests.support.console_page import Console

_numbers = count(1)


@pytest.fixture
def own_shop(story: Story) -> Story:
    """A new shop, of this story alone."""
    return new_shop(story, f"console-{next(_numbers)}.example")


@pytest.fixture
def console(own_shop: Story, browser: Browser) -> Iterator[Console]:
    """The console of a new shop, signed in with the shop's key."""
    page = Console(browser, own_shop)
    page.sign_in()
    yield page
    page.close()
