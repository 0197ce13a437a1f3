"""Elements whose addresses lead through the proxy, and those that a preview must not have, as one table.

Pictures and media stay the shop's, found by the base of the document; all that must be of the page's own origin, and
all that may lead to another page, is mapped.
"""

import re
from collections.abc import Callable, Mapping
from html import escape

from abtest.domain.preview.addresses import PROXY_PATH, WebAddress, is_allowed
from abtest.domain.preview.document import Document
from abtest.domain.preview.headers import refreshed
from abtest.domain.preview.tags import StartTag, value_edit

Handler = Callable[[Document, StartTag], None]

_OUTER = frozenset({"_top", "_parent"})
_LOADED_AS = {"script": True, "style": False, "font": False, "fetch": False, "track": False, "document": False}
"""Preloads that come through the proxy, by `as`; True for those with the address of a script."""

_CANDIDATE = re.compile(r"[ \t\n\f\r,]*+([^ \t\n\f\r]++)([^,]*+)")


def link(document: Document, tag: StartTag) -> None:
    """Map a link. In a frame of its own there is no outer window to open it in."""
    document.map(tag, "href")
    document.map(tag, "xlink:href")
    _stay_inside(document, tag)


def frame(document: Document, tag: StartTag) -> None:
    """Map the document of a frame."""
    document.map(tag, "src")
    source = tag.attributes.get("srcdoc")
    if source is not None:
        mapped = document.nested(tag.text("srcdoc", document.charset), document.room)
        document.edit(*value_edit(source, mapped))


def form(document: Document, tag: StartTag) -> None:
    """Map where a form is sent; one that is sent by GET has the address as hidden fields, as its query is replaced."""
    method = tag.word("method")
    _stay_inside(document, tag)
    if method == "post":
        document.map(tag, "action")
        return
    action = tag.text("action", document.charset).strip()
    url = document.resolve(action or document.page_url)
    if method == "dialog" or url is None or not is_allowed(document.site, url):
        return
    document.set(tag, "action", f"{document.site.base}{PROXY_PATH}")
    document.edit(tag.end, tag.end, _hidden_fields(document, url))


def button(document: Document, tag: StartTag) -> None:
    """Map where a button sends its form."""
    document.map(tag, "formaction")


def script(document: Document, tag: StartTag) -> None:
    """Map a script, and put our snippet in the place of the shop's."""
    site = document.site
    if "src" not in tag.attributes:
        return
    mapped = document.mapped(tag.text("src", document.charset), is_script=True)
    if site.snippet_url and _is_shop_snippet(document, tag):
        document.has_snippet = True
        document.set(tag, "src", site.snippet_url)
        document.remove(tag, "integrity", "crossorigin")
    elif mapped is not None:
        document.set(tag, "src", mapped)


def resource(document: Document, tag: StartTag) -> None:
    """Map a link to a style, a preload or a manifest. Our styles have other bytes than the shop's."""
    relations = set(tag.word("rel").split())
    loaded_as = tag.word("as")
    if "stylesheet" in relations or (loaded_as == "style" and relations & {"preload", "prefetch"}):
        document.map(tag, "href")
        document.remove(tag, "integrity")
    elif "modulepreload" in relations:
        document.map(tag, "href", is_script=True)
    elif relations & {"preload", "prefetch"} and loaded_as in _LOADED_AS:
        document.map(tag, "href", is_script=_LOADED_AS[loaded_as])
    elif relations & {"manifest", "prerender"}:
        document.map(tag, "href")


def meta(document: Document, tag: StartTag) -> None:
    """Remove policies for the shop's own origin, and map a refresh."""
    declared = tag.word("http-equiv")
    policies = ("content-security-policy", "content-security-policy-report-only", "x-content-security-policy")
    if declared in policies or tag.word("name") == "referrer":
        document.edit(tag.start, tag.end, "")
    elif declared == "refresh" and "content" in tag.attributes:
        content = tag.text("content", document.charset)
        document.set(tag, "content", refreshed(content, site=document.site, page_url=document.base_url))


def base(document: Document, tag: StartTag) -> None:
    """Read the base of the page; the first one counts."""
    _stay_inside(document, tag)
    if "href" in tag.attributes and document.base_url == document.page_url:
        url = document.resolve(tag.text("href", document.charset))
        document.base_url = url.href if url is not None else document.page_url
        document.known.clear()


def shared_drawing(document: Document, tag: StartTag) -> None:
    """Map a drawing of another file, which must be of the page's own origin."""
    document.map(tag, "href")
    document.map(tag, "xlink:href")


def source(document: Document, tag: StartTag) -> None:
    """Map a frame-like source."""
    document.map(tag, "src")


def embedded(document: Document, tag: StartTag) -> None:
    """Map the document of an `object`."""
    document.map(tag, "data")


def picture(document: Document, tag: StartTag) -> None:
    """Map a picture that scripts read; the shop allows this to its own origin only."""
    if "crossorigin" not in tag.attributes:
        return
    document.map(tag, "src")
    if "srcset" in tag.attributes:
        candidates = _CANDIDATE.sub(lambda match: _candidate(document, match), tag.text("srcset", document.charset))
        document.edit(*value_edit(tag.attributes["srcset"], candidates))


HANDLERS: Mapping[str, Handler] = {
    "a": link,
    "area": link,
    "audio": picture,
    "base": base,
    "button": button,
    "embed": source,
    "form": form,
    "frame": frame,
    "iframe": frame,
    "img": picture,
    "input": button,
    "link": resource,
    "meta": meta,
    "object": embedded,
    "script": script,
    "track": source,
    "use": shared_drawing,
    "video": picture,
}


def _stay_inside(document: Document, tag: StartTag) -> None:
    if tag.word("target") in _OUTER:
        document.set(tag, "target", "_self")


def _hidden_fields(document: Document, url: WebAddress) -> str:
    """Return the fields that a GET form sends first: the parts of its address at the proxy."""
    values = {"pst": document.site.token, "url": f"{url.origin}{url.path}"}
    return "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in values.items())


def _is_shop_snippet(document: Document, tag: StartTag) -> bool:
    url = document.resolve(tag.text("src", document.charset))
    return url is not None and f"{url.origin}{url.path}" in document.site.shop_snippets


def _candidate(document: Document, match: re.Match[str]) -> str:
    address = match[1].rstrip(",")
    commas = match[1][len(address) :]
    return f" {document.mapped(address) or address}{commas}{match[2]}" + ("" if commas else ",")
