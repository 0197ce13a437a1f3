"""Address of the page that an experiment changes, as far as its rules name one."""

from collections.abc import Iterator

from abtest.domain.egress.targets import UrlNotAllowedError, read
from abtest.domain.targeting.shapes import Targeting


def concrete_address(targeting: Targeting | None, origin: str) -> str | None:
    """Return the first address that the page rules include; None where each has a wildcard or is an expression.

    A path alone is one of the shop's own `origin`, such as https://shop.example.
    """
    return next((url for pattern in _included(targeting) if (url := _address(pattern, origin))), None)


def _included(targeting: Targeting | None) -> Iterator[str]:
    for page in (targeting or {}).get("pageRules", ()):
        if not page.get("disabled") and page.get("include") is not False:
            rules = page.get("includeRules", ())
            yield from (each["pattern"] for each in rules if each["type"] == "simple" and each.get("include", True))


def _address(pattern: str, origin: str) -> str | None:
    if "*" in pattern:
        return None
    if "://" not in pattern:
        pattern = f"{origin}{pattern}" if pattern.startswith("/") else f"https://{pattern}"
    try:
        return read(pattern).url
    except UrlNotAllowedError:
        return None
