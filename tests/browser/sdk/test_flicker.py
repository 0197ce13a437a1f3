"""The original is never painted: texts and opacity are sampled in every animation frame of cold loads."""

import pytest

from tests.browser.sdk.configs import experiment, mutate
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

LOADS = 10
SAMPLER = """<script>
window.frames_ = [];
(function sample() {
  const body = document.body;
  if (body && body.querySelector('.end')) window.sampled = true;
  const target = (id) => document.getElementById(id);
  frames_.push({
    text: target('text') ? target('text').textContent : null,
    html: target('html') ? target('html').innerHTML : null,
    color: target('style') ? target('style').style.color : null,
    title: target('attribute') ? target('attribute').title : null,
    removed: !target('remove'),
    inserted: target('insert') ? document.querySelectorAll('.inserted').length : null,
    opacity: body ? getComputedStyle(document.documentElement).opacity : null,
  });
  requestAnimationFrame(sample);
})();
</script>"""
# What a frame may show once the target stands; null: not parsed yet.
TREATED = {
    "text": "New",
    "html": "<b>New</b>",
    "color": "blue",
    "title": "new",
    "removed": True,
    "inserted": 2,
    "opacity": "1",
}
MUTATIONS = [
    mutate("#text", "text", text="New"),
    mutate("#html", "html", html="<b>New</b>"),
    mutate("#style", "style", styles={"color": "blue"}),
    mutate("#attribute", "attribute", attributes={"title": "new"}),
    mutate("#remove", "remove"),
    mutate("#insert", "insertBefore", html='<i class="inserted">+</i>'),
    mutate("#insert", "insertAfter", html='<i class="inserted">+</i>'),
]
TARGETS = "".join(f'<p id="{name}">Original</p>' for name in ("text", "html", "style", "attribute", "remove", "insert"))
GATE = "<script>requestAnimationFrame(() => requestAnimationFrame(() => fetch('/gate')))</script>"


def test_cold_loads__show_no_frame_of_the_original(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"mutations": MUTATIONS})]
    start, *rest = html(f'{TARGETS}<p class="end"></p>', SAMPLER).split("</p>")
    # In three pieces, painted in between: the headline alone, the rest, the end.
    pieces = [f"{start}</p>{GATE}", f"{'</p>'.join(rest[:-2])}</p>{GATE}", "</p>".join(rest[-2:])]
    seen = 0
    page = None
    for _ in range(LOADS):
        shop.page("/", *pieces)
        page = open_page("/", page)
        page.wait_for_function("window.sampled && frames_.length > 5")
        for frame in page.evaluate("frames_"):
            seen += 1
            wrong = {key: value for key, value in frame.items() if value is not None and value != TREATED[key]}
            assert not wrong, frame
    assert seen >= LOADS * 5


def test_nothing_is_hidden__for_plain_mutations(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"mutations": [mutate("#late", "text", text="New")]})]
    shop.page("/", html(f"<h1>Seen</h1>{GATE}", SAMPLER), '<p id="late">Original</p>')
    page = open_page()
    shown = page.evaluate("frames_.filter((frame) => frame.opacity !== null)")
    assert {frame["opacity"] for frame in shown} == {"1"}
