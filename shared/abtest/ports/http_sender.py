"""Sending HTTP requests to addresses outside."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Failure = Literal["dns", "connect", "tls", "timeout", "protocol", "redirects"]
"""The name does not resolve; nothing listens; the certificate is not right; it takes too long; what comes back is not
HTTP, or larger than headers may be; it redirects more often than was allowed."""


MAX_ERROR = 500
"""Characters of what an error says: it may quote what a receiver said, and receivers may say much."""


class HttpUnreachableError(Exception):
    """No answer came. `failure` says of what kind, the message what exactly, at no more length than `MAX_ERROR`."""

    def __init__(self, message: str, failure: Failure = "connect") -> None:
        super().__init__(message[:MAX_ERROR])
        self.failure: Failure = failure


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """What came back; redirects that were not followed are answers like any other.

    `content_type` is "" when none was told. `headers` by lower-case name, those that came twice joined by a comma.
    `url` is the address that answered in the end. `is_whole` is False where the body was cut at the sender's limit, or
    did not come as it should.
    """

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    is_whole: bool = True


class HttpSender(Protocol):
    """The one way out. Each sender has its rules for addresses, its limits, and one deadline for a whole exchange.

    Both raise HttpUnreachableError, and UrlNotAllowedError (abtest.domain.egress) for an address that the rules refuse,
    before anything was sent to it.
    """

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        """Send once and wait for the answer. A redirect is not followed.

        The status is the answer: whatever is wrong with the body after it, other than that it takes too long, makes
        the body one that is not whole. Where no answer came, the receiver may have taken the request all the same.
        """
        ...

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        """Fetch, following so many redirects at most; where each leads is checked anew."""
        ...
