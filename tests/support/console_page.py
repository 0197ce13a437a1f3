"""The console in a real browser, signed in for one shop of a running stack."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, Locator, Page

from tests.e2e.story import Story

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 320, "height": 800}
# Chromium logs each answer of 4xx and 5xx; tests provoke those.
EXPECTED = ("Failed to load resource", "favicon")
QUIET = """() => {
  const main = document.getElementById("main");
  const isStill = main?.getAttribute("aria-busy") === "false" && !main.querySelector(".waiting");
  const isQuiet = isStill && main.querySelector("h1, h2");
  window.quietSince = isQuiet ? (window.quietSince ?? performance.now()) : undefined;
  return isQuiet && performance.now() - window.quietSince > 150;
}"""


class Console:
    """One page of the console. What it logs as an error, or throws, fails the test at `close`."""

    def __init__(self, browser: Browser, story: Story, *, size: dict[str, int] = WIDE, is_dark: bool = False) -> None:
        self.story = story
        self.shop_id: str = story.dev["shop_id"]
        self.root: str = story.dev["base_url"].removesuffix("/api/v1").replace("127.0.0.1", "localhost")
        scheme: Any = "dark" if is_dark else "light"
        self.context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
        self.errors: list[str] = []
        self.page: Page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)

    def sign_in(self) -> None:
        """Exchange the shop's key for a session, as the sign-in page does."""
        self.page.goto(f"{self.root}/console")
        # Chromium takes a cookie of this name over http from localhost only, and from no tool.
        status = self.page.evaluate(
            """async (key) => (await fetch("/console/identity/exchange", {
              method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({api_key: key})
            })).status""",
            self.story.dev["api_key"],
        )
        assert status == 201, status

    def open(self, path: str = "") -> Page:
        """Open a screen of the shop, and wait until nothing is loading."""
        self.page.goto(f"{self.root}/console/{self.shop_id}{path}")
        self.settled()
        return self.page

    def go(self, path: str = "") -> Page:
        """Go to a screen as a link does, without loading the page again."""
        self.begin(path)
        self.settled()
        return self.page

    def begin(self, path: str) -> None:
        """Go to a screen, and do not wait for it."""
        self.page.evaluate(
            """(path) => {
              window.quietSince = undefined;
              history.pushState(null, "", path);
              dispatchEvent(new PopStateEvent("popstate"));
            }""",
            f"/console/{self.shop_id}{path}",
        )

    def settled(self) -> None:
        """Wait for the screen: it has a heading, and for a moment it has been reading nothing."""
        self.page.wait_for_function(QUIET, timeout=15_000)

    def api(self, method: str, path: str, expected: int = 200, **body: Any) -> Any:
        """Call the API with the shop's key."""
        return self.story.call(method, path, expected, **body)

    def click(self, name: str, *, role: Any = "button", exact: bool = True) -> None:
        """Click what has this accessible name."""
        self.page.get_by_role(role, name=name, exact=exact).first.click()

    def field(self, label: str) -> Locator:
        """Return the control with this label."""
        return self.page.get_by_label(label, exact=True).first

    def write(self, label: str, text: str) -> None:
        """Type into a code field, in the place of what it has, as a person does."""
        self.field(label).click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)

    def close(self) -> None:
        """End the page; raise AssertionError with what it logged."""
        self.context.close()
        assert not self.errors, self.errors

    def _note(self, message: Any) -> None:
        if message.type == "error" and not any(word in message.text for word in EXPECTED):
            self.errors.append(message.text)
