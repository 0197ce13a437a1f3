"""A page while it is written: what the renderer makes of it, with nothing in it that runs, counts or leaves its frame.

Everything in a document is escaped by `kit.markup`, so a less-than sign begins an element, and a greater-than sign ends
it; what is searched for here can be nothing else.
"""

import re

from abtest.domain.pages.policy import in_meta
from abtest.domain.pages.render import RenderedPage
from abtest.domain.pages.site import Site
from abtest.domain.preview.landing import ShownPage
from abtest.kit.markup import el

SANDBOX = "sandbox allow-popups allow-popups-to-escape-sandbox"
"""Without scripts, forms and an origin. Links may open windows, which are not in the sandbox."""

_CLOSED = ("script-src", "connect-src", "form-action")
_OUTWARD = re.compile(r'<a (?=[^>]*href="[^#"])')


def shown(page: RenderedPage, site: Site) -> ShownPage:
    """Return a rendered page without its snippet, and with links to other addresses that open a window."""
    snippet = el("script", src=site.snippet_address)
    html = page.html.decode().replace(snippet, "", 1)
    rules = (
        f"{name} 'none'" if (name := rule.partition(" ")[0]) in _CLOSED else rule
        for rule in in_meta(page.policy).split("; ")
    )
    # Any window may show a preview that it has the address of, as with pages of the shop.
    return ShownPage(
        html=_OUTWARD.sub('<a target="_blank" rel="noreferrer" ', html), policy="; ".join([*rules, SANDBOX])
    )
