"""Names below which anyone may register a site, such as `co.uk` and `github.io`: no cookie is set for one of them.

The list is the Public Suffix List of Mozilla, private section included, as the package `publicsuffixlist` ships it. Its
version is the date of the list, and `tools/lock.sh` brings the latest. An older list is only coarser: a site that
registered its suffix since may have cookies shared among its customers, within one session of one shop.
"""

from functools import cache

from publicsuffixlist import PublicSuffixList


def is_public_suffix(domain: str) -> bool:
    """Return whether anyone may register a name below the domain; a single label counts as a suffix."""
    return bool(_list().is_public(domain))


@cache
def _list() -> PublicSuffixList:
    # 60 ms, so at the first cookie with a domain, which many shops never set.
    return PublicSuffixList()
