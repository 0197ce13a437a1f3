"""First scripts of a previewed document: the bridge with what it must know, the map of modules, our snippet."""

import json
from html import escape

from abtest.domain.preview.addresses import MODULES_PATH, PreviewSite, absolute
from abtest.kit.json_objects import JsonObject

_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


def bridge_tag(site: PreviewSite, page_url: str, cookie: str) -> str:
    """Return the element that starts the bridge. `cookie` is what `document.cookie` shows."""
    if not site.bridge:
        return ""
    values = {
        "base": site.base,
        "token": site.token,
        "hosts": sorted(site.hosts),
        "page": page_url,
        "cookie": cookie,
    }
    return f"<script>({site.bridge})({script_json(values)})</script>"


def snippet_tag(site: PreviewSite) -> str:
    """Return the element of our snippet."""
    return f'<script src="{escape(site.snippet_url)}"></script>' if site.snippet_url else ""


def module_map(site: PreviewSite, page_url: str) -> JsonObject:
    """Return the import map that keeps the imports of modules inside.

    A rooted import of a module leads to the root of the proxy, and means the root of the module's own host. Addresses
    of the proxy itself, which relative imports lead to, are mapped to themselves, because the longest prefix counts.
    """
    inside = {f"{site.base}{MODULES_PATH}": f"{site.base}{MODULES_PATH}"}
    roots = {
        f"{scheme}://{host}/": f"{site.base}{MODULES_PATH}{site.token}/{scheme}/{host}/"
        for host in sorted(site.hosts)
        for scheme in ("https", "http")
    }
    page = absolute(page_url)
    own = roots.get(f"{page.origin}/") if page else None
    return {
        "imports": inside | roots | ({f"{site.base}/": own} if own else {}),
        "scopes": {prefix: inside | {f"{site.base}/": prefix} for prefix in roots.values()},
    }


def module_map_tag(site: PreviewSite, page_url: str) -> str:
    """Return the element of the import map of a document that has none."""
    return f'<script type="importmap">{script_json(module_map(site, page_url))}</script>'


def script_json(value: object) -> str:
    """Return JSON in ASCII that can neither end its script element nor open a comment in it."""
    return json.dumps(value, separators=(",", ":")).translate(_UNSAFE)
