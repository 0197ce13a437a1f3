"""Landing pages with one planted defect each: a rendered page, broken in one place, with the finding that is due."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from abtest.contract.page_specs import spec_of
from abtest.domain.browsing.viewport import DESKTOP, Viewport
from abtest.domain.pages.policy import policy as policy_of
from abtest.domain.pages.render import RenderedPage, render
from tests.support.landing import ASSETS, FOOTER, LIBRARY, SEO, SITE, page, png

PHONE = Viewport(390, 844, 1, touch=True)
BANNED = "miracle cure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """Broken page, and the check and element of the finding. `answers` replace responses by a part of the address."""

    name: str
    check: str
    selector: str | None
    html: bytes
    policy: str
    answers: Mapping[str, tuple[int, str, bytes]] = field(default_factory=dict)
    viewport: Viewport = DESKTOP


def sound() -> RenderedPage:
    """Return the page before it is broken."""
    spec = spec_of(page("hero", "features", "faq", "cta", "form", footer=FOOTER))
    return render(spec, assets=LIBRARY, seo=SEO, site=SITE)


_SOUND = sound()
_HTML, _POLICY = _SOUND.html.decode(), _SOUND.policy
_HEAD, _BUTTON = "#hero > div > div > div:nth-of-type(1)", "#cta > div > div > p > a:nth-of-type(1)"
_FOLDER = f"{ASSETS}/a/1"


def _changed(old: str, new: str) -> str:
    assert old in _HTML, old
    return _HTML.replace(old, new, 1)


def _styled(css: str, html: str = _HTML) -> str:
    return html.replace("</style>", f"{css}</style>", 1)


def _defect(name: str, check: str, selector: str | None, html: str, **more: object) -> Defect:
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    # The page's own style sheet is allowed by its hash, which has to be that of the broken one.
    policy = policy_of(spec_of(page("form")), SITE, style[1])
    return Defect(name=name, check=check, selector=selector, html=html.encode(), **{"policy": policy, **more})  # type: ignore[arg-type]


def _script(text: str) -> dict[str, tuple[int, str, bytes]]:
    return {"/s/": (200, "text/javascript", text.encode())}


_LOADED = "addEventListener('DOMContentLoaded', () => {{ {} }});"
_BANNER = _LOADED.format(
    "setTimeout(() => { const top = document.createElement('p'); top.textContent = 'Free delivery'; "
    "top.setAttribute('class', 'lead'); const copies = [1, 2, 3, 4, 5].map(() => top.cloneNode(true)); "
    "document.querySelector('#hero').before(...copies); }, 150);"
)
_WIDE = '<section id="table"><p>{}</p></section></main>'

DEFECTS = (
    _defect("a script that fails", "console", None, _HTML, answers=_script("undefined.price")),
    _defect("a handler in an attribute", "policy", None, _changed("<body>", '<body onload="alert(1)">')),
    _defect(
        "a picture of another host",
        "policy",
        None,
        _changed("</main>", '<p><img src="https://cdn.example/a.png" width="9" height="9" alt="Seal"></p></main>'),
    ),
    _defect(
        "a tracker that the policy allows",
        "requests",
        None,
        _changed("</main>", '<p><img src="https://track.example/a.png" width="9" height="9" alt="Seal"></p></main>'),
        policy=_POLICY.replace("img-src", "img-src https://track.example"),
        answers={"track.example": (200, "image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>')},
    ),
    _defect("a snippet that does not arrive", "requests", None, _HTML, answers={"/s/": (500, "text/plain", b"")}),
    _defect("a file that is gone", "requests", None, _HTML, answers={"icon.svg": (404, "text/plain", b"")}),
    _defect(
        "a button under a banner",
        "controls",
        _BUTTON,
        _styled("#banner{position:absolute;inset:0;background:#fff;color:#000}#cta .panel{position:relative}").replace(
            "See the evening coming</h2>", 'See the evening coming</h2><div id="banner">Only today</div>'
        ),
    ),
    _defect("a transparent button", "controls", _BUTTON, _styled("#cta .primary{opacity:0}")),
    _defect("a button that is never shown", "controls", _BUTTON, _styled("#cta .primary{display:none}")),
    _defect("a button that ignores clicks", "controls", _BUTTON, _styled("#cta .primary{pointer-events:none}")),
    _defect(
        "a link without a name",
        "controls",
        "#features > div > ul > li:nth-of-type(3) > div:nth-of-type(2) > p > a",
        _changed(">0.1 watt</a>", "><svg width='24' height='24'></svg></a>"),
    ),
    _defect(
        "a picture that cannot be read",
        "images",
        f"{_HEAD.replace('(1)', '(2)')} > img",
        _HTML,
        answers={"/a/1/": (200, "image/webp", b"RIFF")},
    ),
    _defect(
        "a picture four times too large",
        "images",
        "#features > div > ul > li:nth-of-type(1) > div:nth-of-type(1) > img",
        _changed('src="https://assets.shop.example/a/5/icon.svg"', 'src="https://assets.shop.example/a/9/large.png"'),
        answers={"large.png": (200, "image/png", png(640, 200))},
    ),
    _defect(
        "a picture without a text",
        "images",
        f"{_HEAD.replace('(1)', '(2)')} > img",
        _changed(' alt="Desk lamp next to a window at dusk"', ""),
    ),
    _defect(
        "two main headings",
        "document",
        "#faq > div > div > h1",
        _changed("<h2>Questions before you buy</h2>", "<h1>Questions before you buy</h1>"),
    ),
    _defect("no main heading", "document", None, _HTML.replace("h1>", "h2>")),
    _defect("no language", "document", "html", _changed('<html lang="en">', "<html>")),
    _defect(
        "no window of the device",
        "document",
        None,
        _changed('<meta name="viewport" content="width=device-width, initial-scale=1">', ""),
    ),
    _defect(
        "a banned phrase", "brand_banned_phrases", "#hero", _changed("no blue light", f"a {BANNED.upper()} for sleep")
    ),
    _defect(
        "pictures too heavy for a phone",
        "size_budget",
        None,
        _HTML,
        answers={
            "icon.svg": (
                200,
                "image/svg+xml",
                b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h8v8z"/>'
                b"<!--" + b"x" * 1_600_000 + b"--></svg>",
            )
        },
        viewport=PHONE,
    ),
    _defect("far too many elements", "size_budget", None, _changed("</main>", "<hr>" * 1400 + "</main>")),
    _defect("content that pushes the page down", "layout_shift", "#features", _HTML, answers=_script(_BANNER)),
    _defect("text without contrast", "accessibility", f"{_HEAD} > div > p", _styled(".hero p{color:#c3c3c3}")),
    _defect(
        "a field without a label", "accessibility", "#form_email", _changed('<label for="form_email">Email</label>', "")
    ),
    _defect(
        "targets that are too small",
        "accessibility",
        "footer > div > ul > li:nth-of-type(1) > a",
        _styled(
            "footer ul,footer li{display:block;margin:0;padding:0;line-height:12px;font-size:12px}"
            "footer li a{display:inline-block;padding:0;min-height:0;line-height:12px;height:12px}"
        ),
    ),
    _defect("a form that is sent empty", "forms", "#form > div > form", _changed("<form ", "<form novalidate ")),
    _defect(
        "a form without a button",
        "forms",
        "#form > div > form",
        _changed('<button type="submit" class="button primary">Send question</button>', ""),
    ),
    _defect(
        "a table wider than a phone",
        "layout",
        "#table > p",
        _styled("#table p{width:420px}", _changed("</main>", _WIDE.format("Nine watts"))),
        viewport=PHONE,
    ),
    _defect(
        "a word that does not break",
        "layout",
        "#cta > div > div > h2",
        _styled(
            "#cta h2{overflow-wrap:normal;hyphens:none}",
            _changed("See the evening coming", "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz"),
        ),
    ),
    _defect("small print", "text_size", "footer > div > div > div > p", _styled("footer p{font-size:10px}")),
)
