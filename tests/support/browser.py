"""Headless Chromium as a shopper's browser: Debian's packages, no automation flags, no background traffic.

The gate runs `chromium-headless-shell`: the same engine without the browser's own windows, for a third of the processor
time, where it is installed. Full sizes (`--large`) run the whole browser. See docs/adr/0034.
"""

import shutil
from collections.abc import Sequence

from playwright.sync_api import Browser, Page, Playwright

from tests.support import sizes

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


def launch(playwright: Playwright, *, is_whole: bool | None = None) -> Browser:
    """Launch the shell, or the whole browser: the default with `--large`. Raises RuntimeError without one."""
    is_whole = sizes.is_large if is_whole is None else is_whole
    names = BROWSERS if is_whole else (*SHELLS, *BROWSERS)
    return playwright.chromium.launch(executable_path=_first_installed(names), args=FLAGS)


def whole_browser() -> str:
    """Path of the whole browser. Raises RuntimeError when none is installed."""
    return _first_installed(BROWSERS)


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
