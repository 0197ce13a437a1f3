"""Screens in every state, from answers recorded once: no call reaches the stack, and any screen can be in any state."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Request, Response, Route
from playwright.sync_api import TimeoutError as NeverCameError

from tests.support.console_page import Console

READINGS = re.compile(r"/(api/v1|console/identity)/(?!session$|inbox/unread)")
"""What screens read. Who is signed in and the number at the bell belong to the frame, which stays whole."""


def _refusal(status: int, code: str, message: str, request_id: str) -> dict[str, Any]:
    error = {"code": code, "message": message, "status": status, "request_id": request_id}
    return {"status": status, "json": {"error": error}}


BROKEN: dict[str, dict[str, Any]] = {
    "refused": _refusal(403, "insufficient_scope", "the session lacks the scope x:read", "r-1"),
    "failed": _refusal(500, "internal_error", "an unexpected error", "r-2"),
    "of a proxy": {"status": 502, "body": "<html>Bad gateway</html>"},
}
SENTENCES: dict[str, tuple[str, ...]] = {
    "loading": ("Loading …",),
    "refused": ("You may not see this", "the scope x:read", "An admin or owner of the shop can give you"),
    "failed": ("An unexpected error", "r-2", "Try again"),
    "of a proxy": ("answered with status 502", "Try again"),
    "offline": ("does not answer", "Try again"),
    "stale": ("may be out of date", "Try again"),
}
"""Sentences of a screen that reads something, by state."""

STATES = ("whole", "loading", "empty", "refused", "failed", "of a proxy", "offline", "stale")
ODD = re.compile(r"undefined|\[object|NaN|^\s*$")
COMPLAINT = re.compile(r"try again|may not see|does not answer|unexpected error|x:read", re.IGNORECASE)
LATE = """(sentence) => [...document.querySelectorAll("#main .waiting, #main [aria-busy=true]")]
  .some((each) => each.textContent.includes(sentence))"""
WITHOUT_A_HINT = """() => [...document.querySelectorAll("#main .empty")].filter((each) => each.children.length < 2)
  .map((each) => `${each.textContent}: and now?`)"""
ON_THE_SCREEN = """() => [...document.querySelectorAll("#main h1, #main h2, #main th, #main dt")]
  .filter((each) => each.offsetParent && !each.closest("[role=alert]")).map((each) => each.textContent.trim())"""


@dataclass
class Recording:
    """The answers of a walk, by address; an address with another query gets the answer of its path."""

    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    _arrived: list[Response] = field(default_factory=list)

    def listen(self, console: Console) -> None:
        """Note what the page reads from now on."""
        console.page.on("response", self._note)

    def keep(self) -> None:
        """Read the bodies that arrived. Call it before the page goes on: a browser forgets them."""
        while self._arrived:
            response = self._arrived.pop()
            kept = {"status": response.status, "headers": _of_the_answer(response), "body": response.body()}
            for name in _names(response.request):
                self.answers.setdefault(name, kept)

    def answer_to(self, request: Request) -> dict[str, Any]:
        """Return the recorded answer. KeyError where nothing like it was read."""
        exact, path = _names(request)
        return self.answers.get(exact) or self.answers[path]

    def _note(self, response: Response) -> None:
        if READINGS.search(response.url) and response.status != 304:
            self._arrived.append(response)


def _of_the_answer(response: Response) -> dict[str, str]:
    return {name: text for name, text in response.headers.items() if name in {"content-type", "etag", "x-request-id"}}


def _names(request: Request) -> tuple[str, str]:
    address = urlsplit(request.url)
    return f"{request.method} {address.path}?{address.query}", f"{request.method} {address.path}"


def emptied(answer: dict[str, Any]) -> dict[str, Any]:
    """Return a list without its rows and with counts of nothing; single things and settings stay as they are."""
    content = json.loads(answer["body"] or "null")
    if not isinstance(content, dict) or "data" not in content:
        return answer
    return {**answer, "body": json.dumps({name: _without_rows(value) for name, value in content.items()})}


def _without_rows(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_rows(each) for name, each in value.items()}
    if isinstance(value, list):
        return []
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    return 0


class Player:
    """Answers what one page reads, in its state."""

    def __init__(self, console: Console, recording: Recording) -> None:
        self.console = console
        self.recording = recording
        self.state = "whole"
        self.reads: list[str] = []
        self._held: list[Route] = []
        console.page.route(READINGS, self._answer)

    def enter(self, path: str, state: str) -> list[str]:
        """Go to a screen and bring it into a state. Return what is wrong there."""
        self.reads, self.state = [], "whole" if state == "stale" else state
        entered: Callable[[str], list[str]] = {"loading": self._wait, "stale": self._renew}.get(state, self._arrive)
        return entered(path)

    def release(self) -> list[str]:
        """Answer what was held back, and wait for the screen. Return what was lacking meanwhile."""
        text, before = self.text(), self._on_the_screen()
        self.state = "whole"
        while self._held:
            self._answer(self._held.pop())
        self.console.settled()
        # A tab of an experiment shows at once what the tab before it has read.
        return [] if before == self._on_the_screen() else self._lacking("loading", text)

    def _answer(self, route: Route) -> None:
        if route.request.method == "GET":
            self.reads.append(route.request.url)
        if self.state == "offline":
            return route.abort()
        if self.state == "loading":
            return self._held.append(route)
        if self.state in BROKEN:
            return route.fulfill(**BROKEN[self.state])
        answer = self.recording.answer_to(route.request)
        return route.fulfill(**(emptied(answer) if self.state == "empty" else answer))

    def _arrive(self, path: str) -> list[str]:
        self.console.go(path)
        text = self.text()
        wrong = [text] if ODD.search(text) else []
        if self.state in BROKEN or self.state == "offline":
            return wrong + self._lacking(self.state, text)
        wrong += self.console.page.evaluate(WITHOUT_A_HINT)
        return wrong + [f"complains: {match[0]!r}" for match in [COMPLAINT.search(text)] if match]

    def _wait(self, path: str) -> list[str]:
        self.console.begin(path)
        [sentence] = SENTENCES["loading"]
        with suppress(NeverCameError):
            self.console.page.wait_for_function(LATE, arg=sentence, timeout=3_000)
        return []

    def _renew(self, path: str) -> list[str]:
        self.console.go(path)
        before = self._on_the_screen()
        self.reads, self.state = [], "failed"
        self.console.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        self.console.settled()
        after = self._on_the_screen()
        gone = [f"{name!r} is gone" for name in before if name not in after]
        return gone + self._lacking("stale", self.text())

    def _lacking(self, state: str, text: str) -> list[str]:
        return [f"lacks {sentence!r}" for sentence in SENTENCES[state] if self.reads and sentence not in text]

    def _on_the_screen(self) -> list[str]:
        return list(self.console.page.evaluate(ON_THE_SCREEN))

    def text(self) -> str:
        """Return the words on the screen."""
        return str(self.console.page.locator("main").inner_text())
