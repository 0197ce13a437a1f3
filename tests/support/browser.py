"""Headless Chromium as a shopper's browser: Debian's packages, no automation flags, no background traffic.

The gate runs `chromium-headless-shell`: the same engine without the browser's own windows, for a third of the processor
time, where it is installed. Full sizes (`--large`) run the whole browser. See docs/adr/0034.
"""

import shutil
from collections.abc import Iterator, Sequence

from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

BROWSERS = ("chromium", "google-chrome")
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-blink-features=AutomationControlled",
    "--host-resolver-rules=MAP *.example 127.0.0.1",  # shops of any name stand on this machine
    f"--user-agent={USER_AGENT}",
]

PATIENCE = 20_000
"""Milliseconds that an expectation waits: with four browsers and three stacks on two cores, an answer takes seconds."""

expect.set_options(timeout=PATIENCE)


def launch(playwright: Playwright, *, is_whole: bool) -> Browser:
    """Launch the shell or the whole browser. Raises RuntimeError with the command to install one when there is none."""
    path = whole_browser_path() if is_whole else browser_path()
    return playwright.chromium.launch(executable_path=path, args=FLAGS)


class Browsers:
    """Playwright and its browsers in one test process, kept from module to module: to start them takes seconds.

    While Playwright runs, nothing else in the process can use asyncio: see `stop`.
    """

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._browsers: dict[bool, Browser] = {}

    def get(self, *, is_whole: bool) -> Browser:
        """Return the shell or the whole browser. Raises RuntimeError when none is installed."""
        browser = self._browsers.get(is_whole)
        if browser is None or not browser.is_connected():
            self._playwright = self._playwright or sync_playwright().start()
            browser = launch(self._playwright, is_whole=is_whole)
            self._browsers[is_whole] = browser
        return browser

    def stop(self) -> None:
        """End the browsers and Playwright, before a test that needs none. Does nothing when none runs."""
        for browser in self._browsers.values():
            browser.close()
        self._browsers.clear()
        if self._playwright:
            self._playwright.stop()
            self._playwright = None


browsers = Browsers()


def profiles_of(*, is_whole: bool) -> Iterator[Browser]:
    """Yield a browser without profiles; then close those that were opened."""
    browser = browsers.get(is_whole=is_whole)
    yield browser
    for context in browser.contexts:
        context.close()


def whole_browser_path() -> str:
    """Path of the whole browser. Raises RuntimeError when none is installed."""
    return _first_installed(BROWSERS)


def browser_path() -> str:
    """Path of the shell, or of the whole browser where there is no shell. Raises RuntimeError when there is neither."""
    return _first_installed((*SHELLS, *BROWSERS))


def leave(page: Page) -> None:
    """Go on to another site and close the tab: what is queued goes out with the beacon.

    Chromium gives a tab that is closed half a second for its last events, which a busy machine may miss. The profile
    stays: closing it would end the beacon's request, which no browser of a shopper does.
    """
    page.goto("about:blank")
    page.close(run_before_unload=False)


def _first_installed(names: Sequence[str]) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    raise RuntimeError(f"{names[0]} is not installed: run `make setup` as root, or `apt-get install {names[0]}`")
