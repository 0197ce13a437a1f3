"""The tags that a shop pastes into its pages, and the addresses in them."""

from dataclasses import dataclass
from html import escape

from ada_url import URL


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallTags:
    """HTML of each tag; `preconnect` belongs before either of the others."""

    snippet: str
    preconnect: str
    asynchronous: str


def snippet_url(worker_base_url: str, shop_id: str) -> str:
    """Return the address of a shop's snippet."""
    return f"{worker_base_url}/s/{shop_id}.js"


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address."""
    return str(URL(url).origin)


def install_tags(worker_base_url: str, shop_id: str) -> InstallTags:
    """Return the synchronous tag, the preconnect that precedes it, and the tag for shops that hydrate their pages."""
    address = escape(snippet_url(worker_base_url, shop_id))
    return InstallTags(
        snippet=f'<script src="{address}"></script>',
        preconnect=f'<link rel="preconnect" href="{escape(origin_of(worker_base_url))}">',
        asynchronous=f'<script async src="{address}"></script>',
    )
