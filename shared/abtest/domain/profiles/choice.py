"""Choice of the pages that a run reads: of each kind some, from the sitemap and from the links of pages."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from ada_url import URL

from abtest.domain.profiles.page import StorePage
from abtest.domain.profiles.signatures import PageKind, kind_of_path

MAX_PAGES = 20
"""Pages of a run, besides the home page."""

QUOTAS: Mapping[PageKind, int] = {"product": 8, "collection": 5, "cart": 1, "content": 6}
"""Pages of each kind. Places that one kind leaves free go to the others, in this order."""

MAX_CANDIDATES = 5_000
MAX_SITEMAP_FILES = 4
_PROMISING = ("product", "collection", "categor", "page", "content")


def same_site(url: str, home: str) -> bool:
    """Return whether two addresses have one origin."""
    return str(URL(url).origin) == str(URL(home).origin)


def chosen(
    home: str, addresses: Iterable[str], taken: Sequence[tuple[PageKind, str]] = ()
) -> list[tuple[PageKind, str]]:
    """Return the pages to read besides those taken, by kind: those of the home page's origin, each once.

    Of each kind they are spread over the list, because neighbours in a sitemap are alike.
    """
    by_kind: dict[PageKind, list[str]] = {kind: [] for kind in QUOTAS}
    for url in islice(_distinct([home, *(url for _, url in taken)], addresses), MAX_CANDIDATES):
        kind = kind_of_path(_path(url))
        if kind is not None and kind != "home":
            by_kind[kind].append(url)
    used = Counter(kind for kind, _ in taken)
    free = MAX_PAGES - len(taken)
    picked: dict[PageKind, list[str]] = {}
    for kind, urls in by_kind.items():
        picked[kind] = _spread(urls, max(0, min(free, QUOTAS[kind] - used[kind])))
        free -= len(picked[kind])
    for kind, urls in by_kind.items():
        rest = [url for url in urls if url not in picked[kind]] if free and kind != "cart" else []
        more = _spread(rest, free)
        picked[kind] += more
        free -= len(more)
    return [(kind, url) for kind, urls in picked.items() for url in urls]


def candidates(home: StorePage, located: Iterable[str]) -> Iterator[str]:
    """Yield addresses in the order of their worth: links of the home page first, because visitors see those."""
    yield from (link.url for link in home.links)
    yield from located


def sitemaps_first(locations: Iterable[str]) -> list[str]:
    """Return sitemaps of an index, those whose names promise pages of a store first."""
    return sorted(
        dict.fromkeys(locations),
        key=lambda url: next((n for n, word in enumerate(_PROMISING) if word in url.lower()), 9),
    )


def _distinct(known: Sequence[str], addresses: Iterable[str]) -> Iterator[str]:
    home = known[0]
    seen = {_bare(url) for url in known}
    for url in addresses:
        try:
            bare = _bare(url)
            is_new = bare not in seen and same_site(bare, home)
        except ValueError:
            continue
        if is_new:
            seen.add(bare)
            yield bare


def _bare(url: str) -> str:
    """Return an address without fragment, and without the query, which mostly sorts, filters or counts."""
    parsed = URL(url)
    parsed.hash = ""
    parsed.search = ""
    return str(parsed.href)


def _path(url: str) -> str:
    return str(URL(url).pathname)


def _spread(urls: list[str], count: int) -> list[str]:
    if len(urls) <= count:
        return list(urls)
    return [urls[place * len(urls) // count] for place in range(count)]
