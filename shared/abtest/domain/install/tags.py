"""The tags that a shop pastes into its pages, and the addresses in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Literal, get_args

from ada_url import URL

TagName = Literal["bounded", "synchronous", "asynchronous"]
"""Tags in the order of recommendation."""

WHEN: dict[TagName, str] = {
    "bounded": "For most shops: the page waits for the snippet, at most a second, and shows no frame of the original "
    "meanwhile.",
    "synchronous": "If the snippet comes from the shop's own host, or other scripts read what variations change: the "
    "page waits without a limit.",
    "asynchronous": "If the page must never wait: shoppers may see the original first, and clicks before the snippet "
    "has loaded are not counted.",
}
"""When to take which tag."""

SNIPPET_ELEMENT = "svc-snippet"
"""Id of the script in the bounded tag: the script behind it looks it up by this id."""

_LIMIT = """\
<script>
(function (limit) {
  var snippet = document.getElementById('svc-snippet'), root = document.documentElement, calls = [], timer;
  if (!snippet || (window.svc && svc.chunk)) return; /* it has run already */
  window.svc = window.svc || {};
  svc.set = function (data) { Object.assign(svc, data); };
  ['track', 'ready', 'consent', 'force', 'on'].forEach(function (name) {
    svc[name] = function () { calls.push([name, arguments]); };
  });
  function show() {
    clearTimeout(timer);
    snippet.removeAttribute('blocking');
    root.style.opacity = '';
  }
  snippet.onerror = show;
  snippet.onload = function () {
    show();
    calls.splice(0).forEach(function (call) { svc[call[0]].apply(svc, call[1]); });
  };
  timer = setTimeout(function () {
    snippet.dataset.late = true;
    show();
  }, limit);
  if (!('blocking' in snippet)) root.style.opacity = 0;
})(1000);
</script>"""
"""Script of the bounded tag: it shows the page when the snippet has run, has failed, or after a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallTags:
    """HTML of each tag; `preconnect` belongs before the others."""

    snippet: str
    preconnect: str
    asynchronous: str
    bounded: str

    def recommended(self) -> Iterator[tuple[TagName, str, str]]:
        """Yield each tag in the order of recommendation: name, when to take it, and HTML with the preconnect."""
        html = {"bounded": self.bounded, "synchronous": self.snippet, "asynchronous": self.asynchronous}
        for name in get_args(TagName):
            yield name, WHEN[name], f"{self.preconnect}\n{html[name]}"


def snippet_url(worker_base_url: str, shop_id: str) -> str:
    """Return the address of a shop's snippet."""
    return f"{worker_base_url}/s/{shop_id}.js"


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address."""
    return str(URL(url).origin)


def install_tags(worker_base_url: str, shop_id: str) -> InstallTags:
    """Return the tags of a shop: synchronous, the preconnect that precedes it, asynchronous, and with a time limit."""
    address = escape(snippet_url(worker_base_url, shop_id))
    return InstallTags(
        snippet=f'<script src="{address}"></script>',
        preconnect=f'<link rel="preconnect" href="{escape(origin_of(worker_base_url))}">',
        asynchronous=f'<script async src="{address}"></script>',
        bounded=f'<script async blocking="render" id="{SNIPPET_ELEMENT}" src="{address}"></script>\n{_LIMIT}',
    )
