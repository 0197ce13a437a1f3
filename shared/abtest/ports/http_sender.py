"""HTTP client for addresses that customers configure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Failure = Literal["dns", "connect", "tls", "timeout", "protocol", "redirects"]
"""Kind of failure: the name does not resolve, nothing listens, the certificate is invalid, the deadline passed, the
response is not HTTP or its headers are too large, or there were more redirects than allowed."""

MAX_ERROR = 500
"""Maximum characters of an error message, because it may quote the receiver's response."""


class HttpUnreachableError(Exception):
    """Request without a response: the kind of failure, and a message of at most `MAX_ERROR` characters."""

    def __init__(self, message: str, failure: Failure = "connect") -> None:
        super().__init__(message[:MAX_ERROR])
        self.failure: Failure = failure


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """HTTP response, of any status; a redirect that was not followed is one too.

    `content_type` is "" without that header. `headers` are by lower-case name, repeated ones joined by a comma. `url`
    is the address after all redirects. `is_whole` is False where the body was cut at the sender's limit, or did not
    arrive completely. `cookies` are the values of Set-Cookie, whose dates have commas.
    """

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    is_whole: bool = True
    cookies: Sequence[str] = ()


class HttpSender(Protocol):
    """HTTP client with rules for addresses, limits for sizes, and one deadline for a whole exchange.

    Each call raises HttpUnreachableError, and UrlNotAllowedError (abtest.domain.egress) before anything is sent to
    an address that the rules do not allow.
    """

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        """Send a request once and return the response. Redirects are not followed.

        Any error in the body after the status, other than the deadline, gives a response that is not whole. After
        HttpUnreachableError the receiver may still have processed the request.
        """
        ...

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        """Fetch a URL, following at most so many redirects. The address of each redirect is checked again."""
        ...


class HttpForwarder(Protocol):
    """HTTP client for requests of others, with the rules, limits and errors of HttpSender."""

    def forward(self, method: str, url: str, body: bytes | None, *, headers: Mapping[str, str]) -> HttpAnswer:
        """Send a request of any method once for its whole response. Redirects are not followed.

        An error in the body raises HttpUnreachableError, so that a part of a page is not taken for the page.
        """
        ...
