"""Headless Chromium as a shopper's browser: Debian's package, no automation flags, no background traffic."""

import shutil

from playwright.sync_api import Browser, Playwright

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


def launch(playwright: Playwright) -> Browser:
    """A browser. Raises RuntimeError with the command that installs one where there is none."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise RuntimeError("no Chromium on this machine: run `make setup` as root, or `apt-get install chromium`")
    return playwright.chromium.launch(executable_path=path, args=FLAGS)
