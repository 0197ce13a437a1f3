"""Reports as files in Chromium: nothing may be loaded, and nothing may run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from abtest.services.report_page import render_report
from tests.browser.pages.conftest import installed
from tests.support.reports import STATES

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every state as a file."""
    folder = tmp_path_factory.mktemp("reports")
    for state, facts in STATES.items():
        (folder / f"{state}.html").write_text(render_report(facts()), encoding="utf-8")
    return folder


@pytest.fixture
def open_report(browser: Browser, files: Path) -> Iterator[Open]:
    """Opens a state in a window of that width. In the end, no page may have asked for anything or complained."""
    contexts: list[BrowserContext] = []
    asked: list[str] = []
    complaints: list[str] = []

    def open_state(state: str, width: int = 1100, scheme: Any = "light") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=False)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto((files / f"{state}.html").as_uri())
        return page

    yield open_state
    for context in contexts:
        context.close()
    assert {Path(url).parent.name for url in asked} == {files.name}
    assert len(asked) == len(contexts)
    assert complaints == []


@pytest.fixture(scope="session")
def axe() -> str:
    """The text of axe-core."""
    return (installed("axe-core") / "axe.min.js").read_text(encoding="utf-8")
