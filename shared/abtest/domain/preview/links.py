"""Links to the shop's own pages that show a draft there: the page's address with one more parameter."""

from urllib.parse import unquote_plus

from abtest.domain.preview.addresses import WebAddress

PARAMETER = "svc_preview"


def link(page: WebAddress, token: str) -> str:
    """Return the address of a page with the token of a preview, in place of one that it has. All else stays."""
    present = page.query.removeprefix("?")
    others = [part for part in present.split("&") if _name(part) != PARAMETER] if present else []
    query = "&".join([*others, f"{PARAMETER}={token}"])
    return page._replace(query=f"?{query}").href


def _name(part: str) -> str:
    return unquote_plus(part.partition("=")[0])
