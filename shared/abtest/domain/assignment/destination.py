"""Where a redirect leads a visitor, the same as in the storefront (`storefront/src/redirect.js`)."""

from ada_url import URL, URLSearchParams

from abtest.domain.targeting.patterns import well_formed


def destination_of(target: str, here: str) -> str | None:
    """The destination with the visitor's own query and fragment; what the destination says itself wins.

    `here` is an absolute address. None where there is nowhere to go: no web address, or the visitor is there already.
    """
    origin, to = URL(well_formed(here)), _parsed(target, here)
    if to is None or to.protocol not in ("http:", "https:"):
        return None
    own, given = URLSearchParams(to.search), URLSearchParams(origin.search)
    if _has_arrived(origin, to, own, given):
        return None
    merged = URLSearchParams(to.search)
    added = [(name, value) for name, value in given.items() if not own.has(name)]
    for name, value in added:
        merged.append(name, value)
    if added:
        # As in browsers, a query that is added to is written anew, and one that is not stays as it was.
        to.search = str(merged)
    if not to.hash:
        to.hash = origin.hash
    return to.href


def _has_arrived(origin: URL, to: URL, own: URLSearchParams, given: URLSearchParams) -> bool:
    if (to.origin, to.pathname) != (origin.origin, origin.pathname) or to.hash not in ("", origin.hash):
        return False
    return all(given.has(name) and given.get(name) == value for name, value in own.items())


def _parsed(target: str, here: str) -> URL | None:
    try:
        return URL(well_formed(target), base=well_formed(here))
    except ValueError:
        return None
