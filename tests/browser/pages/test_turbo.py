"""Turbo, htmx and the plain history API turn pages into one: no frame of the original over navigations."""

import json
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.pages.conftest import SAMPLER, Open, installed
from tests.browser.sdk.configs import experiment, mutate, pages
from tests.browser.sdk.shop import SNIPPET_TAG, Shop

pytestmark = pytest.mark.browser

LOG = "(window.log = window.log || []).push"
LOOK = "<script>sample_(() => seen_('h1') && [seen_('h1'), document.querySelectorAll('.gone').length])</script>"
PATHS = ["/one", "/two", "/three", "/four"]


def serve_pages(shop: Shop, library: str) -> None:
    """Four pages that lead to each other, each with a headline that an experiment of its own changes."""
    links = "".join(f'<a id="to{path[1:]}" href="{path}">{path}</a>' for path in PATHS)
    for path in PATHS:
        shop.page(
            path,
            f"<!doctype html><html><head><title>{path}</title>{SAMPLER}{LOOK}{SNIPPET_TAG}{library}</head>"
            f'<body><nav>{links}</nav><main><h1>Original {path}</h1><p class="gone">Promo</p></main></body></html>',
        )
    shop.experiments = [
        experiment(
            {
                "mutations": [mutate("h1", "text", text=f"New {path}"), mutate(".gone", "remove")],
                "js": shop.script(f"{LOG}('js {path}')"),
            },
            name=f"e{number}",
            pages=pages(f"\\{path}"),
            reset_js=shop.script(f"{LOG}('reset {path}')"),
        )
        for number, path in enumerate(PATHS)
    ]


def go(page: Page, path: str) -> None:
    """Follows the link, and waits until the page is the new one and has settled."""
    page.click(f"#to{path[1:]}")
    arrived(page, path)


def arrived(page: Page, path: str) -> None:
    """Waits until the page shows the treatment of the path and its script has run."""
    page.wait_for_function(f"location.pathname === '{path}' && seen_('h1') === 'New {path}'")
    page.wait_for_function(f"log.at(-1) === 'js {path}'")


def frames(page: Page) -> list[Any]:
    """What was seen, frame after frame, without repetitions."""
    return [json.loads(frame) for frame in page.evaluate("frames_") if frame != "null"]


def new(*paths: str) -> list[Any]:
    """Frames of treated pages only."""
    return [[f"New {path}", 0] for path in paths]


def log_of(*paths: str) -> list[str]:
    """Each script once, each reset once when its page is left."""
    lines = [f"js {paths[0]}"]
    for before, path in pairwise(paths):
        lines += [f"reset {before}", f"js {path}"]
    return lines


def test_turbo__three_navigations_and_back__show_no_frame_of_the_original(shop: Shop, open_page: Open) -> None:
    shop.folders["/turbo/"] = installed("@hotwired/turbo") / "dist"
    serve_pages(shop, '<script src="/turbo/turbo.es2017-umd.js"></script>')
    page = open_page("/one")
    arrived(page, "/one")
    page.evaluate("window.same = true")
    for path in PATHS[1:]:
        go(page, path)
    page.evaluate("history.back()")  # from Turbo's cache of pages, which holds what we made of it
    arrived(page, "/three")
    assert page.evaluate("same") is True, "one page all along"
    assert frames(page) == new("/one", "/two", "/three", "/four", "/three")
    assert page.evaluate("log") == log_of("/one", "/two", "/three", "/four", "/three")
    assert len(shop.wait_events("experiment_viewed", 4)) == 4
    assert [event["url"].removeprefix(shop.url) for event in shop.wait_events("pageview", 5)] == [*PATHS, "/three"]


@pytest.mark.parametrize("boosted", ["hx-boost:inherited", "hx-boost"])
def test_htmx__swaps__show_no_frame_of_the_original(boosted: str, shop: Shop, open_page: Open) -> None:
    shop.folders["/htmx/"] = installed("htmx.org") / "dist"
    serve_pages(shop, '<script src="/htmx/htmx.min.js"></script>')
    for path, [text] in shop.pages.items():
        for target in PATHS:
            text = text.replace(f'id="to{target[1:]}"', f'id="to{target[1:]}" {boosted}="true"')
        shop.pages[path] = [text]
    page = open_page("/one")
    arrived(page, "/one")
    page.evaluate("window.same = true")
    for path in PATHS[1:]:
        go(page, path)
    assert page.evaluate("same") is True, "one page all along"
    assert frames(page) == new(*PATHS)
    assert page.evaluate("log") == log_of(*PATHS)


@pytest.mark.parametrize("api", ["history", "navigation", "no navigation"])
def test_router__that_renders_at_once_or_later__shows_no_frame_of_the_original(
    api: str, shop: Shop, open_page: Open
) -> None:
    serve_pages(shop, "")
    move = "navigation.navigate(path)" if api == "navigation" else "history.pushState({}, '', path)"
    render = "" if api == "navigation" else "render(path)"
    router = f"""<script>
      const render = (path) => {{ document.querySelector('main').innerHTML =
        '<h1>Original ' + path + '</h1><p class="gone">Promo</p>'; }};
      window.atOnce = (path) => {{ {move}; window.during = log.length; {render} }};
      if ({str(api == "navigation").lower()}) navigation.addEventListener('navigate', (e) => {{
        e.intercept({{handler: async () => render(new URL(e.destination.url).pathname)}});
      }});
    </script>"""
    without = (
        "<script>delete window.navigation; Object.defineProperty(window, 'navigation', {value: undefined})</script>"
    )
    for path, [text] in shop.pages.items():
        text = text.replace("</body>", f"{router}</body>")
        shop.pages[path] = [text.replace("<head>", f"<head>{without}") if api == "no navigation" else text]
    page = open_page("/one")
    arrived(page, "/one")
    for number, path in enumerate(PATHS[1:], start=1):
        page.evaluate(f"atOnce('{path}')")
        assert page.evaluate("during") == 2 * number - 1, "no customer script runs inside the page's own call"
        arrived(page, path)
    assert frames(page) == new(*PATHS)
    assert page.evaluate("log") == log_of(*PATHS)


def test_return_and_history_of_elements__are_those_of_the_page(shop: Shop, open_page: Open) -> None:
    serve_pages(shop, "")
    page = open_page("/one")
    assert page.evaluate("Object.keys(history).length") == 0, "the page keeps its own history functions"
    assert page.evaluate("history.pushState.toString()").endswith("{ [native code] }")
