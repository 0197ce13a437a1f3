"""Answers to addresses without a route or a page, and to pages that cannot be served: in the form of the caller."""

from base64 import b64encode
from hashlib import sha256
from html import escape

from abtest.edge.delivery import SHARED, InvalidShopIdError
from abtest.edge.gateway import PUBLIC, Answer, Headers, error_answer, json_error, script_error, style_error
from abtest.kit.errors import NotFoundError, ServiceError

_STYLE = (
    ":root{color-scheme:light dark;font:18px/1.5 system-ui,sans-serif}"
    "body{min-height:90vh;margin:0;display:grid;place-content:center}"
    "main{box-sizing:border-box;max-width:34rem;padding:2rem}"
    "h1{margin:0 0 .5em;font-size:1.6rem;line-height:1.25;text-wrap:balance}p{margin:0;opacity:.8}"
)
_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; base-uri 'none'; style-src 'sha256-{_STYLE_HASH}'"
_HEADERS: Headers = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": f"{_POLICY}; frame-ancestors 'self'",
}
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">'
    f"<style>{_STYLE}</style>"
    "<title>__TITLE__</title></head><body><main><h1>__TITLE__</h1><p>__TEXT__</p></main></body></html>\n"
)
_TEXTS = {
    404: ("Page not found", "There is no page at this address."),
    405: ("Not possible", "This page can only be read."),
}
_OTHERS = ("Not available", "The page cannot be shown at the moment. Please try again in a minute.")


def unknown_address(path: str, accept: str) -> Answer:
    """Return the answer to an address that no route and no page has.

    Under `/s/` it is a comment, because pages load it as a script.
    """
    if path == "/s" or path.startswith("/s/"):
        # A shop's id has no slash, so such an address names no shop.
        render = style_error if path.endswith(".css") else script_error
        return render(InvalidShopIdError(), {**SHARED, **PUBLIC})
    return page_error(NotFoundError("there is nothing at this address"), accept)


def page_error(error: ServiceError, accept: str) -> Answer:
    """Return an error as a small page for browsers, which accept HTML, and as JSON for all others."""
    if "text/html" not in accept:
        return json_error(error, {})
    title, text = _TEXTS.get(error.status, _OTHERS)
    return message_page(error, title, text, _HEADERS)


def message_page(error: ServiceError, title: str, text: str, headers: Headers) -> Answer:
    """Return an error as a small page with these texts."""
    page = _PAGE.replace("__TITLE__", escape(title)).replace("__TEXT__", escape(text))
    policy = {"Content-Security-Policy": _POLICY}
    return error_answer(error, "text/html; charset=utf-8", page, {**policy, **headers})
