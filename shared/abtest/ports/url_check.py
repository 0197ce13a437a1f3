"""Check of a customer's URL before it is stored."""

from typing import Protocol


class UrlCheck(Protocol):
    """Check whether requests may be sent to a URL: its form, and every address that its name resolves to now."""

    def __call__(self, url: str, /) -> object:
        """Raise UrlNotAllowedError (abtest.domain.egress) for a URL that is not allowed or does not resolve.

        The name may resolve to other addresses later, so senders check again.
        """
        ...
