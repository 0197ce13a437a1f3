"""After a change of address: how long the page keeps its treatments, and when scripts of the next page run."""

from typing import Any

import pytest

from tests.browser.sdk.configs import experiment, mutate, pages
from tests.browser.sdk.conftest import Open, quick
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
  const untilPutBack = async () => window.waited = await until(() => {HEADER} === 'Header');
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


@pytest.fixture
def shop_a(shop: Shop) -> Shop:
    """A shop that treats its shared header on path a, and nothing on path b."""
    shop.experiments = [on_header(shop)]
    shop.page("/a", html(BODY, SEEN))
    return shop


def test_address_first__page_later__shows_no_frame_of_either_original(shop: Shop, open_page: Open) -> None:
    shop.experiments = [headline(shop, path, reset_js=shop.script(f"{LOG}('reset {path}')")) for path in "abc"]
    shop.page("/a", html(BODY, SEEN))
    # Each headline has an experiment of its own, so that the left page's stands until the new page is there.
    page = quick(
        lambda: open_page("/a"),
        """(async () => { let longest = 0; window.ran = [];
          for (const path of 'bc') {
            const since = performance.now();
            history.pushState({}, '', `/${path}`); const early = log.length;
            await later(20); ran.push(log.length - early); longest = Math.max(longest, performance.now() - since);
            draw(`Original ${path}`);
            while (log.at(-1) !== `${path}: New ${path}`) await later(5);
            await later(150); // so that no change of this page is taken for one of the next
          }
          return longest; })()""",
        below=80,
    )
    assert page.evaluate("ran") == [0, 0], "scripts wait for their page"
    page.evaluate("addEventListener('popstate', async () => { await later(100); draw('Original b'); }); history.back()")
    page.wait_for_function("log.length === 7")
    assert [text for text in page.evaluate("seen") if text.startswith("Original")] == []
    assert page.evaluate("log") == [
        "a: New a", "reset a", "b: New b", "reset b", "c: New c", "reset c", "b: New b",
    ]  # fmt: skip


def test_shared_header__comes_back_when_the_page_changes(shop_a: Shop, open_page: Open) -> None:
    page = quick(
        lambda: open_page("/a"),
        f"""(async () => {{ const since = performance.now(); history.pushState({{}}, '', '/b'); await later(200);
          window.before = {HEADER}; const left = performance.now() - since;
          draw('B'); window.frames = 0; while ({HEADER} !== 'Header' && frames < 99) {{
            await frame(); frames++; }} return left; }})()""",
        below=450,
    )
    assert page.evaluate("before") == "New", "the page that is left keeps its treatment"
    assert page.evaluate("frames") <= 3
    assert page.evaluate("log") == ["reset"]


def test_page_that_changes_nothing__is_given_back_half_a_second_later(shop_a: Shop, open_page: Open) -> None:
    page = quick(lambda: open_page("/a"), "history.pushState({}, '', '/b'), untilPutBack()", below=1200)
    assert page.evaluate("waited") > 400


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
def test_what_is_no_new_page__gives_nothing_back(other: str, shop_a: Shop, open_page: Open) -> None:
    page = quick(
        lambda: open_page("/a"),
        f"""(async () => {{ const since = performance.now(); history.pushState({{}}, '', '/b');
          for (let i = 0; i < 6; i++) {{ {other}; await frame(); }}
          window.found = {HEADER}; return performance.now() - since; }})()""",
        below=450,
    )
    assert page.evaluate("found") == "New"
    page.wait_for_function(f"{HEADER} === 'Header'")


def test_what_we_take_out_of_the_page_ourselves__is_no_new_page(shop: Shop, open_page: Open) -> None:
    removal = experiment({"mutations": [mutate("#ticker", "remove")]}, name="removal", pages=pages("\\/b"))
    shop.experiments = [on_header(shop), removal]
    shop.page("/a", html(BODY, SEEN))
    page = quick(
        lambda: open_page("/a"),
        f"""(async () => {{ const since = performance.now(); history.pushState({{}}, '', '/b');
          for (let i = 0; i < 6; i++) await frame();
          window.found = [{HEADER}, document.querySelector('#ticker')]; return performance.now() - since; }})()""",
        below=450,
    )
    assert page.evaluate("found") == ["New", None]


@pytest.mark.parametrize("between", ["", "await null;"])
def test_page_that_draws_before_it_changes_its_address__has_its_scripts_at_once(
    between: str, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [headline(shop, "b")]
    shop.page("/a", html(BODY, SEEN))
    page = quick(
        lambda: open_page("/a"),
        f"""(async () => {{ draw('B'); {between} history.pushState({{}}, '', '/b');
          return until(() => window.log); }})()""",
        below=490,
    )
    assert page.evaluate("log") == ["b: New b"]


def test_addresses_in_a_row__wait_once_and_run_the_last_ones_scripts_only(shop: Shop, open_page: Open) -> None:
    shop.experiments = [on_header(shop), headline(shop, "b"), headline(shop, "c")]
    shop.page("/a", html(BODY, SEEN))
    # A page that changes its address again and again is no reason to wait for ever.
    page = quick(
        lambda: open_page("/a"),
        """(async () => { const since = performance.now(); history.pushState({}, '', '/b'); await later(300);
          history.replaceState({}, '', '/c'); await untilPutBack(); return window.waited = performance.now() - since;
          })()""",
        below=750,
    )
    assert page.evaluate("waited") > 400
    page.wait_for_function("log.length === 2")
    assert page.evaluate("log") == ["reset", "c: New c"]


def test_decisions_that_change_without_an_address__take_effect_within_frames(shop: Shop, open_page: Open) -> None:
    others = {"mode": "any", "in": [{"kind": "other"}], "out": []}
    shop.experiments = [on_header(shop), {**headline(shop, "a"), "audience": others}]
    shop.page("/a", html(BODY, SEEN))
    page = quick(
        lambda: open_page("/a"),
        """(async () => { svc.set({kind: 'other'}); svc.force('shared', 0); const put = await untilPutBack();
          await until(() => window.log); return put; })()""",
        below=250,
    )
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


def test_hidden_document__waits_for_no_page(shop_a: Shop, open_page: Open) -> None:
    hidden = "Object.defineProperty(document, 'hidden', {value: true})"
    quick(lambda: open_page("/a"), f"{hidden}, history.pushState({{}}, '', '/b'), untilPutBack()", below=300)


def test_shop_without_mutations__is_given_two_frames(shop: Shop, open_page: Open) -> None:
    content = {"css": "header{color:rgb(1,2,3)}", "js": shop.script(f"{LOG}('a')")}
    shop.experiments = [experiment(content, pages=pages("\\/a"), reset_js=shop.script(f"{LOG}('reset')"))]
    shop.page("/a", html(BODY, SEEN))
    page = quick(
        lambda: open_page("/a"), "history.pushState({}, '', '/b'), until(() => log.at(-1) === 'reset')", below=400
    )
    assert page.evaluate("getComputedStyle(document.querySelector('header')).color") == "rgb(0, 0, 0)"


@pytest.mark.parametrize("hide_ms", ["100", "100 ms"])
def test_page_that_lets_hidden_content_wait_for_less__waits_less_for_its_page(
    hide_ms: str, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [on_header(shop)]
    shop.page("/a", html(BODY, SEEN, tag=patient(hide_ms)))
    quick(lambda: open_page("/a"), "history.pushState({}, '', '/b'), untilPutBack()", below=300)
