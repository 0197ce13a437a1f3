"""Looking at an address that a customer wrote before it is kept."""

from typing import Protocol


class UrlCheck(Protocol):
    """Whether requests of ours may go to an address: its form, and every address that its name stands for now."""

    def __call__(self, url: str, /) -> object:
        """Raise UrlNotAllowedError (abtest.domain.egress); for a name that stands for nothing, too.

        What is allowed now may lead elsewhere later: senders check again.
        """
        ...
