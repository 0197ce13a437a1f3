"""After a change of address: how long the page keeps its treatments, and when scripts of the next page run."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.sdk.configs import experiment, mutate, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html, patient

pytestmark = pytest.mark.browser

LOG = "(window.log = window.log || []).push"
HEADER = "document.querySelector('header').textContent"
SEEN = f"""<script>
  // The headline of each frame, without repetitions.
  window.seen = [];
  (function sample() {{
    const text = document.querySelector('h1')?.textContent;
    if (text && seen.at(-1) !== text) seen.push(text);
    requestAnimationFrame(sample);
  }})();
  const frame = () => new Promise((done) => requestAnimationFrame(() => done()));
  const later = (ms) => new Promise((done) => setTimeout(done, ms));
  const draw = (text) => {{ document.querySelector('main').innerHTML = `<h1>${{text}}</h1>`; }};
  // How long until it holds, at most three seconds.
  const until = async (holds) => {{
    const since = performance.now();
    while (!holds() && performance.now() - since < 3000) await frame();
    return performance.now() - since;
  }};
  const untilPutBack = () => until(() => {HEADER} === 'Header');
</script>"""
BODY = "<header>Header</header><main><h1>Original a</h1></main><p id='ticker'>0</p>"


def headline(shop: Shop, path: str, **more: Any) -> dict[str, Any]:
    """An experiment on the headline of one path, whose script notes what it finds there."""
    note = f"{LOG}('{path}: ' + document.querySelector('main').textContent)"
    content = {"mutations": [mutate("main h1", "text", text=f"New {path}")], "js": shop.script(note)}
    return experiment(content, name=f"e-{path}", pages=pages(f"\\/{path}"), **more)


def on_header(shop: Shop, **more: Any) -> dict[str, Any]:
    """An experiment on what all pages share, on path a alone."""
    content = {"mutations": [mutate("header", "text", text="New")], **more}
    return experiment(content, name="shared", pages=pages("\\/a"), reset_js=shop.script(f"{LOG}('reset')"))


def quickest(open_at: Callable[[], Page], script: str) -> tuple[float, Page]:
    """The shortest wait of three pages, ms, and that page: a busy machine delays a page, and hurries none."""
    waits = [(page.evaluate(script), page) for page in (open_at() for _ in range(3))]
    return min(waits, key=lambda wait: wait[0])


@pytest.fixture
def page_a(shop: Shop, open_page: Open) -> Page:
    """Path a of a shop that treats its shared header there, and nothing on path b."""
    shop.experiments = [on_header(shop)]
    shop.page("/a", html(BODY, SEEN))
    page = open_page("/a")
    assert page.evaluate(HEADER) == "New"
    return page


def test_address_first__page_later__shows_no_frame_of_either_original(shop: Shop, open_page: Open) -> None:
    shop.experiments = [headline(shop, path, reset_js=shop.script(f"{LOG}('reset {path}')")) for path in "abc"]
    shop.page("/a", html(BODY, SEEN))
    page = open_page("/a")
    # Each headline has an experiment of its own, so that the left page's stands until the new page is there.
    for path in "bc":
        page.evaluate(
            f"(async () => {{ history.pushState({{}}, '', '/{path}'); window.early = log.length; "
            f"await later(200); window.during = log.length; draw('Original {path}'); }})()"
        )
        page.wait_for_function(f"log.at(-1) === '{path}: New {path}'")
        assert page.evaluate("during") == page.evaluate("early"), "scripts wait for their page"
    page.evaluate("addEventListener('popstate', async () => { await later(200); draw('Original b'); }); history.back()")
    page.wait_for_function("log.length === 7")
    assert [text for text in page.evaluate("seen") if text.startswith("Original")] == []
    assert page.evaluate("log") == [
        "a: New a", "reset a", "b: New b", "reset b", "c: New c", "reset c", "b: New b",
    ]  # fmt: skip


def test_shared_header__comes_back_when_the_page_changes(page_a: Page) -> None:
    frames = page_a.evaluate(
        f"""(async () => {{ history.pushState({{}}, '', '/b'); await later(200); window.before = {HEADER};
          draw('B'); let frames = 0; while ({HEADER} !== 'Header' && frames < 99) {{
            await frame(); frames++; }} return frames; }})()"""
    )
    assert page_a.evaluate("before") == "New", "the page that is left keeps its treatment"
    assert frames <= 3
    assert page_a.evaluate("log") == ["reset"]


def test_page_that_changes_nothing__is_given_back_half_a_second_later(page_a: Page) -> None:
    waited = page_a.evaluate("history.pushState({}, '', '/b'), untilPutBack()")
    assert 400 < waited < 1200


@pytest.mark.parametrize(
    "other",
    [
        "document.body.append(Object.assign(document.createElement('div'), {className: 'spinner'}))",
        "document.querySelector('#ticker').textContent = performance.now()",
        "document.head.append(document.createElement('script')); document.head.lastChild.remove()",
        "document.title = performance.now()",
        "document.querySelector('main').className += ' leaving'",
    ],
)
def test_what_is_no_new_page__gives_nothing_back(other: str, page_a: Page) -> None:
    page_a.evaluate("history.pushState({}, '', '/b')")
    found = page_a.evaluate(
        f"(async () => {{ for (let i = 0; i < 6; i++) {{ {other}; await frame(); }} return {HEADER}; }})()"
    )
    assert found == "New"
    page_a.wait_for_function(f"{HEADER} === 'Header'")


def test_what_we_take_out_of_the_page_ourselves__is_no_new_page(shop: Shop, open_page: Open) -> None:
    removal = experiment({"mutations": [mutate("#ticker", "remove")]}, name="removal", pages=pages("\\/b"))
    shop.experiments = [on_header(shop), removal]
    shop.page("/a", html(BODY, SEEN))
    page = open_page("/a")
    found = page.evaluate(
        f"(async () => {{ history.pushState({{}}, '', '/b'); for (let i = 0; i < 6; i++) await frame(); "
        f"return [{HEADER}, document.querySelector('#ticker')]; }})()"
    )
    assert found == ["New", None]


@pytest.mark.parametrize("between", ["", "await null;"])
def test_page_that_draws_before_it_changes_its_address__has_its_scripts_at_once(
    between: str, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [headline(shop, "b")]
    shop.page("/a", html(BODY, SEEN))
    waited, page = quickest(
        lambda: open_page("/a"),
        f"""(async () => {{ draw('B'); {between} history.pushState({{}}, '', '/b');
          return until(() => window.log); }})()""",
    )
    assert waited < 490
    assert page.evaluate("log") == ["b: New b"]


def test_addresses_in_a_row__wait_once_and_run_the_last_ones_scripts_only(shop: Shop, open_page: Open) -> None:
    shop.experiments = [on_header(shop), headline(shop, "b"), headline(shop, "c")]
    shop.page("/a", html(BODY, SEEN))
    page = open_page("/a")
    waited = page.evaluate(
        """(async () => { const since = performance.now(); history.pushState({}, '', '/b'); await later(300);
          history.replaceState({}, '', '/c'); await untilPutBack(); return performance.now() - since; })()"""
    )
    assert 400 < waited < 750, "a page that changes its address again and again is no reason to wait for ever"
    page.wait_for_function("log.length === 2")
    assert page.evaluate("log") == ["reset", "c: New c"]


def test_decisions_that_change_without_an_address__take_effect_within_frames(shop: Shop, open_page: Open) -> None:
    others = {"mode": "any", "in": [{"kind": "other"}], "out": []}
    shop.experiments = [on_header(shop), {**headline(shop, "a"), "audience": others}]
    shop.page("/a", html(BODY, SEEN))
    waited, page = quickest(
        lambda: open_page("/a"),
        """(async () => { svc.set({kind: 'other'}); svc.force('shared', 0); const put = await untilPutBack();
          await until(() => window.log); return put; })()""",
    )
    assert waited < 250
    assert page.evaluate("log") == ["a: New a"]


def test_consent_taken_back__while_a_page_is_waited_for__takes_all_back_at_once(shop: Shop, open_page: Open) -> None:
    shop.runtime["consent"] = {"read": shop.script("return true"), "events": []}
    shop.experiments = [on_header(shop, css="header{color:rgb(1,2,3)}")]
    shop.page("/a", html(BODY, SEEN))
    page = open_page("/a")
    assert page.evaluate(HEADER) == "New"
    color = "getComputedStyle(document.querySelector('header')).color"
    found = page.evaluate(f"history.pushState({{}}, '', '/b'); svc.consent(false); [{HEADER}, {color}]")
    assert found == ["Header", "rgb(0, 0, 0)"], "within the call"


def test_hidden_document__waits_for_no_page(page_a: Page, open_page: Open) -> None:
    hidden = "Object.defineProperty(document, 'hidden', {value: true})"
    waited, _ = quickest(
        lambda: open_page("/a", page_a), f"{hidden}, history.pushState({{}}, '', '/b'), untilPutBack()"
    )
    assert waited < 300


def test_shop_without_mutations__is_given_two_frames(shop: Shop, open_page: Open) -> None:
    content = {"css": "header{color:rgb(1,2,3)}", "js": shop.script(f"{LOG}('a')")}
    shop.experiments = [experiment(content, pages=pages("\\/a"), reset_js=shop.script(f"{LOG}('reset')"))]
    shop.page("/a", html(BODY, SEEN))
    waited, page = quickest(
        lambda: open_page("/a"), "history.pushState({}, '', '/b'), until(() => log.at(-1) === 'reset')"
    )
    assert waited < 400
    assert page.evaluate("getComputedStyle(document.querySelector('header')).color") == "rgb(0, 0, 0)"


@pytest.mark.parametrize("hide_ms", ["100", "100 ms"])
def test_page_that_lets_hidden_content_wait_for_less__waits_less_for_its_page(
    hide_ms: str, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [on_header(shop)]
    shop.page("/a", html(BODY, SEEN, tag=patient(hide_ms)))
    waited, _ = quickest(lambda: open_page("/a"), "history.pushState({}, '', '/b'), untilPutBack()")
    assert waited < 300
