"""Destination of a redirect, the same as in the storefront (`storefront/src/redirect.js`)."""

from ada_url import URL, URLSearchParams

from abtest.domain.targeting.patterns import well_formed


def destination_of(target: str, here: str) -> str | None:
    """Return the destination with the visitor's own query and fragment; those of the target win.

    `here` is an absolute address. None for a target that is not a web address, or when the visitor is there already.
    """
    origin = URL(well_formed(here))
    try:
        to = URL(well_formed(target), base=well_formed(here))
    except ValueError:
        return None
    # A `javascript:` target would run as a script of the shop's page.
    if to.protocol not in ("http:", "https:"):
        return None
    own, given = URLSearchParams(to.search), URLSearchParams(origin.search)
    # A redirect to the page that the visitor is on would load it again for ever.
    is_same_page = (to.origin, to.pathname) == (origin.origin, origin.pathname) and to.hash in ("", origin.hash)
    if is_same_page and all(given.has(name) and given.get(name) == value for name, value in own.items()):
        return None
    merged = URLSearchParams(to.search)
    added = [(name, value) for name, value in given.items() if not own.has(name)]
    for name, value in added:
        merged.append(name, value)
    if added:
        # As in browsers, a query that grows is serialised again; any other stays as it was.
        to.search = str(merged)
    if not to.hash:
        to.hash = origin.hash
    return to.href
